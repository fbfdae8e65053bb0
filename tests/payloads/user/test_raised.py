"""What users' code raises becomes an error that can be told and sent; Ctrl-C of the user stays what it is."""

from __future__ import annotations

import signal
import threading
import time
import traceback

import pytest

from payloads.errors import PayloadFailedError
from payloads.user.guard import CallEndedError
from payloads.user.raised import failure_of, sendable


def raised(call):
    with pytest.raises(BaseException) as caught:  # noqa: PT011 (of any kind)
        call()
    return caught.value


def told(call):
    return failure_of(raised(call), "Mine.merge", {"id": "a" * 500})


def test_an_exception_is_told_in_one_line_and_what_it_was_about_is_cut():
    def fails():
        msg = "one\ntwo \udc00"
        raise ValueError(msg)

    found = told(fails)
    assert type(found) is PayloadFailedError
    assert str(found).startswith(
        "Mine.merge raised ValueError: one two \\udc00; fix the class, or change this record: {'id': 'aaa"
    )
    assert len(str(found)) < 300


def test_an_interrupt_that_a_class_raises_is_its_error():
    def fails():
        raise KeyboardInterrupt

    assert isinstance(told(fails), CallEndedError)


def test_ctrl_c_is_not():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell's background jobs don't have

    def waits():
        main = threading.main_thread().ident
        threading.Timer(0.2, signal.pthread_kill, [main, signal.SIGINT]).start()  # another thread's ends no sleep
        time.sleep(10)

    try:
        with pytest.raises(KeyboardInterrupt):
            told(waits)
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("text", ["\ud800", "x" * 10_000_000])
def test_an_error_that_a_worker_cannot_send_goes_without_its_cause(text):
    def fails():
        try:
            raise ValueError(text)  # noqa: TRY301 (as a class does)
        except ValueError as error:
            msg = "the merge failed"
            raise PayloadFailedError(msg) from error

    error = raised(fails)
    sendable(error)
    sent = "".join(traceback.format_exception(error))
    assert len(sent.encode()) < 30_000
    assert "the merge failed" in sent
    assert "The class raised it here:" in sent
    assert "raise ValueError(text)" in sent


def test_any_other_error_keeps_its_cause():
    def fails():
        raise PayloadFailedError("short") from ValueError("why")  # noqa: EM101 (it is short)

    error = raised(fails)
    sendable(error)
    assert isinstance(error.__cause__, ValueError)

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from payloads.user.guard import MOST_PRINTED, CallEndedError, CallGuard, error_text, printable
from tests.support import ROOT

SOON = 0.2


def raises(error):
    raise error


def loops():
    while True:
        pass


def loops_on(times):
    for _ in range(times):
        with contextlib.suppress(BaseException):  # as users' code may
            loops()
    return "done"


@pytest.mark.parametrize(
    ("ending", "message"),
    [
        (lambda: sys.exit(0), r"acme\.X: merge raised SystemExit\(0\)"),
        (lambda: raises(KeyboardInterrupt()), r"merge raised KeyboardInterrupt\(\)"),
        (lambda: raises(GeneratorExit()), r"merge raised GeneratorExit\(\)"),
        (lambda: os._exit(0), r"merge raised os\._exit\(0\)"),
    ],
)
def test_what_would_end_the_process_is_an_error_of_the_class(ending, message):
    with CallGuard("acme.X") as guard, pytest.raises(CallEndedError, match=message):
        guard.call("merge", ending)


@pytest.mark.parametrize("seconds", [float("inf"), 1e300])
def test_however_long_a_call_may_take(seconds):
    with CallGuard("acme.X", seconds) as guard:
        assert guard.call("merge", max, 1, 2) == 2


def test_a_thread_that_code_starts_does_not_keep_the_process_from_ending():
    program = """
import threading, time
from payloads.user.guard import CallGuard
with CallGuard("acme.X") as guard:
    guard.call("merge", threading.Thread(target=time.sleep, args=(600,), name="theirs").start)
    guard.call("merge", lambda: threading.Thread(target=time.sleep, args=(600,), name="theirs").start())
assert not threading.main_thread().daemon
print("answered")
"""
    command = [sys.executable, "-c", program]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert (found.returncode, found.stdout, found.stderr) == (0, "answered\n", "")


def test_code_that_lowers_the_recursion_limit_does_not_lower_it_for_others():
    before = sys.getrecursionlimit()
    with CallGuard("acme.X") as guard:
        guard.call("merge", sys.setrecursionlimit, before // 2)
        assert sys.getrecursionlimit() == before
        guard.call("merge", sys.setrecursionlimit, before * 2)  # which other code of theirs may need
        assert sys.getrecursionlimit() == before * 2
    sys.setrecursionlimit(before)


def test_results_and_ordinary_errors_pass():
    with CallGuard("acme.X") as guard:
        assert guard.call("merge", max, 1, 2) == 2
        with pytest.raises(ZeroDivisionError):
            guard.call("merge", lambda: 1 // 0)
    assert os._exit.__module__ in {"posix", "nt"}


@pytest.mark.parametrize("slow", [loops, lambda: time.sleep(60), lambda: loops_on(1)], ids=["loop", "sleep", "swallow"])
def test_a_call_ends_in_time(slow):
    start = time.monotonic()
    with CallGuard("acme.X", SOON) as guard, pytest.raises(CallEndedError, match=r"merge took longer than 0\.2 s"):
        guard.call("merge", slow)
    assert time.monotonic() - start < 30
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL


def test_a_call_of_another_thread_ends_in_time():
    found = []

    def work():
        with CallGuard("acme.X", SOON) as guard:
            try:
                guard.call("merge", loops)
            except CallEndedError as error:
                found.append(str(error))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(30)
    assert "merge took longer" in found[0]


def test_code_that_swallows_every_interruption_is_given_up():
    class GivenUpError(BaseException):
        pass

    def give_up(message):
        raise GivenUpError(message)

    def swallows():
        while True:
            try:
                loops()
            except GivenUpError:
                raise
            except BaseException:  # noqa: BLE001, S110
                pass

    with CallGuard("acme.X", SOON, give_up) as guard, pytest.raises(CallEndedError, match="GivenUpError"):
        guard.call("merge", swallows)


def test_the_users_own_interrupt_passes(request):
    # A shell starts what runs in its background with SIGINT ignored, and Python then leaves it so.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    with CallGuard("acme.X") as guard, pytest.raises(KeyboardInterrupt):
        guard.call("merge", lambda: (os.kill(os.getpid(), signal.SIGINT), time.sleep(5)))


def test_what_code_prints_goes_to_standard_error_and_no_further_than_that():
    program = (
        "from payloads.user.guard import CallGuard\n"
        "with CallGuard('acme.X') as guard:\n"
        "    guard.call('merge', lambda: [print('x' * 99) for _ in range(10_000)])\n"
        "print('ours')"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "ours\n"
    assert MOST_PRINTED <= len(done.stderr) < MOST_PRINTED + 100
    assert done.stderr.endswith("[acme.X prints more; further output is not shown]\n")


def test_texts_of_errors_can_be_printed():
    class Mute(Exception):  # noqa: N818
        def __str__(self):
            raise ValueError

    assert error_text(Mute()) == "its text can't be read: ValueError"
    assert printable("a\ud800") == "a\\ud800"
    assert len(printable("x" * 10_000_000)) < 2_000


def test_a_guard_that_watches_nothing_calls_all_the_same() -> None:
    assert CallGuard("Class", None).call("it", lambda: 5) == 5


def test_a_copy_of_the_process_ends_with_the_call() -> None:
    """It would go on as this process does."""
    program = (
        "import os; from payloads.user import CallGuard; guard = CallGuard('Class', None)\n"
        "with guard:\n    guard.call('it', os.fork)\n"
        "os.wait(); print('went on', flush=True)"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines() == ["went on"]

"""The examples at the end of each verb's `--help`, in the form in which a shell takes them."""

from __future__ import annotations

from typing import Final

_DAYS = "--batches days/ --payload AWSDmsAvroPayload --key id --ordering ts"

EXAMPLES: Final[dict[str, tuple[str, ...]]] = {
    "check-cluster": (
        "payload-bridge check-cluster --master spark://host:7077",
        "payload-bridge check-cluster s3a://warehouse/orders --package org.apache.hadoop:hadoop-aws:3.3.4",
        "payload-bridge check-cluster --remote sc://host:15002 --output json",
    ),
    "compare-readers": (
        "payload-bridge compare-readers warehouse/orders",
        "payload-bridge compare-readers warehouse/orders --report readers.html",
        "payload-bridge compare-readers warehouse/orders --reader 1.2 --reader hudi-rs --real",
    ),
    "demo": (
        "payload-bridge demo --report demo.html",
        "payload-bridge demo --issue 19748",
    ),
    "diff": (
        "payload-bridge diff warehouse/orders --against warehouse/orders-new",
        "payload-bridge diff warehouse/orders --against orders.csv --schema orders.ddl",
        "payload-bridge diff warehouse/orders --as-of 20240101000000000 --out back",
    ),
    "explain": (
        f"payload-bridge explain {_DAYS} --release 0.15 --row id=k008 --table-type both",
        f"payload-bridge explain {_DAYS} --from 0.15 --to 1.2 --row k008 --report k008.html",
    ),
    "history": (
        "payload-bridge history warehouse/orders",
        "payload-bridge history warehouse/orders --output json",
    ),
    "inspect": (
        "payload-bridge inspect warehouse/orders",
        "payload-bridge inspect warehouse/orders --payload AWSDmsAvroPayload --release 1.2",
        "payload-bridge inspect warehouse/orders --slices all",
        "payload-bridge inspect --root warehouse/ --release 1.2",
        "payload-bridge inspect --database sales --release 1.2 --rows",
    ),
    "merge": (
        "payload-bridge merge upsert --mode EVENT_TIME_ORDERING --key id --ordering ts --stored a/ --incoming b/",
        "payload-bridge merge upsert --payload acme:Mine --key id --stored a/ --incoming b/ --on-error quarantine",
        "payload-bridge merge upsert --payload acme:Mine --key id --stored a/ --incoming b/ --out c --meta-columns",
        "payload-bridge merge combine-input --mode EVENT_TIME_ORDERING --key id --ordering ts --incoming b/",
    ),
    "merge-into": (
        "payload-bridge merge-into warehouse/orders --incoming day/ --payload AWSDmsAvroPayload --release 0.15",
        "payload-bridge merge-into warehouse/orders --incoming day/ --payload acme:Mine --batch-id 2024-06-01",
    ),
    "migrate": (
        f"payload-bridge migrate {_DAYS} --table-type both --out migration",
        "payload-bridge migrate --payload AWSDmsAvroPayload --key id --ordering ts",
        "payload-bridge migrate --table warehouse/orders --accept-differences",
        "payload-bridge migrate --table warehouse/orders --script migration.py --apply-to-copy migrated-orders",
    ),
    "pack": (
        "payload-bridge pack --out bridge.tar.gz",
        "payload-bridge pack --out bridge.tar.gz --with scipy",
    ),
    "payloads": (
        "payload-bridge payloads --release 1.2",
        "payload-bridge payloads DefaultHoodieRecordPayload",
        "payload-bridge payloads com.acme.OrderPayload --jar acme.jar --release 1.2",
    ),
    "plan": (
        "payload-bridge plan warehouse/orders --to 1.2",
        "payload-bridge plan warehouse/orders --to EVENT_TIME_ORDERING --payload AWSDmsAvroPayload",
    ),
    "rehearse": (
        "payload-bridge rehearse warehouse/orders --to 1.2 --copy rehearsed-orders",
        "payload-bridge rehearse warehouse/orders --to 1.2 --copy rehearsed-orders --overwrite --report upgrade.html",
        "payload-bridge rehearse warehouse/orders --to 1.2 --copy rehearsed-orders --batches days/ --downgrade",
    ),
    "replay": (
        f"payload-bridge replay {_DAYS} --from 0.15 --to 1.2 --report upgrade.html",
        f"payload-bridge replay {_DAYS} --from 0.15 --to 1.2 --upgrade-after 2 --table-type both --out keys",
        f"payload-bridge replay {_DAYS} --from 0.15 --to 1.2 --since 2024-06 --keys-sample 1%",
        "payload-bridge replay --table warehouse/orders --to 1.2 --out keys",
        "payload-bridge replay --table warehouse/orders --history --to 1.2 --keys-sample 1%",
    ),
    "simulate": (
        f"payload-bridge simulate {_DAYS} --release 0.15 --table-type both",
        f"payload-bridge simulate {_DAYS} --release 1.2 --all-paths",
        "payload-bridge simulate --table warehouse/orders --keys-sample 1%",
    ),
    "snapshot": (
        "payload-bridge snapshot warehouse/orders --sample 5 --columns id,city --where \"day = '2024-01-02'\"",
        "payload-bridge snapshot warehouse/orders --release 1.2 --out orders-now --on-error quarantine",
        "payload-bridge snapshot warehouse/orders --release 0.15 --out orders-now --out-table-format hudi",
    ),
    "verify": (
        "payload-bridge verify DefaultHoodieRecordPayload --exhaustive",
        "payload-bridge verify my_payloads:Latest --schema rows.avsc --key id --ordering ts --report laws.html",
    ),
}


def wrapped(command: str, width: int, indent: str) -> str:
    """Return a command in lines of at most `width` columns, broken before options; it can be copied as it is."""
    first, *options = command.split(" --")
    lines = [indent + first]
    for option in options:
        if len(lines[-1]) + len(f" --{option} \\") > width:
            lines[-1] += " \\"
            lines.append(f"{indent}    --{option}")
        else:
            lines[-1] += f" --{option}"
    return "\n".join(lines)

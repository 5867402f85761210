#!/usr/bin/env python3
"""A broker with a store on disk under a steady load, for an hour: every minute a row with its memory, descriptors, files,
bytes on disk, and latencies from when an item should have been sent until it was received. Retention slides all the time,
by age in some streams and by events in others, and store.bytes is met. limits.memory is small, so that RocksDB's cache
is full soon. Ends with 1 if memory, descriptors, files or disk go on growing: if any of the last quarter's is above all of
the second quarter's by more than a fifth, or the disk above store.bytes. Programs are those of build/shipped/bin, or of
--bin."""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/e2e"))
from sluice_process import Sluiced  # noqa: E402

MIB = 1 << 20
GROWTH = 1.2


def resident_mib(pid):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0


def sample(daemon, folder):
    files = [each for each in Path(folder).rglob("*") if each.is_file()]
    blocks = 0
    for each in files:
        try:
            blocks += each.stat().st_blocks * 512
        except FileNotFoundError:  # a compaction has removed it
            pass
    return {"memory MiB": resident_mib(daemon.process.pid), "descriptors": len(os.listdir(f"/proc/{daemon.process.pid}/fd")),
            "files": len(files), "disk MiB": blocks / MIB}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=Path, default=ROOT / "build/shipped/bin")
    parser.add_argument("--folder", default="/var/tmp", help="on the disk to be used (default: %(default)s)")
    parser.add_argument("--minutes", type=int, default=60)
    parser.add_argument("--seconds", type=int, default=60, help="of a row (default: %(default)s)")
    parser.add_argument("--rate", type=int, default=4_000, help="items per second (default: %(default)s)")
    parser.add_argument("--store-mib", type=int, default=512)
    parser.add_argument("--age", default="10min", help="how long events are kept (default: %(default)s)")
    arguments = parser.parse_args()
    os.environ["SLUICED"] = str(arguments.bin / "sluiced")
    rows = []
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder, Sluiced(
            "matcher.backend=cpu", "limits.memory=512MiB", "store.kind=rocksdb", f"store.path={folder}/store",
            f"store.bytes={arguments.store_mib}MiB", f"store.retention.age={arguments.age}") as daemon:
        while len(rows) < arguments.minutes:
            out = subprocess.run(
                [arguments.bin / "bench_load", "--port", str(daemon.port), "--rate", str(arguments.rate), "--filters",
                 "1000", "--subscribers", "20", "--publishers", "8", "--seconds", str(arguments.seconds), "--seed",
                 str(len(rows) + 1)], check=True, stdout=subprocess.PIPE, text=True).stdout
            load = json.loads(out[out.index("[\n"):])[0]
            rows.append({**sample(daemon, folder), "items/s": load["events_per_second"],
                         "p50 ms": load["publish_to_receive_us"]["p50"] / 1000,
                         "p99 ms": load["publish_to_receive_us"]["p99"] / 1000})
            if len(rows) == 1:
                print(" | ".join(["minute", *rows[0]]), flush=True)
            print(" | ".join([f"{time.strftime('%H:%M')}", *(f"{value:,.1f}" for value in rows[-1].values())]), flush=True)
    quarter = len(rows) // 4
    second, last = rows[quarter:2 * quarter], rows[len(rows) - quarter:]
    grown = [name for name in ("memory MiB", "descriptors", "files", "disk MiB") if quarter and
             max(row[name] for row in last) > GROWTH * max(row[name] for row in second)]
    if max(row["disk MiB"] for row in rows) > arguments.store_mib:
        grown.append("disk above store.bytes")
    if grown:
        print(f"not flat: {', '.join(grown)}")
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main())

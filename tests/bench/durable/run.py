#!/usr/bin/env python3
"""What a store on disk costs, beside the least that anybody can do and beside others, in one run: publications, feeds,
replays, bytes on disk. Prints a table and how long this disk's syncs took meanwhile. Others are measured if Debian's
redis-server, redis-tools and nats-server are there. Programs are those of build/shipped/bin, or of --bin."""
import argparse
import contextlib
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import deque
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.path.insert(0, str(ROOT / "tests/bench/instructions"))
from instructions import ITEM_BYTES, Publisher, item, request  # noqa: E402
from sluice_process import Sluiced  # noqa: E402

EVENT_BYTES = 1_053  # what the broker's log writes for one new item of a feed of 100


def json_of(*command):
    return json.loads(subprocess.run([str(each) for each in command], check=True, capture_output=True, text=True).stdout)


def free_port():
    with socket.socket() as some:
        some.bind(("127.0.0.1", 0))
        return some.getsockname()[1]


def wait_for(port):
    give_up = time.monotonic() + 30
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            if time.monotonic() > give_up:
                raise
            time.sleep(0.05)


@contextlib.contextmanager
def running(*command):
    process = subprocess.Popen([str(each) for each in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


class Bench:
    def __init__(self, arguments):
        self.arguments, self.bin = arguments, arguments.bin
        os.environ["SLUICED"] = str(self.bin / "sluiced")

    def folder(self):
        return tempfile.TemporaryDirectory(dir=self.arguments.folder)

    def broker(self, kind, folder, *options):
        return Sluiced("matcher.backend=cpu", f"store.kind={kind}", f"store.path={folder}/store", *options)

    def load(self, daemon, *options):
        out = subprocess.run([self.bin / "bench_load", "--port", str(daemon.port), *map(str, options)], check=True,
                             capture_output=True, text=True).stdout
        if self.arguments.verbose:
            print(out)
        return out

    def rate(self, kind, *options):
        with self.folder() as folder, self.broker(kind, folder) as daemon:
            out = self.load(daemon, "--find-max", "--filters", 100, "--subscribers", 10, "--seconds",
                            self.arguments.seconds, *options)
        return json.loads(out[out.index("[\n"):])[0]["events_per_second"]

    def bare(self):
        with self.folder() as folder:
            return json_of(self.bin / "bench_bare_log", f"{folder}/log", 50, EVENT_BYTES, self.arguments.seconds)

    def redis(self):
        if not shutil.which("redis-server"):
            return None
        port = free_port()
        with self.folder() as folder, running("redis-server", "--port", port, "--dir", folder, "--appendonly", "yes",
                                              "--appendfsync", "always", "--save", ""):
            wait_for(port)
            out = subprocess.run(["redis-benchmark", "-p", str(port), "-c", "50", "-n", str(self.arguments.redis), "--csv",
                                  "XADD", "s", "*", "d", "x" * EVENT_BYTES], check=True, capture_output=True, text=True)
        return float(re.findall(r'"([\d.]+)"', out.stdout.splitlines()[-1])[0])

    def jetstream(self):
        if not shutil.which("nats-server"):
            return None
        port = free_port()
        with self.folder() as folder, running("nats-server", "-js", "-sd", folder, "-a", "127.0.0.1", "-p", port):
            wait_for(port)
            return json_of(self.bin / "bench_jetstream", port, EVENT_BYTES, 4_096, self.arguments.seconds)


    def replay(self):
        with self.folder() as folder, self.broker("rocksdb", folder, "store.bytes=8GiB") as daemon:
            out = self.load(daemon, "--replay", self.arguments.replay, "--filters", 10_000, "--subscribers", 100)
            return json.loads(out[out.index("[\n"):])[0]

    def disk(self, publishers):
        """Documents of 100 items, of which one is new, from so many publishers at once."""
        rounds = self.arguments.events // publishers
        with self.folder() as folder:
            with self.broker("rocksdb", folder) as daemon:
                windows = [deque(item(first * 1_000_000 + i) for i in range(99)) for first in range(publishers)]
                connections = [Publisher(daemon) for _ in windows]
                before = 0
                for number in range(99 - 1, 99 + rounds):
                    for window, connection, first in zip(windows, connections, range(publishers)):
                        if number >= 99:
                            window.append(item(first * 1_000_000 + number))
                        connection.send(request(feed(window)))
                        if number >= 99:
                            window.popleft()
                    for connection in connections:
                        connection.wait(1)
                    before = before or written_by(daemon.process.pid)
                retained = daemon.status()["log"]["retained"]
                written = written_by(daemon.process.pid) - before
            with self.broker("rocksdb", folder):  # what was in the write-ahead log is in tables now
                pass
            tables = sum(each.stat().st_size for each in Path(folder).rglob("*.sst"))
        per_event = tables / retained["events"]
        return {"publishers": publishers, "record bytes": round(retained["bytes"] / retained["events"]),
                "table bytes": round(per_event), "of the text": round(per_event / ITEM_BYTES, 2),
                "written / text": round(written / (rounds * publishers) / ITEM_BYTES, 2)}


def feed(items):
    return f'<?xml version="1.0"?>\n<rss version="2.0"><channel><title>Rivers</title>{"".join(items)}</channel></rss>'


def written_by(pid):
    return int(re.search(r"^write_bytes: (\d+)$", Path(f"/proc/{pid}/io").read_text(), re.M)[1])


def median(rounds, read):
    values = [read(each) for each in rounds if each is not None]
    return statistics.median(values) if values else None


def print_table(rounds):
    bare = [each["bare"]["records_per_second"] for each in rounds]
    print("\n| what | per second, medians | of the bare program |\n| --- | --- | --- |")
    for name in rounds[0]:
        value = statistics.median(bare) if name == "bare" else median([each[name] for each in rounds], float)
        if value is not None:
            print(f"| {name} | {value:,.0f} | {value / statistics.median(bare):.0%} |")
    print("\nsyncs of the bare program, ms: " + ", ".join(
        f"{name} {median([each['bare'] for each in rounds], lambda bare, name=name: bare['sync_ms'][name]):.2f}"
        for name in ("p10", "p50", "p90", "p99", "max")))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=Path, default=ROOT / "build/shipped/bin")
    parser.add_argument("--folder", default="/var/tmp", help="on the disk to be measured (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--redis", type=int, default=100_000, help="requests (default: %(default)s)")
    parser.add_argument("--events", type=int, default=20_000, help="for the bytes on disk (default: %(default)s)")
    parser.add_argument("--replay", type=int, default=1_000_000, help="events (default: %(default)s); 0: not")
    parser.add_argument("--verbose", action="store_true")
    bench = Bench(parser.parse_args())
    rounds = []
    for _ in range(bench.arguments.rounds):
        begun = time.monotonic()
        jetstream = bench.jetstream()
        rounds.append({
            "bare": bench.bare(), "memory, 50 of one item": bench.rate("memory", "--publishers", 50),
            "disk, 50 of one item": bench.rate("rocksdb", "--publishers", 50), "redis": bench.redis(),
            "disk, feeds of 20": bench.rate("rocksdb", "--publishers", 8, "--items", 20),
            "memory, feeds of 20": bench.rate("memory", "--publishers", 8, "--items", 20),
            "jetstream, asynchronous": jetstream and jetstream["messages_per_second"],
        })
        print(f"{time.monotonic() - begun:.0f} s {json.dumps(rounds[-1])}", flush=True)
    print_table(rounds)
    for publishers in (1, 16):
        print(json.dumps(bench.disk(publishers)), flush=True)
    if bench.arguments.replay:
        print(json.dumps(bench.replay()))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Counts the instructions that the daemon takes for a message, by callgrind: of user code, in all threads. Unlike a time, a
count does not depend on what else the machine does. Three loads:

message   documents of one item of 1,053 bytes, 16 requests in the pipeline, a filter that nothing matches
item      documents of 100 such items, each item delivered to a subscriber as JSON; counted by item
single    like message, but delivered, and each after the event before: batches are always of one, and the count repeats
          within a percent or two

Each load runs twice, with few messages and with many; the difference counts, so starting and stopping do not. Valgrind's
processor has AVX2, but no AVX-512, and no instructions for SHA-256: what libcrypto takes is printed apart, about ten times
what it takes on a processor that has them. The daemon is that of the environment variable SLUICED, or build/bin/sluiced.

--check FILE: the least of --runs of single is compared with the figure in FILE; more than 10 % above it is a failure. Whoever
makes it better, or has a reason to make it worse, changes the file and says why in the commit.
"""
import argparse
import os
import re
import shutil
import socket
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[3]
os.environ.setdefault("SLUICED", str(ROOT / "build/bin/sluiced"))
sys.path.insert(0, str(ROOT / "tests/e2e"))
from sluice_process import Sluiced  # noqa: E402

ITEM_BYTES = 1053
TOLERANCE = 0.10
WORDS = ("the river rose over its banks on Tuesday and the ferry to the island stayed in harbour while crews moved sand "
         "to the lower streets; nobody was hurt, said the mayor, who expects the water to fall by the weekend. ")


def item(number):
    """An RSS item of ITEM_BYTES bytes, as feeds have them: a title, links, a date, categories, a description."""
    head = (f"<item><title>River report {number:08d}: ferry stays in harbour</title>"
            f"<link>https://news.example/rivers/{number:08d}.html</link>"
            f"<guid isPermaLink=\"false\">river-{number:08d}</guid>"
            f"<pubDate>Tue, 03 Mar 2026 10:{number // 60 % 60:02d}:{number % 60:02d} GMT</pubDate>"
            "<category>weather</category><category>rivers</category><author>desk@news.example (News desk)</author>"
            "<description>&lt;p&gt;")
    tail = "&lt;/p&gt; &amp; more</description></item>"
    text = WORDS * (ITEM_BYTES // len(WORDS) + 1)
    return head + text[:ITEM_BYTES - len(head) - len(tail)] + tail


def document(first, items):
    return ('<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel><title>Rivers</title>'
            + "".join(item(first + i) for i in range(items)) + "</channel></rss>")


def request(body):
    body = body.encode()
    return (b"POST /v1/events?stream=rivers HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/rss+xml\r\n"
            b"Content-Length: %d\r\n\r\n" % len(body)) + body


class Publisher:
    """A connection that publishes; `wait` reads the replies of the requests sent."""

    def __init__(self, daemon):
        self.connection = socket.create_connection(("127.0.0.1", daemon.port), timeout=600)
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.received = b""

    def send(self, requests):
        self.connection.sendall(requests)

    def wait(self, replies):
        while replies:
            head, end, rest = self.received.partition(b"\r\n\r\n")
            length = int(re.search(rb"(?i)content-length: *(\d+)", head)[1]) if end else 0
            if not end or len(rest) < length:
                more = self.connection.recv(1 << 20)
                assert more, f"the connection was closed: {self.received!r}"
                self.received += more
                continue
            assert head.startswith((b"HTTP/1.1 200", b"HTTP/1.1 202")), head + rest[:length]
            self.received = rest[length:]
            replies -= 1


def message(daemon, messages):
    pipeline = 16
    with daemon.subscribe(["title = 'nothing has this title'"], stream="rivers"):
        publisher = Publisher(daemon)
        for first in range(0, messages, pipeline):
            publisher.send(b"".join(request(document(first + i, 1)) for i in range(pipeline)))
            publisher.wait(pipeline)


def delivered(daemon, messages):
    with daemon.subscribe(["contains(title, 'River')"], stream="rivers") as subscriber:
        publisher = Publisher(daemon)
        for first in range(0, messages, 100):
            publisher.send(request(document(first, 100)))
            publisher.wait(1)
            for _ in range(100):
                assert subscriber.next_event() is not None


def single(daemon, messages):
    with daemon.subscribe(["contains(title, 'River')"], stream="rivers") as subscriber:
        publisher = Publisher(daemon)
        for first in range(messages):
            publisher.send(request(document(first, 1)))
            publisher.wait(1)
            assert subscriber.next_event() is not None


# What it runs, messages of the short run and of the long one.
LOADS = {"message": (message, 160, 1760), "item": (delivered, 200, 2200), "single": (single, 100, 600)}


def total(load, messages, profile, store):
    """The instructions of a daemon from its start to its end."""
    if profile.exists():
        profile.unlink()
    with tempfile.TemporaryDirectory() as folder, Sluiced(
            "matcher.backend=cpu", "matcher.threads=1", "io.threads=1", f"store.kind={store}", f"store.path={folder}/store",
            under=("valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", "--quiet")) as daemon:
        load(daemon, messages)
    return read_profile(profile)


def read_profile(profile):
    """The instructions in a profile of callgrind, and those in libcrypto. A line with two numbers (or "+1", "-1", "*" for
    the first) counts instructions of the object named last; the line after "calls=" is what was called."""
    own = hashing = 0
    objects, current, is_call = {}, "", False
    for line in profile.read_text().splitlines():
        if line.startswith("ob="):
            number, _, name = line[3:].partition(" ")
            current = objects.setdefault(number, name)
        elif line.startswith("cob="):
            number, _, name = line[4:].partition(" ")
            objects.setdefault(number, name)
        elif line.startswith("calls="):
            is_call = True
        elif line and line[0] in "0123456789+-*":
            if not is_call:
                instructions = int(line.split()[1])
                own += instructions
                hashing += instructions if "libcrypto" in current else 0
            is_call = False
    return own - hashing, hashing


def count(name, profiles, store="memory"):
    """Instructions of a message besides hashing, and those of hashing."""
    load, few, many = LOADS[name]
    least = total(load, few, profiles / f"{name}.few", store)
    most = total(load, many, profiles / f"{name}.many", store)
    return tuple((m - n) / (many - few) for m, n in zip(most, least))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("load", nargs="*", help=f"of {', '.join(LOADS)}; default: all")
    parser.add_argument("--profiles", type=Path, metavar="FOLDER", help="keep the profiles, for callgrind_annotate")
    parser.add_argument("--store", choices=("memory", "rocksdb"), default="memory", help="on disk, groups depend on it")
    parser.add_argument("--check", type=Path, metavar="FILE")
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    if unknown := set(arguments.load) - set(LOADS):
        parser.error(f"no load is named {', '.join(unknown)}")
    if not shutil.which("valgrind"):
        print("Skipped: there is no valgrind")
        return 4
    if arguments.check and " avx2 " not in Path("/proc/cpuinfo").read_text():
        print(f"Skipped: {arguments.check.name} has the figure of a processor with AVX2")
        return 4
    with tempfile.TemporaryDirectory() as folder:
        profiles = arguments.profiles or Path(folder)
        profiles.mkdir(parents=True, exist_ok=True)
        if arguments.check:
            return check(arguments.check, arguments.runs, profiles)
        for name in arguments.load or LOADS:
            own, hashing = count(name, profiles, arguments.store)
            print(f"{name:8} {own:10,.0f} instructions, and {hashing:,.0f} of libcrypto", flush=True)
    return 0


def check(noted, runs, profiles):
    expected = int(re.search(r"^single (\d+)$", noted.read_text(), re.M)[1])
    counted = []
    while len(counted) < runs and (not counted or min(counted) > expected * (1 + TOLERANCE)):
        counted.append(count("single", profiles)[0])
    print(f"single: {', '.join(f'{n:,.0f}' for n in counted)} instructions; {noted.name} says {expected:,}")
    if min(counted) > expected * (1 + TOLERANCE):
        print(f"FAILED: more than {TOLERANCE:.0%} above that. If there is a reason, change {noted} and say it.")
        return 1
    if min(counted) < expected * (1 - TOLERANCE):
        print(f"It is better than {noted.name} says: change it.")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Memory: the daemon stays within limits.memory whatever arrives, and refuses requests rather than crash.

SLUICE_MEMORY_SECONDS=600 extends the mixed load, which otherwise takes a few seconds, and fills a fifth of the
machine's memory instead of 256 MiB. Only then is the daemon's resident memory judged, at its peak: otherwise only what
the daemon itself says that it uses, when the load is over."""
import http.client
import json
import os
import resource
import socket
import threading
import time
import unittest

from sluice_process import TIMEOUT_S, Sluiced, eventually, item, rss

MIB = 1 << 20
IS_LONG = "SLUICE_MEMORY_SECONDS" in os.environ
LOAD_SECONDS = float(os.environ.get("SLUICE_MEMORY_SECONDS", "6"))
MACHINE_MIB = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // MIB
LOAD_MIB = MACHINE_MIB // 5 if IS_LONG else 256


def pages(daemon):
    """Address space and resident memory, in bytes."""
    with open(f"/proc/{daemon.process.pid}/statm") as file:
        return [int(n) * resource.getpagesize() for n in file.read().split()[:2]]


def memory_of(daemon):
    """What the daemon says of its memory; {} if it has no room to say it."""
    try:
        status, _, content = daemon.request("GET", "/v1/status")
    except (OSError, http.client.HTTPException):
        return {}
    return content["memory"] if status == 200 else {}


class Background:
    """Threads that repeat actions until the end of a with block; an exception in one of them fails the test."""

    def __init__(self):
        self.over = threading.Event()
        self.threads = []
        self.failure = None

    def start(self, act, *arguments):
        def run():
            try:
                while not self.over.is_set():
                    act(*arguments)
            except Exception as error:
                self.failure = error

        self.threads.append(threading.Thread(target=run))
        self.threads[-1].start()

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.over.set()
        for thread in self.threads:
            thread.join()
        if self.failure is not None and failure[0] is None:
            raise self.failure


def post(daemon, document, **parameters):
    """The status; 0 if the connection was lost."""
    try:
        status, headers, content = daemon.publish(document, deduplicate="false", **parameters)
    except (OSError, http.client.HTTPException):
        return 0
    if status >= 400:
        assert content["detail"], content
        assert status != 503 or headers["Retry-After"], headers
    return status


def post_at_once(daemon, document, n):
    """The statuses of n concurrent posts."""
    statuses = []
    threads = [threading.Thread(target=lambda: statuses.append(post(daemon, document))) for _ in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return statuses


def unfinished_post(daemon, bytes_sent):
    """A socket that has sent the head and part of a body."""
    connection = socket.create_connection(("127.0.0.1", daemon.port), timeout=TIMEOUT_S)
    connection.settimeout(10)  # the daemon may leave it unread, which is no fault
    head = "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/xml\r\nContent-Length: 16000000\r\n\r\n"
    try:
        connection.sendall(head.encode() + b"x" * bytes_sent)
    except OSError:
        pass  # refused meanwhile
    return connection


def deaf_subscriber(daemon, stream):
    """A socket that never reads the events it has subscribed to."""
    connection = socket.socket()
    connection.settimeout(TIMEOUT_S)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(("127.0.0.1", daemon.port))
    try:
        connection.sendall(f"GET /v1/events?stream={stream} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    except OSError:
        pass  # refused meanwhile
    return connection


def subscribed(daemon, filters, **parameters):
    """A subscriber, as soon as there is room for it."""

    def attempt():
        try:
            return daemon.subscribe(filters, **parameters)
        except (AssertionError, OSError, http.client.HTTPException):
            return None

    return eventually(attempt, "room for a subscriber")


class Memory(unittest.TestCase):
    def assert_works(self, daemon, stream="afterwards"):
        with subscribed(daemon, ["category='news'"], stream=stream) as subscriber:
            eventually(lambda: post(daemon, rss(item("a"), item("b")), stream=stream) == 202, "room for a document")
            self.assertEqual(subscriber.titles(2), ["a", "b"])

    def test_an_address_space_that_is_too_small(self):
        with Sluiced() as daemon:
            self.assert_works(daemon, "before")
            subscribers = [daemon.subscribe([f"price < {i}"], stream="large") for i in range(50)]
            most = pages(daemon)[0] + 200 * MIB
            resource.prlimit(daemon.process.pid, resource.RLIMIT_AS, (most, most))
            document = rss(item("large", description="x" * (16 * MIB - 1000)))
            statuses = post_at_once(daemon, document, 40)
            self.assertIsNone(daemon.process.poll(), daemon.log)
            self.assertLessEqual(set(statuses), {0, 202, 413, 500, 503})
            self.assertIn(202, statuses)
            for subscriber in subscribers:
                subscriber.close()
            self.assert_works(daemon)

    def test_of_many_large_documents_at_once_some_are_taken(self):
        with Sluiced("limits.memory=256MiB") as daemon:
            document = rss(item("large", description="x" * (16 * MIB - 1000)))
            statuses = post_at_once(daemon, document, 40)
            self.assertLessEqual(set(statuses), {202, 503})
            self.assertIn(202, statuses)
            self.assert_works(daemon)

    def test_mixed_load_stays_within_the_limit_and_loses_nothing(self):
        limit = LOAD_MIB * MIB
        unfinished_bytes = 12_000_000
        with Sluiced(f"limits.memory={LOAD_MIB}MiB", "publish.wait=200ms") as daemon, \
                daemon.subscribe([], stream="steady") as reader, Background() as background:
            accepted, received = [], []
            tiny = rss(*["<item><a/></item>"] * 9000)
            middle = rss(*[item(f"t{i}", description="x" * 20_000) for i in range(40)])

            def publish_steadily():
                number = len(accepted)
                if post(daemon, rss(item(f"n{number}")), stream="steady") == 202:
                    accepted.append(f"n{number}")

            def read_steadily():
                if len(received) < len(accepted):
                    received.append(reader.next_json()["item"]["title"])
                else:
                    background.over.wait(0.001)

            def be_deaf():
                deaf = [deaf_subscriber(daemon, f"wide{i % 4}") for i in range(20)]
                background.over.wait(1.5)
                for connection in deaf:
                    connection.close()

            def never_finish():
                connections = [unfinished_post(daemon, unfinished_bytes) for _ in range(limit // unfinished_bytes // 2)]
                background.over.wait(0.5)
                for connection in connections:
                    connection.close()

            new_streams = iter(range(10**9))
            background.start(publish_steadily)
            background.start(read_steadily)
            background.start(be_deaf)
            background.start(never_finish)
            background.start(never_finish)
            for i in range(4):
                background.start(lambda i=i: post(daemon, middle, stream=f"wide{i}"))
            background.start(lambda: post(daemon, tiny, stream="tiny"))
            background.start(lambda: post(daemon, rss(item("a")), stream=f"new{next(new_streams)}"))
            peak, end = 0, time.monotonic() + LOAD_SECONDS

            def is_enough():
                """The time is over, much has happened, and the daemon was at its limit."""
                nonlocal peak
                self.assertIsNone(daemon.process.poll(), daemon.log)
                self.assertIsNone(background.failure)
                peak = max(peak, pages(daemon)[1])
                return time.monotonic() > end and len(accepted) > 10 and memory_of(daemon).get("refusals", 0) > 0

            while time.monotonic() < end:
                is_enough()
                background.over.wait(0.01)
            eventually(is_enough, "more than ten steady events, and a refusal")
            background.over.set()
            for thread in background.threads:
                thread.join()
            while len(received) < len(accepted):
                received.append(reader.next_json()["item"]["title"])
            memory = eventually(lambda: (now := memory_of(daemon)).get("used", limit + 1) <= limit and now,
                                "memory below the limit")
            print(f"peak {peak / MIB:.0f} MiB of {limit / MIB:.0f}, {len(accepted)} steady events, "
                  f"{memory['refusals']} refusals", json.dumps(memory["uses"]))
            self.assertEqual(received, accepted)
            if IS_LONG:
                self.assertLess(peak, 1.1 * limit)
            self.assert_works(daemon)

    def test_status_tells_what_memory_is_used_for(self):
        with Sluiced("limits.memory=300MiB", "matcher.batch_delay=1s") as daemon:
            def eventually_used(use):
                eventually(lambda: memory_of(daemon)["uses"][use] > 0, f"memory for {use}")

            self.assertEqual(daemon.status()["memory"]["limit"], 300 * MIB)
            eventually_used("overhead")
            eventually_used("connections")
            with daemon.subscribe(["price < 3"]):
                eventually_used("filters")
            self.assertEqual(daemon.publish(rss(item("a")))[0], 202)
            eventually_used("identities")

    def test_what_can_never_fit_is_told_so(self):
        with Sluiced("limits.memory=64MiB") as daemon:
            status, _, content = daemon.publish(rss(item("a", description="<b/>" * 900_000)))
            self.assertEqual((status, "limits.memory" in content["detail"]), (413, True))
            self.assert_works(daemon)

    def test_streams_go_and_their_ids_continue(self):
        with Sluiced("limits.streams=20") as daemon:
            for name in ("kept", "kept", *(f"s{i}" for i in range(200)), "kept"):
                self.assertEqual(post(daemon, rss(item("a")), stream=name), 202)
            streams = eventually(lambda: (now := daemon.status()["streams"]).get("kept") == {"last_id": 3} and now,
                                 "three events of the stream that was kept")
            self.assertLessEqual(len(streams), 20)
            self.assertNotIn("s0", streams)
            self.assertEqual(daemon.publish(rss(item("b")), stream="s0")[2]["first_id"], 2)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Memory: the daemon stays within limits.memory whatever arrives, and refuses requests rather than crash."""
import http.client
import json
import resource
import threading
import time
import unittest

from mixed_load import MIB, deaf_subscriber, memory_of, mixed_load, pages, post, unfinished_post
from sluice_process import TIMEOUT_S, Sluiced, eventually, item, rss


def post_at_once(daemon, document, n):
    """The statuses of n concurrent posts."""
    statuses = []
    threads = [threading.Thread(target=lambda: statuses.append(post(daemon, document))) for _ in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return statuses


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
        limit = 256 * MIB
        with Sluiced("limits.memory=256MiB", "publish.wait=200ms") as daemon:
            end = time.monotonic() + 6

            def is_enough(load):
                """The time is over, much has happened, and the daemon was at its limit."""
                self.assertLess(time.monotonic(), end + 2 * TIMEOUT_S, "no refusal")
                return (time.monotonic() > end and len(load.accepted) > 10
                        and memory_of(daemon).get("refusals", 0) > 0)

            load = mixed_load(daemon, limit, is_enough)
            memory = eventually(lambda: (now := memory_of(daemon)).get("used", limit + 1) <= limit and now,
                                "memory below the limit")
            print(f"peak {load.peak_bytes / MIB:.0f} MiB of {limit / MIB:.0f}, {len(load.accepted)} steady events, "
                  f"{memory['refusals']} refusals", json.dumps(memory["uses"]))
            self.assertEqual(load.received, load.accepted)
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

    def test_streams_go_and_no_id_is_given_twice(self):
        with Sluiced("limits.streams=20") as daemon:
            for name in ("kept", "kept", *(f"s{i}" for i in range(200)), "kept"):
                self.assertEqual(post(daemon, rss(item("a")), stream=name), 202)
            streams = eventually(lambda: (now := daemon.status()["streams"]).get("kept", {}).get("last_id") == 203 and now,
                                 "three events of the stream that was kept")
            self.assertLessEqual(len(streams), 20)
            self.assertNotIn("s0", streams)
            self.assertEqual(daemon.publish(rss(item("b")), stream="s0")[2]["first_id"], 204)


if __name__ == "__main__":
    unittest.main()

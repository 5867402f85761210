#!/usr/bin/env python3
"""Purging streams, and erasing events: what was erased is in no file of the store, and nobody gets it."""
import json
import os
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from sluice_process import Sluiced, eventually, item, rss

FILLING = "".join(chr(32 + (n * n) % 90) for n in range(4000)).replace("&", "_").replace("<", "_")


class Erase(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.path = self.folder / "store"

    def daemon(self, *options):
        return Sluiced("store.kind=rocksdb", f"store.path={self.path}", *options)

    def request(self, daemon, expected, method, path, body=None):
        status, _, reply = daemon.request(method, path, body)
        self.assertEqual(status, expected, reply)
        return reply

    def titles(self, daemon, stream="s"):
        with daemon.subscribe(["true()"], stream=stream, **{"from": "first", "until": "now"}) as subscriber:
            events = [event for event in iter(subscriber.next_event, None) if event.get("event") != "reset"]
        return [json.loads(event["data"])["item"]["title"] for event in events]

    def places_of(self, text):
        done = subprocess.run([os.environ["FIND_STORED_BYTES"], self.path, text], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    def test_what_was_erased_is_in_no_file(self):
        secret = "the address of Ada is 12 Harbour Lane"
        with self.daemon() as daemon:
            first = daemon.publish(rss(item("a"), item(secret), item("c")), stream="s")[2]["first_id"]
            for n in range(40):  # another item of the same feed, and enough for several tables
                daemon.publish(rss(item(f"{n} {FILLING * 20}"), item(secret)), stream="s")
        self.assertTrue(self.places_of(secret))
        with self.daemon() as daemon:
            daemon.publish(rss(item("d"), item(secret), item("e")), stream="s")
            self.assertEqual(daemon.publish(rss(item(secret)), stream="t", deduplicate="false")[0], 202)
            self.request(daemon, 204, "DELETE", f"/v1/streams/s/events/{first + 1}")
            self.request(daemon, 404, "DELETE", f"/v1/streams/s/events/{first + 1}")
            self.request(daemon, 404, "DELETE", f"/v1/streams/t/events/{first}")
            self.assertTrue(self.places_of(secret))  # of t
            other = daemon.request("GET", "/v1/streams/t")[2]["last_id"]
            self.request(daemon, 204, "DELETE", f"/v1/streams/t/events/{other}")
            self.assertEqual(self.places_of(secret), [])
            self.assertEqual(self.request(daemon, 410, "GET", f"/v1/events/{first + 1}/why?filter=true()")["detail"],
                             f"event {first + 1} has been erased")
            self.assertEqual(daemon.publish(rss(item(secret)), stream="s")[2]["unchanged"], 1)
            self.assertEqual(daemon.stop(signal.SIGKILL), -signal.SIGKILL)
        self.assertEqual(self.places_of(secret), [])
        with self.daemon() as daemon:
            titles = self.titles(daemon)
            self.assertEqual([title[:2] for title in titles], ["a", "c", *(f"{n} "[:2] for n in range(40)), "d", "e"])
            self.assertEqual(daemon.status()["log"].get("damage", []), [])

    def test_a_start_completes_what_was_cut_short(self):
        """Or what was not begun, or done already: when the kill comes is left to chance, and any of them is right. The
        states of a disk between them are gone through by differential_crash."""
        for attempt in range(12):
            secret = f"the secret {attempt} of Ada"
            with self.daemon() as daemon:
                event = daemon.publish(rss(item(secret), item(f"{attempt}")), stream="s")[2]["first_id"]
                with socket.create_connection(("127.0.0.1", daemon.port)) as connection:
                    path = f"/v1/streams/s/events/{event}"
                    connection.sendall(f"DELETE {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                    time.sleep(attempt * 0.002)
                    self.assertEqual(daemon.stop(signal.SIGKILL), -signal.SIGKILL)
            with self.daemon() as daemon:
                is_there = secret in self.titles(daemon)
                self.assertEqual(daemon.stop(signal.SIGTERM), 0)
            self.assertEqual(bool(self.places_of(secret)), is_there)

    def test_an_erased_event_is_not_redelivered_nor_a_dead_letter(self):
        for options in ((), ("store.kind=rocksdb", f"store.path={self.path}")):
            with self.subTest(options), Sluiced(*options) as daemon:
                options = {"streams": ["s"], "max_deliver": 1, "dead_letter": "dead", "ack_wait": "1s"}
                self.request(daemon, 201, "PUT", "/v1/subscriptions/work", json.dumps(options))
                ids = [daemon.publish(rss(item(f"{n} {len(options)}")), stream="s")[2]["first_id"] for n in range(3)]
                taken = self.request(daemon, 200, "GET", "/v1/subscriptions/work/next?max=3")
                self.assertEqual(len(taken), 3)
                self.request(daemon, 204, "DELETE", f"/v1/streams/s/events/{ids[1]}")
                eventually(lambda: len(self.titles(daemon, "dead")) == 2, "dead letters")
                eventually(lambda: daemon.request("GET", "/v1/subscriptions/work")[2]["unacknowledged"] == 0, "the end")
                shown = daemon.request("GET", "/v1/subscriptions/work")[2]["counts"]
                self.assertEqual((shown["dead_letters"], shown["withdrawn"], shown["resets"]), (2, 1, 0))

    def test_a_deleted_stream_takes_its_events_and_items_along_and_subscriptions_stay(self):
        for options in ((), ("store.kind=rocksdb", f"store.path={self.path}")):
            with self.subTest(options), Sluiced(*options) as daemon:
                daemon.publish(rss(item("a"), item("b")), stream="s")
                work = json.dumps({"streams": ["s"], "start": "first"})
                self.request(daemon, 201, "PUT", "/v1/subscriptions/work", work)
                self.request(daemon, 204, "DELETE", "/v1/streams/s")
                self.request(daemon, 404, "GET", "/v1/streams/s")
                self.assertEqual(self.titles(daemon), [])
                self.assertEqual(self.titles(daemon, "*"), [])
                self.assertEqual(daemon.publish(rss(item("a"), item("b")), stream="s")[2]["new"], 2)
                with daemon.subscribe(["true()"], stream="s", after="1") as subscriber:
                    self.assertEqual(subscriber.next_event()["event"], "reset")
                taken = []
                while not any("item" in each and each["id"] == 4 for each in taken):
                    taken += self.request(daemon, 200, "GET", "/v1/subscriptions/work/next?max=9&wait=5s")
                self.assertEqual(taken[0]["reset"]["reason"], "retention")
                self.assertEqual([each["id"] for each in taken if "item" in each], [3, 4])

    def test_a_purged_stream_stays_with_all_else(self):
        for options in ((), ("store.kind=rocksdb", f"store.path={self.path}")):
            with self.subTest(options), Sluiced(*options) as daemon:
                self.request(daemon, 404, "POST", "/v1/streams/s/purge")
                self.request(daemon, 201, "PUT", "/v1/streams/s", json.dumps({"retention": {"events": 100}}))
                daemon.publish(rss(item("a"), item("b"), item("c"), item("d")), stream="s")
                self.request(daemon, 201, "PUT", "/v1/subscriptions/work", json.dumps(
                    {"streams": ["s"], "start": "first", "hold_bytes": "1MiB"}))
                self.request(daemon, 400, "POST", "/v1/streams/s/purge?before=x")
                self.request(daemon, 400, "POST", "/v1/streams/s/purge?x=1")
                reply = self.request(daemon, 200, "POST", "/v1/streams/s/purge?before=3")
                self.assertEqual(reply, {"stream": "s", "events": 2, "first_id": 3})
                self.assertEqual(self.titles(daemon), ["c", "d"])
                reply = self.request(daemon, 200, "POST", "/v1/streams/s/purge")
                self.assertEqual((reply["events"], reply["first_id"]), (2, 5))
                self.assertEqual(self.titles(daemon), [])
                self.assertEqual(daemon.publish(rss(item("a"), item("e")), stream="s")[2]["unchanged"], 1)
                shown = self.request(daemon, 200, "GET", "/v1/streams/s")
                self.assertEqual((shown["defined"], shown["options"]["retention"]["events"]), (True, 100))
                with daemon.subscribe(["true()"], stream="s", after="1") as subscriber:
                    self.assertEqual(subscriber.next_event()["event"], "reset")
                taken = []
                while not taken or "item" not in taken[-1]:
                    taken += self.request(daemon, 200, "GET", "/v1/subscriptions/work/next?max=9&wait=5s")
                self.assertEqual(taken[0]["reset"]["reason"], "retention")
                self.assertEqual([event["item"]["title"] for event in taken[1:]], ["e"])


if __name__ == "__main__":
    unittest.main()

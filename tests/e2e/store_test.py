#!/usr/bin/env python3
"""The store on disk: what outlives the daemon, however it ends, and where it is."""
import os
import random
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from client_process import Client, status_of
from sluice_process import Sluiced, eventually, item, rss, run_to_end

FEED = [item("a"), item("b"), item("c")]


class Store(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.path = self.folder / "store"

    def daemon(self, *options, **more):
        return Sluiced("store.kind=rocksdb", f"store.path={self.path}", *options, **more)

    def ended(self, daemon, sign=signal.SIGKILL):
        """Ends the daemon, which must not have ended before."""
        self.assertEqual(daemon.stop(sign), -sign if sign == signal.SIGKILL else 0)

    def published(self, daemon, *items, headers=None, **parameters):
        """The numbers of new, updated and unchanged items."""
        path = "/v1/events?" + "&".join(f"{name}={value}" for name, value in {"stream": "s", **parameters}.items())
        status, _, reply = daemon.request("POST", path, rss(*items),
                                          {"Content-Type": "application/rss+xml", **(headers or {})})
        self.assertEqual(status, 202, reply)
        return reply["new"], reply["updated"], reply["unchanged"]

    def test_a_subscriber_goes_on_after_the_last_event_that_it_got(self):
        for sync in ("group", "none"):
            for sign in (signal.SIGKILL, signal.SIGTERM):
                with self.subTest(sync=sync, sign=sign), self.daemon(f"store.sync={sync}") as daemon:
                    stream = f"{sync}.{sign}"
                    with daemon.subscribe(stream=stream) as subscriber:
                        self.assertEqual(self.published(daemon, *FEED, stream=stream), (3, 0, 0))
                        first = subscriber.next_event()
                    self.ended(daemon, sign)
                    with self.daemon(f"store.sync={sync}") as again, \
                            again.subscribe(stream=stream, headers={"Last-Event-ID": first["id"]}) as subscriber:
                        self.assertEqual(subscriber.titles(2), ["b", "c"])
                        self.assertEqual(self.published(again, item("d"), stream=stream), (1, 0, 0))
                        last = subscriber.next_event()
                        epoch, number = last["id"].split("-")
                        self.assertEqual(epoch, first["id"].split("-")[0])
                        self.assertGreater(int(number), int(first["id"].split("-")[1]) + 2)

    def test_a_new_subscriber_begins_after_what_earlier_processes_published(self):
        with self.daemon() as daemon:
            last_id = daemon.publish(rss(*FEED), stream="s")[2]["last_id"]
            self.ended(daemon)
        with self.daemon() as again:
            for stream in ("s", "t", "*"):
                with self.subTest(stream), again.subscribe(stream=stream) as subscriber:
                    self.assertGreaterEqual(int(subscriber.next()["id"].split("-")[1]), last_id)

    def test_the_client_goes_on_as_if_nothing_had_happened(self):
        with self.daemon() as daemon:
            port = daemon.port
            client = self.enterContext(Client("subscribe", "--server", f"http://127.0.0.1:{port}", "--stream", "s",
                                              "--count", "2", "true()"))
            daemon.wait_for_subscriptions()
            self.published(daemon, item("a"))
            self.assertEqual(client.line(), "a")
            self.ended(daemon)
        client.wait_for("connecting again")
        with self.daemon(f"http.port={port}") as again:
            self.published(again, item("b"))
            self.assertEqual(client.line(), "b")
            self.assertEqual(client.ended(), 0)
            # While the store is being opened, it may try several times.
            told = list(iter(lambda: client.line("stderr"), None))
            self.assertRegex(told[-1], "again after .*, to continue after event")
            self.assertEqual([line for line in told if "again" not in line], [])  # nothing was missed

    def test_known_items_stay_known(self):
        with self.daemon() as daemon:
            self.assertEqual(self.published(daemon, *FEED), (3, 0, 0))
            self.assertEqual(self.published(daemon, *FEED, item("d")), (1, 0, 3))
            self.ended(daemon)
        with self.daemon() as again:
            self.assertEqual(self.published(again, *FEED, item("d")), (0, 0, 4))
            self.assertEqual(self.published(again, item("a", price="3"), item("b")), (0, 1, 1))
            self.assertEqual(self.published(again, *FEED, stream="t"), (3, 0, 0))

    def test_items_stay_known_when_their_events_and_files_are_gone_and_memory_has_forgotten_them(self):
        options = ("deduplication.entries=10", "store.retention.events=5", "store.bytes=64MiB")
        texts = random.Random(1)
        items = [item(f"i{n}", text=texts.randbytes(20_000).hex()) for n in range(400)]

        def disk_is_free():
            log = daemon.status()["log"]
            return log["retained"]["events"] == 5 and log["disk"]["bytes"] < 6_000_000

        with self.daemon(*options) as daemon:
            for part in range(0, len(items), 20):
                self.assertEqual(self.published(daemon, *items[part:part + 20]), (20, 0, 0))
            eventually(disk_is_free, "the space comes back")
            self.assertEqual(self.published(daemon, *items[:20], *items[200:220]), (0, 0, 40))
            self.ended(daemon)
        with self.daemon(*options) as again:
            self.assertEqual(self.published(again, *items[:20], *items[-20:]), (0, 0, 40))
            self.assertEqual(self.published(again, item("i3", text="other"), item("i4x")), (1, 1, 0))

    def test_streams_stay_defined_or_deleted(self):
        with self.daemon() as daemon:
            body = '{"id_path": "room", "repair": "strict", "retention": {"age": "3d"}}'
            self.assertIn(daemon.request("PUT", "/v1/streams/rooms", body)[0], (200, 201))
            self.assertEqual(daemon.request("PUT", "/v1/streams/gone", "{}")[0], 201)
            self.published(daemon, *FEED, stream="gone")
            self.assertEqual(daemon.request("DELETE", "/v1/streams/gone")[0], 204)
            defined = daemon.request("GET", "/v1/streams/rooms")[2]["options"]
            self.published(daemon, *FEED, stream="news")
            kept = daemon.request("GET", "/v1/streams/news")[2]["retained"]
            self.ended(daemon)
        with self.daemon() as again:
            rooms = again.request("GET", "/v1/streams/rooms")[2]
            self.assertEqual((rooms["defined"], rooms["options"]), (True, defined))
            self.assertEqual(again.request("GET", "/v1/streams/gone")[0], 404)
            self.assertEqual(self.published(again, *FEED, stream="gone"), (3, 0, 0))
            news = again.request("GET", "/v1/streams/news")[2]
            self.assertEqual((news["defined"], news["last_id"]), (False, kept["last_id"]))
            for name in ("first_id", "last_id", "events", "oldest"):
                self.assertEqual(news["retained"][name], kept[name], name)

    def test_a_retry_with_its_idempotency_key_gets_the_first_reply(self):
        headers = {"Content-Type": "application/rss+xml", "Idempotency-Key": '"k1"'}

        def publish(daemon, *items):
            return daemon.request("POST", "/v1/events?stream=s&deduplicate=false", rss(*items), headers)[::2]

        with self.daemon() as daemon:
            status, first = publish(daemon, *FEED)
            self.assertEqual((status, first["new"]), (202, 3))
            self.ended(daemon)
        with self.daemon() as again:
            self.published(again, item("x"))  # a new publication of the feed would get other ids now
            self.assertEqual(publish(again, *FEED), (202, first))
            self.assertEqual(publish(again, item("d"))[0], 422)
            self.assertEqual(again.request("GET", "/v1/streams/s")[2]["retained"]["events"], 4)

    def test_a_store_is_of_one_daemon(self):
        with self.daemon() as daemon:
            status, _, said = run_to_end("--set", "http.port=0", "--set", f"store.path={self.path}")
            self.assertEqual(status, 1)
            user = f"process {daemon.process.pid}"
            self.assertIn(f"the store in {self.path} can't be opened: {user} has it open, and only one may", said)
            self.assertEqual(self.published(daemon, *FEED), (3, 0, 0))
        with self.daemon() as again:
            self.assertEqual(self.published(again, *FEED), (0, 0, 3))

    def test_a_folder_that_can_not_be_created_ends_the_start(self):
        (self.folder / "file").write_text("")
        status, _, said = run_to_end("--set", "http.port=0", "--set", f"store.path={self.folder}/file/store")
        self.assertEqual(status, 1)
        self.assertIn(f"{self.folder}/file/store", said)

    def test_the_log_and_readyz_say_when_it_is_open(self):
        with self.daemon() as daemon:
            self.assertEqual(daemon.request("GET", "/readyz")[::2], (200, b"ready\n"))
            self.published(daemon, *FEED, stream="a")
            self.published(daemon, *FEED, stream="b")
            for name in ("store_group_seconds", "store_append_seconds"):
                self.assertGreater(daemon.status()["histograms"][name]["count"], 0)
        with self.daemon() as again:
            self.assertEqual(again.request("GET", "/readyz")[0], 200)
            ready = next(entry for entry in again.log if entry["message"] == "ready")
            self.assertEqual((ready["store"], ready["path"], ready["streams"]), ("rocksdb", str(self.path), 2))
            self.assertGreaterEqual(ready["milliseconds"], 0)

    def test_sigterm_ends_the_process_whether_or_not_the_store_is_open_yet(self):
        with self.daemon() as daemon:
            self.published(daemon, *FEED)
            self.ended(daemon)
        for sign in (signal.SIGTERM, signal.SIGINT):
            process = subprocess.Popen([os.environ["SLUICED"], "--set", "http.port=0",
                                        "--set", f"store.path={self.path}"], stderr=subprocess.PIPE, text=True)
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
            with process.stderr as log:
                while " listening " not in log.readline():
                    pass
                process.send_signal(sign)
                self.assertEqual(status_of(process), 0, log.read())
        with self.daemon() as again:
            self.assertEqual(self.published(again, *FEED), (0, 0, 3))

    def test_nobody_else_may_read_it(self):
        with self.daemon() as daemon:
            self.published(daemon, *FEED)
            for path in (self.path, *self.path.rglob("*")):
                self.assertEqual(path.stat().st_mode & 0o077, 0, path)

    def test_where_it_is_by_default(self):
        named = {"STATE_DIRECTORY": "state/store", "XDG_STATE_HOME": "xdg/sluice/store",
                 "HOME": "home/.local/state/sluice/store"}
        plain = {name: value for name, value in os.environ.items() if name not in named}
        for name, place in named.items():
            with self.subTest(name):
                env = {**plain, name: str(self.folder / place.split("/")[0])}
                with Sluiced("store.kind=rocksdb", "store.path=auto", env=env) as daemon:
                    self.assertEqual(self.published(daemon, *FEED), (3, 0, 0))
                self.assertTrue((self.folder / place / "CURRENT").exists())
        with self.subTest("none"):
            done = run_to_end("--set", "http.port=0", env=plain)
            self.assertEqual(done[0], 1)
            self.assertIn("--set store.path=FOLDER names one", done[2])


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""sluice store: what a store has, whether it is sound, and copies of it that can be put in its place."""
import json
import os
import shutil
import signal
import stat
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from client_process import sluice
from sluice_process import Sluiced, item, rss


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.path = self.folder / "store"
        self.backups = self.folder / "store.backups"

    def daemon(self, *options, path=None):
        return Sluiced("store.kind=rocksdb", f"store.path={path or self.path}", *options)

    def publish(self, daemon, *titles, stream="s"):
        status, _, reply = daemon.publish(rss(*map(item, titles)), stream=stream)
        self.assertEqual(status, 202, reply)
        return reply

    def back_up(self, daemon, path, status=201):
        got, _, reply = daemon.request("POST", "/v1/store/backup", json.dumps({"path": str(path)}))
        self.assertEqual(got, status, reply)
        return reply

    def tool(self, command, *arguments, status=0):
        done = sluice("store", command, *map(str, arguments))
        self.assertEqual(done.returncode, status, done.stderr + done.stdout)
        return done

    def restore(self, backup):
        """As the README says."""
        if self.path.exists():
            self.path.rename(self.folder / "lost")
        shutil.copytree(backup, self.path)


class Figures(Case):
    def test_stat_of_a_store_that_is_open_and_of_one_that_is_not(self):
        with self.daemon() as daemon:
            self.publish(daemon, "a", "b")
            self.publish(daemon, "c", stream="t")
            self.assertEqual(daemon.request("PUT", "/v1/streams/defined", "{}")[0], 201)
            done = self.tool("stat", "--json", "--all", self.path)
            self.assertIn(f"process {daemon.process.pid} has the store open", done.stderr)
            open_figures = json.loads(done.stdout)
            epoch = daemon.status()["log"]["epoch"]
        done = self.tool("stat", "--json", "--all", self.path)
        self.assertEqual(done.stderr, "")
        figures = json.loads(done.stdout)
        self.assertEqual(open_figures.pop("open_by"), f"process {daemon.process.pid}")
        for each in (open_figures, figures):
            self.assertEqual((each["epoch"], each["last_id"]), (epoch, 3))
            streams = {stream["name"]: stream for stream in each["streams"]}
            self.assertEqual(list(streams), ["defined", "s", "t"])
            self.assertEqual([(stream["events"], stream["identities"], stream["defined"]) for stream in streams.values()],
                             [(0, 0, True), (2, 2, False), (1, 1, False)])
            self.assertEqual((streams["s"]["first_id"], streams["s"]["last_id"]), (1, 2))
            self.assertNotIn("oldest", streams["defined"])
            self.assertGreater(sum(part["bytes"] for part in each["parts"].values()), 0)
        lines = self.tool("stat", self.path).stdout.splitlines()
        self.assertRegex(lines[0], "^STREAM +EVENTS +BYTES +OLDEST +LAST ID +DEFINED$")
        self.assertRegex(lines[2], r"^s +2 +\d+ +\d{4}-\d\d-\d\dT\S+Z +2 +no$")
        self.assertIn(f"epoch: {epoch}", lines)

    def test_verify_refuses_an_open_store_and_names_damage(self):
        with self.daemon() as daemon:
            self.publish(daemon, *(f"{n} " + os.urandom(500).hex() for n in range(100)))
            done = self.tool("verify", self.path, status=2)
            self.assertIn(f"process {daemon.process.pid} has the store in {self.path} open", done.stderr)
            done = self.tool("repair", self.path, status=2)
            self.assertIn(f"process {daemon.process.pid} has the store in {self.path} open", done.stderr)
        with self.daemon():
            pass  # which writes tables
        done = self.tool("verify", self.path)
        self.assertRegex(done.stdout, "^read: 100 events of 1 streams, 100 known items, ")
        table = max(self.path.glob("*.sst"), key=lambda file: file.stat().st_size)
        content = bytearray(table.read_bytes())
        content[len(content) // 2] ^= 1
        table.write_bytes(content)
        done = self.tool("verify", self.path, status=1)
        self.assertIn(table.name, done.stdout)
        self.assertRegex(done.stdout, r"(?m)^damaged: events from \d+ to \d+ of s: ")
        self.assertIn("sluice store repair", done.stderr)
        figures = json.loads(self.tool("verify", "--json", self.path, status=1).stdout)
        self.assertTrue(figures["damage"])
        repaired = self.tool("repair", self.path)
        self.assertRegex(repaired.stdout, r"(?m)^lost: events from \d+ to \d+ of s: ")
        self.tool("verify", self.path)

    def test_what_is_no_store(self):
        for command in ("stat", "verify", "repair"):
            self.assertIn("there is no folder", self.tool(command, self.folder / "none", status=2).stderr)
        for command in ("stat", "verify"):
            self.assertIn("there is no store in", self.tool(command, self.folder, status=2).stderr)


class Backup(Case):
    def test_restored_while_publishing_went_on(self):
        with self.daemon() as daemon:
            old_epoch = daemon.status()["log"]["epoch"]
            daemon.request("PUT", "/v1/subscriptions/work", json.dumps({"streams": ["s"], "start": "first"}))
            for n in range(10):
                self.publish(daemon, f"before {n}")
            _, _, taken = daemon.request("GET", "/v1/subscriptions/work/next?max=4")
            acknowledged = [event["id"] for event in taken[:3]]
            self.assertEqual(daemon.request("POST", "/v1/subscriptions/work/ack", json.dumps({"ids": acknowledged}))[0],
                             200)
            stop, published = threading.Event(), []

            def go_on():
                while not stop.is_set():
                    published.append(self.publish(daemon, f"meanwhile {len(published)}")["last_id"])

            publisher = threading.Thread(target=go_on)
            publisher.start()
            try:
                backup = self.back_up(daemon, "monday")
                seen = [json.loads(self.tool("stat", "--json", "--all", self.path).stdout)["last_id"] for _ in range(5)]
            finally:
                stop.set()
                publisher.join()
            last = self.publish(daemon, "after")["last_id"]
            self.assertEqual(daemon.request("POST", "/v1/subscriptions/work/ack",
                                            json.dumps({"ids": [taken[3]["id"]]}))[0], 200)
            self.assertEqual(daemon.stop(signal.SIGKILL), -signal.SIGKILL)
        self.assertEqual(seen, sorted(seen))
        self.assertGreaterEqual(seen[0], backup["last_id"])
        self.assertEqual(backup["path"], str(self.backups / "monday"))
        self.assertEqual(backup["epoch"], old_epoch)
        self.assertGreaterEqual(backup["last_id"], 10)
        self.assertLess(backup["last_id"], last)
        self.tool("verify", backup["path"])
        self.assertEqual(stat.S_IMODE(os.stat(backup["path"]).st_mode), 0o700)
        self.restore(backup["path"])
        with self.daemon() as again:
            epoch = again.status()["log"]["epoch"]
            self.assertNotEqual(epoch, old_epoch)
            # A cursor of the old epoch, also of an event that is there.
            for number in (5, last):
                with again.subscribe(stream="s", headers={"Last-Event-ID": f"{old_epoch}-{number}"}) as subscriber:
                    event = subscriber.next_event()
                    self.assertEqual((event["event"], json.loads(event["data"])["epoch"]), ("reset", epoch))
                    ids = [subscriber.next_json()["id"] for _ in range(backup["last_id"])]
                    self.assertEqual(ids, list(range(1, backup["last_id"] + 1)))
            # Three of four were acknowledged before the backup.
            taken = []
            while len(taken) < backup["last_id"] - 3:
                more = again.request("GET", "/v1/subscriptions/work/next?max=1000&wait=60s")[2]
                self.assertTrue(more)
                taken += [event["id"] for event in more]
            self.assertEqual(taken, list(range(4, backup["last_id"] + 1)))
            self.assertGreater(self.publish(again, "new")["first_id"], backup["last_id"])
            self.assertEqual(self.publish(again, "before 3")["unchanged"], 1)
        with self.daemon() as third:  # once
            self.assertEqual(third.status()["log"]["epoch"], epoch)

    def test_what_is_refused(self):
        with self.daemon(f"store.backups={self.folder}/b") as daemon:
            self.publish(daemon, "a")
            self.assertEqual(self.back_up(daemon, "one")["path"], f"{self.folder}/b/one")
            self.assertIn("exists", self.back_up(daemon, "one", 409)["detail"])
            self.assertEqual(self.back_up(daemon, self.folder / "b" / "deep" / "two")["last_id"], 1)
            (self.folder / "b" / "link").symlink_to(self.folder)
            (self.folder / "b" / "nowhere").symlink_to(self.folder / "x")
            for path in ("../x", "a/../../x", self.folder / "x", "link/x", ".", "", "a/", self.folder / "b", "/", "a\0b",
                         "x" * 2_000):
                with self.subTest(path):
                    self.back_up(daemon, path, 400)
            self.back_up(daemon, "nowhere", 409)
            for body in ("", "{}", "[]", '{"path": 1}', '{"path": "x", "y": 1}'):
                with self.subTest(body):
                    self.assertEqual(daemon.request("POST", "/v1/store/backup", body)[0], 400)
            self.assertEqual(daemon.request("GET", "/v1/store/backup")[0], 405)
            self.assertFalse((self.folder / "x").exists())
        with Sluiced() as daemon:
            self.assertIn("in memory", self.back_up(daemon, "one", 409)["detail"])

    def test_from_the_command_line(self):
        with self.daemon() as daemon:
            self.publish(daemon, "a")
            server = ("--server", f"http://127.0.0.1:{daemon.port}")
            done = self.tool("backup", *server, "one")
            self.assertRegex(done.stdout, f"^{self.backups}/one: [0-9]+ bytes, with the events up to 1\n$")
            made = json.loads(self.tool("backup", *server, "--json", "two").stdout)
            self.assertEqual((made["path"], made["last_id"]), (f"{self.backups}/two", 1))
            self.assertIn("exists", self.tool("backup", *server, "two", status=2).stderr)
            copy = ("--store", self.path, self.folder / "three")
            self.assertIn("has the store in", self.tool("backup", *copy, status=2).stderr)
            epoch = daemon.status()["log"]["epoch"]
        self.tool("backup", *copy)
        self.assertIn("exists", self.tool("backup", *copy, status=2).stderr)
        self.tool("verify", self.folder / "three")
        self.restore(self.folder / "three")
        with self.daemon() as again:
            self.assertNotEqual(again.status()["log"]["epoch"], epoch)
            self.assertEqual(again.request("GET", "/v1/streams/s")[2]["retained"]["events"], 1)


class Export(Case):
    def exported(self, *arguments, status=0):
        done = subprocess.run([os.environ["SLUICE"], "store", "export", *map(str, arguments)], capture_output=True)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout if status == 0 else done.stderr.decode()

    def test_moved_to_another_store(self):
        with self.daemon() as daemon:
            epoch = daemon.status()["log"]["epoch"]
            self.publish(daemon, "a", "b")
            self.publish(daemon, "c", stream="t")
            body = json.dumps({"streams": ["s"], "start": "first"})
            self.assertEqual(daemon.request("PUT", "/v1/subscriptions/work", body)[0], 201)
            self.assertEqual(daemon.request("PUT", "/v1/streams/t", '{"repair": "strict"}')[0], 201)
            self.assertIn("has the store in", self.exported(self.path, status=2))
        file, moved = self.folder / "file", self.folder / "moved"
        file.write_bytes(self.exported(self.path))
        self.assertEqual(self.tool("import", file, moved).stdout, "the store has 3 events of 2 streams\n")
        self.assertEqual(self.exported(moved), file.read_bytes())
        self.assertIn("is not an empty folder", self.tool("import", file, moved, status=2).stderr)
        with self.daemon(path=moved) as again:
            self.assertNotEqual(again.status()["log"]["epoch"], epoch)
            for stream, titles in (("s", ["a", "b"]), ("t", ["c"])):
                with again.subscribe(stream=stream, **{"from": "first"}) as subscriber:
                    self.assertEqual(subscriber.titles(len(titles)), titles)
            self.assertEqual(again.request("GET", "/v1/streams/t")[2]["options"]["repair"], "strict")
            self.assertEqual(again.request("GET", "/v1/subscriptions/work")[2]["next"], 1)
            self.assertEqual(self.publish(again, "a")["unchanged"], 1)
            self.assertGreater(self.publish(again, "d")["first_id"], 3)

    def test_one_stream_and_what_is_refused(self):
        with self.daemon() as daemon:
            self.publish(daemon, "a", "b")
            self.publish(daemon, "c", stream="t")
        file = self.exported("--stream", "t", self.path)
        done = subprocess.run([os.environ["SLUICE"], "store", "import", "--json", "-", self.folder / "moved"], input=file,
                              capture_output=True)
        self.assertEqual((done.returncode, json.loads(done.stdout)), (0, {"streams": 1, "events": 1}))
        self.assertIn("no stream none", self.exported("--stream", "none", self.path, status=2))
        for content, expected in ((file[:-1], "the file is cut short"), (file + b"x", "something behind"),
                                  (b"<rss/>", "offset 0: "), (b"", "cut short")):
            with self.subTest(expected):
                (self.folder / "file").write_bytes(content)
                self.assertIn(expected, self.tool("import", self.folder / "file", self.folder / "none", status=2).stderr)
                self.assertFalse((self.folder / "none").exists())
        self.assertIn("No such file", self.tool("import", self.folder / "x", self.folder / "none", status=2).stderr)


if __name__ == "__main__":
    unittest.main()

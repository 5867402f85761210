#!/usr/bin/env python3
"""The daemon's log: each line of log.format: json is an object, whatever happens, and levels say what they promise."""
import base64
import json
import os
import re
import resource
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from sluice_process import TIMEOUT_S, Sluiced, eventually, item, limit, raw_reply, rss, run_to_end

TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
PARENT = f"00-{TRACE_ID}-b7ad6b7169203331-01"
SECRET = "zebra"  # in documents, filters, queries and credentials: nothing of them may be logged
LEVELS = ("trace", "debug", "info", "warning", "error")


class Log(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def daemon(self, *options, **more):
        return Sluiced("store.kind=rocksdb", f"store.path={self.folder / 'store'}", *options, **more)

    def check_lines(self, entries):
        """Each is an object with time, level and message."""
        for entry in entries:
            self.assertIsInstance(entry, dict, "a line that is not JSON")
            self.assertRegex(entry["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
            self.assertIn(entry["level"], LEVELS)
            self.assertTrue(entry["message"])

    def logged(self, daemon, message):
        return [entry for entry in daemon.log if entry["message"] == message]

    def use(self, daemon):
        """Requests of every kind, and subscribers that come and go."""
        with daemon.subscribe((f"title != '{SECRET}'", "price < 3"), stream="s") as subscriber:
            self.assertEqual(daemon.publish(rss(item("a"), item("b")), stream="s")[0], 202)
            headers = {"Content-Type": "application/rss+xml", "traceparent": PARENT}
            self.assertEqual(daemon.request("POST", "/v1/events?stream=s", rss(item("b"), item("c")), headers)[0], 202)
            subscriber.titles(3)
        with daemon.subscribe(stream="s", **{"from": "first", "until": "now"}) as subscriber:
            subscriber.titles(3)
            self.assertIsNone(subscriber.next_event())
        for value in (f"Bearer {SECRET}", f"Basic {base64.b64encode(f'{SECRET}:{SECRET}'.encode()).decode()}", SECRET):
            self.assertEqual(daemon.request("GET", "/v1/status", headers={"Authorization": value})[0], 401)
        self.assertEqual(daemon.request("GET", f"/v1/events?ticket={SECRET}")[0], 401)
        for path in (f"/v1/events?filter={SECRET}+%3C", f"/v1/events?{SECRET}=1", f"/v1/events?format={SECRET}",
                     "/nothing", "/v1/streams/none"):
            self.assertIn(daemon.request("GET", path)[0], (400, 404))
        self.assertEqual(daemon.publish(f"<html><{SECRET}>", stream="s")[0], 422)
        self.assertEqual(daemon.publish('{"%s": ' % SECRET, "application/json", stream="s")[0], 400)
        self.assertEqual(daemon.request("BREW", "/v1/events")[0], 501)
        self.assertIn("400", raw_reply(daemon.port, f"GET  /{SECRET} HTTP/1.1\r\n\r\n".encode())[0])
        self.assertIn("400", raw_reply(daemon.port, b"\x00\xff\r\n\r\n")[0])
        self.assertEqual(daemon.request("HEAD", "/healthz")[0], 200)

    def test_every_line_is_json_and_says_what_clients_do(self):
        with self.daemon("log.level=trace") as daemon:
            self.use(daemon)
            eventually(lambda: daemon.status()["connections"] <= 1, "closed connections")
            for sign in (signal.SIGHUP, signal.SIGUSR1):
                daemon.process.send_signal(sign)
            daemon.wait_for_log("signal ignored: it has no meaning here")
            waits = daemon.subscribe(stream="s")
            self.assertEqual(daemon.stop(), 0)
            waits.close()
        self.check_lines(daemon.log)
        self.assertNotIn(SECRET, json.dumps(daemon.log))
        requests = self.logged(daemon, "request")
        for request in requests:
            self.assertEqual(request["level"], "debug")
            self.assertTrue(request["peer"].startswith("127.0.0.1:"))
            self.assertEqual("reason" in request, request["status"] >= 400)
            self.assertGreaterEqual(request.get("microseconds", 0), 0)
        published = [request for request in requests if request["method"] == "POST" and request["status"] == 202]
        self.assertEqual([request["bytes_in"] for request in published],
                         [len(rss(item("a"), item("b"))), len(rss(item("b"), item("c")))])
        self.assertEqual([request.get("trace_id") for request in published], [None, TRACE_ID])
        self.assertEqual({request["stream"] for request in published}, {"s"})
        reasons = {(request["status"], request["reason"]) for request in requests if "reason" in request}
        for expected in ((400, 'parameter "…" is "…"; expected json, xml or source'), (400, "The filter is not valid"),
                         (422, "The document was refused"), (404, "no such path: /nothing")):
            self.assertIn(expected, reasons)
        self.assertEqual([{name: entry.get(name) for name in ("new", "unchanged", "first_id", "last_id", "trace_id")}
                          for entry in self.logged(daemon, "published")],
                         [{"new": 2, "unchanged": 0, "first_id": 1, "last_id": 2, "trace_id": None},
                          {"new": 1, "unchanged": 1, "first_id": 3, "last_id": 3, "trace_id": TRACE_ID}])
        self.assertEqual(sorted((entry["reason"], entry["filters"], entry["deliveries"])
                                for entry in self.logged(daemon, "subscriber left")),
                         [("client left", 2, 3), ("complete", 0, 3), ("shutdown", 0, 0)])
        self.assertEqual(len(self.logged(daemon, "subscriber connected")), 3)
        self.assertEqual(len(self.logged(daemon, "connection opened")), len(self.logged(daemon, "connection closed")))
        self.assertEqual(sum(entry["events"] for entry in self.logged(daemon, "batch matched")), 3)
        self.assertEqual(sum(entry["publications"] for entry in self.logged(daemon, "group stored")), 2)

    def test_costly_conditions_are_shortened_between_characters(self):
        filters = [f"count(//item[contains(title, '{before}{'é' * 150}')]) > 3" for before in ("", "x")]
        with self.daemon("log.level=debug", "limits.condition_steps=1000") as daemon, daemon.subscribe(filters):
            daemon.publish(rss(*(item("é" * 2_000) for _ in range(100))))
            conditions = [daemon.wait_for_log("costly condition") for _ in filters]
        self.check_lines(daemon.log)
        for entry in conditions:
            self.assertLessEqual(len(entry["condition"].encode()), 203)  # with the mark that it goes on
            self.assertRegex(entry["condition"], "^test count.*é")
            self.assertNotIn("\ufffd", entry["condition"])

    def test_each_level_leaves_out_those_below(self):
        for level in (*LEVELS, "off"):
            option = {"warning": "warn"}.get(level, level)
            with self.subTest(level), Sluiced(f"log.level={option}") as daemon:
                self.use(daemon)
                daemon.process.send_signal(signal.SIGHUP)
                self.assertEqual(daemon.stop(), 0)
                self.check_lines(daemon.log)
                least = LEVELS.index(level) if level in LEVELS else len(LEVELS)
                others = [entry for entry in daemon.log if entry["message"] not in ("listening", "ready")]
                self.assertTrue(all(LEVELS.index(entry["level"]) >= least for entry in others), others)
                self.assertEqual(bool(self.logged(daemon, "request")), level in ("trace", "debug"))
                self.assertEqual(bool(self.logged(daemon, "draining")), level in ("trace", "debug", "info"))

    def test_the_first_two_lines_say_what_runs(self):
        config = self.folder / "sluice.yaml"
        config.write_text("limits: {memory: 300MiB}\nmatcher: {threads: 2, backend: cpu}\nio: {threads: 3}\n")
        with self.daemon(config=config) as daemon:
            pass
        listening, ready = self.logged(daemon, "listening")[0], self.logged(daemon, "ready")[0]
        version = run_to_end("--version")[1].split()[1]
        self.assertEqual([listening[name] for name in ("version", "configuration", "address", "port")],
                         [version, str(config), "127.0.0.1", daemon.port])
        self.assertGreater(listening["overrides"], 2)
        self.assertEqual([ready[name] for name in ("backend", "matcher_threads", "io_threads", "memory_bytes", "store",
                                                   "path", "streams")],
                         ["cpu", 2, 3, 300 << 20, "rocksdb", str(self.folder / "store"), 0])
        self.assertIn("CPU", ready["matches"])
        with Sluiced() as daemon:
            pass
        self.assertEqual(self.logged(daemon, "listening")[0]["configuration"], "defaults")
        self.assertEqual(self.logged(daemon, "ready")[0]["store"], "memory")

    def failed_start(self, *options):
        """The only line of a daemon that can't run."""
        arguments = [part for option in ("log.format=json", *options) for part in ("--set", option)]
        status, _, said = run_to_end(*arguments)
        self.assertEqual(status, 1, said)
        entries = [json.loads(line) for line in said.splitlines()]
        self.check_lines(entries)
        self.assertEqual((entries[-1]["level"], entries[-1]["message"]), ("error", "the daemon can't run"))
        return entries[-1]["reason"]

    def test_a_start_that_fails(self):
        with self.daemon() as daemon:
            self.assertIn(f"process {daemon.process.pid} has it open",
                          self.failed_start("http.port=0", f"store.path={self.folder / 'store'}"))
            self.assertIn(f"cannot listen on 127.0.0.1 port {daemon.port}: ",
                          self.failed_start(f"http.port={daemon.port}", "store.kind=memory", "log.level=off"))

    def test_a_store_that_fails(self):
        with self.daemon("log.level=debug", preexec_fn=limit(resource.RLIMIT_FSIZE, 1 << 20)) as daemon:
            def is_refused():
                document = rss(item("a", description=os.urandom(150_000).hex()))
                return daemon.publish(document, deduplicate="false")[0] != 202

            eventually(is_refused, "a refusal")
            daemon.wait_for_log("the store can't be written, publishing is refused until it has been opened again")
            daemon.stop()
            self.check_lines(daemon.log)

    def test_an_end_that_takes_too_long(self):
        with self.daemon("shutdown.drain_timeout=1ms", "log.level=debug") as daemon, daemon.subscribe():
            for i in range(20):
                daemon.publish(rss(item(f"t{i}", description="x" * 500_000)))
            self.assertIn(daemon.stop(), (0, 1))
            self.check_lines(daemon.log)

    def test_text_has_the_same_lines(self):
        process = subprocess.Popen([os.environ["SLUICED"], "--set", "http.port=0", "--set", "store.kind=memory",
                                    "--set", "log.level=debug"], stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        lines = [process.stderr.readline()]
        while " ready " not in lines[-1]:
            lines.append(process.stderr.readline())
        process.send_signal(signal.SIGTERM)
        lines += process.communicate(timeout=TIMEOUT_S)[1].splitlines(keepends=True)
        for line in lines:
            self.assertRegex(line, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (debug|info|warning|error) [^\n]+\n$")
        self.assertTrue(any(re.search(r" info listening .* port=\d+\n$", line) for line in lines))


if __name__ == "__main__":
    unittest.main()

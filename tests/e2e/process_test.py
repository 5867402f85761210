#!/usr/bin/env python3
"""The daemon as a process: start, log, signals, exit status."""
import signal
import tempfile
import unittest
from pathlib import Path

from sluice_process import Sluiced, item, rss, run_to_end


class Process(unittest.TestCase):
    def test_version_help_and_defaults(self):
        status, output, _ = run_to_end("--version")
        self.assertEqual((status, output.split()[0]), (0, "sluiced"))
        status, output, _ = run_to_end("--help")
        self.assertEqual(status, 0)
        self.assertIn("--check-config", output)
        status, output, _ = run_to_end("--print-defaults")
        self.assertEqual(status, 0)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "defaults.yaml"
            path.write_text(output)
            self.assertEqual(run_to_end("--config", str(path), "--check-config"), (0, "configuration is valid\n", ""))

    def test_sigterm_drains_and_exits_with_0(self):
        for sign in (signal.SIGTERM, signal.SIGINT):
            with Sluiced() as daemon, daemon.subscribe() as subscriber:
                idle = daemon.connect()
                idle.connect()
                items = [item(f"t{i}") for i in range(500)]
                self.assertEqual(daemon.publish(rss(*items))[0], 202)
                daemon.process.send_signal(sign)
                self.assertEqual(subscriber.titles(500), [f"t{i}" for i in range(500)])
                self.assertIsNone(subscriber.next())
                self.assertEqual(daemon.stop(signal.SIGTERM), 0)
                idle.close()
                stopped = daemon.log[-1]
                self.assertEqual(stopped["message"], "stopped")
                self.assertEqual((stopped["deliveries"], stopped["events_lost"]), (500, 0))

    def test_sigterm_with_a_subscriber_that_never_reads(self):
        with Sluiced("shutdown.drain_timeout=1ms") as daemon:
            sleeper = daemon.subscribe()
            for i in range(20):
                daemon.publish(rss(item(f"t{i}", description="x" * 500_000)))
            self.assertEqual(daemon.stop(), 0)
            sleeper.close()

    def test_health_and_readiness(self):
        with Sluiced() as daemon:
            self.assertEqual(daemon.request("GET", "/healthz")[::2], (200, b"ok\n"))
            self.assertEqual(daemon.request("GET", "/readyz")[::2], (200, b"ready\n"))
            self.assertLessEqual({d["state"] for d in daemon.status()["engine"]["devices"]}, {"not used yet"})

    def test_a_file_sets_options(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "sluice.yaml"
            path.write_text("matcher:\n  backend: naive\n  threads: 3\nstreams:\n  w: {event_path: //obs}\n")
            with Sluiced(config=path) as daemon, daemon.subscribe(["@id='2'"], stream="w") as subscriber:
                daemon.publish("<d><x><obs id='1'/></x><obs id='2'/></d>", "application/xml", stream="w")
                self.assertEqual(subscriber.next_json()["values"], {"@id": ["2"]})
                self.assertEqual(daemon.status()["backend"], "naive")

    def test_every_backend_matches_where_there_may_be_no_gpu_and_no_driver(self):
        # So many filters that a device would be tried.
        room = ("limits.filters_per_connection=5000", "http.header_bytes=1MiB")
        filters = [f"category='{i}'" for i in range(5000)]
        for backend in ("cpu", "cuda", "auto"):
            with self.subTest(backend), Sluiced(f"matcher.backend={backend}", *room) as daemon:
                with daemon.subscribe(filters) as subscriber:
                    self.assertEqual(daemon.publish(rss(item("a", "x"), item("b", "4999"), item("c", "0")))[0], 202)
                    self.assertEqual(subscriber.titles(2), ["b", "c"])
                    status = daemon.status()
                    self.assertEqual(status["backend"], backend)
                    engine = status["engine"]
                    self.assertGreater(len(engine["reason"]), 20)
                    self.assertEqual((engine["rematched_batches"], engine["background_failures"]), (0, 0))
                    used = [device for device in engine["devices"] if device["state"] == "ready" and device["segments"]]
                    if backend == "cpu" or not used:
                        self.assertTrue(engine["reason"].startswith("the CPU matches"), engine)
                        self.assertEqual(sum(device["batches"] for device in engine["devices"]), 0)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Unix sockets as listeners, and several listeners of one daemon."""
import http.client
import os
import socket
import stat
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from sluice_process import TIMEOUT_S, Sluiced, item, rss, run_to_end  # noqa: E402


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=TIMEOUT_S)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(TIMEOUT_S)
        self.sock.connect(self.path)


class UnixSluiced(Sluiced):
    """Listens at a Unix socket and at a TCP port."""

    def __init__(self, path, *options, mode="0660"):
        self.path = path
        super().__init__(f"http.listeners=[{{address: 127.0.0.1, port: 0}}, {{unix: {path}, mode: \"{mode}\"}}]",
                         *options)

    def connect(self):
        return UnixConnection(self.path)


class UnixSocket(unittest.TestCase):
    def setUp(self):
        self.path = Path(self.enterContext(tempfile.TemporaryDirectory())) / "s.sock"

    def test_both_listeners_serve_the_same_events(self):
        with UnixSluiced(self.path) as broker, broker.subscribe() as subscriber:
            self.assertEqual([entry.get("unix") for entry in broker.log if entry["message"] == "listening"],
                             [None, str(self.path)])
            over_tcp = http.client.HTTPConnection("127.0.0.1", broker.port, timeout=TIMEOUT_S)
            over_tcp.request("POST", "/v1/events", rss(item("a", author="x" * 1_000_000)),
                             {"Content-Type": "application/rss+xml"})
            self.assertEqual(over_tcp.getresponse().status, 202)
            over_tcp.close()
            self.assertEqual(broker.publish(rss(item("b")))[0], 202)
            self.assertEqual(subscriber.titles(2), ["a", "b"])
            self.assertEqual(broker.request("GET", "/healthz", headers={"Host": "evil.example"})[0], 421)

    def test_the_file_has_its_mode_and_is_gone_in_the_end(self):
        for mode in ("0600", "0660", "666"):
            with UnixSluiced(self.path, mode=mode):
                found = os.stat(self.path).st_mode
                self.assertTrue(stat.S_ISSOCK(found))
                self.assertEqual(stat.S_IMODE(found), int(mode, 8))
            self.assertFalse(self.path.exists())

    def test_what_a_killed_process_has_left_is_replaced(self):
        killed = UnixSluiced(self.path)
        killed.kill()
        killed.process.stderr.close()
        self.assertTrue(self.path.exists())
        with UnixSluiced(self.path) as broker:
            self.assertEqual(broker.request("GET", "/healthz")[0], 200)

    def test_what_is_in_use_or_no_socket_is_left_alone(self):
        listeners = f"http.listeners=[{{unix: {self.path}}}]"
        with UnixSluiced(self.path) as broker:
            status, _, log = run_to_end("--set", listeners, "--set", "store.kind=memory")
            self.assertEqual(status, 1)
            self.assertIn(f"cannot listen on unix:{self.path}: Address already in use; a process accepts connections "
                          "there", log)
            self.assertEqual(broker.request("GET", "/healthz")[0], 200)
        self.path.write_text("precious")
        status, _, log = run_to_end("--set", listeners, "--set", "store.kind=memory")
        self.assertEqual(status, 1)
        self.assertIn(f"cannot listen on unix:{self.path}: Address already in use; it is not a socket", log)
        self.assertEqual(self.path.read_text(), "precious")

    def test_a_folder_that_is_not_there_is_named(self):
        status, _, log = run_to_end("--set", "http.listeners=[{unix: /nowhere/s.sock}]", "--set", "store.kind=memory")
        self.assertEqual(status, 1)
        self.assertIn("cannot listen on unix:/nowhere/s.sock: No such file or directory", log)


if __name__ == "__main__":
    unittest.main()

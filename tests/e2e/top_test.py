#!/usr/bin/env python3
"""sluice top: as plain tables, as JSON, and on a terminal, which it leaves as it was."""
import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import termios
import threading
import unittest

from client_process import Client, environment, sluice, status_of, written_on
from sluice_process import Sluiced, eventually, item, rss

ENTER, LEAVE = "\x1b[?1049h", "\x1b[?1049l"
HEAD = r"(?m)^sluice \d+\.\d+\.\d+ at 127\.0\.0\.1:\d+  up \d+ s  backend \w+  store memory \(open\)  "


class OnATerminal:
    """The command on a terminal of so many rows and columns, in which it must not scroll."""

    def __init__(self, *arguments, rows=24, columns=80):
        self.ours, self.theirs = pty.openpty()
        self.resize(rows, columns)
        self.before = termios.tcgetattr(self.theirs)
        self.process = subprocess.Popen([os.environ["SLUICE"], *arguments], stdin=self.theirs, stdout=self.theirs,
                                        stderr=self.theirs, env=environment())
        self.written = b""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        try:
            for piece in written_on(self.ours):
                self.written += piece
        except OSError:
            pass

    def resize(self, rows, columns):
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def text(self):
        return self.written.decode(errors="replace").replace("\r", "")

    def pages(self):
        """Complete ones."""
        return [page.split("\x1b[J")[0].replace("\x1b[K", "").split("\n")
                for page in self.text().split("\x1b[H")[1:] if "\x1b[J" in page]

    def type(self, text):
        os.write(self.ours, text.encode())

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.process.kill()
        self.process.wait()
        os.close(self.theirs)
        self._reader.join()
        os.close(self.ours)


class Top(unittest.TestCase):
    def setUp(self):
        self.daemon = self.enterContext(Sluiced())
        self.server = ("--server", f"http://127.0.0.1:{self.daemon.port}")
        self.daemon.publish(rss(item("a"), item("b")), stream="news")

    def test_prints_tables_and_ends(self):
        done = sluice("top", *self.server, "--count", "2", "--interval", "100ms")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertNotIn("\x1b", done.stdout)
        first, second = done.stdout.split("\n\nsluice ")
        for table in (first, "sluice " + second):
            self.assertRegex(table, HEAD)
            self.assertRegex(table, r"(?m)^events/s 0  deliveries/s 0  refusals/s 0  queue 0  lag 0$")
            self.assertRegex(table, r"(?m)^news +0 +0 +0 +2$")
        self.assertEqual(sluice("top", *self.server, "--count", "0").stdout, "")

    def test_json(self):
        done = sluice("top", *self.server, "--count", "2", "--interval", "100ms", "--json")
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual((done.returncode, done.stderr, len(lines)), (0, "", 2))
        for line in lines:
            self.assertEqual((line["store"], line["events_per_second"], line["subscribers"]), ("memory", 0, 0))
            self.assertEqual([stream["name"] for stream in line["streams"]], ["news", "(other)"])
            self.assertIn("match", line["microseconds_per_event"])

    def test_an_event_is_in_the_rate_of_the_interval_in_which_it_came(self):
        client = self.enterContext(Client("top", *self.server, "--interval", "100ms", "--json"))
        self.assertEqual(json.loads(client.line())["events_per_second"], 0)
        self.daemon.publish(rss(item("c")), stream="news")
        shown = {"events_per_second": 0}
        while not shown["events_per_second"]:
            shown = json.loads(client.line())
        self.assertEqual(shown["streams"][0]["events_per_second"], shown["events_per_second"])
        self.assertEqual((shown["streams"][0]["name"], shown["streams"][0]["retained_events"]), ("news", 3))

    def test_on_a_terminal(self):
        for key, status in (("q", 0), ("Q", 0), ("\x03", 130)):
            with self.subTest(key), OnATerminal("top", *self.server, "--interval", "100ms") as top:
                eventually(lambda: len(top.pages()) > 2, "three pages")
                top.type("x" + key)
                self.assertEqual(status_of(top.process), status)
                self.assertEqual(termios.tcgetattr(top.theirs), top.before)
                eventually(lambda: top.text().endswith(LEAVE), "the end")
                self.assertTrue(top.text().startswith(ENTER))
                self.assertIn("news", "".join(top.pages()[-1]))

    def test_a_signal_leaves_the_terminal_as_it_was(self):
        for sign in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(sign), OnATerminal("top", *self.server) as top:
                eventually(top.pages, "a page")
                top.process.send_signal(sign)
                self.assertEqual(status_of(top.process), -sign)
                self.assertEqual(termios.tcgetattr(top.theirs), top.before)
                eventually(lambda: top.text().endswith(LEAVE), "the end")

    def test_stays_within_a_terminal_of_any_size(self):
        for i in range(30):
            self.daemon.publish(rss(item("a")), stream=f"s{i}")
        with OnATerminal("top", *self.server, "--interval", "1h", rows=9, columns=30) as top:
            eventually(top.pages, "a page")
            for rows, columns in ((40, 120), (5, 10), (1, 1), (24, 80)):
                before = len(top.pages())
                top.resize(rows, columns)
                eventually(lambda: len(top.pages()) > before, "another page")
                page = [line.replace("\x1b[1m", "").replace("\x1b[0m", "") for line in top.pages()[-1]]
                self.assertLessEqual(len(page), rows)
                self.assertTrue(all(len(line) <= columns for line in page), page)
            self.assertGreater(len(top.pages()[-1]), 15)
            top.type("q")
            self.assertEqual(status_of(top.process), 0)

    def test_waits_for_a_broker_that_stops(self):
        with OnATerminal("top", *self.server, "--interval", "100ms") as top:
            eventually(top.pages, "a page")
            self.assertEqual(self.daemon.stop(), 0)
            eventually(lambda: "can't connect" in top.pages()[-1][0], "the error")
            self.assertIn("news", "".join(top.pages()[-1]))
            top.type("q")
            self.assertEqual(status_of(top.process), 0)
        done = sluice("top", *self.server)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("can't connect", done.stderr)


if __name__ == "__main__":
    unittest.main()

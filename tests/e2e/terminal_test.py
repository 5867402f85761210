#!/usr/bin/env python3
"""What the client shows on a terminal: colours and progress there only, and nothing from feeds that it would obey."""
import re
import tempfile
import unittest
from pathlib import Path

from client_process import on_a_terminal, sluice
from relay import Relay
from sluice_process import Sluiced, item, rss

EXAMPLES = Path(__file__).resolve().parents[2] / "docker" / "examples"
HARBOUR, LIGHTHOUSE = str(EXAMPLES / "harbour.rss"), str(EXAMPLES / "lighthouse.atom")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")

# C1's CSI, which needs no escape character; a bidirectional override; a line end; a separator of lines.
WICKED = "a\u009b2Jb\u202ec&#10;d\u2028e"
SHOWN = "a\ufffd2Jb\ufffdc d\ufffde"


class Terminal(unittest.TestCase):
    def feed(self, *items):
        path = Path(self.enterContext(tempfile.TemporaryDirectory())) / "feed.rss"
        path.write_text(rss(*items), encoding="utf-8")
        return str(path)

    def test_colours_on_a_terminal_only(self):
        two = ("match", "price < 100", HARBOUR, LIGHTHOUSE)
        self.assertNotRegex(sluice(*two).stdout, COLOUR)
        self.assertRegex(on_a_terminal(*two)[1], COLOUR)
        self.assertRegex(sluice(*two, "--color", "always").stdout, COLOUR)
        for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertNotRegex(on_a_terminal(*two, env=environment)[1], COLOUR)
        self.assertNotRegex(on_a_terminal(*two, "--color", "never")[1], COLOUR)
        self.assertRegex(on_a_terminal(*two, "--color", "always", env={"NO_COLOR": "1"})[1], COLOUR)
        self.assertEqual(on_a_terminal("match", "a", "/none", env={"NO_COLOR": "1"}),
                         (2, "sluice: can't read /none: No such file or directory\n"))

    def test_feeds_command_no_terminal(self):
        feed = self.feed(item(WICKED))
        for program in (lambda *arguments: sluice(*arguments).stdout, lambda *arguments: on_a_terminal(*arguments)[1]):
            self.assertEqual(program("match", "true()", feed), SHOWN + "\n")
        self.assertIn("<title>a\ufffd2Jb\ufffdc&#10;d\ufffde</title>",
                      on_a_terminal("match", "--format", "xml", "true()", feed)[1])
        self.assertIn(WICKED, sluice("match", "--format", "xml", "true()", feed).stdout)
        self.assertIn(r'"title":"a\u009b2Jb\u202ec\nd\u2028e"', on_a_terminal("match", "--json", "true()", feed)[1])
        self.assertIn("a\u009b2Jb\u202ec", sluice("match", "--json", "true()", feed).stdout)

    def test_messages_command_no_terminal(self):
        for arguments in (("match", "a", "/\x1b[2J\u009b"), ("explain", "\x1b[2J\u009b'"),
                          ("status", "--server", "\x1b[2J"), ("\x1b[2J",), ("help", "\x1b[2J")):
            with self.subTest(arguments):
                status, written = on_a_terminal(*arguments, env={"NO_COLOR": "1"})
                self.assertEqual(status, 2)
                self.assertNotRegex(written, "[\x00-\x09\x0b-\x1f\x7f-\x9f]")

    def test_a_long_upload_shows_its_progress(self):
        feed = self.feed(*(item(f"{n} " + "x" * 5_000) for n in range(1_000)))
        with Sluiced() as daemon, Relay(daemon.port) as proxy:
            proxy.open.clear()

            def release(written):
                if " %" in written:
                    proxy.open.set()

            server = f"http://127.0.0.1:{proxy.port}"
            status, written = on_a_terminal("publish", "--server", server, feed, until=release)
            self.assertEqual(status, 0, written)
            self.assertRegex(written, r"\[#* *\] +\d+ %")
            self.assertTrue(written.endswith(f"\r\x1b[K{feed}: 1000 received: 1000 new, 0 updated, 0 unchanged\n"),
                            written)
            self.assertNotIn("%", sluice("publish", "--server", server, feed).stderr)


if __name__ == "__main__":
    unittest.main()

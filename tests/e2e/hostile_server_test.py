#!/usr/bin/env python3
"""The client against servers and files that would fill its memory or keep it for ever."""
import contextlib
import gzip
import socket
import tempfile
import threading
import unittest
from pathlib import Path

from client_process import sluice
from sluice_process import TIMEOUT_S, Sluiced, item, rss

OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


class HostileServer:
    """Answers every request with answer(connection), which may write until the client has enough. Then it waits for the
    client to leave: had it not read all of the request, closing might destroy the answer."""

    def __init__(self, answer):
        self.answer = answer
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:  # closed
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection):
        connection.settimeout(TIMEOUT_S)
        with connection, contextlib.suppress(OSError):  # the client has enough
            connection.recv(65536)
            self.answer(connection)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65536):
                pass

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.listener.close()


def endless(head, piece):
    def answer(connection):
        connection.sendall(head)
        while True:
            connection.sendall(piece)
    return answer


def page_of(name):
    page = b'{"%s":[{"name":"' % name + b"x" * 4_000_000 + b'"}],"next":"/v1/%s?after=x"}' % name
    return lambda connection: connection.sendall(OK + b"Content-Length: %d\r\n\r\n" % len(page) + page)


class HostileServerTest(unittest.TestCase):
    def given_up(self, answer, *command):
        with HostileServer(answer) as server:
            ran = sluice(*command, "--server", server.url)
        self.assertEqual(ran.returncode, 2, ran)
        return ran.stderr

    def test_a_head_that_does_not_end(self):
        self.assertIn("lost the connection", self.given_up(endless(OK, b"X: y\r\n" * 1000), "status"))

    def test_a_body_that_does_not_end(self):
        self.assertIn("is too long", self.given_up(endless(OK + b"\r\n", b" " * 65536), "status"))

    def test_trailers_that_do_not_end(self):
        head = OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\n"
        self.assertIn("is too long", self.given_up(endless(head, b"X: y\r\n" * 1000), "status"))

    def test_a_list_that_does_not_end(self):
        self.assertIn("the list of streams that 127.0.0.1", self.given_up(page_of(b"streams"), "streams"))
        self.assertIn("the list of subscriptions that 127.0.0.1",
                      self.given_up(page_of(b"subscriptions"), "subscriptions", "list"))

    def test_a_broker_that_is_busy_for_a_century(self):
        reply = b"HTTP/1.1 503 Busy\r\nRetry-After: 4000000000\r\nContent-Length: 0\r\n\r\n"
        with tempfile.NamedTemporaryFile() as file:
            self.assertIn("503 Service Unavailable",
                          self.given_up(lambda connection: connection.sendall(reply), "publish", file.name))


class HostileFileTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_a_file_that_unpacks_to_more_than_a_document_may_have(self):
        bomb = self.folder / "bomb.rss.gz"
        bomb.write_bytes(gzip.compress(b" " * 17_000_000, 1))
        ran = sluice("match", "true()", str(bomb))
        self.assertEqual((ran.returncode, ran.stderr),
                         (2, f"sluice: can't read {bomb}: it is too long when decompressed\n"))

    def test_a_file_without_an_end(self):
        feed = self.folder / "feed.rss"
        feed.write_text(rss(item("a")))
        ran = sluice("match", "true()", "/dev/zero", str(feed))
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr),
                         (2, f"{feed}: a\n", "sluice: can't read /dev/zero: File too large\n"))

    def test_a_document_without_an_end(self):
        with Sluiced("limits.document_bytes=1MiB") as daemon:
            server = ("--server", f"http://127.0.0.1:{daemon.port}")
            ran = sluice("publish", *server, "/dev/zero")
            self.assertEqual((ran.returncode, ran.stdout), (2, ""))
            self.assertRegex(ran.stderr, "^sluice: /dev/zero: .*1048576.*\n(sluice: .*limits.document_bytes.*\n)?$")
            self.assertIn("limits.document_bytes", ran.stderr)
            with open("/dev/zero", "rb") as zeros:
                ran = sluice("publish", *server, "-", stdin=zeros)
            self.assertEqual((ran.returncode, ran.stdout), (2, ""))
            self.assertRegex(ran.stderr, "^sluice: standard input: .*1048576")
            self.assertEqual(daemon.status()["counters"]["documents"], 0)


if __name__ == "__main__":
    unittest.main()

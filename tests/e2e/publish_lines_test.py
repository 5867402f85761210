#!/usr/bin/env python3
"""The client that publishes lines as they come: `tail -f log.ndjson | sluice publish -`."""
import contextlib
import gzip
import json
import os
import pty
import signal
import socket
import subprocess
import tempfile
import tty
import unittest
from pathlib import Path

from client_process import end_session, environment, output_of, sluice, status_of
from sluice_process import TIMEOUT_S, Sluiced, eventually

NDJSON = "application/x-ndjson"


def url(daemon):
    return f"http://127.0.0.1:{daemon.port}"


def document(n):
    return f'{{"n":{n}}}\n'


class Request:
    """A client's request to a broker that the test plays."""

    def __init__(self, connection):
        connection.settimeout(TIMEOUT_S)
        self.socket, self.file = connection, connection.makefile("rb")
        self.target = self.file.readline().split()[1].decode()
        self.headers = {}
        while (line := self.file.readline().decode().strip()):
            name, _, value = line.partition(": ")
            self.headers[name.lower()] = value
        self.rest = b""  # of the body's chunks

    def line(self):
        """The next line of a body in chunks; None at its end."""
        while b"\n" not in self.rest:
            size = int(self.file.readline(), 16)
            data = self.file.read(size + 2)[:-2]
            if size == 0:
                assert not self.rest, self.rest
                return None
            self.rest += data
        line, _, self.rest = self.rest.partition(b"\n")
        return line.decode() + "\n"

    def body(self):
        """Of a request that names its length."""
        return self.file.read(int(self.headers["content-length"])).decode()

    def begin_reply(self):
        self.socket.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n")

    def tell(self, **members):
        """A line of the reply: of a document if it has a number, else the summary."""
        text = json.dumps(members).encode() + b"\n"
        self.socket.sendall(b"%x\r\n%s\r\n" % (len(text), text))

    def answer(self, status, *fields, **members):
        text = json.dumps(members)
        self.socket.sendall("\r\n".join([f"HTTP/1.1 {status} As The Test Says", f"Content-Length: {len(text)}", *fields,
                                         "", text]).encode())
        self.close()

    def close(self):
        self.file.close()
        self.socket.close()


class PlayedBroker:
    """Takes requests, in the order in which they come; the test answers them."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(TIMEOUT_S)
        self.port = self.listener.getsockname()[1]
        self.requests = []

    def accept(self, target):
        request = Request(self.listener.accept()[0])
        self.requests.append(request)
        assert request.target == target, request.target
        return request

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.listener.close()
        for request in self.requests:
            with contextlib.suppress(OSError):
                request.close()


class ClientTest(unittest.TestCase):
    def command(self, broker, *arguments, stdin=subprocess.PIPE):
        process = subprocess.Popen([os.environ["SLUICE"], "publish", "--server", url(broker), *arguments], stdin=stdin,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
        self.addCleanup(end_session, process)
        return process

    def type(self, process, text):
        process.stdin.write(text)
        process.stdin.flush()

    def end_input(self, process):
        process.stdin.close()
        process.stdin = None  # or output_of() would flush it


class Lines(ClientTest):
    def test_lines_are_delivered_as_they_come(self):
        with Sluiced() as daemon, daemon.subscribe(stream="s") as subscriber:
            process = self.command(daemon, "--stream", "s", "-")
            for n in range(3):
                self.type(process, document(n))
                self.assertEqual(subscriber.next_json()["data"]["n"], n)
            self.type(process, "{\n")
            self.assertRegex(process.stderr.readline(), "^sluice: standard input:4:[0-9]+: ")
            process.stdin.write('{"n":3}')  # a line that is not finished is not sent
            out, err = output_of(process)
            self.assertEqual((process.returncode, err), (1, ""))
            self.assertEqual(out, "standard input: 4 received: 4 new, 0 updated, 0 unchanged, 1 line refused\n")
            self.assertEqual(subscriber.next_json()["data"]["n"], 3)

    def test_many_lines_and_long_ones_arrive_in_order(self):
        with Sluiced() as daemon, tempfile.TemporaryDirectory() as folder, daemon.subscribe(stream="s") as subscriber:
            path = Path(folder) / "log"
            path.write_text("".join(json.dumps({"n": n, "text": "x" * (n % 97 == 0) * 100_000}) + "\n"
                                    for n in range(1_000)))
            with path.open() as lines:
                done = sluice("publish", "--server", url(daemon), "--stream", "s", "-", stdin=lines)
            self.assertEqual((done.returncode, done.stdout),
                             (0, "standard input: 1000 received: 1000 new, 0 updated, 0 unchanged\n"), done.stderr)
            self.assertEqual([subscriber.next_json()["data"]["n"] for _ in range(1_000)], list(range(1_000)))

    def test_a_file_that_exceeds_the_limit_of_items_is_split(self):
        with Sluiced("limits.items=10") as daemon, tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "log.ndjson"
            path.write_text("".join(map(document, range(25))))
            server = ("--server", url(daemon))
            done = sluice("publish", *server, str(path))
            self.assertEqual((done.returncode, done.stdout),
                             (0, f"{path}: 25 received: 25 new, 0 updated, 0 unchanged\n"), done.stderr)
            self.assertIn("too large for one document", done.stderr)
            self.assertEqual(sluice("publish", *server, "--whole", str(path)).returncode, 2)
            self.assertEqual(sluice("publish", *server, "--lines", str(path)).stderr, "")

    def test_compressed_lines(self):
        lines = "".join(map(document, range(25)))
        with Sluiced("limits.items=10") as daemon, tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "log.ndjson.gz"
            path.write_bytes(gzip.compress(b"\xEF\xBB\xBF" + lines.encode()))
            server = ("--server", url(daemon))
            for options, name in (((str(path),), path), (("--lines", str(path)), path), (("-",), "standard input"),
                                  (("--lines", "-"), "standard input")):
                with self.subTest(options), path.open("rb") as file:
                    done = sluice("publish", *server, *options, stdin=file)
                    self.assertEqual((done.returncode, done.stdout),
                                     (0, f"{name}: 25 received: 25 new, 0 updated, 0 unchanged\n"), done.stderr)
            path.write_bytes(path.read_bytes()[:-5])
            done = sluice("publish", *server, "--lines", str(path))
            self.assertEqual((done.returncode, done.stderr),
                             (2, f"sluice: can't read {path} to its end: it is not complete and valid gzip\n"))

    def test_a_byte_order_mark_is_no_part_of_a_line(self):
        with Sluiced() as daemon:
            for options in ((), ("--lines",), ("--whole", "--content-type", NDJSON)):
                for text, received in ((document(1) + document(2), 2), (document(1), 1)):
                    done = sluice("publish", "--server", url(daemon), *options, "-", input="\ufeff" + text)
                    self.assertEqual((done.returncode, done.stdout),
                                     (0, f"standard input: {received} received: {received} new, 0 updated, "
                                         "0 unchanged\n"), done.stderr)

    def test_what_is_no_ndjson_is_one_document(self):
        with Sluiced() as daemon:
            for text, options, received in (('{\n"n":1\n}\n', (), 1), ('[{"n":1},\n{"n":2}]\n', (), 2),
                                            ("a,b\n1,2\n", ("--content-type", "text/csv"), 1),
                                            ('{"n":1}\n{"n":2}\n', ("--whole", "--content-type", NDJSON), 2)):
                done = sluice("publish", "--server", url(daemon), *options, "-", input=text)
                self.assertEqual((done.returncode, done.stdout),
                                 (0, f"standard input: {received} received: {received} new, 0 updated, 0 unchanged\n"),
                                 done.stderr)
            self.assertEqual(daemon.status()["counters"]["documents"], 4)

    def test_refused_items_of_accepted_lines_are_told(self):
        with Sluiced() as daemon:
            done = sluice("publish", "--server", url(daemon), "--lines", "-",
                          input='{"n":1}\n[{"n":2},7]\n[{"n":3},8,9]\n')
            self.assertEqual((done.returncode, done.stderr), (1, ""))
            self.assertRegex(done.stdout, "^standard input: 3 received: 3 new, 0 updated, 0 unchanged, "
                                          r"3 items refused \(line 2: .+\)\n$")

    def test_one_line_is_told_alike_however_it_is_sent(self):
        with Sluiced() as daemon, tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "log"
            path.write_text(document(1))
            with path.open() as line:  # has ended when the client looks
                alone = sluice("publish", "--server", url(daemon), "--json", "-", stdin=line)
            process = self.command(daemon, "--json", "-")
            self.type(process, document(2))
            eventually(lambda: daemon.status()["counters"]["documents"] == 2, "two documents")
            streamed = output_of(process)
            self.assertEqual((alone.returncode, alone.stderr, process.returncode, streamed[1]), (0, "", 0, ""))
            first, second = json.loads(alone.stdout), json.loads(streamed[0])
            self.assertEqual(second["first_id"], second["last_id"])
            self.assertEqual(list(first.items()),
                             [(name, first[name] if name in ("first_id", "last_id") else value)
                              for name, value in second.items()])

    def test_the_client_says_when_the_broker_ends(self):
        with Sluiced() as daemon:
            process = self.command(daemon, "--json", "-")
            self.type(process, document(1))
            eventually(lambda: daemon.status()["counters"]["documents"] == 1, "one document")
            daemon.process.send_signal(signal.SIGTERM)
            self.assertEqual(status_of(process), 2)
            self.assertEqual(json.loads(process.stdout.readline())["next_number"], 2)
            self.assertEqual(json.loads(process.stderr.readline())["status"], 503)

    def test_an_interrupted_client_says_what_became_of_its_lines(self):
        for sign in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(sign), Sluiced() as daemon:
                process = self.command(daemon, "--json", "-")
                self.type(process, document(1) + "{\n" + document(2) + '{"n":')  # the last line has not come whole
                eventually(lambda: daemon.status()["counters"]["documents"] == 2, "two documents")
                process.send_signal(sign)
                self.assertEqual(status_of(process), -sign)
                summary = json.loads(process.stdout.read())
                self.assertEqual([summary[name] for name in ("documents", "accepted", "refused", "next_number")],
                                 [3, 2, 1, 4])
                self.assertEqual([json.loads(line)["line"] for line in process.stderr], [2])
                self.assertEqual(daemon.status()["counters"]["documents"], 2)

    def test_a_line_that_was_not_whole_when_reading_failed_is_not_published(self):
        with Sluiced() as daemon:
            ours, theirs = pty.openpty()
            tty.setraw(theirs)
            os.write(theirs, (document(1) + '{"n":2}').encode())
            os.close(theirs)  # then reading the rest fails
            try:
                process = self.command(daemon, "-", stdin=ours)
                out, err = output_of(process)
            finally:
                os.close(ours)
            self.assertEqual((process.returncode, out, err),
                             (2, "standard input: 1 received: 1 new, 0 updated, 0 unchanged\n",
                              "sluice: can't read standard input to its end: Input/output error\n"))
            self.assertEqual(daemon.status()["counters"]["documents"], 1)

    def test_a_broker_that_has_no_room_for_now_gets_every_line(self):
        with Sluiced("limits.address_exempt=[]", "limits.address_requests=5", "publish.wait=0s") as daemon:
            done = sluice("publish", "--server", url(daemon), "-", input="".join(map(document, range(20))))
            self.assertEqual((done.returncode, done.stdout),
                             (0, "standard input: 20 received: 20 new, 0 updated, 0 unchanged\n"), done.stderr)


COUNTS = {"received": 1, "new": 1, "updated": 0, "unchanged": 0}


class PlayedBrokers(ClientTest):
    """What a real broker does only sometimes."""

    def test_a_line_that_was_refused_for_now_is_sent_again_while_the_stream_goes_on(self):
        with PlayedBroker() as broker:
            process = self.command(broker, "-")
            self.type(process, document(1) + document(2))
            stream = broker.accept("/v1/publish?reply=stream")
            self.assertEqual([stream.line(), stream.line()], [document(1), document(2)])
            stream.begin_reply()
            stream.tell(number=1, status=503, detail="full")
            alone = broker.accept("/v1/events")
            self.assertEqual(alone.body(), document(1))
            alone.answer(429, "Retry-After: 0", detail="too many")
            alone = broker.accept("/v1/events")
            self.assertEqual((alone.headers["content-type"], alone.body()), ("application/json", document(1)))
            alone.answer(202, **COUNTS)
            stream.tell(number=2, **COUNTS)
            self.type(process, document(3))
            self.assertEqual(stream.line(), document(3))
            stream.tell(number=3, status=507, detail="no space")
            alone = broker.accept("/v1/events")
            self.assertEqual(alone.body(), document(3))
            alone.answer(400, type="urn:sluice:problem:document", detail="bad", line=1, column=2)
            self.end_input(process)
            self.assertIsNone(stream.line())
            stream.tell(documents=3, accepted=1, refused=2, **COUNTS)
            out, err = output_of(process)
            self.assertEqual((process.returncode, out),
                             (1, "standard input: 2 received: 2 new, 0 updated, 0 unchanged, 1 line refused\n"))
            self.assertEqual(err, "sluice: the broker takes no more from this address now; trying again in 0 s\n"
                                  "sluice: standard input:3:2: bad\n")

    def test_a_broker_that_answers_late_gets_every_line(self):
        # As many as the client keeps, then as many again: they have come, but not been sent.
        with PlayedBroker() as broker:
            process = self.command(broker, "-")
            lines = list(map(document, range(600)))
            self.type(process, "".join(lines))
            stream = broker.accept("/v1/publish?reply=stream")
            stream.begin_reply()
            for first in (0, 256, 512):
                some = lines[first:first + 256]
                self.assertEqual([stream.line() for _ in some], some)
                for number in range(first + 1, first + 1 + len(some)):
                    stream.tell(number=number, **COUNTS)
            self.end_input(process)
            self.assertIsNone(stream.line())
            stream.tell(documents=600, received=600, new=600, updated=0, unchanged=0)
            self.assertEqual(output_of(process), ("standard input: 600 received: 600 new, 0 updated, 0 unchanged\n", ""))

    def test_a_client_is_interrupted_while_the_broker_has_no_room(self):
        with PlayedBroker() as broker:
            process = self.command(broker, "-")
            self.type(process, document(1) + document(2))
            stream = broker.accept("/v1/publish?reply=stream")
            self.assertEqual([stream.line(), stream.line()], [document(1), document(2)])
            stream.begin_reply()
            stream.tell(number=1, status=503, detail="full")
            broker.accept("/v1/events").answer(503, "Retry-After: 60", detail="full")
            self.assertIn("trying again in 60 s", process.stderr.readline())
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.stderr.readline(), "sluice: standard input:1: full\n")
            stream.tell(number=2, **COUNTS)
            self.assertIsNone(stream.line())
            stream.tell(documents=2, accepted=1, refused=1, **COUNTS)
            self.assertEqual(status_of(process), -signal.SIGINT)
            self.assertEqual(process.stdout.read(),
                             "standard input: 1 received: 1 new, 0 updated, 0 unchanged, 1 line refused\n")

    def test_a_connection_that_is_lost_leaves_open_what_became_of_the_lines(self):
        with PlayedBroker() as broker:
            process = self.command(broker, "-")
            self.type(process, document(1) + document(2))
            stream = broker.accept("/v1/publish?reply=stream")
            self.assertEqual([stream.line(), stream.line()], [document(1), document(2)])
            stream.begin_reply()
            stream.tell(number=1, **COUNTS)
            stream.close()
            self.end_input(process)
            out, err = output_of(process)
            self.assertEqual((process.returncode, out), (2, ""))
            self.assertRegex(err, "^sluice: .*; whether line 2 and later ones were published is not known\n$")


if __name__ == "__main__":
    unittest.main()

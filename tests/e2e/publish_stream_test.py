#!/usr/bin/env python3
"""Many documents in one request: POST /v1/publish. publish_lines_test.py has the client."""
import contextlib
import json
import random
import signal
import socket
import tempfile
import unittest
from pathlib import Path

from sluice_process import TIMEOUT_S, Sluiced, eventually, item, rss
from users_file import bearer, make_token, stored_token, write_users

NDJSON = "application/x-ndjson"


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


class Publishing:
    """A streaming publication: a socket that has sent its head."""

    def __init__(self, daemon, query="", content_type=NDJSON, **headers):
        self.socket = socket.create_connection(("127.0.0.1", daemon.port), timeout=TIMEOUT_S)
        fields = {"Host": "localhost", "Transfer-Encoding": "chunked", "Content-Type": content_type,
                  **{name.replace("_", "-"): value for name, value in headers.items()}}
        head = f"POST /v1/publish{query} HTTP/1.1\r\n" + "".join(f"{n}: {v}\r\n" for n, v in fields.items()) + "\r\n"
        self.socket.sendall(head.encode())
        self.file = self.socket.makefile("rb")

    def send(self, data):
        self.socket.sendall(chunk(data.encode() if isinstance(data, str) else data))

    def end(self):
        self.socket.sendall(b"0\r\n\r\n")

    def head(self):
        status = int(self.file.readline().split()[1])
        headers = {}
        while (line := self.file.readline().strip()):
            name, _, value = line.decode().partition(": ")
            headers[name.lower()] = value
        return status, headers

    def reply(self):
        status, headers = self.head()
        return status, json.loads(self.file.read(int(headers["content-length"])))

    def lines(self):
        """Those of a streamed reply, as they come."""
        rest = b""
        while (size := int(self.file.readline(), 16)) != 0:
            rest += self.file.read(size + 2)[:-2]
            *whole, rest = rest.split(b"\n")
            yield from map(json.loads, whole)

    def close(self):
        self.file.close()
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.close()


def counts(summary):
    return tuple(summary[name] for name in ("documents", "accepted", "refused", "new", "next_number"))


class Streaming(unittest.TestCase):
    def publish(self, daemon, body, query="", content_type=NDJSON, **headers):
        status, _, reply = daemon.request("POST", f"/v1/publish{query}", body, {"Content-Type": content_type, **headers})
        self.assertEqual(status, 202, reply)
        return reply

    def test_records_are_the_same_however_the_body_is_split(self):
        lines = '{"n":1}\n\n{"n":"\u00e9"}\r\n{"n":\n[{"n":3},{"n":4}]\n{"n":5}'.encode()
        feeds = "".join(f"\x1e{rss(item(title), item('same'))}\n" for title in "abc").encode()
        draw = random.Random(59)
        with Sluiced() as daemon:
            for body, query, content_type, expected in (
                    (lines, "?stream=l", NDJSON, (5, 4, 1, 5, 6)),
                    (feeds, "?stream=f&deduplicate=false&content_type=application/rss%2Bxml", "application/json-seq",
                     (3, 3, 0, 6, 4))):
                self.assertEqual(counts(self.publish(daemon, body, query, content_type)), expected)
                for _ in range(20):
                    cuts = sorted(draw.randrange(len(body)) for _ in range(draw.randrange(1, 8)))
                    with Publishing(daemon, query, content_type) as publishing:
                        for begin, end in zip([0, *cuts], [*cuts, len(body)]):
                            if begin != end:
                                publishing.send(body[begin:end])
                        publishing.end()
                        status, summary = publishing.reply()
                        self.assertEqual((status, counts(summary)), (202, expected), cuts)

    def test_a_fault_in_the_middle_is_all_or_nothing_by_itself(self):
        with Sluiced("limits.items=3", "limits.document_bytes=10KiB") as daemon, daemon.subscribe(stream="s") as subscriber:
            documents = ['[{"n":0},{"n":1}]', '[{"n":2},{"n":3},{"n":4},{"n":5}]', "{", "x" * 20_000, '{"n":6}']
            summary = self.publish(daemon, "\n".join(documents), "?stream=s")
            self.assertEqual(counts(summary), (5, 2, 3, 3, 6))
            self.assertEqual([(fault["number"], fault["line"], fault["status"]) for fault in summary["faults"]],
                             [(2, 2, 413), (3, 3, 400), (4, 4, 413)])
            self.assertTrue(all(fault["reason"] for fault in summary["faults"]))
            self.assertEqual([subscriber.next_json()["data"]["n"] for _ in range(3)], [0, 1, 6])

    def test_a_repetition_after_a_cut_connection_publishes_what_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            store = ("store.kind=rocksdb", f"store.path={folder}/store")
            body = "".join(f'{{"n":{n}}}\n' for n in range(50))
            with Sluiced(*store) as daemon:
                with Publishing(daemon, "?stream=s", Idempotency_Key="k") as publishing:
                    publishing.send(body[:len(body) // 2])
                    eventually(lambda: daemon.status()["counters"]["documents"] > 20, "half of the documents")
                eventually(lambda: daemon.status()["publish_streams"] == 0, "the end of the request")
                done = daemon.status()["counters"]["documents"]
                self.assertLess(done, 30)
                first = self.publish(daemon, body, "?stream=s", **{"Idempotency-Key": "k"})
                self.assertEqual(counts(first), (50, 50, 0, 50, 51))
                # What the status says may be a little old.
                eventually(lambda: daemon.status()["counters"]["documents"] == 50, "each document once")
            with Sluiced(*store) as daemon:  # the log remembers
                self.assertEqual(self.publish(daemon, body, "?stream=s", **{"Idempotency-Key": "k"}), first)
                last = self.publish(daemon, '{"n":49}\n', "?stream=s&first_number=50", **{"Idempotency-Key": "k"})
                self.assertEqual(last["last_id"], first["last_id"])
                self.assertEqual(daemon.status()["counters"]["documents"], 0)

    def test_a_client_that_is_not_answered_is_not_read(self):
        # 64 MB are sent to a broker that may not answer, because the client doesn't read: it must stop reading, too.
        with Sluiced() as daemon, Publishing(daemon, "?stream=s&reply=stream") as publishing:
            self.assertEqual(publishing.head()[0], 200)
            documents = chunk(b"7\n" * 500)  # refused, with a long line each
            publishing.socket.setblocking(False)
            sent = 0

            def is_stuck():
                nonlocal sent
                before = sent
                with contextlib.suppress(BlockingIOError):
                    while True:
                        sent += publishing.socket.send(documents[sent % len(documents):])
                return sent == before and daemon.status()["memory"]["uses"]["bodies"] > 0 and sent > 0

            quiet = 0
            while quiet < 20:  # times in a row that nothing could be sent
                quiet = quiet + 1 if is_stuck() else 0
            self.assertLess(sent, 64_000_000)
            self.assertLess(daemon.status()["memory"]["uses"]["bodies"], 4_000_000)

    def test_many_documents_take_no_more_memory_than_few(self):
        with Sluiced() as daemon, Publishing(daemon, "?stream=s") as publishing:
            document = json.dumps({"text": "x" * 10_000}) + "\n"
            for _ in range(20):
                publishing.send(document * 20)
                self.assertLess(daemon.status()["memory"]["uses"]["bodies"], 4_000_000)
            publishing.end()
            self.assertEqual(counts(publishing.reply()[1]), (400, 400, 0, 400, 401))

    def test_a_user_whose_rights_end_publishes_no_more(self):
        with tempfile.TemporaryDirectory() as folder:
            token, _ = make_token()
            tokens = [stored_token(token)]
            users = write_users(Path(folder) / "users.yaml", {"alice": {"tokens": tokens, "publish": ["a"]}}, {})
            with Sluiced(f"auth.users={users}", "auth.local=all") as daemon:
                with Publishing(daemon, "?stream=b", **bearer(token)) as publishing:
                    self.assertEqual(publishing.reply()[0], 403)
                with Publishing(daemon, "?stream=a", **bearer(token)) as publishing:
                    publishing.send('{"n":1}\n')
                    eventually(lambda: daemon.status()["counters"]["documents"] == 1, "one document")
                    write_users(users, {"alice": {"tokens": tokens, "publish": ["b"]}}, {})
                    daemon.process.send_signal(signal.SIGHUP)
                    daemon.wait_for_log("users file read again")
                    status, reply = publishing.reply()
                    self.assertEqual((status, counts(reply)), (401, (1, 1, 0, 1, 2)))

    def test_a_daemon_that_drains_says_how_far_it_has_come(self):
        with Sluiced() as daemon, Publishing(daemon, "?stream=a&first_number=8") as publishing, \
                Publishing(daemon, "?stream=b&reply=stream") as streamed:
            for each in (publishing, streamed):
                each.send('{"n":1}\n{"n":2}\n{"n"')
            eventually(lambda: daemon.status()["counters"]["documents"] == 4, "four documents")
            daemon.process.send_signal(signal.SIGTERM)
            status, reply = publishing.reply()
            self.assertEqual((status, counts(reply)), (503, (2, 2, 0, 2, 10)))
            self.assertEqual(streamed.head()[0], 200)
            *lines, summary = streamed.lines()
            self.assertEqual([line["number"] for line in lines], [1, 2])
            self.assertEqual((summary["status"], summary["next_number"]), (503, 3))

    def test_each_document_is_answered_as_it_is_done(self):
        with tempfile.TemporaryDirectory() as folder, \
                Sluiced("store.kind=rocksdb", f"store.path={folder}/store") as daemon, \
                Publishing(daemon, "?stream=s&reply=stream", Expect="100-continue") as publishing:
            self.assertEqual(publishing.head()[0], 100)
            self.assertEqual(publishing.head()[0], 200)
            lines = publishing.lines()
            for number in range(1, 11):
                publishing.send(f'{{"n":{number}}}\n')
                line = next(lines)
                self.assertEqual((line["number"], line["new"], line["stored"]), (number, 1, "synced"))
            publishing.send('{"n":11}\n{\n{"n":12}\n' + '{"n":0}\n' * 1_000)
            publishing.end()
            *rest, summary = lines
            self.assertEqual([line["number"] for line in rest], list(range(11, 1_014)))
            self.assertEqual([line["line"] for line in rest if "status" in line], [12])
            self.assertEqual(counts(summary), (1_013, 1_012, 1, 1_012, 1_014))


if __name__ == "__main__":
    unittest.main()

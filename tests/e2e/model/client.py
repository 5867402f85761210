"""HTTP/1.1 on plain sockets, quick enough for thousands of steps: requests on one connection, and event streams that
are read without waiting. Standard library only."""
import json
import select
import socket
from urllib.parse import urlencode

TIMEOUT_S = 240  # for anything that must happen; sanitizer builds are slow, the more beside others


def head(method, target, headers=()):
    fields = "".join(f"{name}: {value}\r\n" for name, value in headers)
    return f"{method} {target} HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n".encode()


class Http:
    """Requests one after another on one connection."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), TIMEOUT_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb")

    def request(self, method, path, body=None, content_type="application/json", **parameters):
        """Returns the status and the decoded body, None if there is none."""
        if parameters:
            path += "?" + urlencode(parameters)
        data = b"" if body is None else body.encode()
        headers = () if body is None else (("Content-Type", content_type), ("Content-Length", len(data)))
        self.socket.sendall(head(method, path, headers) + data)
        return self.reply()

    def reply(self):
        status = int(self.file.readline().split()[1])
        length = 0
        while (line := self.file.readline().rstrip()):
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        content = self.file.read(length)
        return status, json.loads(content) if content else None

    def close(self):
        self.file.close()
        self.socket.close()


class EventStream:
    """An event stream. `blocks` of it are dicts of fields, with "comment" for a comment."""

    def __init__(self, port, parameters, last_event_id=None):
        """`parameters` are pairs. Waits for ": subscribed"."""
        self.socket = socket.create_connection(("127.0.0.1", port), TIMEOUT_S)
        headers = [] if last_event_id is None else [("Last-Event-ID", last_event_id)]
        self.socket.sendall(head("GET", "/v1/events?" + urlencode(parameters), headers))
        self.raw = b""  # not yet taken out of its chunks
        self.text = b""  # an incomplete block
        self.blocks = []
        self.ended = None  # "clean" or "cut"
        while b"\r\n\r\n" not in self.raw:
            piece = self.socket.recv(65536)
            assert piece, f"no reply: {self.raw!r}"
            self.raw += piece
        reply, _, self.raw = self.raw.partition(b"\r\n\r\n")
        assert reply.startswith(b"HTTP/1.1 200 "), (parameters, reply, self.raw)
        self.socket.setblocking(False)
        self._take_chunks()
        while not self.blocks:
            assert not self.ended, "the stream ended at once"
            self.wait()
            self.pump()
        assert self.blocks[0].get("comment") == "subscribed", self.blocks[0]

    def wait(self):
        assert select.select([self.socket], [], [], TIMEOUT_S)[0], f"nothing came for {TIMEOUT_S} s"

    def pump(self):
        """Takes what has arrived, and returns whether anything had."""
        if self.ended:
            return False
        any_came = False
        while not self.ended:
            try:
                piece = self.socket.recv(1 << 20)
            except BlockingIOError:
                break
            except ConnectionError:
                piece = b""
            any_came = True
            if not piece:
                self.ended = "cut"
                break
            self.raw += piece
            self._take_chunks()
        return any_came

    def _take_chunks(self):
        raw, at = self.raw, 0
        while (end := raw.find(b"\r\n", at)) >= 0:
            size = int(raw[at:end], 16)
            if len(raw) < end + 2 + size + 2:
                break
            if size == 0:
                self.ended = "clean"
            self.text += raw[end + 2:end + 2 + size]
            at = end + 2 + size + 2
        if at:
            self.raw = raw[at:]
            self._take_blocks()

    def _take_blocks(self):
        *blocks, self.text = self.text.split(b"\n\n")
        for block in blocks:
            fields = {}
            for line in block.decode().split("\n"):
                name, _, value = line.partition(": ") if not line.startswith(":") else ("comment", "", line[2:])
                fields[name] = f"{fields[name]}\n{value}" if name in fields and name == "data" else value
            self.blocks.append(fields)

    def take(self):
        blocks, self.blocks = self.blocks, []
        return blocks

    def close(self):
        self.socket.close()

"""Many connections of one process, read by epoll: event streams, and requests that wait for replies."""
import re
import select
import socket
from collections import deque

ID = re.compile(rb"^id: [^-\n]+-(\d+)$", re.M)


def connect(port):
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


class EventStream:
    """`on_events` gets the whole events that have come, as bytes. HTTP/1.0, so that no chunk divides them."""

    def __init__(self, port, query, on_events):
        self.connection = connect(port)
        self.connection.sendall(f"GET /v1/events?{query} HTTP/1.0\r\nHost: localhost\r\n\r\n".encode())
        self.rest, self.on_events, self.has_begun = b"", on_events, False

    def read(self):
        piece = self.connection.recv(1 << 18)
        if not piece:
            raise SystemExit(f"an event stream has ended: {self.rest[-500:]}")
        whole, end, self.rest = (self.rest + piece).rpartition(b"\n\n")
        if not self.has_begun and end:
            if b" 200 " not in whole.partition(b"\r\n")[0]:
                raise SystemExit(f"not a stream: {whole[:500]}")
            self.has_begun = True
        if end:
            self.on_events(whole)


class Requests:
    """Requests on a few connections. `on_reply` gets the body of each reply; other than 200 or 201 ends the program."""

    class Connection:
        def __init__(self, port):
            self.connection, self.rest = connect(port), b""

    def __init__(self, port, poll, on_reply, connections=16):
        self.waiting, self.on_reply, self.unanswered, self.answered = deque(), on_reply, 0, 0
        self.idle = [self.Connection(port) for _ in range(connections)]
        for each in self.idle:
            poll.add(each.connection, lambda each=each: self._read(each))

    def send(self, method, path, body):
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
        self.waiting.append(head.encode() + body)
        self.unanswered += 1
        self._go_on()

    def _go_on(self):
        while self.idle and self.waiting:
            self.idle.pop().connection.sendall(self.waiting.popleft())

    def _read(self, each):
        piece = each.connection.recv(1 << 16)
        each.rest += piece
        head, end, body = each.rest.partition(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head, re.I)
        if not piece or end and (length is None or head.split(b" ", 2)[1] not in (b"200", b"201")):
            raise SystemExit(f"refused: {each.rest[:500]}")
        if not end or len(body) < int(length[1]):
            return
        each.rest = b""
        self.unanswered -= 1
        self.answered += 1
        self.idle.append(each)
        self._go_on()
        self.on_reply(body)


class Poll:
    def __init__(self):
        self.epoll, self.readers = select.epoll(), {}

    def add(self, connection, read):
        self.readers[connection.fileno()] = read
        self.epoll.register(connection, select.EPOLLIN)

    def run(self, seconds):
        for descriptor, _ in self.epoll.poll(seconds, 512):
            self.readers[descriptor]()

"""HTTP/1.1 as bytes on a socket, for attackers and witnesses. Standard library only and deliberately simple, so that it
can also send what no client library would."""
import json
import socket
import ssl
from typing import NamedTuple

TIMEOUT_S = 120  # for anything that must happen, however busy the machine is
ATTACKER_S = 10  # for what an attacker need not get
# For clients that do not read, so that the kernel does not buffer everything for them. With room for less than a few of
# loopback's large segments, the kernel drops and resends them at the cost of the sender's processor time.
SMALL_BUFFER_BYTES = 256 << 10

tls_context = None  # set: every connection is encrypted


def speak_tls():
    """From now on, in this process. Certificates are not checked: here the client is the attacker."""
    global tls_context
    tls_context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    tls_context.check_hostname, tls_context.verify_mode = False, ssl.CERT_NONE


class Reply(NamedTuple):
    status: int
    headers: dict
    body: bytes

    @property
    def problem(self):
        """The problem document; {} if the reply has none."""
        if self.headers.get("content-type") != "application/problem+json":
            return {}
        return json.loads(self.body)


class Broken(Exception):
    """The daemon closed, reset or stayed silent where a reply was due."""


def connect(port, source="127.0.0.1", timeout=TIMEOUT_S, receive_bytes=None):
    """A connection from this loopback address. `receive_bytes`: size of the kernel's receive buffer."""
    connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if receive_bytes is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.settimeout(timeout)
        connection.bind((source, 0))
        connection.connect(("127.0.0.1", port))
        return connection if tls_context is None else tls_context.wrap_socket(connection)
    except OSError:
        connection.close()
        raise


def head(method, target, headers=(), body_bytes=None):
    fields = dict(headers)
    fields.setdefault("Host", "localhost")
    if body_bytes is not None:
        fields["Content-Length"] = body_bytes
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


class Stream:
    """Reads replies, or the lines of an event stream, as they arrive on a connection."""

    def __init__(self, connection):
        self.connection = connection
        self.file = connection.makefile("rb")

    def line(self):
        try:
            line = self.file.readline(1 << 20)
        except OSError as error:
            raise Broken(f"no reply: {error}") from error
        if not line:
            raise Broken("closed without a reply")
        return line.rstrip(b"\r\n")

    def exactly(self, n):
        try:
            data = self.file.read(n)
        except OSError as error:
            raise Broken(f"reply cut off: {error}") from error
        if len(data) != n:
            raise Broken("reply cut off")
        return data

    def reply_head(self):
        parts = self.line().split(b" ", 2)
        if len(parts) < 2 or not parts[0].startswith(b"HTTP/1."):
            raise Broken(f"not a status line: {parts}")
        headers = {}
        while line := self.line():
            name, _, value = line.partition(b":")
            headers[name.decode().lower()] = value.strip().decode()
        return int(parts[1]), headers

    def reply(self):
        status, headers = self.reply_head()
        if status == 100:
            return self.reply()
        body = self.exactly(int(headers.get("content-length", 0))) if status != 204 else b""
        return Reply(status, headers, body)

    def event(self):
        """The lines of the next event or comment of a chunked event stream; None: the stream has ended."""
        lines = []
        while True:
            try:
                line = self.line()
            except Broken:
                return None
            if line.startswith((b"id:", b"data:", b"event:", b":", b"retry:")):
                lines.append(line.decode())
            elif not line and lines:
                return lines

    def data_event(self):
        """The lines of the next event with data: neither a comment nor an id alone, such as a heartbeat."""
        while (event := self.event()) is not None and not any(line.startswith("data:") for line in event):
            pass
        return event

    def close(self):
        self.file.close()
        self.connection.close()


def send(connection, data):
    """False: the daemon has closed the connection, perhaps with a reply that gives the reason."""
    try:
        connection.sendall(data)
        return True
    except OSError:
        return False


def end_sending(connection):
    """Of TCP, without TLS's own end: replies still arrive."""
    socket.socket.shutdown(connection, socket.SHUT_WR)


def request(port, method, target, body=None, headers=(), source="127.0.0.1", timeout=TIMEOUT_S):
    """One request on a fresh connection."""
    try:
        connection = connect(port, source, timeout)
    except OSError as error:
        raise Broken(f"not connected: {error}") from error
    with connection:
        data = body.encode() if isinstance(body, str) else body
        send(connection, head(method, target, headers, None if data is None else len(data)) + (data or b""))
        return Stream(connection).reply()


def subscribe(port, query, source="127.0.0.1", timeout=TIMEOUT_S, receive_bytes=None):
    """An established event stream as a Stream, or the Reply that refuses it."""
    connection = connect(port, source, timeout, receive_bytes)
    send(connection, head("GET", "/v1/events?" + query))
    stream = Stream(connection)
    status, headers = stream.reply_head()
    if status != 200:
        reply = Reply(status, headers, stream.exactly(int(headers.get("content-length", 0))))
        stream.close()
        return reply
    while (event := stream.event()) is not None and ": subscribed" not in event:
        pass
    return stream

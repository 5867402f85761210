"""Load on a daemon's memory of all kinds at once; for tests and benchmarks."""
import http.client
import resource
import socket
import threading

from sluice_process import TIMEOUT_S, item, rss

MIB = 1 << 20


def pages(daemon):
    """Address space and resident memory, in bytes."""
    with open(f"/proc/{daemon.process.pid}/statm") as file:
        return [int(n) * resource.getpagesize() for n in file.read().split()[:2]]


def memory_of(daemon):
    """What the daemon says of its memory; {} if it has no room to say it."""
    try:
        status, _, content = daemon.request("GET", "/v1/status")
    except (OSError, http.client.HTTPException):
        return {}
    return content["memory"] if status == 200 else {}


class Background:
    """Threads that repeat actions until the end of a with block; an exception in one of them fails the test."""

    def __init__(self):
        self.over = threading.Event()
        self.threads = []
        self.failure = None

    def start(self, act, *arguments):
        def run():
            try:
                while not self.over.is_set():
                    act(*arguments)
            except Exception as error:
                self.failure = error

        self.threads.append(threading.Thread(target=run))
        self.threads[-1].start()

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.over.set()
        for thread in self.threads:
            thread.join()
        if self.failure is not None and failure[0] is None:
            raise self.failure


def post(daemon, document, **parameters):
    """The status; 0 if the connection was lost."""
    try:
        status, headers, content = daemon.publish(document, deduplicate="false", **parameters)
    except (OSError, http.client.HTTPException):
        return 0
    if status >= 400:
        assert content["detail"], content
        assert status != 503 or headers["Retry-After"], headers
    return status


def unfinished_post(daemon, bytes_sent):
    """A socket that has sent the head and part of a body."""
    connection = socket.create_connection(("127.0.0.1", daemon.port), timeout=TIMEOUT_S)
    connection.settimeout(10)  # the daemon may leave it unread, which is no fault
    head = "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/xml\r\nContent-Length: 16000000\r\n\r\n"
    try:
        connection.sendall(head.encode() + b"x" * bytes_sent)
    except OSError:
        pass  # refused meanwhile
    return connection


def deaf_subscriber(daemon, stream):
    """A socket that never reads the events it has subscribed to."""
    connection = socket.socket()
    connection.settimeout(TIMEOUT_S)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(("127.0.0.1", daemon.port))
    try:
        connection.sendall(f"GET /v1/events?stream={stream} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    except OSError:
        pass  # refused meanwhile
    return connection


class Load:
    """What came of a mixed load."""

    def __init__(self):
        self.accepted, self.received = [], []  # titles of the steady stream's events
        self.peak_bytes = 0                    # resident


def mixed_load(daemon, limit_bytes, is_enough):
    """Loads the daemon with everything that takes memory until is_enough(load), which is called a hundred times a
    second: bodies that never end, subscribers that never read, large documents and tiny items, endless new streams. A
    publisher and a subscriber carry on meanwhile, and all that was accepted has been received at the end."""
    load = Load()
    unfinished_bytes = 12_000_000
    tiny = rss(*["<item><a/></item>"] * 9000)
    middle = rss(*[item(f"t{i}", description="x" * 20_000) for i in range(40)])
    new_streams = iter(range(10**9))
    with daemon.subscribe([], stream="steady") as reader, Background() as background:
        def publish_steadily():
            number = len(load.accepted)
            if post(daemon, rss(item(f"n{number}")), stream="steady") == 202:
                load.accepted.append(f"n{number}")

        def receive():
            load.received.append(reader.next_json()["item"]["title"])

        def read_steadily():
            if len(load.received) < len(load.accepted):
                receive()
            else:
                background.over.wait(0.001)

        def be_deaf():
            deaf = [deaf_subscriber(daemon, f"wide{i % 4}") for i in range(20)]
            background.over.wait(1.5)
            for connection in deaf:
                connection.close()

        def never_finish():
            n = limit_bytes // unfinished_bytes // 2
            connections = [unfinished_post(daemon, unfinished_bytes) for _ in range(n)]
            background.over.wait(0.5)
            for connection in connections:
                connection.close()

        for act in (publish_steadily, read_steadily, be_deaf, never_finish, never_finish):
            background.start(act)
        for i in range(4):
            background.start(lambda i=i: post(daemon, middle, stream=f"wide{i}"))
        background.start(lambda: post(daemon, tiny, stream="tiny"))
        background.start(lambda: post(daemon, rss(item("a")), stream=f"new{next(new_streams)}"))
        while True:
            assert daemon.process.poll() is None, daemon.log
            assert background.failure is None, background.failure
            load.peak_bytes = max(load.peak_bytes, pages(daemon)[1])
            if is_enough(load):
                break
            background.over.wait(0.01)
        background.over.set()
        for thread in background.threads:
            thread.join()
        while len(load.received) < len(load.accepted):
            receive()
    return load

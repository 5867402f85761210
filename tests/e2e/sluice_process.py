"""sluiced as a process, and clients that read what it sends. Standard library only."""
import contextlib
import http.client
import json
import os
import pathlib
import queue
import resource
import signal
import socket
import subprocess
import threading
import time
import urllib.parse

TIMEOUT_S = 240  # for anything that must happen; sanitizer builds are slow, the more beside others

# Limits that a machine must not meet by being busy, no comments between the events, and room for very many filters; and
# nothing that outlives the daemon.
PATIENT = ("store.kind=memory", "delivery.heartbeat=1h", "publish.wait=60s", "http.idle_timeout=1h",
           "http.request_timeout=1h", "http.body_rate=0", "limits.condition_time=60s",
           "limits.filters_per_connection=15000", "limits.literals_per_connection=10000000",
           "limits.operators_per_connection=100000", "shutdown.drain_timeout=60s")

CRASHES = (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGTRAP)


def eventually(condition, what):
    """Polls `condition` until it holds, and returns its value. Fails after TIMEOUT_S."""
    give_up = time.monotonic() + TIMEOUT_S
    while not (value := condition()):
        assert time.monotonic() < give_up, f"waited {TIMEOUT_S} s for: {what}"
        time.sleep(0.001)
    return value


def report_crash(status, command):
    """Leaves a file in $SLUICE_REPORTS for a process that crashed: the gate is red then, whatever the next try says.
    `status` is Popen's; a shell's, 128 and the signal's number, is understood, too."""
    folder = os.environ.get("SLUICE_REPORTS")
    died_of = -status if status < 0 else status - 128
    if folder and died_of in CRASHES:
        path = pathlib.Path(folder) / f"crash.{os.getpid()}.{time.monotonic_ns()}"
        text = command if isinstance(command, str) else " ".join(map(str, command))
        path.write_text(f"{text}: died of {signal.Signals(died_of).name}\n")


class Sluiced:
    """A running daemon on a free port. As a context manager, stops it with SIGTERM and asserts exit status 0."""

    common = PATIENT  # options of all; those of one daemon come later, and override them

    def __init__(self, *options, config=None, listens=False, under=(), program=None, **popen):
        """`under` is a program with its options that runs the daemon, such as valgrind. `program` is run instead of
        sluiced. `listens`: the configuration has listeners, beside which there is no http.port."""
        arguments = [*under, program or os.environ["SLUICED"]]
        if config is not None:
            arguments += ["--config", str(config)]
        for option in (*([] if listens else ["http.port=0"]), "log.format=json", *self.common, *options):
            arguments += ["--set", option]
        self.process = subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True, **popen)
        self.log = []
        self._lines = queue.Queue()
        self._reader = threading.Thread(target=self._read_log, daemon=True)
        self._reader.start()
        try:
            self.port = self.wait_for_log("listening")["port"]
            self.wait_for_log("ready")
        except BaseException:
            self.kill()
            raise

    def _read_log(self):
        for line in self.process.stderr:
            self._lines.put(line)
        self._lines.put(None)

    def wait_for_log(self, message):
        """The next log line with this message."""
        while (line := self._lines.get(timeout=TIMEOUT_S)) is not None:
            if not line.startswith("{"):
                self.log.append(line)
                continue
            entry = json.loads(line)
            self.log.append(entry)
            if entry["message"] == message:
                return entry
        raise AssertionError(f"sluiced ended without logging {message!r}: {self.log}")

    def stop(self, sign=signal.SIGTERM):
        """Sends the signal and returns the exit status."""
        self.process.send_signal(sign)
        return self.end()

    def end(self):
        """Waits for the end of the process and returns the exit status."""
        try:
            status = self.process.wait(2 * TIMEOUT_S)  # draining has a limit of its own
        except subprocess.TimeoutExpired:
            self.kill()
            raise
        report_crash(status, self.process.args)
        self._reader.join()
        while (line := self._lines.get()) is not None:
            self.log.append(json.loads(line) if line.startswith("{") else line)
        return status

    def kill(self):
        """However a test ends, no daemon outlives it."""
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        report_crash(self.process.wait(), self.process.args)

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        if self.process.poll() is None:
            status = self.stop()
            assert status == 0, f"exit status {status}: {self.log}"
        else:
            report_crash(self.process.returncode, self.process.args)
        self.process.stderr.close()

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_S)

    def request(self, method, path, body=None, headers=None):
        """Returns status, headers and body; a JSON body is decoded."""
        connection = self.connect()
        try:
            connection.request(method, path, body, headers or {})
            reply = connection.getresponse()
            content = reply.read()
            if "json" in reply.headers.get("Content-Type", ""):
                content = json.loads(content)
            return reply.status, reply.headers, content
        finally:
            connection.close()

    def publish(self, document, content_type="application/rss+xml", **parameters):
        path = "/v1/events?" + urllib.parse.urlencode(parameters)
        return self.request("POST", path, document, {"Content-Type": content_type})

    def status(self):
        return self.request("GET", "/v1/status")[2]

    def subscribe(self, filters=(), headers=None, **parameters):
        return Subscriber(self, filters, parameters, headers)

    def wait_for_subscriptions(self, n=1):
        """Waits until n filters of others are in place. A filter is counted while it is still being put in place; a
        later subscriber is in place only after it."""
        eventually(lambda: self.status()["subscriptions"]["total"] == n, f"{n} subscriptions")
        with self.subscribe():
            pass


class Subscriber:
    """An established event stream: everything published from now on arrives."""

    def __init__(self, daemon, filters, parameters, headers=None):
        pairs = [*parameters.items(), *(("filter", text) for text in filters)]
        self.connection = daemon.connect()
        self.connection.request("GET", "/v1/events?" + urllib.parse.urlencode(pairs), headers=headers or {})
        self.reply = self.connection.getresponse()
        assert self.reply.status == 200, self.reply.read()
        assert self.next() == {"comment": "subscribed"}

    def next(self):
        """The next event as its fields ("data" lines joined), or a comment; None when the stream has ended properly."""
        event = {}
        while line := self.reply.readline():
            line = line.decode().rstrip("\n")
            if line == "":
                return event
            name, _, value = line.partition(": ") if not line.startswith(": ") else ("comment", "", line[2:])
            event[name] = f"{event[name]}\n{value}" if name in event else value
        assert not event, f"the stream ended within an event: {event}"
        return None

    def next_event(self):
        event = self.next()
        while event is not None and "data" not in event:
            event = self.next()
        return event

    def next_json(self):
        event = self.next_event()
        return None if event is None else json.loads(event["data"])

    def titles(self, n):
        return [self.next_json()["item"]["title"] for _ in range(n)]

    def close(self):
        # If the connection is to be closed, the reply holds the socket.
        self.reply.close()
        self.connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.close()


def limit(resource_of_process, value):
    """For Popen's preexec_fn: a limit that the daemon can't raise."""
    return lambda: resource.setrlimit(resource_of_process, (value, value))


def run_to_end(*arguments, **more):
    """Runs a sluiced that should end on its own. Returns exit status, standard output, standard error."""
    done = subprocess.run([os.environ["SLUICED"], *arguments], capture_output=True, text=True, timeout=TIMEOUT_S,
                          **more)
    report_crash(done.returncode, done.args)
    return done.returncode, done.stdout, done.stderr


def rss(*items):
    return "<rss version='2.0'><channel><title>t</title>" + "".join(items) + "</channel></rss>"


def item(title, category="news", **more):
    fields = {"title": title, "guid": title, "category": category, **more}
    return "<item>" + "".join(f"<{name}>{value}</{name}>" for name, value in fields.items()) + "</item>"


def raw_reply(port, request):
    """Sends bytes and returns status line and body of the reply. The daemon must then close the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_S) as connection:
        connection.sendall(request)
        received = b""
        while piece := connection.recv(65536):
            received += piece
    head, _, body = received.partition(b"\r\n\r\n")
    return head.split(b"\r\n")[0].decode(), body

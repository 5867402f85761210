"""Publishers that remember what they were told, and a check of what a daemon then has. Standard library only."""
import http.client
import json
import random
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from sluice_process import TIMEOUT_S, item, rss  # noqa: E402

STREAMS = ("a", "b", "c")


class Fault(AssertionError):
    """The daemon has lost, doubled or invented something."""


class Document:
    def __init__(self, stream, number, chance):
        self.stream = stream
        self.guids = [f"{number}-{i}" for i in range(chance.choice((1, 1, 2, 5)))]
        padding = "x" * chance.choice((10, 1_000, 20_000))
        self.body = rss(*(item(guid, summary=padding) for guid in self.guids))
        self.first_id = None  # as the 202 said
        self.is_refused = False  # by a reply that says that nothing was stored


class Load:
    """Publishes from several threads, documents that all differ, until it is stopped or the daemon is gone."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.documents = []
        self.lock = threading.Lock()
        self.stopping = threading.Event()
        self.threads = []

    def begin(self, port, publishers=8, documents_max=None):
        self.stopping.clear()
        self.is_trusted = True  # else what a 202 says counts for nothing
        self.left = documents_max
        self.threads = [threading.Thread(target=self._publish, args=(port,), daemon=True) for _ in range(publishers)]
        for thread in self.threads:
            thread.start()

    def end(self):
        self.stopping.set()
        self.wait()

    def wait(self):
        for thread in self.threads:
            thread.join()

    def _next(self):
        with self.lock:
            if self.stopping.is_set() or self.left == 0:
                return None
            self.left = self.left and self.left - 1
            document = Document(self.chance.choice(STREAMS), len(self.documents), self.chance)
            self.documents.append(document)
            return document

    def _publish(self, port):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)
        while (document := self._next()) is not None:
            try:
                status, reply = post(connection, document)
            except (OSError, http.client.HTTPException):
                return
            if status == 202:
                if reply["new"] != len(document.guids):
                    raise Fault(f"{document.guids} were answered by {reply}")
                if self.is_trusted:
                    document.first_id = reply["first_id"]
            elif status == 507:
                document.is_refused = True
            elif status != 503:
                raise Fault(f"{status}: {reply}")
        connection.close()

    def accepted(self):
        return [document for document in self.documents if document.first_id is not None]


def post(connection, document):
    connection.request("POST", f"/v1/events?stream={document.stream}", document.body,
                       {"Content-Type": "application/rss+xml"})
    reply = connection.getresponse()
    return reply.status, json.loads(reply.read())


def stored(daemon, stream):
    """The ids and guids of the events that it has, in the order of a replay."""
    connection = daemon.connect()
    connection.request("GET", f"/v1/events?stream={stream}&filter=true()&from=first&until=now")
    reply, events, kind = connection.getresponse(), [], "message"
    for line in reply.read().decode().split("\n"):
        name, _, value = line.partition(": ")
        if name == "event":
            kind = value
        elif name == "data" and kind == "message":
            message = json.loads(value)
            events.append((message["id"], message["item"]["id"]))
        elif name == "data":
            raise Fault(f"{kind}: {value}")
        elif not line:
            kind = "message"
    connection.close()
    return events


def check(daemon, load, sample=20):
    """Every accepted document is there once, with the ids that were told; others are there as a whole or not at all, and
    all is known when it is published again."""
    position = {}
    for stream in STREAMS:
        events = stored(daemon, stream)
        if [number for number, _ in events] != sorted({number for number, _ in events}):
            raise Fault(f"ids of {stream} do not rise: {events}")
        for number, guid in events:
            if (stream, guid) in position:
                raise Fault(f"{guid} of {stream} is there twice")
            position[stream, guid] = number
    found = 0
    for document in load.documents:
        numbers = [position.pop((document.stream, guid), None) for guid in document.guids]
        if document.first_id is not None and numbers[0] != document.first_id:
            raise Fault(f"{document.guids} were accepted as {document.first_id}, and have {numbers}")
        if numbers[0] is None and any(numbers) or numbers[0] is not None and (
                document.is_refused or numbers != [numbers[0] + i for i in range(len(numbers))]):
            raise Fault(f"{document.guids} have {numbers}")
        found += numbers[0] is not None
        document.first_id = numbers[0] if numbers[0] is not None else document.first_id
    if position:
        raise Fault(f"nobody has published {sorted(position)[:5]}")
    connection = daemon.connect()
    for document in load.chance.sample(load.documents, min(sample, len(load.documents))):
        status, reply = post(connection, document)
        is_stored = document.first_id is not None
        if status != 202 or reply["unchanged" if is_stored else "new"] != len(document.guids):
            raise Fault(f"{document.guids}, {'stored' if is_stored else 'not stored'}, again: {status} {reply}")
        if not is_stored:
            document.first_id, document.is_refused = reply["first_id"], False
    connection.close()
    return found

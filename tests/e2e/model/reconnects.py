"""Subscribers that connect again and again while publishing goes on: in the end they have got exactly what the model
says, in the order of each stream. Streams are delivered independently of each other, so a reader of all of them may
have got events behind the place after which it continues. Only these may come again."""
import json
import random
import sys
import threading
from pathlib import Path

from client import EventStream, Http
from driver import STREAMS, document, random_filter
from model import ALL, Fault, Filter, Item, Model

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from sluice_process import Sluiced  # noqa: E402

ITEMS = 3  # of a document
END = "end"


class Publisher(threading.Thread):
    """Publishes until it is told to stop, and then an event that everybody gets as the last of its stream."""

    def __init__(self, port, chance, model):
        super().__init__(daemon=True)
        self.http, self.chance, self.model = Http(port), chance, model
        self.is_enough = threading.Event()
        self.failure = None

    def run(self):
        try:
            number = 0
            while not self.is_enough.is_set():
                number += 1
                self.publish(self.chance.choice(STREAMS), [
                    Item(f"{number}-{i}", f"{number} {i}", self.chance.choice(("news", "sport")),
                         self.chance.choice((None, self.chance.randrange(100)))) for i in range(ITEMS)])
            for stream in STREAMS:
                self.publish(stream, [Item(END, END, "news", 1)])
        except BaseException as failure:  # the test's own thread tells of it
            self.failure = failure
        finally:
            self.http.close()

    def publish(self, stream, items):
        title = f"Feed {self.chance.randrange(3)}"
        events = self.model.look_up(stream, title, items)
        status, reply = self.http.request("POST", "/v1/events", document(title, items), "application/rss+xml",
                                          stream=stream)
        if status != 202 or reply["new"] != len(items):
            raise Fault(f"{items} was answered by {status} {reply}")
        self.model.publish(stream, events, reply["first_id"])


class Reconnecting(threading.Thread):
    """Reads from the first event on, and cuts its connection `times` times after some events."""

    def __init__(self, port, chance, stream, condition, times):
        super().__init__(daemon=True)
        self.port, self.chance, self.stream, self.condition, self.times = port, chance, stream, condition, times
        self.has_reconnected = threading.Event()  # so many times
        self.received, self.ends_missing = [], len(STREAMS) if stream == ALL else 1
        self.known = set()  # ids that came on earlier connections
        self.last_id = self.failure = None

    def run(self):
        try:
            for _ in range(self.times):
                self.connect(self.chance.randrange(1, 40))
            self.has_reconnected.set()
            self.connect(None)
        except BaseException as failure:
            self.failure = failure
            self.has_reconnected.set()

    def connect(self, events_max):
        """Reads so many events, None: until the end."""
        parameters = [("stream", self.stream), ("filter", self.condition.text), ("filter", f"$title = '{END}'"),
                      ("from", "first")]
        events = EventStream(self.port, parameters, self.last_id)
        place = int(self.last_id.rpartition("-")[2]) if self.last_id else 0
        self.known.update(self.received)
        n = 0
        try:
            while self.ends_missing and (events_max is None or n < events_max):
                for block in events.take():
                    n += self.take(block, place)
                    if n == events_max:
                        return  # what has arrived behind it is lost
                if self.ends_missing:
                    events.wait()
                    events.pump()
                    if events.ended:
                        raise Fault(f"the stream ended: {events.ended}")
        finally:
            events.close()

    def take(self, block, place):
        """Returns 1 for an event. `place` is that after which the connection began."""
        if "event" in block:
            raise Fault(f"nothing was dropped, but this came: {block}")
        self.last_id = block.get("id", self.last_id)
        if "data" not in block:
            return 0
        message = json.loads(block["data"])
        if self.stream == ALL and message["id"] in self.known and message["id"] > place:
            self.known.remove(message["id"])
            return 1
        self.received.append(message["id"])
        self.ends_missing -= message["item"]["title"] == END
        return 1


def reconnect(chance, times):
    """Returns how many events were received. There is publishing until those who get everything have reconnected."""
    everything = Filter("true()", lambda e: True)
    with Sluiced() as daemon:
        model = Model("")
        publisher = Publisher(daemon.port, random.Random(chance.random()), model)
        publisher.start()
        wanted = [(ALL, everything), ("a", everything)]
        while len(wanted) < 4:
            condition = random_filter(chance)
            if not condition.looks_at_siblings and condition.text != "false()":
                wanted.append((chance.choice((ALL, *STREAMS)), condition))
        readers = [Reconnecting(daemon.port, random.Random(chance.random()), stream, condition, times)
                   for stream, condition in wanted]
        for reader in readers:
            reader.start()
        for reader in readers[:2]:
            reader.has_reconnected.wait()
        publisher.is_enough.set()
        for thread in (*readers, publisher):
            thread.join()
            if thread.failure is not None:
                raise thread.failure
        for reader in readers:
            for stream in STREAMS:
                expected = [number for number, event in model.events.items()
                            if event.stream == stream and reader.stream in (ALL, stream)
                            and (reader.condition.holds(event) or event.item.title == END)]
                received = [number for number in reader.received if model.events[number].stream == stream]
                if received != expected:
                    at = next((i for i, pair in enumerate(zip(received, expected)) if pair[0] != pair[1]), -1)
                    raise Fault(f"{reader.stream} {reader.condition.text}, {stream}: from place {at} on received "
                                f"{received[at:at + 5]}, expected {expected[at:at + 5]}, of {len(expected)}")
        return sum(len(reader.received) for reader in readers)

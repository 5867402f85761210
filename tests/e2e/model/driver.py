"""Random steps, done to a daemon and to the model, and what the daemon sends compared with what the model expects."""
import contextlib
import json
import random
import sys
import time
from collections import Counter
from pathlib import Path
from urllib.parse import quote

from client import TIMEOUT_S, EventStream, Http
from model import ALL, Fault, Filter, Item, Model, Reader, Start

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from sluice_process import Sluiced  # noqa: E402

CATEGORIES = ("news", "sport", "science")
WHOLE = "whole"  # a stream that keeps whole documents
STREAMS = ("a", "b", "c", "d", WHOLE)
GUIDS = 40  # of a stream: few, so that many items are known
SUBSCRIBERS_MAX = 24
OPTIONS = ("delivery.queue_bytes=1MiB",)  # which a flood exceeds


def conditions(price, digit, feed):
    return (
        Filter("true()", lambda e: True),
        Filter("false()", lambda e: False),
        Filter("$category = 'news'", lambda e: e.item.category == "news"),
        Filter("category != 'news'", lambda e: e.item.category != "news"),
        Filter(f"price < {price}", lambda e: e.item.price is not None and e.item.price < price),
        Filter("not(price)", lambda e: e.item.price is None),
        Filter(f"contains($title, '{digit}')", lambda e: str(digit) in e.item.title),
        Filter(f"../title = 'Feed {feed}'", lambda e: e.feed_title == f"Feed {feed}",
               looks_at_siblings=True),  # the item's parent's
        Filter("following-sibling::item", lambda e: not e.is_last, looks_at_siblings=True),
    )


def random_filter(chance):
    some = conditions(chance.randrange(100), chance.randrange(10), chance.randrange(3))
    one, other = chance.choice(some), chance.choice(some)
    siblings = one.looks_at_siblings or other.looks_at_siblings
    return chance.choice((
        one,
        one,
        Filter(f"//item[{one.text}]", one.holds, one.looks_at_siblings),
        Filter(f"{one.text} and {other.text}", lambda e: one.holds(e) and other.holds(e), siblings),
        Filter(f"{one.text} or not({other.text})", lambda e: one.holds(e) or not other.holds(e), siblings),
    ))


def document(feed_title, items):
    parts = [f"<rss version='2.0'><channel><title>{feed_title}</title><link>http://feeds.example/</link>"]
    for item in items:
        price = "" if item.price is None else f"<price>{item.price}</price>"
        parts.append(f"<item><title>{item.title}</title><guid isPermaLink='false'>{item.guid}</guid>"
                     f"<category>{item.category}</category>{price}<summary>{item.summary}</summary></item>")
    return "".join(parts) + "</channel></rss>"


class Subscriber:
    """One who connects again and again, each time after the last id that it knows."""

    def __init__(self, stream, filters, before_reset=lambda: None):
        self.stream = stream
        self.filters = filters
        self.first_place = ()  # parameters of its URL that say where it began
        self.last_id = None
        self.events = None  # an EventStream while it is connected
        self.reader = None
        self.is_paused = False
        self.before_reset = before_reset
        self.tally = None  # of the daemon that it is connected to

    def parameters(self, *more):
        return [("stream", self.stream), *(("filter", each.text) for each in self.filters), *self.first_place, *more]

    def take(self):
        """Compares what has arrived."""
        self.events.pump()
        for block in self.events.take():
            kind, data = block.get("event", "message"), block.get("data")
            if data is not None:
                message = json.loads(data)
                if kind == "message":
                    self.tally["delivered"] += 1
                    self.reader.take_event(message)
                    self.check_id(block["id"], message["id"])
                elif kind == "reset":
                    self.before_reset()
                    self.reader.take_reset(message)
                elif kind == "gap":
                    self.reader.take_gap(message)
                else:
                    raise Fault(f"{block}; {self.reader.describe()}")
            if "id" in block:
                self.last_id = block["id"]
                epoch, _, number = self.last_id.partition("-")
                if epoch == self.reader.model.epoch and kind != "reset":
                    self.reader.take_id(int(number))

    def check_id(self, place, number):
        """Streams are delivered independently of each other, so those before an event may not all have come."""
        epoch, _, place = place.partition("-")
        if epoch != self.reader.model.epoch or (int(place) > number if self.stream == ALL else int(place) != number):
            raise Fault(f"{epoch}-{place} is not the id of {number}; {self.reader.describe()}")

    def disconnect(self):
        if self.events is not None:
            self.reader.leave()
            self.events.close()
        self.events = self.reader = None
        self.is_paused = False


class Driver:
    """A daemon, its model, and what is done to both. `options` are the daemon's; `learns` says that it may drop events
    for reasons that the model has to be told."""

    def __init__(self, seed, options=(), learns=False):
        self.chance = random.Random(seed)
        self.options = (*OPTIONS, *options)
        self.learns = learns
        self.subscribers = []
        self.counts = {}
        self.tally = Counter()  # of what the daemon has done since it was started
        self.versions = 0
        self.daemon = self.http = self.witness = None
        self.model = Model("")
        self.start()
        self.steps = (
            (400, self.publish), (60, self.subscribe_live), (80, self.subscribe_earlier), (70, self.cut),
            (70, self.reconnect), (40, self.leave), (40, self.replay), (40, self.settle), (25, self.change_retention),
            (15, self.trim), (12, self.purge), (30, self.erase), (8, self.delete_stream), (12, self.make_stream),
            (20, self.pause), (20, self.resume),
            (1, self.flood), (1, self.restart),
        )

    def start(self):
        self.start_daemon()
        self.model.begin("")
        self.witness = Subscriber(ALL, [Filter("true()", lambda e: True)], self.learn)
        self.connect(self.witness, Start())
        epoch, _, number = self.witness.last_id.partition("-")
        self.model.begin(epoch)
        self.witness.reader = Reader(self.model, ALL, self.witness.filters, Start())
        if number != "0":
            raise Fault(f"a daemon without a store begins after {self.witness.last_id}")
        self.request(201, "PUT", f"/v1/streams/{WHOLE}", '{"context": "document"}')
        self.model.stream(WHOLE).keeps_documents = True

    def start_daemon(self):
        self.daemon = Sluiced(*self.options)
        self.http = Http(self.daemon.port)
        self.tally = Counter()

    def close(self):
        for subscriber in (*self.subscribers, self.witness):
            subscriber.disconnect()
        self.http.close()
        self.daemon.__exit__()

    def request(self, expected, method, path, body=None, **more):
        status, reply = self.http.request(method, path, body, **more)
        if status != expected:
            raise Fault(f"{method} {path} {body} gave {status}: {reply}")
        if method == "POST" and path == "/v1/events":
            self.tally.update(documents=1, events=reply["new"] + reply["updated"], events_unchanged=reply["unchanged"])
        return reply

    def run(self, steps):
        self.take_steps(steps)
        self.finish()

    def take_steps(self, steps):
        weights, actions = zip(*self.steps)
        for _ in range(steps):
            action = self.chance.choices(actions, weights)[0]
            self.counts[action.__name__] = self.counts.get(action.__name__, 0) + 1
            action()
            for subscriber in self.connected():
                subscriber.take()

    def finish(self):
        """Everybody gets everything, and a last replay of each stream has all that is kept."""
        self.settle()
        self.check_metrics()
        for name in (ALL, *STREAMS):
            self.replay(name, [Filter("true()", lambda e: True)], (("from", "first"),), Start(from_first=True))
        for subscriber in list(self.subscribers):
            self.subscribers.remove(subscriber)
            subscriber.disconnect()

    def check_metrics(self):
        """The daemon has counted what it did. Who was cut off has not read everything that was written."""
        give_up = time.monotonic() + TIMEOUT_S
        expected = {name: self.tally[name] for name in ("documents", "events", "events_unchanged")}
        expected.update(events_matched=expected["events"], events_lost=0)
        while True:
            lines = self.daemon.request("GET", "/metrics")[2].decode().splitlines()
            values = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
            found = {name: int(values[f"sluice_{name}_total"]) for name in expected}
            if found == expected:
                break
            if time.monotonic() > give_up:
                raise Fault(f"the daemon counts {found}, and did {expected}")
        refused = {name: n for name, n in values.items() if "_documents_refused_total" in name and n != "0"}
        if refused:
            raise Fault(f"nothing was refused, but {refused}")
        written = int(values["sluice_deliveries_written_total"])
        if written < self.tally["delivered"]:
            raise Fault(f"{self.tally['delivered']} events were read, {written} written")

    # Who is connected

    def connected(self, stream=None):
        """Those who read, if a stream is given, that it concerns."""
        everybody = (*self.subscribers, self.witness)
        return [each for each in everybody if each.events is not None and not each.is_paused
                and (stream is None or each.stream in (stream, ALL))]

    def someone(self, are):
        found = [each for each in self.subscribers if are(each)]
        return self.chance.choice(found) if found else None

    def connect(self, subscriber, start, *more, last_event_id=None):
        self.learn()
        subscriber.tally = self.tally
        subscriber.reader = Reader(self.model, subscriber.stream, subscriber.filters, start)
        subscriber.events = EventStream(self.daemon.port, subscriber.parameters(*more), last_event_id)
        if subscriber is self.witness:
            while subscriber.last_id is None:  # it comes after ": subscribed"
                if not any("id" in block for block in subscriber.events.blocks):
                    subscriber.events.wait()
                    subscriber.events.pump()
                subscriber.last_id = next((b["id"] for b in subscriber.events.take() if "id" in b), None)

    def learn(self):
        """What is kept of each stream, where the model does not know."""
        if not self.learns:
            return
        for name in list(self.model.streams):
            retained = self.request(200, "GET", f"/v1/streams/{name}")["retained"]
            self.model.learn(name, retained["first_id"] if retained["events"] else self.model.last_id + 1)

    def wait_for(self, subscriber, is_done):
        give_up = time.monotonic() + TIMEOUT_S
        while True:
            subscriber.take()
            if is_done():
                return
            if subscriber.events.ended:
                raise Fault(f"the stream ended; {subscriber.reader.describe()}")
            if time.monotonic() > give_up:
                raise Fault(f"waited {TIMEOUT_S} s; {subscriber.reader.describe()}")
            with contextlib.suppress(AssertionError):
                subscriber.events.wait()

    def settle(self, stream=None):
        """Waits until everybody who reads has got everything."""
        for subscriber in self.connected(stream):
            self.wait_for(subscriber, subscriber.reader.is_settled)

    # Steps

    def items(self, name, n, summary_bytes):
        items = []
        for guid in self.chance.sample(range(GUIDS), n):
            self.versions += 1
            known = self.model.streams[name].items.get(f"g{guid}") if name in self.model.streams else None
            if known and self.chance.random() < 0.4:
                items.append(known)
                continue
            price = self.chance.choice((None, self.chance.randrange(100)))
            items.append(Item(f"g{guid}", f"{guid} as of {self.versions}", self.chance.choice(CATEGORIES), price,
                              "x" * self.chance.randrange(summary_bytes)))
        return items

    def publish(self, name=None, n=None, summary_bytes=60):
        name = name or self.chance.choice(STREAMS)
        items = self.items(name, n or self.chance.choice((1, 1, 2, 3, 5)), summary_bytes)
        feed_title = f"Feed {self.chance.randrange(3)}"
        expected = self.model.look_up(name, feed_title, items)
        reply = self.request(202, "POST", "/v1/events", document(feed_title, items), content_type="application/rss+xml",
                             stream=name)
        numbers = [reply[each] for each in ("received", "new", "updated", "unchanged")]
        if numbers != [len(items), expected.new, expected.updated, expected.unchanged]:
            raise Fault(f"{expected} was answered by {reply}")
        if expected.events and reply["last_id"] - reply["first_id"] + 1 != len(expected.events):
            raise Fault(f"{len(expected.events)} events have these ids: {reply}")
        self.model.publish(name, expected, reply["first_id"])

    def flood(self):
        """More than a connection and a queue take: the daemon then reads the log for these subscribers."""
        self.pause()
        slow = self.someone(lambda each: each.is_paused)
        if slow is None:
            return
        for reader in self.model.readers:
            reader.fall_behind()
        for _ in range(3):
            self.publish(self.chance.choice(STREAMS) if slow.stream == ALL else slow.stream, GUIDS, 200_000)
        if self.chance.random() < 0.5:
            slow.is_paused = False
        self.settle()

    def random_subscriber(self):
        stream = ALL if self.chance.random() < 0.25 else self.chance.choice(STREAMS)
        filters = [random_filter(self.chance) for _ in range(self.chance.choice((1, 1, 1, 2, 3)))]
        return Subscriber(stream, filters, self.learn)

    def subscribe_live(self):
        if len(self.subscribers) < SUBSCRIBERS_MAX:
            subscriber = self.random_subscriber()
            self.connect(subscriber, Start())
            self.subscribers.append(subscriber)

    def random_place(self, stream):
        """Parameters that say where to begin, and what the model makes of them."""
        kind = self.chance.choice(("id", "id", "id", "number", "first", "duration", "time", "epoch", "unknown"))
        number = self.chance.randint(0, self.model.last_id)
        epoch = self.model.epoch
        if kind == "id":
            return (("after", f"{epoch}-{number}"),), Start(after=number)
        if kind == "number":
            return (("after", number),), Start(after=number)
        if kind == "epoch":
            return (("after", f"0{epoch[1:]}x-{number}"),), Start(reset="epoch")
        if kind == "unknown":
            return (("after", f"{epoch}-{self.model.last_id + 1 + number}"),), Start(reset="unknown")
        if kind == "duration":
            return (("since", "2h"),), Start(reset="epoch")  # before the daemon was started
        if kind == "time" and number in self.model.events and not self.learns:
            self.wait_for(self.witness, self.witness.reader.is_settled)  # all times are known
            since = self.model.events[number].time
            if (start := self.model.since(stream, since)) is not None:
                return (("since", since),), start
        return (("from", "first"),), Start(from_first=True)

    def subscribe_earlier(self):
        if len(self.subscribers) < SUBSCRIBERS_MAX:
            subscriber = self.random_subscriber()
            self.learn()
            subscriber.first_place, start = self.random_place(subscriber.stream)
            self.connect(subscriber, start)
            self.subscribers.append(subscriber)

    def cut(self):
        """What is on its way is lost."""
        if subscriber := self.someone(lambda each: each.events is not None):
            if self.chance.random() < 0.5 and not subscriber.is_paused:
                subscriber.take()
            subscriber.disconnect()

    def reconnect(self):
        if subscriber := self.someone(lambda each: each.events is None):
            if subscriber.last_id is None:
                self.subscribers.remove(subscriber)
                return
            epoch, _, number = subscriber.last_id.partition("-")
            place = Start(after=int(number)) if epoch == self.model.epoch else Start(reset="epoch")
            if self.chance.random() < 0.5:
                self.connect(subscriber, place, last_event_id=subscriber.last_id)
            else:
                self.connect(subscriber, place, ("lastEventId", subscriber.last_id))

    def leave(self):
        if subscriber := self.someone(lambda each: True):
            subscriber.disconnect()
            self.subscribers.remove(subscriber)

    def replay(self, stream=None, filters=None, place=None, start=None):
        """Reads what is kept, until now."""
        reader = self.random_subscriber()
        if stream is not None:
            reader.stream, reader.filters = stream, filters
        self.learn()
        if place is None:
            place, start = self.random_place(reader.stream)
        reader.first_place = place
        self.connect(reader, start, ("until", "now"))
        give_up = time.monotonic() + TIMEOUT_S
        while not reader.events.ended and time.monotonic() < give_up:
            reader.events.wait()
            reader.events.pump()
        reader.take()
        if reader.events.ended != "clean" or not reader.reader.is_settled():
            raise Fault(f"a replay ended {reader.events.ended}; {reader.reader.describe()}")
        reader.disconnect()

    def change_retention(self, name=None, events_max=None):
        """Mostly when nobody is in the middle of a replay of what will be dropped."""
        name = name or self.chance.choice(STREAMS)
        if name not in self.model.streams:
            return
        if self.chance.random() < 0.8:
            self.settle(name)
        if events_max is None:
            events_max = self.chance.choice((0, 1, 5, 20, 100))
        self.request(200, "PATCH", f"/v1/streams/{name}", json.dumps({"retention": {"events": events_max}}))
        self.model.retain(name, events_max)

    def trim(self):
        name = self.chance.choice(STREAMS)
        self.change_retention(name, self.chance.randint(1, 30))
        self.change_retention(name, 0)

    def purge(self):
        """Of what is held by nobody, as by retention."""
        name = self.chance.choice(STREAMS)
        if name not in self.model.streams:
            return
        if self.chance.random() < 0.8:
            self.settle(name)
        self.learn()
        kept = self.model.streams[name].kept
        place = {}
        if self.chance.random() < 0.8:
            place["before"] = self.chance.choice(kept).id if kept else self.chance.randint(0, self.model.last_id)
        reply = self.request(200, "POST", f"/v1/streams/{name}/purge", **place)
        events = self.model.purge(name, place.get("before", self.model.last_id + 1))
        first_id = kept[0].id if kept else None
        if reply["events"] != events or (reply["first_id"] <= self.model.last_id if first_id is None
                                         else reply["first_id"] != first_id):
            raise Fault(f"{events} of {name} should go, up to {first_id}, but {reply} did")

    def event_to_erase(self):
        """One that nobody is waiting for whom it would concern that its neighbour is gone."""
        event = self.model.events[self.chance.choice(list(self.model.events))] if self.model.events else None
        if event is None or event.stream not in self.model.streams:
            return None
        if any(each.is_paused and each.stream in (event.stream, ALL) for each in self.subscribers):
            return None
        self.settle(event.stream)
        self.wait_for(self.witness, self.witness.reader.is_settled)  # all times are known
        self.learn()
        return event

    def erase(self):
        if event := self.event_to_erase():
            may_be_found = event.kept and not event.erased
            self.request(204 if may_be_found else 404, "DELETE", f"/v1/streams/{event.stream}/events/{event.id}")
            if may_be_found:
                self.model.erase(event)
                self.request(404, "DELETE", f"/v1/streams/{event.stream}/events/{event.id}")

    def delete_stream(self):
        name = self.chance.choice(STREAMS[:-1])
        if name in self.model.streams:
            self.settle(name)
            self.request(204, "DELETE", "/v1/streams/" + quote(name))
            self.model.delete(name)

    def make_stream(self):
        name = self.chance.choice(STREAMS[:-1])
        if name not in self.model.streams:
            events_max = self.chance.choice((0, 10))
            self.request(201, "PUT", f"/v1/streams/{name}", json.dumps({"retention": {"events": events_max}}))
            self.model.retain(name, events_max)

    def pause(self):
        if subscriber := self.someone(lambda each: each.events is not None and not each.is_paused):
            subscriber.is_paused = True

    def resume(self):
        if subscriber := self.someone(lambda each: each.is_paused):
            subscriber.is_paused = False

    def restart(self):
        """Without a store, everything is lost but what subscribers know."""
        self.check_metrics()
        for subscriber in (*self.subscribers, self.witness):
            subscriber.disconnect()
        self.http.close()
        self.daemon.__exit__()
        self.daemon.process.stderr.close()
        self.start()

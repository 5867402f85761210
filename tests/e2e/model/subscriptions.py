"""Random steps with durable subscriptions, done to a daemon and to the model, by a clock that moves when a step says
so."""
import json
import select
import time

from by_hand import ByHand
from client import TIMEOUT_S, Http
from consumers import NextConsumer, StreamConsumer
from driver import Driver, conditions
from durable import DEAD, Clock, Durable, Options
from letters import Letters
from model import ALL, Fault

STREAMS = ("a", "b", "c.x", "c.y")
NAMES = tuple(f"s{i}" for i in range(14))
MOST_CONSUMERS = 4
SELECTIONS = (("a",), ("b",), ("a", "b"), ("c.*",), ("a", "c.*"), (ALL,))


def random_filters(chance):
    """None look at siblings."""
    some = conditions(chance.randrange(100), chance.randrange(10), 0)
    some = [each for each in some if not each.looks_at_siblings and each.text != "false()"]
    return chance.sample(some, chance.choice((0, 1, 1, 2, 3)))


class SubscriptionsDriver(Driver):
    def __init__(self, seed, options=(), learns=False):
        self.clock = Clock()
        self.durables = {}
        self.former = []  # that were deleted
        self.consumers = {}  # by name: lists
        super().__init__(seed, options, learns)
        self.steps = (
            (300, self.publish), (30, self.define), (6, self.erase), (25, self.edit), (5, self.replace),
            (70, self.open_stream), (25, self.leave_consumer), (12, self.take_over), (8, self.be_refused),
            (70, self.call_next), (20, self.wait_by_next), (200, self.acknowledge), (40, self.acknowledge_up_to),
            (15, self.acknowledge_nothing), (10, self.set_share), (4, self.share_wrongly), (15, self.seek),
            (3, self.seek_wrongly),
            (60, self.reject), (25, self.extend), (70, self.advance), (80, self.settle_one), (15, self.pause),
            (25, self.resume), (12, self.change_retention), (10, self.trim), (4, self.delete_stream),
            (8, self.make_stream), (30, self.look),
        )

    # The daemon

    def start(self):
        self.witness = Letters(self)
        self.start_daemon()
        self.model.begin(self.daemon.request("GET", "/v1/status")[2]["log"]["epoch"])
        self.request(201, "PUT", f"/v1/streams/{DEAD}", "{}")
        self.model.stream(DEAD)
        self.witness.connect()

    def start_daemon(self):
        self.daemon = ByHand(*self.options, "delivery.heartbeat=1s")  # at which what nobody wants is passed
        self.http = Http(self.daemon.port)

    def close(self):
        for consumer in self.all_consumers():
            consumer.close()
        self.witness.disconnect()
        self.http.close()
        self.daemon.__exit__()

    # Who reads

    def consumers_of(self, durable):
        return list(self.consumers.get(durable.name, ()))

    def all_consumers(self):
        return [each for some in self.consumers.values() for each in some]

    def add(self, consumer):
        self.consumers.setdefault(consumer.durable.name, []).append(consumer)

    def remove(self, consumer):
        some = self.consumers[consumer.durable.name]
        some.remove(consumer)
        if not some:
            del self.consumers[consumer.durable.name]

    def connected(self, stream=None):
        return [Taking(self, each) for each in self.all_consumers() if not each.is_paused]

    def take(self, name):
        """What has arrived for a subscription."""
        self.witness.take()
        for consumer in list(self.consumers.get(name, ())):
            self.take_of(consumer)

    def take_of(self, consumer):
        if consumer.take():
            if isinstance(consumer, StreamConsumer):
                raise Fault(f"the stream ended: {consumer.end_type}; {consumer.durable.describe()}")
            consumer.close()
            self.remove(consumer)
            consumer.durable.leave(consumer, is_lossy=False)

    def wait_until(self, is_done, durable):
        give_up = time.monotonic() + TIMEOUT_S
        while True:
            self.take(durable.name)
            if is_done():
                return
            if time.monotonic() > give_up:
                raise Fault(f"waited {TIMEOUT_S} s for {durable.due()[:8]}: {self.state(durable)}; {durable.describe()}")
            sockets = self.witness.wait() + [socket for each in self.consumers_of(durable) for socket in each.wait()]
            select.select(sockets, [], [], 1)

    def await_event(self, number):
        """A dead letter may come to others before it comes to the witness."""
        give_up = time.monotonic() + TIMEOUT_S
        while number not in self.model.events and time.monotonic() < give_up:
            self.witness.take()
            select.select(self.witness.wait(), [], [], 1)

    def durable_of(self, name, number):
        """That which may make a dead letter of this event."""
        some = [each for each in (*self.durables.values(), *reversed(self.former)) if each.name == name]
        known = next((each for each in some if each.options.dead_letter and each.options.ack != "none"
                      and each.knows(number)), None)
        if known is None:
            raise Fault(f"event {number} is a dead letter of {name}; {[each.describe() for each in some[:2]]}")
        return known

    def settle_durable(self, durable):
        """Waits until nothing is on its way."""
        for consumer in self.consumers_of(durable):
            consumer.is_paused = False
        self.wait_until(lambda: not durable.due(), durable)
        durable.note_quiet()

    def settle(self, stream=None):
        for durable in list(self.durables.values()):
            self.settle_durable(durable)

    def mostly_settle(self, durable):
        if self.chance.random() < 0.85:
            self.settle_durable(durable)

    def some_durable(self, are=lambda each: True):
        found = [each for each in self.durables.values() if are(each)]
        return self.chance.choice(found) if found else None

    def state(self, durable, status=200):
        return self.request(status, "GET", f"/v1/subscriptions/{durable.name}")

    # Streams

    def publish(self, name=None, n=None, summary_bytes=60):
        super().publish(name or self.chance.choice(STREAMS), n, summary_bytes)

    def change_retention(self, name=None, events_max=None):
        super().change_retention(name or self.chance.choice(STREAMS), events_max)

    def trim(self):
        name = self.chance.choice(STREAMS)
        self.change_retention(name, self.chance.randint(1, 30))
        self.change_retention(name, 0)

    def delete_stream(self):
        name = self.chance.choice(STREAMS)
        if name in self.model.streams:
            self.settle()
            self.request(204, "DELETE", f"/v1/streams/{name}")
            self.model.delete(name)

    def make_stream(self):
        name = self.chance.choice(STREAMS)
        if name not in self.model.streams:
            events_max = self.chance.choice((0, 10))
            self.request(201, "PUT", f"/v1/streams/{name}", json.dumps({"retention": {"events": events_max}}))
            self.model.retain(name, events_max)

    # Definitions

    def define(self):
        name = self.chance.choice(NAMES)
        if name in self.durables:
            return
        options, filters, place, after = self.random_definition()
        reply = self.request(201, "PUT", f"/v1/subscriptions/{name}",
                             json.dumps({**options.body(filters), "start": place}))
        if place == "now" and after <= reply["position"]:
            after = reply["position"]  # dead letters may have come meanwhile
        if reply["position"] != after and place != "first":
            raise Fault(f"{name} begins at {reply['position']}, not after {place}")
        self.begin(name, options, filters, after)
        self.check_definition(reply, self.durables[name])

    def random_definition(self):
        streams = self.chance.choice(SELECTIONS)
        ack = self.chance.choice(("each", "each", "each", "cumulative", "none"))
        options = Options(
            streams, ack,
            self.chance.choice((5_000, 30_000)), self.chance.choice((0, 1, 2, 3, 10)),
            self.chance.choice((None, DEAD, DEAD)) if ALL not in streams else None,
            self.chance.choice((1, 3, 20, 1_000, 1_000)), ack != "cumulative" and self.chance.random() < 0.5)
        return options, random_filters(self.chance), *self.random_place()

    def random_place(self):
        """And the id after which it is."""
        number = self.chance.randint(0, self.model.last_id)
        return self.chance.choice((("now", self.model.last_id), ("first", 0), (number, number),
                                   (f"{self.model.epoch}-{number}", number)))

    def begin(self, name, options, filters, after):
        self.durables[name] = durable = Durable(self.model, self.clock, name, options, filters, after)
        self.model.readers.append(durable)

    def end_durable(self, name):
        durable = self.durables.pop(name)
        self.model.readers.remove(durable)
        self.former = [*self.former[-100:], durable]

    def check_definition(self, reply, durable):
        options = reply["options"]
        found = [reply["name"], options["streams"], options["filters"], options["ack"], options["prefetch"],
                 options["max_deliver"], options["dead_letter"] or None, options["share"]]
        wanted = durable.options
        expected = [durable.name, list(wanted.streams), [each.text for each in durable.versions[-1]], wanted.ack,
                    wanted.prefetch, wanted.max_deliver, wanted.dead_letter, wanted.share]
        if found != expected:
            raise Fault(f"{expected} is told as {reply}")

    def erase(self):
        durable = self.some_durable()
        if durable is None:
            return
        self.settle_durable(durable)
        self.request(204, "DELETE", f"/v1/subscriptions/{durable.name}")
        self.await_end(durable, "subscription-deleted")
        self.end_durable(durable.name)
        self.state(durable, 404)

    def await_end(self, durable, end_type):
        """Its consumers are told why they end."""
        for consumer in self.consumers.pop(durable.name, ()):
            if isinstance(consumer, StreamConsumer):
                consumer.take_end(end_type)
            else:
                consumer.close()

    def edit(self):
        durable = self.some_durable()
        if durable is None:
            return
        self.mostly_settle(durable)
        filters = random_filters(self.chance)
        before = self.state(durable)["next"]
        reply = self.request(200, "PATCH", f"/v1/subscriptions/{durable.name}",
                             json.dumps({"filters": [each.text for each in filters]}))
        durable.edit(filters, before, reply["next"])
        self.check_definition(reply, durable)

    def replace(self):
        """By the whole definition; `start` means nothing then."""
        durable = self.some_durable()
        if durable is None:
            return
        self.mostly_settle(durable)
        filters = random_filters(self.chance)
        before = self.state(durable)["next"]
        reply = self.request(200, "PUT", f"/v1/subscriptions/{durable.name}",
                             json.dumps({**durable.options.body(filters), "start": "first"}))
        durable.edit(filters, before, reply["next"])
        self.check_definition(reply, durable)

    def set_share(self):
        """Several that consume it may stay."""
        durable = self.some_durable(lambda each: each.options.ack != "cumulative")
        if durable is not None:
            self.mostly_settle(durable)
            share = not durable.options.share
            reply = self.request(200, "PATCH", f"/v1/subscriptions/{durable.name}", json.dumps({"share": share}))
            durable.set_share(share)
            self.check_definition(reply, durable)

    def share_wrongly(self):
        durable = self.some_durable(lambda each: each.options.ack == "cumulative" or each.options.share)
        if durable is not None:
            what = {"share": True} if durable.options.ack == "cumulative" else {"ack": "cumulative"}
            self.request(400, "PATCH", f"/v1/subscriptions/{durable.name}", json.dumps(what))
            self.request(400, "PUT", f"/v1/subscriptions/{durable.name}",
                         json.dumps({"ack": "cumulative", "share": True}))
            self.check_definition(self.state(durable), durable)

    def seek(self):
        """Where something is on its way that was sent before, its consumers leave without reading it."""
        durable = self.some_durable()
        if durable is None:
            return
        self.mostly_settle(durable)
        is_quiet = durable.is_quiet() and not durable.possible
        place, after = self.random_place()
        reply = self.request(200, "POST", f"/v1/subscriptions/{durable.name}/seek", json.dumps({"to": place}))
        if place == "now":
            after = max(after, reply["position"]) if is_quiet or self.is_free(durable) else after
        durable.seek(after)
        if not is_quiet:
            self.close_consumers(durable, self.consumers_of(durable), is_sudden=True)

    def seek_wrongly(self):
        durable = self.some_durable()
        if durable is not None:
            for body in ({"to": "FIRST"}, {"to": self.model.last_id + 1_000_000}, {}, {"to": "now", "at": 1}):
                self.request(400, "POST", f"/v1/subscriptions/{durable.name}/seek", json.dumps(body))
        self.request(404, "POST", "/v1/subscriptions/unknown/seek", '{"to": "now"}')

    # Consumers

    def is_free(self, durable):
        return durable.name not in self.consumers

    def may_have_another(self, durable):
        return durable.options.share and len(self.consumers_of(durable)) < MOST_CONSUMERS or self.is_free(durable)

    def open_stream(self):
        durable = self.some_durable(self.may_have_another)
        if durable is not None:
            last_event_id = None
            if durable.options.ack == "cumulative" and durable.seen and self.chance.random() < 0.3:
                last_event_id = self.chance.choice(list(durable.seen))
                durable.acknowledged_up_to(last_event_id)
                last_event_id = f"{self.model.epoch}-{last_event_id}"
            self.add(StreamConsumer(self, durable, last_event_id=last_event_id))

    def close_consumer(self, consumer):
        self.close_consumers(consumer.durable, [consumer])

    def close_consumers(self, durable, consumers, is_sudden=False):
        for consumer in consumers:
            self.remove(consumer)
            consumer.close()
        give_up = time.monotonic() + TIMEOUT_S
        while self.state(durable)["consumers"] > len(self.consumers_of(durable)):
            if time.monotonic() > give_up:
                raise Fault(f"{consumers} have left, and it has them; {durable.describe()}")
        for consumer in consumers:
            durable.leave(consumer, is_lossy=True, is_sudden=is_sudden)

    def some_consumed(self):
        """By event streams alone."""
        return self.some_durable(lambda each: each.consumers and set(each.kinds()) == {"stream"})

    def leave_consumer(self):
        """Often with what is on its way."""
        consumers = self.all_consumers()
        if not consumers:
            return
        consumer = self.chance.choice(consumers)
        if self.chance.random() < 0.5 or isinstance(consumer, NextConsumer):
            self.settle_durable(consumer.durable)
        if consumer in self.consumers_of(consumer.durable):
            self.close_consumer(consumer)

    def take_over(self):
        durable = self.some_consumed()
        if durable is None or durable.options.share:
            return
        self.mostly_settle(durable)
        old = self.consumers.pop(durable.name)
        for consumer in old:
            durable.leave(consumer, is_lossy=True)
        if self.chance.random() < 0.7:
            self.add(StreamConsumer(self, durable, ("takeover", "true")))
        else:
            self.call_next_of(durable, ("takeover", "true"))
        for consumer in old:
            consumer.take_end("taken-over")

    def be_refused(self):
        """A second consumer is, unless they share it, and one that wants another format in any case."""
        durable = self.some_durable(lambda each: "stream" in each.kinds())
        if durable is None:
            return
        if durable.options.share:
            self.request(409, "GET", "/v1/events", subscription=durable.name, format="xml")
        elif self.chance.random() < 0.5:
            self.request(409, "GET", f"/v1/subscriptions/{durable.name}/next", max=3)
        else:
            self.request(409, "GET", "/v1/events", subscription=durable.name)

    def call_next(self):
        durable = self.some_durable(self.may_have_another)
        if durable is not None:
            self.call_next_of(durable)

    def call_next_of(self, durable, *more):
        must_come = not durable.consumers and any(
            number not in self.dying(durable) for number in durable.due(is_consumed=True))
        most = self.chance.choice((1, 1, 2, 5, 100))
        consumer = NextConsumer(self, durable, most, "50s" if must_come else "0s", *more)
        answer = consumer.read()
        consumer.close()
        if must_come and not answer:
            raise Fault(f"next gave nothing: {self.state(durable)}; {durable.describe()}")
        durable.leave(consumer, is_lossy=False)

    def dying(self, durable):
        return {number for number, each in durable.entries.items() if durable.is_spent(each) or not each.is_exact}

    def wait_by_next(self):
        durable = self.some_durable(self.may_have_another)
        if durable is None:
            return
        consumer = NextConsumer(self, durable, self.chance.choice((1, 3)), "50s")
        self.add(consumer)
        # One that left before it was received might be received after the next consumer had come, and refuse it.
        give_up = time.monotonic() + TIMEOUT_S
        while self.state(durable)["consumers"] < len(self.consumers_of(durable)):
            if select.select(consumer.wait(), [], [], 0)[0]:  # it has been answered
                return
            if time.monotonic() > give_up:
                raise Fault(f"{consumer} is not known; {durable.describe()}")

    def pause(self):
        streams = [each for each in self.all_consumers() if isinstance(each, StreamConsumer)]
        if streams:
            self.chance.choice(streams).is_paused = True

    def resume(self):
        for consumer in self.all_consumers():
            consumer.is_paused = False

    # Acknowledgements

    def tell(self, durable, **what):
        return self.request(200, "POST", f"/v1/subscriptions/{durable.name}/ack", json.dumps(what))

    def acknowledge(self):
        durable = self.some_durable(lambda each: each.entries)
        if durable is None:
            return
        self.mostly_settle(durable)
        if not durable.entries:
            return
        ids = list(durable.entries)
        ids = self.chance.sample(ids, self.chance.choice((1, min(3, len(ids)), len(ids))))
        if self.chance.random() < 0.2 and durable.finished:
            ids.append(self.chance.choice(list(durable.finished)))
        ids = list(dict.fromkeys(ids))
        written = [self.chance.choice((each, str(each), f"{self.model.epoch}-{each}")) for each in ids]
        reply = self.tell(durable, ids=written)
        self.check_ids(durable, dict(zip(map(str, written), ids)), reply, reply["acknowledged"], durable.acknowledged)

    def check_ids(self, durable, ids, reply, n, note):
        not_known = reply["not_known"]
        unknown = {ids.get(str(each), each) for each in not_known}
        if not unknown <= set(ids.values()) or n != len(ids) - len(unknown):
            raise Fault(f"of {ids} {n} were taken, and {not_known} were not known; {durable.describe()}")
        for number in ids.values():
            note(number, number not in unknown)
        durable.check_position(reply["position"])

    def acknowledge_up_to(self):
        durable = self.some_durable(lambda each: each.entries)
        if durable is None:
            return
        self.mostly_settle(durable)
        if durable.entries:
            limit = self.chance.choice(list(durable.entries))
            reply = self.tell(durable, up_to=limit)
            durable.acknowledged_up_to(limit, reply["acknowledged"])
            durable.check_position(reply["position"])

    def acknowledge_nothing(self):
        """Ids that nobody knows, of others, of another epoch."""
        durable = self.some_durable()
        if durable is None:
            return
        if durable.options.ack == "none":
            self.request(409, "POST", f"/v1/subscriptions/{durable.name}/ack", '{"ids": [1]}')
            return
        known = {**durable.entries, **durable.wanted, **durable.possible}
        ids = [each for each in self.chance.sample(range(1, self.model.last_id + 10), min(5, self.model.last_id + 9))
               if each not in known]
        ids += [f"0{self.model.epoch[1:]}x-{self.chance.choice(list(known))}"] if known else []
        reply = self.tell(durable, ids=ids)
        if reply["acknowledged"] or [str(each).rpartition("-")[2] for each in reply["not_known"]] != [
                str(each).rpartition("-")[2] for each in ids]:
            raise Fault(f"{ids} are answered by {reply}; {durable.describe()}")

    def random_delivery(self):
        """A subscription, an id, and the number of a delivery, a stale one now and then."""
        durable = self.some_durable(lambda each: each.entries)
        if durable is None:
            return None
        self.mostly_settle(durable)
        known = [(number, each) for number, each in durable.entries.items() if each.is_exact]
        if not known:
            return None
        number, entry = self.chance.choice(known)
        deliveries, kind = entry.deliveries, self.chance.random()
        if entry.earliest > self.clock.ms and kind < 0.4:
            deliveries = 0 if kind < 0.3 else max(deliveries - 1, 1)
        return durable, number, deliveries

    def reject(self):
        if (chosen := self.random_delivery()) is None:
            return
        durable, number, deliveries = chosen
        delay_ms, reason = self.chance.choice((0, 0, 1_000, 60_000)), f"reason {self.chance.randrange(3)}"
        rejection = {"id": number, "delay": f"{delay_ms}ms", "reason": reason}
        reply = self.tell(durable, nack=[{**rejection, **({"deliveries": deliveries} if deliveries else {})}])
        self.check_ids(durable, {str(number): number}, reply, reply["rejected"],
                       lambda each, is_known: durable.rejected(each, deliveries, delay_ms, reason, is_known))

    def extend(self):
        if (chosen := self.random_delivery()) is None:
            return
        durable, number, deliveries = chosen
        by_ms = self.chance.choice((1_000, 40_000))
        extension = {"id": number, "by": f"{by_ms}ms"}
        reply = self.tell(durable, extend=[{**extension, **({"deliveries": deliveries} if deliveries else {})}])
        self.check_ids(durable, {str(number): number}, reply, reply["extended"],
                       lambda each, is_known: durable.extended(each, deliveries, by_ms, is_known))

    # Time

    def advance(self):
        for durable in list(self.durables.values()):
            self.mostly_settle(durable)
        self.move_clock(self.chance.choice((1, 1_000, 5_000, 29_999, 31_000, 400_000)))

    def move_clock(self, ms):
        for durable in self.durables.values():
            durable.note_quiet()
        quiet = [each for each in self.durables.values() if each.is_quiet()]
        self.clock.ms += ms
        for durable in quiet:
            durable.quiet_at = self.clock.ms
        for durable in self.durables.values():
            durable.note_time()
        self.daemon.advance(ms)

    # What it tells

    def settle_one(self):
        durable = self.some_durable()
        if durable is not None:
            self.settle_durable(durable)

    def look(self):
        durable = self.some_durable()
        if durable is None:
            return
        reply = self.state(durable)
        self.check_definition(reply, durable)
        durable.check_position(reply["position"])
        # A dead letter that has just been made may have come here before it comes to the witness.
        gets_letters = not {ALL, DEAD}.isdisjoint(durable.options.streams)
        give_up = time.monotonic() + (TIMEOUT_S if gets_letters else 0)
        while True:
            certain = sum(map(durable.is_certain, durable.entries.values()))
            most = len(durable.entries) + len(durable.wanted) + len(durable.possible)
            count = self.state(durable)["unacknowledged"]
            if certain <= count <= most:
                return
            if time.monotonic() > give_up:
                raise Fault(f"{count} are unacknowledged, not {certain} to {most}; {durable.describe()}")
            self.witness.take()

    # The end

    def finish(self):
        """Everything is delivered and acknowledged, and nothing more comes."""
        for durable in list(self.durables.values()):
            self.settle_durable(durable)
            for consumer in self.consumers_of(durable):
                if isinstance(consumer, NextConsumer):
                    self.close_consumer(consumer)
            if self.is_free(durable):
                self.add(StreamConsumer(self, durable))
        for _ in range(1_000):
            self.settle()
            for durable in self.durables.values():
                if not durable.is_quiet():  # what may come is given the time to
                    sockets = [socket for each in self.consumers_of(durable) for socket in each.wait()]
                    select.select(self.witness.wait() + sockets, [], [], 0.1)
                    self.take(durable.name)
                self.acknowledge_all(durable)
            if not any(each.entries or each.wanted for each in self.durables.values()):
                break
            self.move_clock(400_000)
        for durable in self.durables.values():
            self.await_no_lag(durable)

    def acknowledge_all(self, durable):
        if durable.entries:
            ids = list(durable.entries)
            reply = self.tell(durable, ids=ids)
            self.check_ids(durable, {str(each): each for each in ids}, reply, reply["acknowledged"],
                           durable.acknowledged)

    def await_no_lag(self, durable):
        """What needed not come may come yet."""
        give_up = time.monotonic() + TIMEOUT_S
        while True:
            self.take(durable.name)
            self.acknowledge_all(durable)
            reply = self.state(durable)
            if reply["unacknowledged"] == 0 and reply["lag"]["events"] == 0:
                return
            if reply["unacknowledged"] != 0:  # what retention has removed is only missed when it is due
                self.move_clock(400_000)
                self.settle()
            if time.monotonic() > give_up:
                raise Fault(f"all is acknowledged, and this is left: {reply}; {durable.describe()}")


class Taking:
    """As a subscriber that Driver asks to take what has arrived."""

    def __init__(self, driver, consumer):
        self.driver, self.consumer = driver, consumer

    def take(self):
        self.driver.witness.take()
        if self.consumer in self.driver.all_consumers():
            self.driver.take_of(self.consumer)

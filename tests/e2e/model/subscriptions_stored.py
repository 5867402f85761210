"""The same steps with a store on disk: restarts, kills, and ends at named points lose nothing that was answered, and
what was not answered was done or not."""
import json
import signal
import threading

from by_hand import EXIT_STATUS, POINTS
from driver import document
from durable import DEAD
from model import Fault
from stored import StoredDriver
from subscriptions import NAMES, STREAMS, SubscriptionsDriver, random_filters

STEPS_OF_ROUND = 25
BROKEN = (OSError, IndexError, ValueError)  # what a connection gives whose daemon has ended


class StoredSubscriptionsDriver(SubscriptionsDriver, StoredDriver):
    def __init__(self, seed, options=(), learns=False):
        super().__init__(seed, options, learns)
        self.steps += ((3, self.restart), (2, self.kill), (3, self.kill_meanwhile), (10, self.end_at_a_point))

    def run_to_kills(self, rounds):
        """Each is some steps, and a kill while something is done."""
        for _ in range(rounds):
            self.take_steps(STEPS_OF_ROUND)
            self.kill_meanwhile()
        self.finish()

    def settle(self, stream=None):
        SubscriptionsDriver.settle(self, stream)

    # It ends

    def restart(self):
        self.settle()
        for consumer in self.all_consumers():
            if consumer in self.all_consumers():  # it has not been answered meanwhile
                self.close_consumer(consumer)
                self.settle_durable(consumer.durable)  # what it had goes to the others, which must have got it
        self.settle()  # what has died by that
        self.end(signal.SIGTERM)
        for durable in self.durables.values():
            durable.stop()
        self.begin_again()

    def kill(self):
        self.end(signal.SIGKILL)
        self.crash()

    def crash(self, find_out=lambda listed: None):
        """`find_out` is what was done of that which was not answered."""
        self.leave_all()
        for durable in self.durables.values():
            durable.crash()
        self.begin_again(find_out)

    def leave_all(self):
        for consumer in self.all_consumers():
            consumer.close()
            self.remove(consumer)
            consumer.durable.leave(consumer, is_lossy=True, is_sudden=True)

    def begin_again(self, find_out=lambda listed: None):
        last_id = self.come_back()
        listed = {each["name"]: each for each in self.request(200, "GET", "/v1/subscriptions")["subscriptions"]}
        find_out(listed)
        self.model.last_id = max(self.model.last_id, last_id)
        for letter in self.stored_after(DEAD, self.witness.last_id):
            self.witness.take_letter(letter)
        self.witness.connect()
        for name in STREAMS:
            self.await_retention(name)
        if sorted(listed) != sorted(self.durables):
            raise Fault(f"there were {sorted(self.durables)}, and are {sorted(listed)}")
        for name, durable in self.durables.items():
            self.check_definition(listed[name], durable)
            durable.check_position(listed[name]["position"])
            durable.come_back(listed[name]["next"], listed[name]["unacknowledged"])

    # It ends in the middle of something. What tries returns None if it was answered, else a function that finds out.

    def end_at_a_point(self):
        self.daemon.exit_at(self.chance.choice(POINTS), self.chance.choice((1, 1, 2, 3)))
        self.break_off(self.try_some(lambda tried: tried < 8))

    def kill_meanwhile(self):
        timer = threading.Timer(self.chance.random() ** 2 * 0.1, self.daemon.process.kill)
        timer.start()
        find_out = self.try_some(lambda tried: timer.is_alive())
        timer.join()
        self.break_off(find_out)

    def try_some(self, goes_on):
        """Until one is not answered."""
        tries = (self.try_to_publish, self.try_to_acknowledge, self.try_to_acknowledge, self.try_to_reject,
                 self.try_to_edit, self.try_to_define, self.try_to_erase)
        tried = 0
        while goes_on(tried):
            if (find_out := self.chance.choice(tries)()) is not None:
                return find_out
            tried += 1
        return None

    def break_off(self, find_out):
        self.witness.disconnect()
        self.http.close()
        if find_out is None:  # it may not have come to the point
            self.daemon.process.kill()
        status = self.daemon.end()
        if status not in (EXIT_STATUS, -signal.SIGKILL):
            raise Fault(f"the daemon ended with {status}: {self.daemon.log}")
        self.daemon.process.stderr.close()
        self.counts[f"ended with {status}"] = self.counts.get(f"ended with {status}", 0) + 1
        self.crash(find_out or (lambda listed: None))

    def attempt(self, method, path, body=None, **more):
        """The reply; None: none came."""
        try:
            return self.http.request(method, path, body, **more)[1] or {}
        except BROKEN:
            return None

    def try_to_publish(self):
        name = self.chance.choice(STREAMS)
        items = self.items(name, self.chance.choice((1, 2, 5)), 60)
        expected = self.model.look_up(name, "Feed 0", items)
        reply = self.attempt("POST", "/v1/events", document("Feed 0", items), content_type="application/rss+xml",
                             stream=name)
        if reply is None:
            return lambda listed: self.learn_unanswered(name, expected) if expected.events else None
        self.model.publish(name, expected, reply["first_id"])
        return None

    def try_to_acknowledge(self):
        durable = self.some_durable(lambda each: each.entries)
        if durable is None:
            return None
        ids = self.chance.sample(list(durable.entries), self.chance.randint(1, len(durable.entries)))
        reply = self.attempt("POST", f"/v1/subscriptions/{durable.name}/ack", json.dumps({"ids": ids}))
        if reply is None:
            return lambda listed: durable.may_be_acknowledged(ids)
        self.check_ids(durable, {str(each): each for each in ids}, reply, reply["acknowledged"], durable.acknowledged)
        return None

    def try_to_reject(self):
        durable = self.some_durable(lambda each: any(entry.earliest > self.clock.ms for entry in each.entries.values()))
        if durable is None:
            return None
        number = self.chance.choice([number for number, entry in durable.entries.items()
                                     if entry.earliest > self.clock.ms])
        reply = self.attempt("POST", f"/v1/subscriptions/{durable.name}/ack",
                             json.dumps({"nack": [{"id": number, "reason": "not now"}]}))
        if reply is None:
            return lambda listed: None  # all is due now in any case
        self.check_ids(durable, {str(number): number}, reply, reply["rejected"],
                       lambda each, is_known: durable.rejected(each, 0, 0, "not now", is_known))
        return None

    def try_to_edit(self):
        durable = self.some_durable()
        if durable is None:
            return None
        filters = random_filters(self.chance)
        texts = [each.text for each in filters]
        reply = self.attempt("PATCH", f"/v1/subscriptions/{durable.name}", json.dumps({"filters": texts}))

        def find_out(listed):
            if listed[durable.name]["options"]["filters"] == texts:
                durable.edit(filters, 0, listed[durable.name]["next"])
        if reply is None:
            return find_out
        durable.edit(filters, 0, reply["next"])
        return None

    def try_to_define(self):
        name = self.chance.choice(NAMES)
        if name in self.durables:
            return None
        options, filters, place, after = self.random_definition()
        reply = self.attempt("PUT", f"/v1/subscriptions/{name}", json.dumps({**options.body(filters), "start": place}))

        def find_out(listed):
            if name in listed:
                self.begin(name, options, filters, listed[name]["position"] if place == "now" else after)
        if reply is None:
            return find_out
        self.begin(name, options, filters, reply["position"] if place == "now" else after)
        return None

    def try_to_erase(self):
        durable = self.some_durable(self.is_free)
        if durable is None:
            return None
        reply = self.attempt("DELETE", f"/v1/subscriptions/{durable.name}")
        if reply is None:
            return lambda listed: None if durable.name in listed else self.end_durable(durable.name)
        self.end_durable(durable.name)
        return None

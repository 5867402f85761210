"""Reads a stream of dead letters as they come, tells the model of them, and the subscriptions whose they are."""
import json

from client import EventStream
from durable import DEAD
from model import Event, Fault


class Letters:
    def __init__(self, driver):
        self.driver = driver
        self.last_id = 0
        self.events = None

    def connect(self):
        self.events = EventStream(self.driver.daemon.port, [
            ("stream", DEAD), ("filter", "true()"), ("after", f"{self.driver.model.epoch}-{self.last_id}")])

    def disconnect(self):
        if self.events is not None:
            self.events.close()
        self.events = None

    def take(self):
        self.events.pump()
        for block in self.events.take():
            if "data" in block:
                if block.get("event", "message") != "message":
                    raise Fault(f"of the dead letters came {block}")
                self.take_letter(json.loads(block["data"]))

    def wait(self):
        return [self.events.socket]

    def take_letter(self, message):
        model, letter = self.driver.model, message["dead_letter"]
        original = model.events.get(letter["id"])
        if original is None or (letter["stream"], message["item"]["title"], message["change"]) != (
                original.stream, original.item.title, "new"):
            raise Fault(f"a dead letter of no event: {message}")
        self.last_id = message["id"]
        event = Event(DEAD, original.item, original.feed_title, True, "new")
        event.id = message["id"]
        model.events[event.id] = event
        model.stream(DEAD).kept.append(event)
        model.last_id = max(model.last_id, event.id)
        for reader in list(model.readers):
            reader.offer([event])
        self.driver.counts["dead letters"] = self.driver.counts.get("dead letters", 0) + 1
        self.driver.durable_of(letter["subscription"], letter["id"]).take_dead_letter(
            letter["id"], letter["deliveries"], letter["reason"])

"""Who consumes a durable subscription: an event stream, or a call of `next` that waits."""
import json
import select
import time
from itertools import count
from urllib.parse import urlencode

from client import TIMEOUT_S, EventStream, Http, head
from model import Fault


class Consumer:
    numbers = count(1)

    def __init__(self, driver, durable):
        self.driver, self.durable = driver, durable
        self.number = next(self.numbers)
        self.last_ids = {}  # by stream, of what came for the first time
        self.is_paused = False

    def __repr__(self):
        return f"{self.kind} {self.number}"


class StreamConsumer(Consumer):
    kind = "stream"

    def __init__(self, driver, durable, *more, last_event_id=None):
        super().__init__(driver, durable)
        self.last_id = None
        self.end_type = None  # of the problem that ended it
        durable.come(self)
        self.events = EventStream(driver.daemon.port, [("subscription", durable.name), *more], last_event_id)

    def take(self):
        self.events.pump()
        for block in self.events.take():
            kind, data = block.get("event", "message"), block.get("data")
            if data is not None:
                message = json.loads(data)
                if kind == "message":
                    self.driver.await_event(message["id"])
                    self.durable.take_event(message, self)
                elif kind == "reset":
                    self.durable.take_reset(message)
                elif kind == "error":
                    self.end_type = message["type"].rpartition(":")[2]
                else:
                    raise Fault(f"{block}; {self.durable.describe()}")
            if "id" in block:
                self.last_id = int(block["id"].partition("-")[2])
        return self.events.ended

    def take_end(self, end_type):
        """It is told why it ends. What came before that counts as lost."""
        give_up = time.monotonic() + TIMEOUT_S
        while not self.events.ended:
            if time.monotonic() > give_up:
                raise Fault(f"the stream does not end; {self.durable.describe()}")
            select.select([self.events.socket], [], [], 1)
            self.events.pump()
        ends = [json.loads(block["data"])["type"] for block in self.events.take() if block.get("event") == "error"]
        if ends != [f"urn:sluice:problem:{end_type}"]:
            raise Fault(f"the stream ended with {ends}, not {end_type}; {self.durable.describe()}")
        self.close()

    def wait(self):
        return [self.events.socket]

    def close(self):
        self.events.close()


class NextConsumer(Consumer):
    """`wait` is how long the daemon waits for the first event."""
    kind = "next"

    def __init__(self, driver, durable, most, wait, *more):
        super().__init__(driver, durable)
        self.most = most
        durable.come(self)
        self.http = Http(driver.daemon.port)
        query = urlencode([("max", most), ("wait", wait), *more])
        self.http.socket.sendall(head("GET", f"/v1/subscriptions/{durable.name}/next?{query}"))

    def take(self):
        """Returns whether the answer has come."""
        if not select.select([self.http.socket], [], [], 0)[0]:
            return False
        self.read()
        return True

    def read(self):
        status, answer = self.http.reply()
        if status != 200 or sum("id" in each for each in answer) > self.most:
            raise Fault(f"next answered {status}: {answer}; {self.durable.describe()}")
        for each in answer:
            if "reset" in each:
                self.durable.take_reset(each["reset"])
            else:
                self.driver.await_event(each["id"])
                self.durable.take_event(each, self)
        return answer

    def wait(self):
        return [self.http.socket]

    def close(self):
        self.http.close()

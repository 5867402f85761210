"""Durable subscriptions that are consumed, but not acknowledged."""
import json
import threading
import time

import wire
from rows import row

PREFETCH = 65_536  # the greatest
ITEMS = 1_000      # of a document
QUEUE_BYTES = 1 << 20
WORKERS = 3        # that acknowledge, and as many live subscribers
EACH = 10          # of so many events they get one


@row(options=(f"delivery.queue_bytes={QUEUE_BYTES >> 20}MiB",))
def never_acknowledging(attack):
    """Two durable subscriptions to 70,000 events, with the greatest prefetch and a short ack_wait, that acknowledge
    nothing. The consumer of one reads nothing, that of the other everything, again and again. Consumers that do
    acknowledge, and live subscribers, get all of theirs, once and in order."""
    for name in ("unread", "unacknowledged"):
        define(attack, name, prefetch=PREFETCH, ack_wait="100ms", max_deliver=0)
    unread = attack.subscribe("subscription=unread", receive_bytes=wire.SMALL_BUFFER_BYTES)
    unacknowledged = attack.subscribe("subscription=unacknowledged")
    threading.Thread(target=swallow, args=(unacknowledged,), daemon=True).start()
    workers = []
    for i in range(WORKERS):
        define(attack, f"worker{i}", filters=["title mod 10 = 7"], ack=("each", "cumulative")[i % 2], ack_wait="1h")
        workers.append(Worker(attack, f"subscription=worker{i}", f"worker{i}"))
        workers.append(Worker(attack, "stream=attack&filter=title+mod+10+%3D+7"))
    expected = []
    while len(expected) * EACH < 70_000:
        publish(attack, ITEMS, expected)
    attack.under_way()
    while attack.goes_on():
        publish(attack, 10, expected)
        time.sleep(0.02)
    for worker in workers:
        attack.eventually(lambda worker=worker: len(worker.ids) >= len(expected) or worker.has_ended)
        attack.check(worker.ids == expected, f"{worker.query}: {len(worker.ids)} events of {len(expected)}, "
                     f"{len({*worker.ids})} of them different; ended: {worker.has_ended}")
        if worker.subscription and worker.ids:
            worker.acknowledge()
    judge(attack, len(expected), workers)
    unread.connection.close()


def judge(attack, expected, workers):
    shown = {name: show(attack, name) for name in ("unread", "unacknowledged")}
    for name, subscription in shown.items():
        attack.served[f"deliveries of {name}"] = subscription["counts"]["delivered"]
        attack.served[f"redeliveries of {name}"] = subscription["counts"]["redelivered"]
        attack.served[f"unacknowledged of {name}"] = subscription["unacknowledged"]
        attack.check(0 < subscription["unacknowledged"] <= PREFETCH, f"{name}: {subscription}")
    attack.check(attack.eventually(lambda: show(attack, "unacknowledged")["counts"]["redelivered"] > 0),
                 f"nothing came again: {shown['unacknowledged']}")
    for i in range(WORKERS):
        def is_done(name=f"worker{i}"):
            subscription = show(attack, name)
            return subscription["unacknowledged"] == 0 and subscription["counts"]["acknowledged"] == expected

        attack.check(attack.eventually(is_done), f"worker{i}: {show(attack, f'worker{i}')}, expected {expected}")
        counts = show(attack, f"worker{i}")["counts"]
        attack.check((counts["delivered"], counts["redelivered"]) == (expected, 0), f"worker{i}: {counts}")
    memory = attack.status()["memory"]
    attack.check(memory["used"] <= memory["limit"], f"memory: {memory}")
    attack.check(memory["uses"]["mailboxes"] <= (len(workers) + 2) * QUEUE_BYTES, f"memory of mailboxes: {memory}")


def define(attack, name, **options):
    body = json.dumps({"streams": ["attack"], **options})
    attack.expect(attack.note(attack.request("PUT", f"/v1/subscriptions/{name}", body)), (201,), name)


def show(attack, name):
    return json.loads(attack.request("GET", f"/v1/subscriptions/{name}").body)


def publish(attack, n, expected):
    """Appends the ids of those events that the workers are to get."""
    items = "".join(f"<item><title>{i}</title></item>" for i in range(n))
    reply = attack.publish(f"<rss version='2.0'><channel>{items}</channel></rss>", "attack&deduplicate=false")
    attack.expect(reply, (202,), "a document")
    if reply.status == 202:
        first = json.loads(reply.body)["first_id"]
        expected += range(first + 7, first + n, EACH)


def swallow(stream):
    while stream.connection.recv(1 << 20):
        pass


class Worker:
    """Reads all events; of a subscription, acknowledges after every hundred of them."""

    def __init__(self, attack, query, subscription=None):
        self.attack, self.query, self.subscription = attack, query, subscription
        self.ids, self.has_ended = [], False
        self.stream = attack.subscribe(query, timeout=None)
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while (event := self.stream.data_event()) is not None and "event: error" not in event:
            ids = [line for line in event if line.startswith("id: ")]
            self.ids.append(int(ids[0].rpartition("-")[2]) if ids else event[0])
            if self.subscription and len(self.ids) % 100 == 0:
                self.acknowledge()
        self.has_ended = True

    def acknowledge(self):
        body = json.dumps({"up_to": self.ids[-1]})
        reply = self.attack.note(self.attack.request("POST", f"/v1/subscriptions/{self.subscription}/ack", body))
        self.attack.expect(reply, (200,), "an acknowledgement")

"""The processes beside the consumers: publishers, and subscribers that measure how long an event takes. Each does what
it is told through a pipe, and answers when it has done it."""
import http.client
import itertools
import json
import multiprocessing
import os
import re
import sys
import threading
import time
from urllib.parse import urlencode

from sockets import EventStream, Poll
from workload import item, rss

PUBLISHERS = 8
SENT = re.compile(rb'"title":"(\d+\.\d+) ')


class Helper:
    """A process that runs `work(pipe, …)`."""

    def __init__(self, work, *arguments):
        self.pipe, other = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=work, args=(other, *arguments), daemon=True)
        self.process.start()
        other.close()  # so that its end is noticed

    def tell(self, *what):
        self.pipe.send(what)

    def ask(self, *what):
        self.tell(*what)
        return self.pipe.recv()

    def end(self):
        self.process.kill()
        self.process.join()


def publish(pipe, port, stream, lanes):
    """("publish", first event, end or None, events a second or None, events of a document): publishes until the end, or
    until the next message. Answers with the documents as (first event, its id), the end, and the seconds that it took.
    An item's title begins with the time when it was due, or sent where there is no rate."""
    while True:
        _, first, end, rate, size = pipe.recv()
        numbers, documents, stopped, begin = itertools.count(), [], threading.Event(), time.monotonic()

        def work():
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
            while not stopped.is_set():
                number = next(numbers) * size
                if end is not None and first + number >= end:
                    return
                due = begin + number / rate if rate else time.monotonic()
                time.sleep(max(0, due - time.monotonic()))
                events = range(first + number, first + number + size)
                body = rss(item(event, f"{due:.6f}", f"lane {event % lanes:03}") for event in events)
                connection.request("POST", f"/v1/events?stream={stream}", body, {"Content-Type": "application/rss+xml"})
                reply = connection.getresponse()
                told = json.loads(reply.read())
                if reply.status != 202 or told["last_id"] - told["first_id"] + 1 != size:
                    print(f"publishing: {reply.status} {told}", file=sys.stderr)
                    os._exit(1)  # all threads
                documents.append((events[0], told["first_id"]))

        threads = [threading.Thread(target=work) for _ in range(PUBLISHERS)]
        for thread in threads:
            thread.start()
        if end is None:
            pipe.recv()
            stopped.set()
        for thread in threads:
            thread.join()
        seconds = time.monotonic() - begin
        pipe.send((sorted(documents), first + size * len(documents), seconds))


def listen(pipe, port, stream, lanes):
    """One subscriber a lane, each of which gets its share of all events. ("times",): answers with the seconds from the
    time in the title to the arrival, of all events since it was last asked."""
    poll, times = Poll(), []

    def note(events):
        now = time.monotonic()
        times.extend(now - float(sent) for sent in SENT.findall(events))

    for lane in range(lanes):
        query = urlencode({"stream": stream, "filter": f"description = 'lane {lane:03}'"})
        subscriber = EventStream(port, query, note)
        poll.add(subscriber.connection, subscriber.read)
    while True:
        poll.run(0.05)
        if pipe.poll():
            pipe.recv()
            pipe.send(sorted(times))
            times.clear()

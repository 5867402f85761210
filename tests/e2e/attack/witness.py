#!/usr/bin/env python3
"""The quiet users beside an attack: a process with one publisher and one subscriber on their own stream, and a prober
of /healthz and /readyz. `witness.py PORT`; "measure N" on standard input publishes N events at a steady rate and prints
the results as a line of JSON. Latencies count from when an event was due, not from when it could be sent. Nothing is
lost because it is late: all have a minute."""
import json
import sys
import threading
import time

import wire

RATE = 50            # events a second
PROBE_INTERVAL_S = 0.025
LAST_EVENT_S = wire.TIMEOUT_S  # how long the last events may take before they count as lost
RETRY_S = 0.02  # after a refusal of the publisher
HELD_UP_S = 0.1  # a connection that asks nothing for so long may be closed in favour of others. Here it is not the
                 # daemon's doing then, but the machine's, which let the witness wait

ITEM = "<rss version='2.0'><channel><title>q</title><item><title>{n}</title><guid>{n}</guid></item></channel></rss>"


def quantile(sorted_values, share):
    return sorted_values[min(len(sorted_values) - 1, int(share * len(sorted_values)))] if sorted_values else None


class Publisher:
    def __init__(self, port):
        self.port = port
        self.connection = None
        self.last_used = self.asked = 0
        self.turned_away = 0
        self.reasons = {}

    def publish(self, n, give_up_at):
        """Retries until the event is accepted, or it is too late."""
        body = ITEM.format(n=n).encode()
        while time.monotonic() < give_up_at:
            try:
                reply = self.ask(body)
                if reply.status == 202:
                    return
                self.complain(f"{reply.status} {reply.problem.get('detail', '')}")
                if reply.headers.get("connection", "").lower() == "close":
                    self.connection = None
            except (OSError, wire.Broken) as error:
                if self.asked - self.last_used < HELD_UP_S:
                    self.complain(str(error))
                self.connection = None
            time.sleep(RETRY_S)

    def ask(self, body):
        if self.connection is None:
            self.last_used = self.asked = time.monotonic()
            self.connection = wire.Stream(wire.connect(self.port, timeout=LAST_EVENT_S))
        headers = {"Content-Type": "application/rss+xml"}
        wire.send(self.connection.connection,
                  wire.head("POST", "/v1/events?stream=quiet", headers, len(body)) + body)
        self.asked = time.monotonic()
        reply = self.connection.reply()
        self.last_used = time.monotonic()
        return reply

    def complain(self, reason):
        self.turned_away += 1
        self.reasons[reason] = self.reasons.get(reason, 0) + 1


class Subscriber(threading.Thread):
    """Records when each event arrives, in order of arrival."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.stream = wire.subscribe(port, "stream=quiet", timeout=None)
        self.arrivals = []  # (sequence number, time)
        self.ended = threading.Event()
        self.news = threading.Condition()
        self.start()

    def run(self):
        while (event := self.stream.event()) is not None:
            now = time.monotonic()
            data = [line[6:] for line in event if line.startswith("data: ")]
            if not data or "event: error" in event:
                continue
            with self.news:
                self.arrivals.append((int(json.loads(data[0])["item"]["title"]), now))
                self.news.notify()
        with self.news:
            self.ended.set()
            self.news.notify()

    def wait_for(self, n, seconds):
        with self.news:
            self.news.wait_for(lambda: len(self.arrivals) >= n or self.ended.is_set(), seconds)


class Prober(threading.Thread):
    """Checks the daemon's health on fresh connections, as supervisors do, until stopped."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port = port
        self.stopped = threading.Event()
        self.times = []
        self.lost = {}
        self.start()

    def run(self):
        while not self.stopped.wait(PROBE_INTERVAL_S):
            for path in ("/healthz", "/readyz"):
                begin = time.monotonic()
                fault = self.probe(path)
                self.times.append(time.monotonic() - begin)
                if fault:
                    self.lost[fault] = self.lost.get(fault, 0) + 1

    def probe(self, path):
        """None, or how the probe failed."""
        begin = asked = time.monotonic()
        try:
            with wire.connect(self.port) as connection:
                wire.send(connection, wire.head("GET", path))
                asked = time.monotonic()
                reply = wire.Stream(connection).reply()
                return None if reply.status == 200 else f"{path} {reply.status}"
        except (OSError, wire.Broken) as error:
            return f"{path} {error}" if asked - begin < HELD_UP_S else None

    def stop(self):
        self.stopped.set()
        self.join()


def measure(publisher, subscriber, prober, first, n):
    publisher.turned_away, publisher.reasons = 0, {}
    seen_before = len(subscriber.arrivals)
    start = time.monotonic()
    due = {first + i: start + i / RATE for i in range(n)}
    for number, at in due.items():
        time.sleep(max(0, at - time.monotonic()))
        publisher.publish(number, start + n / RATE + LAST_EVENT_S)
    subscriber.wait_for(seen_before + n, LAST_EVENT_S)
    prober.stop()
    arrivals = subscriber.arrivals[seen_before:]
    numbers = [number for number, _ in arrivals]
    once = {}
    for number, at in arrivals:
        once.setdefault(number, at)
    times = sorted(at - due[number] for number, at in once.items() if number in due)
    probes = sorted(prober.times)
    return {
        "events": n,
        "p50_ms": 1000 * quantile(times, 0.5) if times else None,
        "p90_ms": 1000 * quantile(times, 0.9) if times else None,
        "p99_ms": 1000 * quantile(times, 0.99) if times else None,
        "worst_ms": 1000 * times[-1] if times else None,
        "lost": n - len(once),
        "repeated": len(numbers) - len(once),
        "in_order": numbers == sorted(numbers),
        "turned_away": publisher.turned_away,
        "reasons": publisher.reasons,
        "probes": len(probes),
        "probe_p90_ms": 1000 * quantile(probes, 0.9) if probes else None,
        "probe_p99_ms": 1000 * quantile(probes, 0.99) if probes else None,
        "probe_worst_ms": 1000 * probes[-1] if probes else None,
        "probes_lost": prober.lost,
    }


def main():
    sys.setswitchinterval(0.0005)
    port = int(sys.argv[1])
    publisher, subscriber = Publisher(port), Subscriber(port)
    print("ready", flush=True)
    published = 0
    for line in sys.stdin:
        n = int(line.split()[1])
        print(json.dumps(measure(publisher, subscriber, Prober(port), published, n)), flush=True)
        published += n


if __name__ == "__main__":
    main()

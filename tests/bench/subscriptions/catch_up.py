#!/usr/bin/env python3
"""Durable subscriptions whose consumers have been away, and all catch up at once, while publishers go on. Prints how
fast they do, what live subscribers notice, and what it takes. Ends with 1 if one of all subscriptions lost an event or
got one that it should not. The daemon is that of the environment variable SLUICED, or build/shipped/bin/sluiced."""
import argparse
import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parent.parent.parent.parent
os.environ.setdefault("SLUICED", str(ROOT / "build/shipped/bin/sluiced"))
sys.path.insert(0, str(ROOT / "tests/e2e"))
from live import Helper, listen, publish  # noqa: E402
from sluice_process import Sluiced  # noqa: E402
from sockets import ID, EventStream, Poll, Requests  # noqa: E402
from workload import Index, filter_of  # noqa: E402

MIB = 1 << 20
STREAM = "news"
PATIENCE_S = 60


class Consumer:
    """Reads a subscription, and acknowledges after every so many events and once it has caught up."""

    def __init__(self, bench, number, missed=0):
        self.bench, self.number, self.missed, self.ids = bench, number, missed, []
        self.unacknowledged = 0
        self.stream = EventStream(bench.daemon.port, f"subscription=s{number}", self.note)
        bench.poll.add(self.stream.connection, self.stream.read)

    def note(self, events):
        ids = [int(text) for text in ID.findall(events)]
        if not ids:
            return
        was_behind = len(self.ids) < self.missed
        self.ids += ids
        self.unacknowledged += len(ids)
        has_caught_up = was_behind and len(self.ids) >= self.missed
        self.bench.caught_up += has_caught_up
        if has_caught_up or self.unacknowledged >= self.bench.ack_every:
            self.bench.requests.send("POST", f"/v1/subscriptions/s{self.number}/ack", b'{"up_to":%d}' % ids[-1])
            self.unacknowledged = 0


class Bench:
    def __init__(self, arguments, daemon, folder):
        self.arguments, self.daemon, self.folder = arguments, daemon, folder
        self.ack_every, self.caught_up, self.acknowledged = arguments.ack_every, 0, 0
        self.poll = Poll()
        self.requests = Requests(daemon.port, self.poll, self.note_reply)
        self.publisher = Helper(publish, daemon.port, STREAM, arguments.live)
        self.listener = Helper(listen, daemon.port, STREAM, arguments.live)
        self.documents, self.next_event, self.rows = [], 0, []

    def note_reply(self, body):
        self.acknowledged += json.loads(body).get("acknowledged", 0)

    def row(self, what, figure):
        self.rows.append((what, figure))
        print(f"  {what}: {figure}", file=sys.stderr)

    def run_until(self, holds):
        while not holds():
            self.poll.run(0.05)

    def publish(self, *how, until=None):
        """Returns events and seconds."""
        first = self.next_event
        self.publisher.tell("publish", first, *how)
        if until:
            self.run_until(until)
            self.publisher.tell("stop")
        self.run_until(self.publisher.pipe.poll)
        documents, self.next_event, seconds = self.publisher.pipe.recv()
        self.documents += documents
        return self.next_event - first, seconds

    def latencies(self, published):
        """Of live subscribers, in words, once they have got everything that was published."""
        times, give_up = [], time.monotonic() + PATIENCE_S

        def all_have_come():
            times.extend(self.listener.ask("times"))
            return len(times) >= published or time.monotonic() > give_up

        self.run_until(all_have_come)
        times.sort()
        p50, p99 = (times[int(share * (len(times) - 1))] * 1000 for share in (0.5, 0.99))
        return f"p50 {p50:.2f} ms, p99 {p99:.2f} ms, {len(times):,} of {published:,} delivered"

    def memory(self, status):
        text = Path(f"/proc/{self.daemon.process.pid}/status").read_text()
        resident, most = (int(text.split(field)[1].split()[0]) / 1024 for field in ("VmRSS:", "VmHWM:"))
        uses = ", ".join(f"{name} {size // MIB}" for name, size in status["memory"]["uses"].items() if size >= MIB)
        return f"{resident:.0f} MiB resident (at most {most:.0f}), {status['memory']['used'] // MIB} counted: {uses}"

    def store_size(self):
        blocks = sum(path.stat().st_blocks for path in self.folder.rglob("*") if path.is_file())
        kept = self.daemon.status()["log"]["retained"]
        return f"{blocks * 512 / MIB:.0f} MiB; {kept['events']:,} events of {kept['bytes'] / MIB:.0f} MiB"

    def define(self):
        begin = time.monotonic()
        for number in range(self.arguments.subscriptions):
            options = {"streams": [STREAM], "filters": [filter_of(number)], "ack": "cumulative", "ack_wait": "1h"}
            self.requests.send("PUT", f"/v1/subscriptions/s{number}", json.dumps(options).encode())
        self.run_until(lambda: not self.requests.unanswered)
        seconds = time.monotonic() - begin
        self.row("subscriptions defined", f"{self.arguments.subscriptions / seconds:,.0f}/s")

    def settle(self):
        """Until nothing waits for anybody who is there."""

        def is_quiet():
            status = self.daemon.status()
            return not status["queue"]["events"] and not status["subscriber_queues"]["events"]

        self.run_until(lambda: not self.requests.unanswered and is_quiet())

    def run(self):
        """False if an event was lost or repeated."""
        arguments = self.arguments
        self.define()
        present = range(arguments.away, arguments.away + arguments.present)
        here = [Consumer(self, number) for number in present]
        self.run_until(lambda: all(consumer.stream.has_begun for consumer in here))
        events, seconds = self.publish(arguments.events, None, 100)
        self.row("published as fast as possible, 100 items a document", f"{events / seconds:,.0f} events/s")
        self.latencies(events)
        self.settle()
        give_up = time.monotonic() + arguments.seconds
        events, seconds = self.publish(None, arguments.rate, arguments.items, until=lambda: time.monotonic() > give_up)
        self.row("live, nobody catching up", self.latencies(events))
        self.row("published meanwhile", f"{events / seconds:,.0f} events/s")
        self.settle()
        back = self.catch_up(self.next_event)
        self.row("store on disk after", self.store_size())
        return self.judge(here + back)

    def catch_up(self, missed):
        index = Index(missed)
        behind = {number: len(index.accepted(number)) for number in range(self.arguments.away)}
        before = self.daemon.status()
        self.row("memory of the daemon before", self.memory(before))
        self.row("store on disk before", self.store_size())
        back, ended = [], []
        requests_before, acknowledged_before = self.requests.answered, self.acknowledged
        to_catch_up = sum(map(bool, behind.values()))

        def all_caught_up():
            if not back:
                ended.append(time.monotonic())
                back.extend(Consumer(self, number, events) for number, events in behind.items())
            if len(ended) == 1 and self.caught_up == to_catch_up:
                ended.append(time.monotonic())
            return len(ended) == 2 and not self.requests.unanswered

        events, published_s = self.publish(None, self.arguments.rate, self.arguments.items, until=all_caught_up)
        seconds, requests = ended[1] - ended[0], self.requests.answered - requests_before
        after = self.daemon.status()
        deliveries = sum(behind.values())
        read = after["counters"]["events_replayed"] - before["counters"]["events_replayed"]
        self.row(f"{self.arguments.away:,} consumers, {missed:,} events behind", f"{seconds:.1f} s")
        self.row("deliveries that caught up", f"{deliveries:,}, {deliveries / seconds:,.0f}/s")
        self.row("events read from the log", f"{read:,}, {read / seconds:,.0f}/s")
        self.row("events passed, of all consumers", f"{missed * self.arguments.away / seconds:,.0f}/s")
        cpu = after["process"]["cpu_seconds"] - before["process"]["cpu_seconds"]
        self.row("processor time of the daemon", f"{cpu:.1f} s")
        self.row("live, while all catch up", self.latencies(events))
        self.row("published meanwhile", f"{events / published_s:,.0f} events/s")
        acknowledged = self.acknowledged - acknowledged_before
        self.row("acknowledgements", f"{requests:,} requests, {requests / seconds:,.0f}/s, of {acknowledged:,} events, "
                 f"{acknowledged / seconds:,.0f}/s")
        self.row("memory of the daemon after", self.memory(after))
        return back

    def judge(self, consumers):
        """Whether each got the events that its filter accepts, each once."""
        index = Index(self.next_event)
        ids = [0] * self.next_event
        ends = [event for event, _ in self.documents[1:]] + [self.next_event]
        for (event, first_id), end in zip(self.documents, ends):
            ids[event:end] = range(first_id, first_id + end - event)
        expected = {consumer: [ids[event] for event in index.accepted(consumer.number)] for consumer in consumers}
        give_up = time.monotonic() + PATIENCE_S
        self.run_until(lambda: time.monotonic() > give_up or
                       all(len(consumer.ids) >= len(accepted) for consumer, accepted in expected.items()))
        lost = sum(len({*accepted} - {*consumer.ids}) for consumer, accepted in expected.items())
        foreign = sum(len({*consumer.ids} - {*accepted}) for consumer, accepted in expected.items())
        repeated = sum(len(consumer.ids) - len({*consumer.ids}) for consumer in consumers)
        self.row("deliveries to all consumers, from the first event to the last",
                 f"{sum(map(len, expected.values())):,}; {lost} lost, {repeated} repeated, {foreign} not asked for")
        return not lost + repeated + foreign


def main():
    parser = argparse.ArgumentParser(description=__doc__)

    def option(name, default, text, kind=int):
        parser.add_argument(name, type=kind, default=default, help=f"{text}; default: %(default)s")

    option("--subscriptions", 10_000, "durable subscriptions in all")
    option("--away", 1_000, "of them, whose consumers are away and come back")
    option("--present", None, "others, whose consumers are there all the time; None: all that are not away")
    option("--events", 100_000, "events that are published while they are away")
    option("--live", 50, "live subscribers, which share all events")
    option("--rate", 2_000, "events a second while latencies are measured")
    option("--items", 10, "events of a document then")
    option("--seconds", 10, "how long latencies are measured with nobody catching up", float)
    option("--ack-every", 500, "deliveries, of which the last is acknowledged, and all before it")
    option("--store", None, "folder to make the store in", Path)
    arguments = parser.parse_args()
    if arguments.present is None:
        arguments.present = arguments.subscriptions - arguments.away
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory(dir=arguments.store) as folder:
        with Sluiced("store.kind=rocksdb", f"store.path={folder}/store", "matcher.backend=cpu",
                     f"limits.subscribers={arguments.subscriptions + arguments.live + 10}",
                     f"limits.durable_subscriptions={arguments.subscriptions}") as daemon:
            bench = Bench(arguments, daemon, Path(folder))
            passed = bench.run()
            bench.publisher.end()
            bench.listener.end()
    print("| what | figure |\n| --- | --- |")
    for what, figure in bench.rows:
        print(f"| {what} | {figure} |")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""GET /metrics: what it looks like, that it agrees with GET /v1/status, and that it counts exactly what was done. Both
formats are read with the parsers of Prometheus's client library for Python. The dashboard and the alerts of docker/
name what there is; prometheus/run.py tries them."""
import gzip
import json
import os
import random
import re
import sys
import unittest
from collections import Counter
from pathlib import Path

try:
    from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_open_metrics
    from prometheus_client.parser import text_string_to_metric_families as parse_prometheus_text
except ImportError:
    # Debian's package is for Debian's Python, and another one may come first in PATH.
    DEBIANS_PYTHON = "/usr/bin/python3"
    if os.path.realpath(sys.executable) != os.path.realpath(DEBIANS_PYTHON) and os.path.exists(DEBIANS_PYTHON):
        os.execv(DEBIANS_PYTHON, [DEBIANS_PYTHON, *sys.argv])
    parse_open_metrics = None

from sluice_process import Sluiced, eventually, item, rss

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "broker" / "metrics.md"
DOCKER = ROOT / "docker"
OPEN_METRICS, PROMETHEUS_TEXT = "application/openmetrics-text", "text/plain"
CONTENT_TYPES = {OPEN_METRICS: "application/openmetrics-text; version=1.0.0; charset=utf-8",
                 PROMETHEUS_TEXT: "text/plain; version=0.0.4; charset=utf-8"}
PARSERS = {OPEN_METRICS: lambda text: parse_open_metrics(text),
           PROMETHEUS_TEXT: lambda text: parse_prometheus_text(text)}
SUFFIXES = ("_total", "_info", "_bucket", "_count", "_sum")
NOT_BASE_UNITS = {"milliseconds", "microseconds", "nanoseconds", "ms", "us", "ns", "minutes", "hours", "days", "kib",
                  "mib", "gib", "kilobytes", "megabytes", "percent", "bits"}
# Without a GPU these have no series, and without CUDA neither have those of sluice_gpu_.
OF_GPUS = {"sluice_engine_faults_total", "sluice_operator_batches_total", "sluice_operator_repeated_batches_total"}
LABEL_VALUES_MAX = 51  # 50 streams or subscriptions and all others
# What a request changes by itself.
RESTLESS = {"sluice_memory_used_bytes", "sluice_memory_use_bytes", "process_resident_memory_bytes"}
# What time changes.
RESTLESS |= {"sluice_durable_lag_seconds", "sluice_durable_subscription_lag_seconds"}
# Of /v1/status, what is no metric.
ONLY_IN_STATUS = r"costly_conditions|log|streams|version|state|backend|engine\.(reason|devices\.\d+\.last_fault)"


def setUpModule():
    if parse_open_metrics is None:
        # ./dev installs it before it runs tests.
        reason = "python3-prometheus-client is not installed"
        if "SLUICE_REPORTS" in os.environ:
            raise AssertionError(reason)
        raise unittest.SkipTest(reason)


def documented():
    """Of each row of the page: name, type, labels, and path in the status."""
    rows = {}
    for line in PAGE.read_text().splitlines():
        if re.match(r"\| `(sluice|process)_", line):
            name, kind, labels, _, path = (cell.strip() for cell in line.split("|")[1:-1])
            rows[name.strip("`")] = (kind, re.findall("`(.+?)`", labels), path.strip("`"))
    return rows


def series(families):
    """Values by (name, labels), labels as a sorted tuple of pairs."""
    values = {}
    for family in families:
        for sample in family.samples:
            key = (sample.name, tuple(sorted(sample.labels.items())))
            assert key not in values, f"{key} is there twice"
            values[key] = sample.value
    return values


class Metrics(dict):
    """One reply of /metrics. metrics("documents_refused_total", reason="busy") is a number."""

    def __init__(self, text):
        self.families = list(parse_open_metrics(text))
        super().__init__(series(self.families))

    def __call__(self, name, **labels):
        return self["sluice_" + name, tuple(sorted(labels.items()))]

    def of(self, name):
        """A number, or those that are not 0 by the value of the family's one label."""
        found = {labels[0][1] if labels else None: value for (each, labels), value in self.items()
                 if each == "sluice_" + name}
        return found[None] if None in found else {label: value for label, value in found.items() if value}


class Client:
    """The only client of a daemon. It keeps count of what it does; each request has a connection of its own."""

    def __init__(self, daemon):
        self.daemon = daemon
        self.replies = Counter()
        self.published = Counter()

    def request(self, method, path, body=None, headers=None):
        status, headers, content = self.daemon.request(method, path, body, headers)
        self.replies[status] += 1
        return status, headers, content

    def publish(self, document, content_type="application/rss+xml", stream="s"):
        """The status and the reply."""
        status, _, reply = self.request("POST", f"/v1/events?stream={stream}", document, {"Content-Type": content_type})
        if status == 202:
            counts = {name: reply[name] for name in ("new", "updated", "unchanged")}
            assert reply["received"] == sum(counts.values()), reply
            self.published.update(counts, documents=1, refused=reply.get("refused", 0))
        return status, reply

    def subscribe(self, filters=(), **parameters):
        self.replies[200] += 1
        return self.daemon.subscribe(filters, **parameters)

    def replay(self, **parameters):
        """The events up to now."""
        events = []
        with self.subscribe(until="now", **parameters) as subscriber:
            while (event := subscriber.next()) is not None:
                events += [event] if "data" in event and "event" not in event else []
        return events

    def fresh(self, path, requests_of):
        """The reply to a GET. The daemon reuses one that was costly to print; a new one counts its own request."""
        def ask():
            before = self.replies.total()
            content = self.request("GET", path)[2]
            return content if requests_of(content) == before + 1 else None

        return eventually(ask, f"a new reply of {path}")

    def metrics(self):
        text = self.fresh("/metrics", lambda text: Metrics(text.decode())("requests_total"))
        return Metrics(text.decode())

    def status(self):
        return self.fresh("/v1/status", lambda status: status["counters"]["requests"])

    def check(self, expected):
        """Waits until the daemon has counted what was done: matching and writing take their time. A number that is too
        high never becomes equal. Of a family with labels, `expected` has those that are not 0."""
        def counted():
            metrics = self.metrics()
            found = {name: metrics.of(name) for name in expected}
            return metrics if found == expected else last.update(found)

        last = {}
        try:
            return eventually(counted, "the figures")
        except AssertionError:
            differing = {name: last[name] for name in expected if last[name] != expected[name]}
            done = {name: expected[name] for name in differing}
            raise AssertionError(f"counted {differing}, done {done}") from None


class Exposition(unittest.TestCase):
    def scraped(self, daemon, accept):
        status, headers, body = daemon.request("GET", "/metrics", headers={"Accept": accept})
        self.assertEqual((status, headers["Content-Type"]), (200, CONTENT_TYPES[accept]))
        return body.decode()

    def scraped_with(self, line, daemon, accept):
        """None: the reply does not have the line."""
        text = self.scraped(daemon, accept)
        return text if f"\n{line}\n" in text else None

    def test_names_units_and_labels(self):
        """Publishes to more streams than may have names."""
        with Sluiced() as daemon, daemon.subscribe(("approx-contains(title, 'x', 1)",)):
            for i in range(120):
                daemon.publish(rss(*(item(f"{j}") for j in range(1 + i % 3))), stream=f"s{i}")
            self.scraped(daemon, OPEN_METRICS)  # names the streams
            for i in range(120):
                daemon.publish(rss(item("again")), stream=f"s{i}")
            for accept, parser in PARSERS.items():
                with self.subTest(accept):
                    # A reply that was costly to print is reused for a while.
                    text = eventually(lambda: self.scraped_with("sluice_events_matched_total 360", daemon, accept),
                                      "360 events matched")
                    families = list(parser(text))
                    self.check_families(families, text, accept)
                    self.check_streams(families)

    def check_families(self, families, text, accept):
        names = [family.name for family in families]
        self.assertEqual(len(names), len(set(names)))
        units = dict(re.findall(r"^# UNIT (\S+) (\S+)$", text, re.M))
        for family in families:
            with self.subTest(family.name):
                self.assertRegex(family.name, "^(sluice|process)_[a-z_]+$")
                self.assertFalse(NOT_BASE_UNITS & set(family.name.split("_")))
                self.assertRegex(family.documentation, r"^[A-Z1][^\n]*[^.\s]$")
                if accept == OPEN_METRICS:
                    unit = next((unit for unit in ("seconds", "bytes") if f"_{unit}" in family.name), None)
                    self.assertEqual(units.get(family.name), family.unit or None)
                    self.assertIn(family.unit, (unit or "", "events"))
                    self.assertTrue(not family.unit or family.name.endswith("_" + family.unit))
                if family.type == "counter":
                    self.assertTrue(all(sample.name.endswith("_total") for sample in family.samples))
                for label in {label for sample in family.samples for label in sample.labels}:
                    self.assertRegex(label, "^[a-z]+$")
                    if label != "le":
                        values = {sample.labels[label] for sample in family.samples}
                        self.assertLessEqual(len(values), LABEL_VALUES_MAX)
                if family.type == "histogram":
                    self.check_histogram(family)
        series(families)  # none is there twice

    def check_histogram(self, family):
        buckets = {}
        for sample in family.samples:
            others = tuple(sorted((name, value) for name, value in sample.labels.items() if name != "le"))
            kind = sample.name.removeprefix(family.name)
            buckets.setdefault(others, {})[sample.labels.get("le", kind)] = sample.value
        for values in buckets.values():
            count, total = values.pop("_count"), values.pop("_sum")
            bounds = [float(bound) for bound in values]
            self.assertEqual(bounds, sorted(bounds))
            self.assertEqual(list(values.values()), sorted(values.values()))
            self.assertEqual(list(values.items())[-1], ("+Inf", count))
            self.assertEqual(total > 0, count > 0)

    def check_streams(self, families):
        values = series(families)

        def of_streams(name):
            return {labels[0][1]: value for (each, labels), value in values.items() if each == "sluice_stream_" + name}

        for name, total in (("events_total", 360), ("deliveries_total", 0), ("retained_events", 360),
                            ("subscribers", 1)):
            found = of_streams(name)
            self.assertEqual(sum(found.values()), total, name)
            self.assertLessEqual(len(found), LABEL_VALUES_MAX)
            self.assertIn("(other)", found)
        named = of_streams("events_total")
        named.pop("(other)")
        self.assertEqual(set(named.values()), {3, 4})  # the busiest, with all that they have had
        self.assertEqual(values["sluice_streams", ()], 120)

    def test_formats_and_methods(self):
        with Sluiced() as daemon:
            for accept, wanted in ((None, OPEN_METRICS), ("*/*", OPEN_METRICS), (PROMETHEUS_TEXT, PROMETHEUS_TEXT),
                                   ("text/html,application/xhtml+xml,*/*;q=0.8", PROMETHEUS_TEXT),
                                   ("application/openmetrics-text;version=1.0.0,application/openmetrics-text;"
                                    "version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1", OPEN_METRICS)):
                with self.subTest(accept):
                    status, headers, body = daemon.request("GET", "/metrics",
                                                           headers={"Accept": accept} if accept else {})
                    self.assertEqual((status, headers["Content-Type"], headers["Cache-Control"], headers["Vary"]),
                                     (200, CONTENT_TYPES[wanted], "no-store", "Accept"))
                    self.assertEqual(body.endswith(b"\n# EOF\n"), wanted == OPEN_METRICS)
                    self.assertGreater(len(list(PARSERS[wanted](body.decode()))), 50)
            status, headers, body = daemon.request("HEAD", "/metrics")
            self.assertEqual((status, headers["Content-Type"], body), (200, CONTENT_TYPES[OPEN_METRICS], b""))
            self.assertGreater(int(headers["Content-Length"]), 10_000)
            status, headers, _ = daemon.request("POST", "/metrics", "x")
            self.assertEqual((status, headers["Allow"]), (405, "GET, HEAD, OPTIONS"))

    def test_is_answered_when_all_connections_are_taken(self):
        with Sluiced("limits.connections=3") as daemon:
            held = [self.enterContext(daemon.subscribe()) for _ in range(3)]
            self.assertEqual(daemon.request("GET", "/v1/streams")[0], 503)
            status, _, body = daemon.request("GET", "/metrics")
            self.assertEqual(status, 200)
            self.assertEqual(Metrics(body.decode())("subscribers"), len(held))
            self.assertEqual(daemon.request("GET", "/v1/status")[0], 200)


class Figures(unittest.TestCase):
    """They agree with a known load: equal, not about."""

    def started(self, *options):
        return Client(self.enterContext(Sluiced(*options)))

    def test_agree_with_what_was_done(self):
        client = self.started("limits.document_bytes=64KiB", "limits.streams=3", "limits.condition_steps=1000")
        self.assertEqual(client.request("PUT", "/v1/streams/t", "{}")[0], 201)
        news = client.subscribe(("category = 'news'",), stream="s")
        every = client.subscribe(("true()", "true()"), stream="*")
        undecided = client.subscribe(("count(//title[. = 'z']) > 1",), stream="big")
        for i in range(5):
            status, reply = client.publish(rss(item(f"a{i}"), item(f"b{i}", "sport"), item("same")))
            self.assertEqual((status, reply["new"]), (202, 2 if i else 3))
        self.assertEqual(client.publish(rss(item("same", price="1")))[1]["updated"], 1)
        repaired = "<rss version='2.0'><channel><item><title>a & b</title></item></channel></rss>"
        self.assertEqual(client.publish(repaired, stream="t")[0], 202)
        one_is_bad = '{"a": 1}\n{"a": \n{"a": 2}\n'
        self.assertEqual(client.publish(one_is_bad, "application/x-ndjson", "t")[1]["new"], 2)
        self.assertEqual(client.publish(rss(*(item(f"{i}") for i in range(200))), stream="big")[0], 202)
        events = client.published["new"] + client.published["updated"]
        self.assertEqual([news.next_json()["item"]["category"] for _ in range(7)], [["news"]] * 7)
        self.assertEqual(len([every.next_json() for _ in range(events)]), events)
        gaps = []
        while sum(gaps) < 200:
            gaps += [json.loads(event["data"])["events"] for event in [undecided.next()] if event.get("event") == "gap"]
        refused = Counter()
        for reason, document, content_type, stream in (
                ("invalid", "<rss", "application/rss+xml", "s"), ("invalid", "{", "application/json", "s"),
                ("invalid", "", "application/rss+xml", "s"), ("content_type", "x", "image/png", "s"),
                ("streams", rss(item("a")), "application/rss+xml", "u")):
            self.assertGreaterEqual(client.publish(document, content_type, stream)[0], 400)
            refused[reason] += 1
        headers = {"Content-Type": "application/rss+xml", "Content-Encoding": "gzip"}
        self.assertEqual(client.request("POST", "/v1/events", gzip.compress(bytes(70_000)), headers)[0], 413)
        headers = {"Content-Type": "application/rss+xml"}
        self.assertEqual(client.request("POST", "/v1/events", bytes(70_000), headers)[0], 413)
        refused["too_large"] += 2
        for status, method, path in ((404, "GET", "/none"), (400, "GET", "/v1/events?filter=a%5B"),
                                     (405, "DELETE", "/metrics")):
            self.assertEqual(client.request(method, path)[0], status)
        first = client.check({
            "documents_total": client.published["documents"], "documents_refused_total": refused,
            "documents_repaired_total": 1, "items_refused_total": client.published["refused"],
            "events_total": events,
            "events_unchanged_total": client.published["unchanged"], "events_matched_total": events,
            "matches_total": 7 + events,
            "batch_events_sum": events, "events_lost_total": 0, "events_replayed_total": 0,
            "deliveries_total": 7 + events, "deliveries_written_total": 7 + events + len(gaps),
            "deliveries_unwritten_total": 0, "gaps_total": 200, "scans_total": 200, "resets_total": {},
            "connections": 4, "subscribers": 3, "subscriptions": 4, "subscriptions_distinct": 3, "streams": 3,
            "retained_events": events, "connections_refused_total": {}, "requests_refused_total": {},
        })
        self.assertEqual(first("batches_total"), first("batch_events_count"))
        self.check_requests(client, first)

    def check_requests(self, client, metrics):
        """Each request had its own connection, and each reply but that of this scrape is counted."""
        self.assertEqual(metrics("requests_total"), client.replies.total())
        self.assertEqual(metrics("connections_accepted_total"), client.replies.total())
        self.assertEqual({code: n for code, n in metrics.of("replies_total").items()},
                         {str(code): n - (code == 200) for code, n in client.replies.items()})

    def test_agree_with_what_was_replayed(self):
        client = self.started()
        for i in range(10):
            client.publish(rss(item(f"a{i}"), item(f"b{i}", "sport")))
            client.publish(rss(item(f"c{i}")), stream="t")
        self.assertEqual(len(client.replay(stream="s", filter="category = 'sport'", **{"from": "first"})), 10)
        self.assertEqual(len(client.replay(stream="*", after="25", filter="true()")), 5)
        metrics = client.check({"events_replayed_total": 25, "deliveries_total": 15, "deliveries_written_total": 15,
                                "events_total": 30, "events_matched_total": 30, "resets_total": {}, "subscribers": 0,
                                "replaying_subscribers": 0, "replay_lag": 0, "delivery_latency_seconds_count": 0})
        self.check_requests(client, metrics)
        with client.subscribe(stream="s") as subscriber:
            epoch = subscriber.next()["id"].partition("-")[0]
        body = json.dumps({"retention": {"events": 1}})
        self.assertEqual(client.request("PATCH", "/v1/streams/s", body)[0], 200)
        for place in ("other-1", "other-2", f"{epoch}-99", f"{epoch}-2"):
            client.replay(stream="s", after=place)
        client.check({"resets_total": {"epoch": 2, "unknown": 1, "retention": 1}})

    def subscription(self, client, method, path, body=None, status=200):
        found, _, reply = client.request(method, f"/v1/subscriptions/{path}", body and json.dumps(body))
        self.assertEqual(found, status, reply)
        return reply

    def pull(self, client, name, count):
        events = []
        eventually(lambda: events.extend(self.subscription(client, "GET", f"{name}/next?max=10")) or
                   len(events) >= count, "events")
        return [event["id"] for event in events]

    def test_agree_with_what_durable_subscriptions_did(self):
        client = self.started()
        work = {"streams": ["s"], "max_deliver": 2, "dead_letter": "dead", "ack_wait": "10min"}
        self.subscription(client, "PUT", "work", work, 201)
        self.subscription(client, "PUT", "away", {"streams": ["s.*", "t"]}, 201)
        self.subscription(client, "PUT", "none", {"streams": ["u"], "ack": "none"}, 201)
        for i in range(5):
            client.publish(rss(item(f"{i}")))
        client.publish(rss(item("x")), stream="t")
        client.publish(rss(item("y"), item("z")), stream="u")
        ids = self.pull(client, "work", 5)
        self.assertEqual(self.pull(client, "none", 2), [7, 8])
        totals = {"deliveries_total": 7, "redeliveries_total": 0, "acknowledgements_total": 2, "expirations_total": 0,
                  "rejections_total": 0, "dead_letters_total": 0, "gaps_total": 0, "resets_total": 0,
                  "withdrawals_total": 0, "subscriptions": 3, "subscriptions_consumed": 0, "consumers": 0,
                  "unacknowledged": 5, "lag": 8, "subscription_lag": {"work": 8, "away": 8},
                  "subscription_unacknowledged": {"work": 5}, "subscription_consumers": {},
                  "subscription_deliveries_total": {"work": 5, "none": 2}, "subscription_redeliveries_total": {},
                  "subscription_dead_letters_total": {}}

        def check(**changes):
            totals.update(changes)
            return client.check({f"durable_{name}": value for name, value in totals.items()})

        metrics = check()
        for name in ("work", "away"):
            self.assertGreater(metrics("durable_subscription_lag_seconds", subscription=name), 0)
        self.assertEqual(metrics("durable_lag_seconds"),
                         max(metrics.of("durable_subscription_lag_seconds").values()))

        def reject(*ids):
            self.subscription(client, "POST", "work/ack", {"nack": [{"id": id} for id in ids]})

        self.subscription(client, "POST", "work/ack", {"ids": ids[:2]})
        reject(ids[2], ids[3])
        self.assertEqual(self.pull(client, "work", 2), ids[2:4])
        check(acknowledgements_total=4, rejections_total=2, redeliveries_total=2, unacknowledged=3,
              subscription_lag={"work": 6, "away": 8}, subscription_unacknowledged={"work": 3},
              subscription_redeliveries_total={"work": 2})
        reject(ids[2])
        check(rejections_total=3, dead_letters_total=1, unacknowledged=2, lag=9,
              subscription_lag={"work": 9 - ids[2], "away": 9}, subscription_unacknowledged={"work": 2},
              subscription_dead_letters_total={"work": 1})
        self.subscription(client, "POST", "work/ack", {"up_to": ids[4]})
        check(acknowledgements_total=6, unacknowledged=0, subscription_lag={"away": 9},
              subscription_unacknowledged={})
        client.replies[200] += 1
        with client.daemon.subscribe(subscription="away") as consumer:
            self.assertIsNotNone(consumer.next_event())
            check(deliveries_total=8, unacknowledged=1, subscriptions_consumed=1, consumers=1,
                  lag=9 - 5, subscription_lag={"away": 9 - 5}, subscription_unacknowledged={"away": 1},
                  subscription_consumers={"away": 1},
                  subscription_deliveries_total={"work": 5, "none": 2, "away": 1})
        self.subscription(client, "DELETE", "work", status=204)
        check(subscriptions=2, subscriptions_consumed=0, consumers=0, subscription_consumers={},
              subscription_deliveries_total={"none": 2, "away": 1}, subscription_redeliveries_total={},
              subscription_dead_letters_total={})

    def test_agree_with_who_was_slow_or_left(self):
        """What a subscriber does not read is counted, too: each delivery is written or not."""
        client = self.started("delivery.slow_consumer=disconnect", "delivery.queue_events=10",
                              "delivery.close_timeout=1ms")
        slow = client.subscribe(stream="s")
        for i in range(40):
            client.publish(rss(item(f"{i}", description="x" * 500_000)))
        metrics = client.check({"slow_consumers_total": 1, "subscribers": 0, "events_matched_total": 40})
        self.assertEqual(metrics("deliveries_total"),
                         metrics("deliveries_written_total") + metrics("deliveries_unwritten_total"))
        self.assertGreater(metrics("deliveries_unwritten_total"), 0)
        slow.close()

    def test_agree_with_what_found_no_room(self):
        """Publishes faster than approximate searches for long patterns in long texts go."""
        client = self.started("matcher.queue_events=1", "publish.wait=1ms")
        chance = random.Random(3)
        digits = "".join(chance.choices("0123456789", k=4_800))
        letters = "".join(chance.choices("abcdefghij", k=300_000))
        self.enterContext(client.subscribe([f"approx-contains(text, '{digits[at:at + 300]}', 200)"
                                            for at in range(0, 4_800, 300)], stream="s"))

        def was_refused():
            client.publish(rss(item("a", text=f"{client.replies.total()} {letters}")))
            return client.replies[503]

        eventually(was_refused, "a document without room in the queue")
        client.check({"documents_total": client.published["documents"], "documents_refused_total": {"queue_full": 1},
                      "events_total": client.published["new"] + client.published["updated"]})

    def test_never_fall_under_load(self):
        client = self.started("store.kind=memory")
        subscriber = self.enterContext(client.subscribe(("true()", "contains(title, 'x')"), stream="*"))
        before = client.metrics()
        for i in range(30):
            client.publish(rss(item(f"{i}"), item("same")), stream=f"s{i % 60}")
            client.publish("<", stream="s0")
            client.replay(stream="s0", **{"from": "first"})
            self.assertIsNotNone(subscriber.next_json())
            after = client.metrics()
            for key, value in before.items():
                if key[0].endswith(("_total", "_bucket", "_count", "_sum")) and key in after:
                    self.assertGreaterEqual(after[key], value, key)
            before = after

    def test_agree_with_the_status(self):
        """The page's last column says where in the status each number is."""
        client = self.started()
        self.subscription(client, "PUT", "away", {"streams": ["s"]}, 201)
        with client.subscribe(("approx-contains(title, 'x', 1) and date(title) > 3",), stream="s"):
            for i in range(3):
                client.publish(rss(item(f"x{i}"), item("same")))
            client.publish("<")
            client.check({"events_matched_total": 4, "deliveries_total": 0})
            first, status, second = client.metrics(), client.status(), client.metrics()
        page, seen = documented(), set()
        families = {}
        for (name, labels), value in first.items():
            family = next((each for each in (name, re.sub("_(bucket|count|sum)$", "", name)) if each in page), None)
            self.assertIsNotNone(family, f"{name} is not in {PAGE.name}")
            families.setdefault(family, {})[name, labels] = value
        missing = {name for name in set(page) - set(families) if not name.startswith("sluice_gpu_")}
        self.assertLessEqual(missing, OF_GPUS)
        for family, samples in families.items():
            kind, labels, path = page[family]
            for (name, given), value in samples.items():
                with self.subTest(name, **dict(given)):
                    self.assertEqual({label for label, _ in given} - {"le"}, set(labels))
                    self.compare(status, path, name, given, value, second[name, given], kind, seen)
        left = {path for path in leaves(status) if path not in seen and not re.match(ONLY_IN_STATUS, path)}
        self.assertEqual(left, set())

    def compare(self, status, path, name, labels, before, after, kind, seen):
        place = [dict(labels)[part[1:-1]] if part.startswith("{") else part for part in path.split(".")]
        found = status
        for part in place:
            found = found[part]
        if kind == "info":
            for label, text in labels:
                if f"{{{label}}}" not in path:
                    self.assertEqual(found[label], text)
                    seen.add(".".join((*place, label)))
            return
        if kind == "histogram":
            member = name.rpartition("_")[2]
            if member == "bucket":
                bound = dict(labels)["le"]
                if bound == "+Inf":
                    return
                found, member = {float(key): value for key, value in found["buckets"].items()}[float(bound)], "buckets"
            else:
                found = found[member]
            place.append(member)
        seen.add(".".join(place))
        if kind == "counter" or name == "sluice_uptime_seconds":
            self.assertLessEqual(before, found)
            self.assertLessEqual(found, after)
        elif before == after and name not in RESTLESS:
            self.assertEqual(found, before)


def leaves(value, path=""):
    """The paths of all numbers and texts; of a histogram's buckets as one."""
    if isinstance(value, dict) and not path.endswith(".buckets"):
        return {leaf for name, each in value.items() for leaf in leaves(each, f"{path}.{name}".lstrip("."))}
    return {path} if value not in ([], {}) else set()

class Operators(unittest.TestCase):
    """What docker/ gives to operators names what there is."""

    def setUp(self):
        self.metrics = documented()
        self.alerts = (DOCKER / "alerts.yml").read_text()

    def assert_known(self, text):
        for name in set(re.findall(r"\b(?:sluice|process)_[a-z_]+\b", text)):
            family = re.sub("_(bucket|count|sum)$", "", name)
            self.assertTrue(name in self.metrics and self.metrics[name][0] != "histogram" or
                            family in self.metrics and self.metrics[family][0] == "histogram", f"{name} in {text}")

    def test_metrics_of_the_dashboard(self):
        panels = json.loads((DOCKER / "grafana" / "dashboard.json").read_text())["panels"]
        shown = [panel for panel in panels if panel["type"] != "row"]
        self.assertGreater(len(shown), 20)
        self.assertEqual(len({panel["id"] for panel in panels}), len(panels))
        for panel in shown:
            with self.subTest(panel["title"]):
                self.assertGreater(len(panel["description"]), 40)
                for target in panel["targets"]:
                    self.assert_known(target["expr"])
                    labels = re.findall(r"{{(\w+)}}", target["legendFormat"])
                    self.assertTrue(all(re.search(rf"\b{label}\b|_info\b", target["expr"]) for label in labels), target)

    def test_metrics_and_options_of_the_alerts(self):
        self.assert_known(self.alerts)
        options = set()
        section = None
        for line in (ROOT / "config" / "sluice.yaml").read_text().splitlines():
            if found := re.match(r"(\w+):", line):
                section = found[1]
            elif found := re.match(r"  (\w+):", line):
                options.add(f"{section}.{found[1]}")
        sections = "|".join({option.partition(".")[0] for option in options} - {"log"})
        named = set(re.findall(rf"\b(?:{sections})\.[a-z_]+", self.alerts))
        self.assertGreater(len(named), 20)
        self.assertLessEqual(named, options)

    def test_each_alert_says_what_to_do_and_is_tested(self):
        tests = (DOCKER / "alerts_test.yml").read_text()
        for rule in self.alerts.split("- alert: ")[1:]:
            name = rule.split("\n", 1)[0]
            with self.subTest(name):
                for annotation in ("summary", "description", "what_to_do"):
                    self.assertRegex(rule, rf'\n +{annotation}: "[^"\n]+"\n')
                self.assertIn(f'alertname="{name}"', tests)


if __name__ == "__main__":
    unittest.main()

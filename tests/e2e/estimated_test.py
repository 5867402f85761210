#!/usr/bin/env python3
"""Events tell which conditions were decided by an estimate: determinism and laminarity of long series."""
import json
import random
import unittest

from client_process import Client
from sluice_process import Sluiced, rss

CONDITION = "determinism(samples, 0.5) > 0.1"
EXACT = "laminarity(samples, 0.5) > 0.1"


def item(name, *series):
    return (f"<item><title>{name}</title><guid>{name}</guid>" +
            "".join(f"<samples>{' '.join(map(str, each))}</samples>" for each in series) + "</item>")


def noise(n):
    chance = random.Random(n)
    return [chance.randrange(4) for _ in range(n)]


SHORT, AT_LIMIT, LONG = item("short", noise(2000)), item("limit", noise(16384)), item("long", noise(20000))


class Estimated(unittest.TestCase):
    def setUp(self):
        self.daemon = self.enterContext(Sluiced())

    def received(self, filters, *items, **parameters):
        with self.daemon.subscribe(filters, **parameters) as subscriber:
            self.daemon.publish(rss(*items))
            return [subscriber.next_json().get("estimated") for _ in items]

    def test_long_series_are_estimated_and_the_event_says_so(self):
        self.assertEqual(self.received([CONDITION], SHORT, AT_LIMIT, LONG), [None, None, [CONDITION]])

    def test_only_conditions_of_filters_that_hold_and_only_determinism(self):
        never = "determinism(samples, 0.25) > 2"
        twice = f"{CONDITION} and {EXACT} and recurrence-rate(samples, 0.5) > 0"
        canonical = "determinism(samples, 0.75) > 0.1"
        self.assertEqual(self.received([twice, never, EXACT, canonical], LONG), [[CONDITION, canonical]])
        self.assertEqual(self.received([EXACT], item("again", noise(20001))), [None])

    def test_the_laminarity_of_very_long_series_is_estimated(self):
        self.assertEqual(self.received([EXACT], item("limit", noise(1 << 20)), item("long", noise((1 << 20) + 1)),
                                       item("short", noise(100))), [None, [EXACT], None])

    def test_one_long_series_among_several_values_and_texts_that_are_none(self):
        words = ["x"] + noise(20000)
        self.assertEqual(self.received([f"{CONDITION} or title"], item("several", noise(10), noise(16385)),
                                       item("no series", words)), [[CONDITION], None])

    def test_with_alignments(self):
        filters = [f"{CONDITION} and align(title, 'ACGT') >= 4"]
        with self.daemon.subscribe(filters, annotate="alignment") as subscriber:
            self.daemon.publish(rss(item("ACGT", noise(20000))))
            event = subscriber.next_json()
            self.assertEqual(event["alignments"][0]["score"], 4)
            self.assertEqual(event["estimated"], [CONDITION])

    def test_match_says_so(self):
        status, _, reply = self.daemon.request(
            "POST", "/v1/match", json.dumps({"filter": f"{CONDITION} or {EXACT}", "document": rss(SHORT, LONG)}),
            {"Content-Type": "application/json"})
        self.assertEqual(status, 200, reply)
        self.assertEqual([each.get("estimated") for each in reply["items"]], [None, [CONDITION]])

    def test_the_client_prints_it(self):
        with Client("subscribe", "--server", f"http://127.0.0.1:{self.daemon.port}", "--count", "2",
                    CONDITION) as client:
            self.daemon.wait_for_subscriptions()
            self.daemon.publish(rss(LONG, SHORT))
            printed = [client.line() for _ in range(4)]
            self.assertEqual(client.ended(), 0)
        self.assertEqual(printed, ["long", f"  {CONDITION}: estimated", "short", None])


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Consumers of durable subscriptions: what they get, get again and never again, by event streams and by pulling."""
import json
import signal
import tempfile
import unittest
from pathlib import Path

from sluice_process import Sluiced, eventually, item, rss


class Consumers(unittest.TestCase):
    options = ()

    def setUp(self):
        self.daemon = self.enterContext(Sluiced(*self.options))

    def put(self, name="work", status=201, **options):
        body = json.dumps({"streams": ["s"], **options})
        found, headers, reply = self.daemon.request("PUT", f"/v1/subscriptions/{name}", body)
        self.assertEqual(found, status, reply)
        return reply

    def publish(self, *titles, stream="s"):
        status, _, reply = self.daemon.publish(rss(*(item(title) for title in titles)), stream=stream)
        self.assertEqual(status, 202, reply)
        return list(range(reply["first_id"], reply["last_id"] + 1))

    def consume(self, name="work", headers=None, **parameters):
        """Once the daemon has noticed that earlier consumers have left, unless it takes over."""
        if "takeover" not in parameters:
            eventually(lambda: self.show(name)["consumers"] == 0, "no consumers")
        return self.daemon.subscribe(headers=headers, subscription=name, **parameters)

    def pull(self, name="work", status=200, **parameters):
        query = "&".join(f"{key}={value}" for key, value in parameters.items())
        found, _, reply = self.daemon.request("GET", f"/v1/subscriptions/{name}/next?{query}")
        self.assertEqual(found, status, reply)
        return reply

    def pull_until(self, is_enough, name="work"):
        events = []
        eventually(lambda: events.extend(self.pull(name, max=10)) or is_enough(events), "events")
        return events

    def ack(self, name="work", status=200, **what):
        found, _, reply = self.daemon.request("POST", f"/v1/subscriptions/{name}/ack", json.dumps(what))
        self.assertEqual(found, status, reply)
        return reply

    def show(self, name="work"):
        status, _, reply = self.daemon.request("GET", f"/v1/subscriptions/{name}")
        self.assertEqual(status, 200, reply)
        return reply

    def state(self, name="work"):
        shown = self.show(name)
        return shown["position"], shown["unacknowledged"]

    def event(self, consumer):
        return json.loads(consumer.next_event()["data"])

    def titles(self, events):
        return [event["item"]["title"] for event in events]

    def again(self, events):
        return [event.get("deliveries", 1) if event.get("redelivered") else 1 for event in events]

    def test_a_consumer_gets_what_it_missed_and_what_comes(self):
        self.put()
        self.publish("a", "b")
        with self.consume() as consumer:
            self.publish("c")
            events = [self.event(consumer) for _ in "abc"]
            self.assertEqual(self.titles(events), ["a", "b", "c"])
            self.assertEqual(self.again(events), [1, 1, 1])
            self.ack(up_to=events[-1]["id"])
        self.publish("d")
        with self.consume() as consumer:
            self.assertEqual(self.titles([self.event(consumer)]), ["d"])

    def test_a_broker_that_ends_ends_consumers_streams(self):
        self.put()
        with self.consume() as consumer:
            self.publish("a")
            self.assertEqual(self.titles([self.event(consumer)]), ["a"])
            self.assertEqual(self.daemon.stop(), 0)

    def test_what_is_not_acknowledged_comes_again_and_says_so(self):
        self.put()
        ids = self.publish("a", "b", "c")
        with self.consume() as consumer:
            for _ in "abc":
                consumer.next_event()
            reply = self.ack(ids=[ids[1]])
            self.assertEqual((reply["acknowledged"], reply["not_known"], reply["position"]), (1, [], ids[0] - 1))
        with self.consume() as consumer:
            events = [self.event(consumer) for _ in "ac"]
            self.assertEqual(self.titles(events), ["a", "c"])
            self.assertEqual(self.again(events), [2, 2])
            self.ack(ids=[ids[0], ids[2]])
            self.publish("d")
            self.assertEqual(self.again([self.event(consumer)]), [1])
        counts = self.show()["counts"]
        self.assertEqual([counts[name] for name in ("delivered", "redelivered", "acknowledged")], [4, 2, 3])

    def test_a_rejected_event_comes_again_after_its_delay_and_ends_as_a_dead_letter(self):
        self.put(max_deliver=2, dead_letter="dead")
        ids = self.publish("bad", "good")
        with self.consume() as consumer, self.daemon.subscribe(stream="dead") as dead:
            self.assertEqual(self.titles([self.event(consumer), self.event(consumer)]), ["bad", "good"])
            self.assertEqual(self.ack(nack=[{"id": ids[0], "deliveries": 7}])["not_known"], [ids[0]])
            self.assertEqual(self.ack(nack=[{"id": ids[0], "deliveries": 1, "delay": "20ms"}])["rejected"], 1)
            event = self.event(consumer)
            self.assertEqual((event["id"], event["deliveries"]), (ids[0], 2))
            self.ack(nack=[{"id": ids[0], "deliveries": 2, "reason": "unreadable"}], ids=[ids[1]])
            letter = json.loads(dead.next_event()["data"])
            self.assertEqual(letter["item"]["title"], "bad")
            self.assertEqual(letter["dead_letter"], {"subscription": "work", "stream": "s", "id": ids[0],
                                                     "deliveries": 2, "reason": "unreadable"})
            eventually(lambda: self.state() == (ids[1], 0), "the dead letter is done")
            self.assertEqual(self.show()["counts"]["dead_letters"], 1)

    def test_what_is_not_acknowledged_in_time_comes_again(self):
        self.put(ack_wait="50ms")
        self.publish("a")
        with self.consume() as consumer:
            self.assertEqual(self.again([self.event(consumer), self.event(consumer)]), [1, 2])
            self.assertGreater(self.show()["counts"]["expired"], 0)

    def test_prefetch_bounds_what_is_unacknowledged(self):
        self.put(prefetch=2)
        ids = self.publish("a", "b", "c", "d")
        with self.consume() as consumer:
            self.assertEqual(self.titles([self.event(consumer), self.event(consumer)]), ["a", "b"])
            self.assertEqual(self.state(), (ids[0] - 1, 2))
            self.ack(ids=[ids[1]])
            self.assertEqual(self.titles([self.event(consumer)]), ["c"])
            self.assertEqual(self.state()[1], 2)
            self.ack(ids=[ids[0], ids[2]])
            self.assertEqual(self.titles([self.event(consumer)]), ["d"])

    def test_pulling(self):
        self.put(ack_wait="10s")
        self.assertEqual(self.pull(), [])
        ids = self.publish("a", "b", "c")
        first = self.pull(max=2)
        self.assertEqual((self.titles(first), [event["id"] for event in first]), (["a", "b"], ids[:2]))
        self.assertEqual(self.titles(self.pull(max=10)), ["c"])
        self.assertEqual(self.pull(max=10), [])
        self.ack(nack=[{"id": ids[0]}])
        again = self.pull(max=10, wait="30s")
        self.assertEqual((self.titles(again), self.again(again)), (["a"], [2]))
        self.ack(up_to=ids[2])
        self.assertEqual(self.state(), (ids[2], 0))

    def test_one_consumer_at_a_time(self):
        self.put()
        ids = self.publish("a")
        with self.consume() as one:
            one.next_event()
            self.pull(status=409)
            status, _, _ = self.daemon.request("GET", "/v1/events?subscription=work")
            self.assertEqual(status, 409)
            status, _, _ = self.daemon.request("GET", "/v1/events?subscription=work", None, {"Last-Event-ID": "x-1"})
            self.assertEqual(status, 204)
            with self.consume(takeover="true") as other:
                self.assertEqual(self.again([self.event(other)]), [2])
                self.assertIn("taken-over", one.next()["data"])
                self.ack(ids=ids)

    def test_a_browser_acknowledges_by_connecting_again(self):
        self.put(ack="cumulative")
        ids = self.publish("a", "b", "c")
        with self.consume() as consumer:
            last_id = [consumer.next_event()["id"] for _ in "ab"][-1]
        with self.consume(headers={"Last-Event-ID": last_id}) as consumer:
            event = self.event(consumer)
            self.assertEqual((event["id"], event["deliveries"]), (ids[2], 2))
            self.assertEqual(self.state(), (ids[1], 1))

    def test_edited_filters_hold_for_what_is_not_yet_delivered(self):
        self.put(prefetch=1)
        ids = self.publish("a", "b", "c")
        with self.consume() as consumer:
            self.assertEqual(self.titles([self.event(consumer)]), ["a"])
            status, _, reply = self.daemon.request("PATCH", "/v1/subscriptions/work", '{"filters": ["title = \'c\'"]}')
            self.assertEqual((status, reply["position"]), (200, ids[0] - 1))
            self.ack(nack=[{"id": ids[0]}])
            self.assertEqual(self.titles([self.event(consumer)]), ["c"])
            self.assertEqual(self.show()["counts"]["withdrawn"], 1)

    def test_without_acknowledgements_what_was_written_is_done(self):
        self.put(ack="none")
        ids = self.publish("a", "b")
        with self.consume() as consumer:
            self.assertEqual(self.titles([self.event(consumer), self.event(consumer)]), ["a", "b"])
        eventually(lambda: self.state() == (ids[1], 0), "what was written is done")
        self.ack(ids=ids, status=409)

    def test_several_streams_by_prefix(self):
        self.put(streams=["s", "news.*"])
        self.publish("a", stream="s")
        self.publish("b", stream="news.de")
        self.publish("c", stream="other")
        self.publish("d", stream="news")
        ids = self.publish("e", stream="news.fr")
        events = self.pull(max=10)
        self.assertEqual(sorted(self.titles(events)), ["a", "b", "e"])
        self.ack(up_to=ids[0])
        self.assertEqual(self.pull(max=10), [])

    def test_several_consumers_share(self):
        self.put(share=True, prefetch=4)
        with self.consume() as one, self.consume(takeover="false") as other:
            eventually(lambda: self.show()["consumers"] == 2, "two consumers")
            ids = self.publish("a", "b", "c", "d", "e", "f")
            of_one, of_other = ([self.event(each), self.event(each)] for each in (one, other))
            self.assertEqual(sorted(event["id"] for event in of_one + of_other), ids[:4])
            self.assertEqual(self.state(), (ids[0] - 1, 4))
            self.ack(ids=[event["id"] for event in of_one])
            events = [self.event(one), self.event(one)]
            self.assertEqual([event["id"] for event in events], ids[4:])
            one.close()
            again = [self.event(other) for _ in "ef"]
            self.assertEqual([event["id"] for event in again], ids[4:])
            self.assertEqual(self.again(again), [2, 2])
            self.assertEqual(self.ack(up_to=ids[-1])["position"], ids[-1])

    def test_sharing_is_not_for_cumulative_acknowledgements(self):
        status, _, reply = self.daemon.request("PUT", "/v1/subscriptions/x", '{"share": true, "ack": "cumulative"}')
        self.assertEqual(status, 400)
        self.assertIn("share", reply["detail"])

    def test_moving_a_subscription(self):
        self.put()
        ids = self.publish("a", "b", "c")
        self.assertEqual(self.titles(self.pull(max=10)), ["a", "b", "c"])
        for to, titles in (("first", ["a", "b", "c"]), (ids[1], ["c"]), ("now", [])):
            with self.subTest(to):
                status, _, reply = self.daemon.request("POST", "/v1/subscriptions/work/seek", json.dumps({"to": to}))
                self.assertEqual((status, reply["unacknowledged"]), (200, 0))
                self.assertEqual(self.titles(self.pull(max=10)), titles)
        for body in ("{}", "[]", '{"to": -1}', '{"to": "soon"}', '{"to": 99999}', '{"to": "first", "x": 1}'):
            with self.subTest(body):
                self.assertEqual(self.daemon.request("POST", "/v1/subscriptions/work/seek", body)[0], 400)

    def retained(self):
        return self.daemon.request("GET", "/v1/streams/s")[2]["retained"]["events"]

    def test_a_subscription_holds_events_back_from_retention(self):
        self.daemon.request("PUT", "/v1/streams/s", '{"retention": {"events": 1}}')
        self.put(hold_bytes="1MiB")
        ids = self.publish("a", "b", "c")
        self.assertEqual(self.titles(self.pull(max=10)), ["a", "b", "c"])
        self.assertEqual(self.retained(), 3)
        self.ack(up_to=ids[2])
        eventually(lambda: self.retained() == 1, "what is acknowledged is not held")

    def test_a_subscription_that_is_deleted_ends_its_consumer(self):
        self.put()
        with self.consume() as consumer:
            self.assertEqual(self.daemon.request("DELETE", "/v1/subscriptions/work")[0], 204)
            self.assertIn("subscription-deleted", consumer.next()["data"])
        self.pull(status=404)

    def test_what_retention_removed_is_told(self):
        self.daemon.request("PUT", "/v1/streams/s", '{"retention": {"events": 2}}')
        self.put()
        ids = self.publish("a", "b", "c", "d")
        events = self.pull_until(lambda events: len(events) == 3)
        self.assertIn("reset", events[0])
        self.assertEqual(self.titles(events[1:]), ["c", "d"])
        self.assertEqual(self.show()["counts"]["resets"], 1)
        self.publish("e", "f")
        self.ack(nack=[{"id": ids[2]}])
        events = self.pull_until(lambda events: len(events) == 3)
        self.assertEqual(sum("reset" in event for event in events), 1)
        self.assertEqual(self.titles(event for event in events if "reset" not in event), ["e", "f"])


class StoredConsumers(Consumers):
    def setUp(self):
        path = Path(self.enterContext(tempfile.TemporaryDirectory())) / "store"
        self.options = ("store.kind=rocksdb", f"store.path={path}")
        super().setUp()

    def restart(self, sign):
        self.assertEqual(self.daemon.stop(sign), -sign if sign == signal.SIGKILL else 0)
        self.daemon = self.enterContext(Sluiced(*self.options))

    def test_subscriptions_outlive_the_daemon(self):
        for sign in (signal.SIGTERM, signal.SIGKILL):
            with self.subTest(sign=sign):
                name = f"of-{sign.name}"
                self.put(name, prefetch=3)
                ids = self.publish(*(f"{sign.name} {title}" for title in "abcd"))
                with self.consume(name) as consumer:
                    self.assertEqual(self.again([self.event(consumer) for _ in "abc"]), [1, 1, 1])
                    if sign == signal.SIGKILL:
                        self.restart(sign)
                if sign == signal.SIGTERM:
                    self.restart(sign)
                with self.consume(name) as consumer:
                    events = [self.event(consumer) for _ in "abc"]
                    self.assertEqual([event["id"] for event in events], ids[:3])
                    self.assertEqual(self.again(events), [2, 2, 2])
                    self.assertEqual(self.ack(name, ids=[ids[1]])["stored"], "synced")
                    # After a crash nobody knows what else may have been delivered.
                    self.assertIn(self.again([self.event(consumer)])[0], (1,) if sign == signal.SIGTERM else (1, 2))
                self.restart(sign)
                events = self.pull_until(lambda events: len(events) == 3, name)
                self.assertEqual([event["id"] for event in events], [ids[0], *ids[2:]])
                self.ack(name, up_to=ids[3])
                self.restart(sign)
                self.assertEqual(self.pull(name, max=10), [])
                self.assertEqual(self.state(name), (ids[3], 0))


if __name__ == "__main__":
    unittest.main()

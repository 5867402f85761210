#!/usr/bin/env python3
"""Publishing and subscribing as a user does it."""
import datetime
import gzip
import json
import socket
import unittest

from sluice_process import TIMEOUT_S, Sluiced, eventually, item, rss


class PublishSubscribe(unittest.TestCase):
    def setUp(self):
        self.daemon = self.enterContext(Sluiced())

    def test_only_what_a_filter_selects_arrives(self):
        with self.daemon.subscribe(["//item[category='politics' and price < 90]"]) as politics, \
                self.daemon.subscribe() as everything:
            status, _, reply = self.daemon.publish(rss(
                item("a", "politics", price=10), item("b", "politics", price=100), item("c", "sports", price=10),
                item("d", "politics", price="89.5")))
            self.assertEqual(status, 202)
            self.assertEqual(reply, {"stream": "default", "received": 4, "new": 4, "updated": 0, "unchanged": 0,
                                     "first_id": 1, "last_id": 4, "stored": "memory"})
            self.assertEqual(politics.titles(2), ["a", "d"])
            self.assertEqual(everything.titles(4), ["a", "b", "c", "d"])

    def test_a_stream_says_how_often_it_shows_that_it_lives(self):
        with Sluiced("delivery.heartbeat=15s") as daemon, daemon.subscribe() as subscriber:
            self.assertEqual(subscriber.reply.headers["Sluice-Heartbeat"], "15")

    def test_a_subscriber_that_closes_its_sending_side_has_left(self):
        with socket.create_connection(("127.0.0.1", self.daemon.port), timeout=TIMEOUT_S) as connection:
            connection.sendall(b"GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            received = b""
            while b": subscribed\n" not in received:
                received += connection.recv(65536)
            self.assertEqual(self.daemon.status()["subscribers"], 1)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65536):
                pass
            eventually(lambda: self.daemon.status()["subscribers"] == 0, "no subscriber")

    def test_posting_a_feed_again_delivers_what_changed(self):
        with self.daemon.subscribe() as subscriber:
            self.daemon.publish(rss(item("a"), item("b")))
            _, _, reply = self.daemon.publish(rss(item("c"), item("a"), item("b", "changed")))
            self.assertEqual((reply["new"], reply["updated"], reply["unchanged"]), (1, 1, 1))
            self.assertEqual(subscriber.titles(4), ["a", "b", "c", "b"])

    def test_events_have_item_and_values(self):
        with self.daemon.subscribe() as subscriber, self.daemon.subscribe(values="all") as with_values:
            self.daemon.publish(rss("<item><title>a</title><link>http://x/</link><category>k</category>"
                                    "<category>l</category><enclosure url='u' length='7'/></item>"))
            event = subscriber.next_json()
            self.assertEqual(event["id"], 1)
            self.assertEqual(event["stream"], "default")
            self.assertEqual(event["item"]["title"], "a")
            self.assertEqual(event["item"]["category"], ["k", "l"])
            self.assertEqual(set(event), {"id", "stream", "time", "change", "item"})
            with_all = with_values.next_json()
            values = with_all.pop("values")
            self.assertEqual(with_all, event)
            self.assertEqual(values["category"], ["k", "l"])
            self.assertEqual(values["enclosure/@length"], ["7"])

    def test_events_tell_when_they_were_appended_and_whether_they_are_new(self):
        with self.daemon.subscribe() as subscriber:
            self.daemon.publish(rss(item("a"), item("b")))
            self.daemon.publish(rss(item("a", "changed"), item("c"), item("b")))
            events = [subscriber.next_json() for _ in range(4)]
        self.assertEqual([(e["item"]["title"], e["change"]) for e in events],
                         [("a", "new"), ("b", "new"), ("a", "updated"), ("c", "new")])
        times = [datetime.datetime.fromisoformat(e["time"].replace("Z", "+00:00")) for e in events]
        self.assertEqual((times[0], times[2]), (times[1], times[3]))
        self.assertLess(abs(datetime.datetime.now(datetime.timezone.utc) - times[0]), datetime.timedelta(days=1))

    def test_several_filters_say_which_hold(self):
        with self.daemon.subscribe(["category='x'", "contains(title,'b')", "not(category='x')"]) as subscriber:
            self.daemon.publish(rss(item("a", "x"), item("b", "x"), item("b2", "y")))
            self.assertEqual([subscriber.next_json()["filters"] for _ in range(3)], [[0], [0, 1], [1, 2]])

    def test_the_same_filter_serves_atom_and_json_feeds(self):
        with self.daemon.subscribe(["contains($title, 'GPU')"]) as subscriber:
            self.daemon.publish("<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>1</id><title>GPU one</title>"
                                "</entry><entry><id>2</id><title>other</title></entry></feed>",
                                "application/atom+xml")
            self.daemon.publish(json.dumps({"version": "https://jsonfeed.org/version/1.1", "title": "t", "items": [
                {"id": "3", "title": "no"}, {"id": "4", "title": "GPU two", "content_text": "x"}]}),
                "application/feed+json")
            self.assertEqual(subscriber.titles(2), ["GPU one", "GPU two"])

    def test_item_as_xml(self):
        with self.daemon.subscribe(format="xml") as subscriber:
            self.daemon.publish(rss("<item>\n<title>a &amp; b</title>\n</item>"))
            first = subscriber.next_event()
            self.assertEqual(first["data"], "<item>\n<title>a &amp; b</title>\n</item>")
            self.assertRegex(first["id"], "^[A-Za-z0-9]+-1$")
            self.daemon.publish('<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en"><entry><id>2</id></entry></feed>')
            self.assertEqual(subscriber.next_event(), {
                "id": first["id"][:-1] + "2",
                "data": '<entry xml:lang="en" xmlns="http://www.w3.org/2005/Atom"><id>2</id></entry>'})

    def test_gzip(self):
        status, _, reply = self.daemon.request(
            "POST", "/v1/events", gzip.compress(rss(item("a")).encode()),
            {"Content-Type": "application/rss+xml", "Content-Encoding": "gzip"})
        self.assertEqual((status, reply["new"]), (202, 1))

    def test_streams_are_apart(self):
        with self.daemon.subscribe(stream="a") as a, self.daemon.subscribe(stream="*") as every:
            self.daemon.publish(rss(item("1")), stream="b")
            self.daemon.publish(rss(item("2")), stream="a")
            self.assertEqual(a.titles(1), ["2"])
            self.assertEqual(every.titles(2), ["1", "2"])
        eventually(lambda: {name: stream["last_id"] for name, stream in self.daemon.status()["streams"].items()} ==
                   {"a": 2, "b": 1}, "two streams")

    def test_a_filter_can_be_tried(self):
        status, _, reply = self.daemon.request(
            "POST", "/v1/match", json.dumps({"filter": "category='x' and title='a'",
                                             "document": rss(item("a", "x"), item("b", "x"))}),
            {"Content-Type": "application/json"})
        self.assertEqual(status, 200)
        self.assertEqual([each["matched"] for each in reply["items"]], [True, False])
        self.assertEqual(reply["items"][1]["because"], [True, False])

    def test_many_subscribers_and_documents(self):
        n = 100
        with self.daemon.subscribe(["category='c7'"]) as seven, self.daemon.subscribe() as every:
            connection = self.daemon.connect()
            for i in range(n):
                connection.request("POST", "/v1/events", rss(item(f"t{i}", f"c{i % 10}")),
                                   {"Content-Type": "application/rss+xml"})
                self.assertEqual(connection.getresponse().read()[:1], b"{")
            connection.close()
            self.assertEqual(seven.titles(n // 10), [f"t{i}" for i in range(n) if i % 10 == 7])
            self.assertEqual(every.titles(n), [f"t{i}" for i in range(n)])


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Durable subscriptions as objects: how they are defined, changed, listed and deleted, and what is refused."""
import json
import signal
import tempfile
import unittest
from pathlib import Path

from sluice_process import Sluiced, item, rss

DEFAULTS = {"streams": ["default"], "filters": [], "start": "now", "ack": "each", "ack_wait": "30s", "max_deliver": 10,
            "dead_letter": "", "prefetch": 1000, "share": False, "hold_bytes": "0B"}


class Case(unittest.TestCase):
    def ask(self, method, name="", body=None, headers=None):
        """Status, headers and body of a request for a subscription, or with "?" or "" for the list."""
        slash = "/" if name and not name.startswith("?") else ""
        body = json.dumps(body) if isinstance(body, (dict, list)) else body
        return self.daemon.request(method, f"/v1/subscriptions{slash}{name}", body, headers)

    def put(self, name, status=201, headers=None, **options):
        got, fields, body = self.ask("PUT", name, options, headers)
        self.assertEqual(got, status, body)
        return fields, body

    def refused(self, status, *request, **more):
        got, _, body = self.ask(*request, **more)
        self.assertEqual(got, status, body)
        self.assertTrue(body["title"], body)
        return body["detail"]

    def publish(self, *titles, stream="default"):
        status, _, body = self.daemon.publish(rss(*map(item, titles)), stream=stream)
        self.assertEqual(status, 202, body)
        return body["last_id"]


class InMemory(Case):
    def setUp(self):
        self.daemon = self.enterContext(Sluiced())

    def test_a_subscription_is_made_shown_and_deleted(self):
        self.publish("a", "b")
        fields, made = self.put("orders", filters=["title = 'x'"], ack_wait="2min", hold_bytes="10MiB")
        self.assertEqual(fields["Location"], "/v1/subscriptions/orders")
        self.assertRegex(fields["ETag"], '^"[0-9]+"$')
        self.assertIn("ends with the process", made.pop("warning"))
        self.assertEqual(made["options"],
                         {**DEFAULTS, "filters": ["title = 'x'"], "ack_wait": "2min", "hold_bytes": "10MiB"})
        self.assertEqual((made["name"], made["owner"], made["position"], made["next"], made["unacknowledged"],
                          made["consumers"], made["stored"]), ("orders", None, 2, 3, 0, 0, "memory"))
        self.assertEqual(made["lag"], {"events": 0, "seconds": 0})
        self.assertEqual(set(made["counts"]), {"delivered", "redelivered", "acknowledged", "expired", "rejected",
                                               "dead_letters", "gaps", "resets", "withdrawn"})
        self.assertEqual(set(made["counts"].values()), {0})
        status, shown, body = self.ask("GET", "orders")
        self.assertEqual((status, shown["ETag"], body), (200, fields["ETag"], made))
        self.assertEqual(self.ask("DELETE", "orders")[0], 204)
        for method in ("GET", "DELETE"):
            self.assertIn('no subscription "orders"', self.refused(404, method, "orders"))

    def test_put_replaces_all_options_but_the_start(self):
        self.publish("a")
        before, _ = self.put("s", start="first", prefetch=5, streams=["default", "news.*"])
        self.publish("b")
        after, body = self.put("s", 200, filters=["true()"], start="now")
        self.assertNotIn("warning", body)
        self.assertNotIn("Location", after)
        self.assertNotEqual(before["ETag"], after["ETag"])
        self.assertEqual(body["options"], {**DEFAULTS, "filters": ["true()"], "start": "first"})
        self.assertEqual((body["position"], body["next"]), (0, 1))

    def test_patch_merges_options(self):
        self.put("s", prefetch=5, filters=["true()"], ack="none")
        status, fields, body = self.ask("PATCH", "s", {"prefetch": None, "share": True})
        self.assertEqual(status, 200)
        self.assertIn("ETag", fields)
        self.assertEqual(body["options"], {**DEFAULTS, "filters": ["true()"], "ack": "none", "share": True})
        self.assertIn("/seek", self.refused(400, "PATCH", "s", {"start": "first"}))
        self.assertEqual(self.ask("PATCH", "s", {"start": "now"})[0], 200)
        self.refused(404, "PATCH", "t", {})

    def test_a_change_may_have_a_precondition(self):
        first = self.put("s")[0]["ETag"]
        second = self.put("s", 200, {"If-Match": first}, prefetch=2)[0]["ETag"]
        self.assertNotEqual(first, second)
        for etag in (first, f"W/{second}", '"x"', second.strip('"')):
            with self.subTest(etag):
                self.assertIn(second, self.refused(412, "PUT", "s", {}, headers={"If-Match": etag}))
                self.refused(412, "PATCH", "s", {}, headers={"If-Match": etag})
                self.refused(412, "DELETE", "s", headers={"If-Match": etag})
        self.put("s", 200, {"If-Match": f'"1000000", {second}'}, prefetch=3)
        self.put("s", 200, {"If-Match": "*"}, prefetch=4)
        self.refused(412, "PUT", "s", {}, headers={"If-None-Match": "*"})
        self.refused(400, "PUT", "s", {}, headers={"If-None-Match": first})
        self.put("t", 201, {"If-None-Match": "*"})
        for method in ("PUT", "PATCH", "DELETE"):
            self.refused(412, method, "u", "{}", headers={"If-Match": "*"})
        self.assertEqual(self.ask("GET", "s")[2]["options"]["prefetch"], 4)
        self.assertEqual(self.ask("DELETE", "s", headers={"If-Match": "*"})[0], 204)

    def test_the_list_has_pages(self):
        names = [f"s{number:03}" for number in range(205)]
        for name in reversed(names):
            self.put(name)
        path, found, pages = "", [], 0
        while path is not None:
            status, _, page = self.ask("GET", path)
            self.assertEqual((status, page["total"]), (200, 205))
            found += [each["name"] for each in page["subscriptions"]]
            path = page["next"].removeprefix("/v1/subscriptions") if "next" in page else None
            pages += 1
        self.assertEqual((found, pages), (names, 3))
        self.assertEqual(self.ask("GET", "?after=s204")[2], {"subscriptions": [], "total": 205})
        self.refused(400, "GET", "?before=s")

    def test_without_users_all_are_nobodys(self):
        self.put("s")
        _, _, shown = self.ask("GET", "s?owner=")
        self.assertEqual((shown["owner"], shown["lag"]), (None, {"events": 0, "seconds": 0}))
        for query in ("", "?owner=", "?owner=*"):
            self.assertEqual([each["name"] for each in self.ask("GET", query)[2]["subscriptions"]], ["s"], query)
        self.assertEqual(self.ask("GET", "?owner=alice")[2], {"subscriptions": [], "total": 0})
        self.refused(404, "GET", "s?owner=alice")
        self.assertIn('no user "alice"', self.refused(403, "PUT", "s?owner=alice", {}))
        for name in ("a%20b", "*", "a/b", "..", "x" * 65):
            self.assertIn("name of a user", self.refused(400, "GET", f"s?owner={name}"))
        self.assertIn("OWNER/NAME", self.refused(400, "GET", "?owner=*&after=s"))

    def test_the_list_of_all_has_pages(self):
        names = [f"s{number:03}" for number in range(101)]
        for name in names:
            self.put(name)
        _, _, page = self.ask("GET", "?owner=*")
        self.assertEqual((page["next"], page["total"]), ("/v1/subscriptions?owner=*&after=/s099", 101))
        _, _, page = self.ask("GET", page["next"].removeprefix("/v1/subscriptions"))
        self.assertEqual([each["name"] for each in page["subscriptions"]], ["s100"])

    def test_what_is_refused(self):
        for name in ("a%20b", "...%20", "-", "x" * 129):
            self.assertIn("a subscription's name has", self.refused(400, "PUT", name, {}))
        for options, detail in (
                ({"stream": "a"}, 'body:1:2: unknown option "stream"; did you mean "streams"?'),
                ({"prefetch": 0}, "body:1:14: prefetch: 0 is not between 1 and 65536"),
                ({"streams": ["a*"]}, "body:1:14: streams: expected a list"),
                ({"dead_letter": "default"}, "dead_letter: default is one of the subscription's own streams"),
                ([], "expected an object of options")):
            self.assertIn(detail, self.refused(400, "PUT", "s", options))
        status, _, body = self.ask("PUT", "s", {"filters": ["true()", "price <"]})
        self.assertEqual((status, body["type"], body["filter"], body["line"]),
                         (400, "urn:sluice:problem:filter", 1, 1))
        self.refused(400, "PUT", "s?x=1", {})
        self.refused(415, "PUT", "s", {}, headers={"Content-Encoding": "gzip"})
        self.refused(413, "PUT", "s", "#" * (257 << 10))
        self.refused(405, "POST", "s", {})
        self.assertEqual(self.ask("GET")[2]["total"], 0)

    def test_filters_count_for_each_stream(self):
        several = ["title = '1' or title = '2' or title = '3'"]
        streams = [f"s{number}" for number in range(100)]
        self.assertIn("filter 0 for 100 streams and prefixes has more conjunctions in normal form than "
                      "limits.filter_conjunctions, 256", self.refused(413, "PUT", "s", {"streams": streams,
                                                                                        "filters": several}))
        self.put("s", streams=streams, filters=["title = '1' or title = '2'"])
        self.put("t", streams=["*", *streams[1:]], filters=several)

    def test_filters_that_look_at_siblings_need_whole_documents(self):
        siblings = {"filters": ["true()", "following-sibling::item"], "streams": ["news"]}
        self.assertRegex(self.refused(400, "PUT", "s", siblings),
                         r'^filter 1 looks beside the item \(.*\), .* stream "news" .* option context to document')
        self.assertEqual(self.daemon.request("PUT", "/v1/streams/news", '{"context": "document"}')[0], 201)
        self.put("s", **siblings)

    def test_where_a_subscription_starts(self):
        epoch = self.put("now")[1]["epoch"]
        for stream, titles in (("a", "12"), ("b", "12"), ("a", "34")):
            self.publish(*titles, stream=stream)
        starts = (("now", 6), ("first", 0), (2, 2), ("2", 2), (f"{epoch}-5", 5), ("1h", 0), (0, 0))
        for number, (start, position) in enumerate(starts):
            with self.subTest(start):
                self.assertEqual(self.put(f"s{number}", start=start, streams=["*"])[1]["position"], position)
        self.assertEqual(self.put("b", start="first", streams=["b"])[1]["position"], 2)
        for start in ("7", f"{epoch}-7", "otherepoch-1", "last", "-1", ""):
            with self.subTest(start):
                self.assertIn("start: ", self.refused(400, "PUT", "s", {"start": start}))

    def test_the_lag_is_of_its_streams(self):
        self.put("a", streams=["a"])
        self.put("p", streams=["b.*", "c"])
        self.put("all", streams=["*"])
        self.publish("1", "2", stream="b.x")
        lags = {each["name"]: each["lag"] for each in self.ask("GET")[2]["subscriptions"]}
        self.assertEqual(lags["a"], {"events": 0, "seconds": 0})
        for name in ("p", "all"):
            self.assertEqual(lags[name]["events"], 2)
            self.assertGreater(lags[name]["seconds"], 0)
        self.publish("3", stream="a")
        self.assertEqual(self.ask("GET", "a")[2]["lag"]["events"], 3)

    def test_acknowledgements_of_what_was_not_delivered(self):
        epoch = self.put("s")[1]["epoch"]
        last = self.publish("a", "b")
        status, _, body = self.ask("POST", "s/ack", {
            "ids": [1, f"{epoch}-2", "otherepoch-1", 10**18], "up_to": last,
            "nack": [{"id": 1, "deliveries": 1, "delay": "5s", "reason": "none"}],
            "extend": [{"id": "2", "by": "60s"}]})
        self.assertEqual(status, 200, body)
        self.assertEqual((body["acknowledged"], body["rejected"], body["extended"], body["position"], body["stored"]),
                         (0, 0, 0, 0, "memory"))
        self.assertEqual({*body["not_known"]}, {1, 2, 10**18, "otherepoch-1"})
        self.assertEqual(self.ask("POST", "s/ack", {})[2]["not_known"], [])

    def test_acknowledgements_that_are_refused(self):
        self.put("s")
        for body, detail in (("", "not JSON"), ("{", "not JSON"), ("[]", "not a JSON object"),
                             ({"id": 1}, 'unknown member "id"'), ({"ids": 1}, '"ids" is not a list'),
                             ({"ids": [1, -1]}, "ids[1] is not an event's number"),
                             ({"nack": [{"id": 1, "delay": "5"}]}, "nack[0].delay is not a duration"),
                             ({"ids": [1] * 65_536, "extend": [{"id": 1}]}, "more than 65536 entries in all")):
            self.assertIn(detail, self.refused(400, "POST", "s/ack", body))
        self.assertEqual(len(self.ask("POST", "s/ack", {"ids": [*range(1, 65_537)]})[2]["not_known"]), 65_536)
        self.refused(404, "POST", "t/ack", {"ids": [1]})
        self.put("none", ack="none")
        self.assertIn("ack: none", self.refused(409, "POST", "none/ack", {"ids": [1]}))
        self.refused(413, "POST", "s/ack", " " * ((4 << 20) + 1))


class Limited(Case):
    def test_there_is_a_greatest_number(self):
        self.daemon = self.enterContext(Sluiced("limits.durable_subscriptions=2"))
        self.put("a")
        self.put("b")
        self.assertIn("limits.durable_subscriptions durable subscriptions, 2", self.refused(503, "PUT", "c", {}))
        self.put("b", 200)
        self.assertEqual(self.ask("DELETE", "a")[0], 204)
        self.put("c")


class OnDisk(Case):
    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.options = ("store.kind=rocksdb", f"store.path={Path(folder) / 'store'}")

    def test_subscriptions_outlive_the_daemon(self):
        for sign in (signal.SIGKILL, signal.SIGTERM):
            with self.subTest(sign), Sluiced(*self.options) as self.daemon:
                name = f"of.{sign}"
                self.publish(f"{name}.a", f"{name}.b")
                _, made = self.put(name, start="first", filters=["title != ''"], streams=["default", "news.*"],
                                   ack="none", share=True)
                self.assertEqual(made["stored"], "synced")
                self.assertNotIn("warning", made)
                self.put("gone")
                self.assertEqual(self.ask("PATCH", name, {"prefetch": 7})[0], 200)
                self.assertEqual(self.ask("DELETE", "gone")[0], 204)
                self.assertEqual(self.daemon.stop(sign), -sign if sign == signal.SIGKILL else 0)
                with Sluiced(*self.options) as self.daemon:
                    status, _, kept = self.ask("GET", name)
                    self.assertEqual(status, 200)
                    self.assertEqual(kept["options"], {**made["options"], "prefetch": 7})
                    for member in ("name", "position", "next", "epoch"):
                        self.assertEqual(kept[member], made[member], member)
                    self.assertEqual(self.ask("GET", "gone")[0], 404)


if __name__ == "__main__":
    unittest.main()

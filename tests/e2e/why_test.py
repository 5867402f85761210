#!/usr/bin/env python3
"""GET /v1/events/ID/why and sluice why: what a filter says of one published event, and why."""
import json
import random
import tempfile
import unittest
import urllib.parse
from pathlib import Path

from client_process import sluice
from sluice_process import Sluiced, eventually, item, rss

LAMP = ("<item><title>Größe 漢字 GPU</title><guid>lamp</guid><category>x</category><category>y</category>"
        "<price>120</price><samples>1 2 1 2</samples></item>")


def alternatives_say(reply):
    """The answer that the alternatives' literals give, by the leaves alone: True, False or None."""
    def literal(each):
        holds = reply["leaves"][each["leaf"]]["holds"]
        return None if holds is None else holds != each["negated"]

    def conjunction(literals):
        answers = [literal(each) for each in literals]
        return False if False in answers else None if None in answers else True

    answers = [conjunction(each["literals"]) for each in reply["alternatives"]]
    return True if True in answers else None if None in answers else False


class Why(unittest.TestCase):
    def daemon(self, *options, kind="memory"):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        return self.enterContext(Sluiced(f"store.kind={kind}", f"store.path={folder}/store", *options))

    def ask(self, daemon, event, text, method="GET", **parameters):
        path = f"/v1/events/{event}/why?" + urllib.parse.urlencode({"filter": text, **parameters})
        return daemon.request(method, path)

    def why(self, daemon, event, text, **parameters):
        status, _, reply = self.ask(daemon, event, text, **parameters)
        self.assertEqual(status, 200, reply)
        for leaf in reply["leaves"]:
            self.assertEqual(leaf["evaluated"], leaf["holds"] is not None, leaf)
            self.assertEqual(leaf["evaluated"], "reason" not in leaf, leaf)
        self.assertEqual("reason" in reply, reply["matched"] is None, reply)
        for alternative in reply["alternatives"]:
            self.assertEqual(alternative["holds"] is False, alternative["failed"] != [], alternative)
        return reply

    def test_matched_or_not_by_each_kind_of_condition(self):
        for kind in ("memory", "rocksdb"):
            daemon = self.daemon(kind=kind)
            status, _, published = daemon.request("POST", "/v1/events?stream=news", rss(LAMP).encode(), {
                "Content-Type": "application/rss+xml",
                "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"})
            self.assertEqual(status, 202, published)
            event = published["first_id"]
            for text, matched, because in (
                ("price > 90", True, "matched: price > 90 holds (price is 120)"),
                ("price < 90", False, "not matched: price < 90 does not hold (price is 120)"),
                ("contains(title, 'ß')", True, "matched: contains(title, 'ß') holds (title is 'Größe 漢字 GPU')"),
                ("category = 'z'", False, "not matched: category = 'z' does not hold (category is 'x' and 'y')"),
                ("size > 3", False, "not matched: size > 3 does not hold (there is no size)"),
                ("not(size > 3)", True, "matched: not(size > 3) holds (there is no size)"),
                ("edit-distance(category, 'xyz') < 2", False,
                 "not matched: edit-distance(category, 'xyz') < 2 does not hold (computed: 2 and 2)"),
                ("determinism(samples, 0.5) >= 1", True,
                 "matched: determinism(samples, 0.5) >= 1 holds (computed: 1)"),
                ("price + 1 < 100", False, "not matched: 1 + price < 100 does not hold"),
                ("category = 'z' or price + 1 > 100", True, "matched: 1 + price > 100 holds"),
                ("category = 'x' and price = 120", True, "matched: category = 'x' and price = 120 hold"),
                ("category = 'x' and not(price = 120)", False,
                 "not matched: not(price = 120) does not hold (price is 120)"),
                ("//item[price < 90]", False, "not matched: price < 90 does not hold (price is 120)"),
                ("true()", True, "matched: the filter matches every item"),
                ("false()", False, "not matched: no item can satisfy the filter"),
            ):
                with self.subTest(text, kind=kind):
                    reply = self.why(daemon, event, text)
                    self.assertEqual((reply["matched"], reply["because"]), (matched, because))
                    self.assertEqual(alternatives_say(reply), matched)
            reply = self.why(daemon, event, "size and price < 90 and count(category) = 2 and count(//item) = 7",
                             stream="news")
            self.assertEqual({name: reply[name] for name in ("id", "stream", "title", "item_id", "change", "traceparent")},
                             {"id": event, "stream": "news", "title": "Größe 漢字 GPU", "item_id": "lamp", "change": "new",
                              "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"})
            size, price, count, scanned = reply["leaves"]
            self.assertEqual((size["values"], size["value_count"], size["how"]), ([], 0, "indexed on size"))
            self.assertEqual((price["values"], price["holds"]), (["120"], False))
            self.assertEqual((count["values"], count["holds"]), (["2"], True))
            self.assertEqual((scanned["evaluated"], scanned["reason"], "values" in scanned), (False, "not-needed", False))
            self.assertEqual(sorted(reply["alternatives"][0]["failed"]), [0, 1])

    def test_the_event_as_it_is_now_of_a_changed_item(self):
        daemon = self.daemon()
        daemon.publish(rss(item("a", price=1)), stream="s")
        changed = daemon.publish(rss(item("a", price=2)), stream="s")[2]["first_id"]
        self.assertEqual(self.why(daemon, changed, "price = 2")["change"], "updated")
        self.assertTrue(self.why(daemon, changed, "price = 2")["matched"])
        self.assertTrue(self.why(daemon, changed - 1, "price = 1")["matched"])

    def test_values_are_cut_and_counted(self):
        daemon = self.daemon()
        categories = "".join(f"<category>{'é' * 150}{i}</category>" for i in range(25))
        event = daemon.publish(rss(f"<item><title>{'x' * 300_000}</title>{categories}</item>"))[2]["first_id"]
        reply = self.why(daemon, event, "title = 'y' or category = 'z'")
        self.assertEqual(reply["leaves"][0]["values"], ["x" * 200 + "…"])
        self.assertEqual(reply["leaves"][1]["values"], ["é" * 100 + "…"] * 10)
        self.assertEqual(reply["leaves"][1]["value_count"], 25)
        self.assertLess(len(json.dumps(reply, ensure_ascii=False)), 10_000)

    def test_over_budget(self):
        daemon = self.daemon("limits.condition_time=1ms", "limits.condition_steps=1000")
        event = daemon.publish(rss(item("a" * 5000, price=3)))[2]["first_id"]
        for slow in (f"edit-distance(title, '{'b' * 200}', 'typing') < 9", "count(//title[. = 'x']) > 1"):
            with self.subTest(slow):
                reply = self.why(daemon, event, slow)
                self.assertEqual((reply["matched"], reply["reason"]), (None, "over-budget"))
                self.assertEqual(reply["leaves"][0]["reason"], "over-budget")
                self.assertIn("would exceed its budget", reply["because"])
                self.assertTrue(self.why(daemon, event, f"{slow} or price = 3")["matched"])
                self.assertFalse(self.why(daemon, event, f"{slow} and price = 4")["matched"])

    def test_siblings_that_were_not_retained(self):
        daemon = self.daemon()
        items = [item(f"a{i}", price=1) for i in range(100)]
        daemon.publish(rss(*items))
        event = daemon.publish(rss(*items, item("new", price=2)))[2]["last_id"]  # which is kept without the others
        reply = self.why(daemon, event, "price = 2 and preceding-sibling::item")
        self.assertEqual((reply["matched"], reply["reason"]), (None, "context"))
        self.assertEqual([leaf["holds"] for leaf in reply["leaves"]], [True, None])
        self.assertEqual(reply["leaves"][1]["reason"], "context")
        self.assertTrue(self.why(daemon, event, "price = 2")["matched"])

    def test_refusals(self):
        daemon = self.daemon()
        event = daemon.publish(rss(item("a")), stream="news")[2]["first_id"]
        status, _, problem = self.ask(daemon, event, "a and\n b[")
        self.assertEqual((status, problem["type"], problem["line"], problem["column"]),
                         (400, "urn:sluice:problem:filter", 2, 4))
        self.assertEqual(problem["excerpt"], " b[\n   ^")
        for asked, expected, detail in (
            ((event + 1, "a"), 404, f"there is no event {event + 1} yet; the last one is {event}"),
            ((2**64 - 1, "a"), 404, "there is no event"),
            ((2**64, "a"), 400, "is not an event's number"), (("x", "a"), 400, "is not an event's number"),
            ((0, "a"), 400, "is not an event's number"), (("-1", "a"), 400, "is not an event's number"),
            (("%31", "a"), 200, None), (("1" * 5000, "a"), 400, "is not an event's number"),
            (("other-1", "a"), 410, "is of an earlier log"), ((event, ""), 400, "filter"),
        ):
            with self.subTest(asked):
                status, _, problem = self.ask(daemon, *asked)
                self.assertEqual(status, expected, problem)
                self.assertIn(detail or "", problem.get("detail", ""))
                self.assertLess(len(json.dumps(problem)), 2_000)
        status, _, problem = self.ask(daemon, event, "a", stream="sport")
        self.assertEqual((status, problem["detail"]), (404, f"event {event} is not of stream sport but of stream news"))
        self.assertEqual(self.ask(daemon, event, "a", stream="a b")[0], 400)
        self.assertEqual(self.ask(daemon, event, "a", more="1")[0], 400)
        self.assertEqual(daemon.request("GET", f"/v1/events/{event}/why?filter=a&filter=b")[0], 400)
        self.assertEqual(daemon.request("GET", f"/v1/events/{event}/why")[0], 400)
        self.assertEqual(daemon.request("GET", f"/v1/events/{event}/whynot?filter=a")[0], 404)
        status, headers, _ = self.ask(daemon, event, "a", "POST")
        self.assertEqual((status, headers["Allow"]), (405, "GET, HEAD, OPTIONS"))
        connection = daemon.connect()
        self.addCleanup(connection.close)
        connection.request("HEAD", f"/v1/events/{event}/why?filter=a")
        reply = connection.getresponse()
        self.assertEqual((reply.status, reply.read()), (200, b""))
        self.assertGreater(int(reply.headers["Content-Length"]), 100)

    def test_ids_as_in_the_event_stream(self):
        daemon = self.daemon()
        with daemon.subscribe() as subscriber:
            daemon.publish(rss(item("a")))
            event = subscriber.next_event()["id"]
        self.assertEqual(self.why(daemon, event, "title = 'a'")["title"], "a")

    def test_events_that_are_gone(self):
        for kind in ("memory", "rocksdb"):
            with self.subTest(kind):
                daemon = self.daemon(kind=kind)
                daemon.request("PUT", "/v1/streams/short", '{"retention": {"events": 1}}')
                old = daemon.publish(rss(item("a")), stream="short")[2]["first_id"]
                new = daemon.publish(rss(item("b")), stream="short")[2]["first_id"]
                status, _, problem = eventually(lambda: (asked := self.ask(daemon, old, "a"))[0] != 200 and asked,
                                                "the old event dropped")
                self.assertEqual((status, problem["title"]), (410, "Gone"))
                self.assertIn("is no longer retained", problem["detail"])
                self.assertTrue(self.why(daemon, new, "title = 'b'")["matched"])
                daemon.publish(rss(item("c")), stream="news")
                self.assertEqual(daemon.request("DELETE", "/v1/streams/short")[0], 204)
                self.assertEqual(self.ask(daemon, new, "a")[0], 410)
                self.assertEqual(self.ask(daemon, new, "a", stream="short")[0], 410)

    def test_events_that_are_damaged_on_disk(self):
        with tempfile.TemporaryDirectory() as folder:
            options = ("store.kind=rocksdb", f"store.path={folder}/store")
            with Sluiced(*options) as daemon:
                texts = ["".join(random.Random(i).choices("abcdefghijklmnopqrstuvwxyz", k=200_000)) for i in range(3)]
                events = [daemon.publish(rss(item(text)))[2]["first_id"] for text in texts]
            with Sluiced(*options):  # which turns RocksDB's log into tables
                pass
            table = max(Path(folder).rglob("*.sst"), key=lambda path: path.stat().st_size)
            damaged = bytearray(table.read_bytes())
            damaged[len(damaged) // 2] ^= 0xff
            table.write_bytes(damaged)
            with Sluiced(*options) as daemon:
                asked = [self.ask(daemon, event, "title") for event in events]
                gone = [reply["detail"] for status, _, reply in asked if status == 410]
                self.assertTrue(gone and all("is damaged in the log: " in detail for detail in gone), asked)

    def test_agrees_with_trials_and_with_its_own_alternatives(self):
        chance = random.Random(7)
        leaves = ("category = 'x'", "category != 'x'", "price < 50", "price + 0 > 20", "contains(title, 'a')", "price",
                  "string-length(title) > 2", "count(category) = 2", "edit-distance(title, 'abc') < 2",
                  "approx-contains(title, 'abca', 1)", "starts-with($title, 'b')", "count(//item[price > 50]) > 3",
                  "preceding-sibling::item[1]/price > price", "../title = 't'", "determinism(samples, 0.5) > 0.3",
                  "not(category)", "align(title, 'ACCA') > 1", "position() = 2")

        def any_filter(depth):
            if depth == 0 or chance.random() < 0.2:
                return chance.choice(leaves)
            if chance.random() < 0.25:
                return f"not({any_filter(depth - 1)})"
            return f"({any_filter(depth - 1)} {chance.choice(('and', 'or'))} {any_filter(depth - 1)})"

        def any_item(i):
            fields = {"guid": i}
            for name, value in (("title", "".join(chance.choices("abc", k=chance.randrange(6)))),
                                ("price", chance.randrange(100)), ("samples", "1 2 1 2 3 1 2")):
                if chance.random() < 0.7:
                    fields[name] = value
            categories = "".join(f"<category>{chance.choice('xyz')}</category>" for _ in range(chance.randrange(4)))
            return "<item>" + "".join(f"<{name}>{value}</{name}>" for name, value in fields.items()) + categories + "</item>"

        daemon = self.daemon()
        self.assertEqual(daemon.request("PUT", "/v1/streams/s", '{"context": "document"}')[0], 201)
        document = rss(*(any_item(i) for i in range(20)))
        first = daemon.publish(document, stream="s")[2]["first_id"]
        answers = []
        for _ in range(200):
            text = any_filter(4)
            trial = {"filter": text, "document": document, "stream": "s", "content_type": "application/rss+xml"}
            status, _, tried = daemon.request("POST", "/v1/match", json.dumps(trial), {"Content-Type": "application/json"})
            self.assertEqual(status, 200, tried)
            for i in chance.sample(range(20), 3):
                with self.subTest(text, item=i):
                    reply = self.why(daemon, first + i, text)
                    self.assertEqual(reply["matched"], tried["items"][i]["matched"])
                    self.assertEqual(reply["matched"], alternatives_say(reply))
                    for leaf, of_trial, holds in zip(reply["leaves"], tried["leaves"], tried["items"][i]["because"]):
                        self.assertEqual((leaf["leaf"], leaf["how"]), (of_trial["leaf"], of_trial["how"]))
                        self.assertIn(leaf["holds"], (holds, None))
                        self.assertIn(leaf.get("reason"), (None, "not-needed"))
                    answers.append(reply["matched"])
        self.assertTrue(100 < sum(answers) < 500, sum(answers))

    def test_the_command(self):
        daemon = self.daemon()
        event = str(daemon.publish(rss(LAMP).encode(), stream="news")[2]["first_id"])
        server = ("--server", f"http://127.0.0.1:{daemon.port}")
        done = sluice("why", *server, "--stream", "news", "--id", event,
                      "price < 90 and count(//x) > 0 or edit-distance(category, 'y') = 0")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        first, described, *lines = done.stdout.splitlines()
        self.assertEqual(first, f"event {event} of news matched: edit-distance(category, 'y') = 0 holds (computed: 1 and 0)")
        self.assertTrue(described.startswith("Größe 漢字 GPU, new at 20"), described)
        self.assertEqual(lines, ["",
                                 f"        {'CONDITION':32}  VALUES",
                                 f"✗  [1]  {'price < 90':32}  '120'",
                                 f"–  [2]  {'count(//x) > 0':32}  (not-needed)",
                                 "✓  [3]  edit-distance(category, 'y') = 0  computed: 1, 0; 'x', 'y'",
                                 "",
                                 "      ALTERNATIVE",
                                 "✓  1  [3]",
                                 "✗  2  [2] and [1]"])
        done = sluice("why", *server, "--id", event, "price < 90")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        done = sluice("why", *server, "--id", event, "--json", "price < 90")
        self.assertEqual((done.returncode, json.loads(done.stdout)["matched"]), (1, False))
        for arguments, error in (((event, "a["), "filter:1:3: "), (("99", "a"), "why: there is no event 99 yet"),
                                 (("?", "a"), "--id: expected an event's number")):
            done = sluice("why", *server, "--id", *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertTrue(done.stderr.startswith("sluice: " + error), done.stderr)
        done = sluice("why", *server, "--id", event, "category = x")
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stderr.startswith("sluice: hint: filter:1:10: x without quotes"), done.stderr)


if __name__ == "__main__":
    unittest.main()

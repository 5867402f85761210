#!/usr/bin/env python3
"""Users with random rights and row filters: whatever they ask, they get what a model says that knows each item's fields.
ROW_FILTERS_SEED=N tries something else."""
import json
import os
import random
import re
import signal
import tempfile
import unittest
import urllib.parse
from pathlib import Path

from sluice_process import Sluiced, item, rss
from users_file import bearer, make_token, stored_token, write_users

STREAMS = ("a", "b", "news.x", "news.y")
PATTERNS = ("a", "b", "news.x", "news.*", "*", "elsewhere")
ASKED = ("*", "a", "b", "news.x", "elsewhere")
USERS = 8
ROUNDS = 4
END = "end"  # a stream whose events all users see, to know what has been delivered before


class Filter:
    """A filter, and what it means."""

    def __init__(self, text, holds):
        self.text = text
        self.holds = holds


def random_filter(rng, depth=2):
    kind = rng.randrange(3 if depth == 0 else 6)
    number, letter, stream = rng.randrange(10), rng.choice("abcd"), rng.choice(STREAMS)
    if kind == 0:
        return Filter(f"category = '{letter}'", lambda row: row["category"] == letter)
    if kind == 1:
        return Filter(f"price < {number}", lambda row: row["price"] < number)
    if kind == 2:
        return Filter(f"$stream = '{stream}'", lambda row: row["stream"] == stream)
    first = random_filter(rng, depth - 1)
    if kind == 3:
        return Filter(f"not({first.text})", lambda row: not first.holds(row))
    second = random_filter(rng, depth - 1)
    if kind == 4:
        return Filter(f"({first.text} and {second.text})", lambda row: first.holds(row) and second.holds(row))
    return Filter(f"({first.text} or {second.text})", lambda row: first.holds(row) or second.holds(row))


def is_of(pattern, stream):
    return stream.startswith(pattern[:-1]) if pattern.endswith("*") else pattern == stream


class User:
    def __init__(self, rng, name):
        self.name = name
        self.token, _ = make_token()
        self.grants = [(rng.choice(PATTERNS), random_filter(rng, 1) if rng.random() < 0.7 else None)
                       for _ in range(rng.randint(1, 3))]
        self.grants.append((END, None))

    def entry(self):
        """Of the users file."""
        subscribe = [pattern if rows is None else {"streams": [pattern], "filter": rows.text}
                     for pattern, rows in self.grants]
        return {"tokens": [stored_token(self.token)], "subscribe": subscribe}

    def headers(self, more=()):
        return {**bearer(self.token), **dict(more)}

    def sees_name(self, stream):
        return any(is_of(pattern, stream) for pattern, _ in self.grants)

    def sees_all_of(self, stream):
        return any(rows is None and is_of(pattern, stream) for pattern, rows in self.grants)

    def sees_everything(self):
        return any(rows is None and pattern == "*" for pattern, rows in self.grants)

    def sees(self, row):
        return any(is_of(pattern, row["stream"]) and (rows is None or rows.holds(row))
                   for pattern, rows in self.grants)

    def has_any_of(self, asked):
        return asked == "*" or self.sees_name(asked)

    def __repr__(self):
        return f"{self.name} {[(pattern, rows and rows.text) for pattern, rows in self.grants]}"


class RowFilters(unittest.TestCase):
    def publish(self, count):
        added = []
        for _ in range(count):
            stream = self.rng.choice(STREAMS)
            rows = [{"stream": stream, "category": self.rng.choice("abcd"), "price": self.rng.randrange(10)}
                    for _ in range(self.rng.randint(1, 4))]
            texts = []
            for row in rows:
                self.items += 1
                row["title"] = f"item {self.items}"
                texts.append(item(row["title"], row["category"], price=row["price"]))
            status, _, reply = self.daemon.publish(rss(*texts), stream=stream)
            self.assertEqual(status, 202, reply)
            for place, row in enumerate(rows):
                row["id"] = reply["first_id"] + place
            added += rows
        self.rows += added
        return added

    def publish_end(self):
        self.items += 1
        status, _, reply = self.daemon.publish(rss(item(f"item {self.items}", "end", price=0)), stream=END)
        self.assertEqual(status, 202, reply)
        self.rows.append({"stream": END, "category": "end", "price": 0, "title": f"item {self.items}",
                          "id": reply["first_id"]})
        return reply["first_id"]

    def expected(self, user, asked, found, among=None):
        return [row["id"] for row in (self.rows if among is None else among)
                if is_of(asked, row["stream"]) and user.sees(row) and found.holds(row)]

    def replayed(self, user, asked, found):
        """The ids of a replay, which ends by itself; nothing else may be told."""
        with self.daemon.subscribe([found.text], user.headers(), stream=asked, until="now",
                                   **{"from": "first"}) as subscriber:
            ids = []
            while (event := subscriber.next_event()) is not None:
                self.assertNotIn("event", event)
                ids.append(json.loads(event["data"])["id"])
            return ids

    def check_replay(self, user, asked, found):
        if user.has_any_of(asked):
            self.assertEqual(self.replayed(user, asked, found), self.expected(user, asked, found))
            return
        query = urllib.parse.urlencode({"stream": asked, "filter": found.text, "from": "first"})
        self.assertEqual(self.daemon.request("GET", f"/v1/events?{query}", None, user.headers())[0], 403)

    def check_match(self, user, asked, found):
        body = json.dumps({"stream": asked, "filter": found.text, "since": "1h"})
        status, _, reply = self.daemon.request("POST", "/v1/match", body,
                                               user.headers({"Content-Type": "application/json"}.items()))
        if not user.has_any_of(asked):
            self.assertEqual(status, 403, reply)
            return
        self.assertEqual(status, 200, reply)
        seen = self.expected(user, asked, Filter("", lambda _: True))
        matched = self.expected(user, asked, found)
        self.assertEqual(reply["events"], len(seen), reply)
        self.assertEqual(reply["matched"], len(matched), reply)
        self.assertEqual(sum(hour["events"] for hour in reply["hours"]), len(seen), reply)
        self.assertEqual([example["id"] for example in reply["examples"]], matched[::-1][:20], reply)
        self.assertEqual(reply["read_until"] and reply["read_until"]["id"], seen[-1] if seen else None, reply)

    def taken(self, user, name):
        """What a durable subscription delivers until it has nothing more."""
        deliveries = []
        while True:
            status, _, reply = self.daemon.request("GET", f"/v1/subscriptions/{name}/next?max=1000", None,
                                                   user.headers())
            self.assertEqual(status, 200, reply)
            if not reply:
                return deliveries
            for each in reply:
                self.assertIn("id", each, reply)  # neither a gap nor a reset
            deliveries += reply

    def begin_durable(self, user, asked, found, name):
        """Delivers everything, and rejects it, so that it is due again. Returns its ids."""
        body = {"streams": [asked], "filters": [found.text], "start": "first", "ack_wait": "1h"}
        status, _, reply = self.daemon.request("PUT", f"/v1/subscriptions/{name}", json.dumps(body), user.headers())
        if not user.has_any_of(asked):
            self.assertEqual(status, 403, reply)
            return None
        self.assertEqual(status, 201, reply)
        ids = [each["id"] for each in self.taken(user, name)]
        self.assertEqual(ids, self.expected(user, asked, found))
        lag = self.daemon.request("GET", f"/v1/subscriptions/{name}", None, user.headers())[2]["lag"]
        if any(is_of(asked, each) and user.sees_name(each) and not user.sees_all_of(each) for each in STREAMS):
            self.assertIsNone(lag)
        nack = {"nack": [{"id": each, "delay": "0s"} for each in ids]}
        status, _, reply = self.daemon.request("POST", f"/v1/subscriptions/{name}/ack", json.dumps(nack),
                                               user.headers())
        self.assertEqual(status, 200, reply)
        return ids

    def check_durable(self, users, write):
        """What was delivered is delivered again if it may still be seen, and nothing else that came before is."""
        begun = []
        for number, user in enumerate(users):
            asked, found = self.rng.choice(ASKED), random_filter(self.rng)
            ids = self.begin_durable(user, asked, found, f"s{number}")
            if ids is not None:
                begun.append((f"s{number}", user, asked, found, set(ids)))
        for user in users:
            user.grants = User(self.rng, user.name).grants
        write(users)
        self.daemon.process.send_signal(signal.SIGHUP)
        self.daemon.wait_for_log("users file read again")
        for name, user, asked, found, ids in begun:
            if not user.has_any_of(asked):
                self.assertEqual(self.daemon.request("GET", f"/v1/subscriptions/{name}/next?max=1", None,
                                                     user.headers())[0], 403)
                continue
            again = self.taken(user, name)
            self.assertTrue(all(each.get("redelivered") for each in again), again)
            seen = set(self.expected(user, asked, found))
            self.assertEqual([each["id"] for each in again], sorted(ids & seen), (user, found.text))

    def check_why(self, user, found):
        def ask(event):
            query = urllib.parse.urlencode({"filter": found.text})
            return self.daemon.request("GET", f"/v1/events/{event}/why?{query}", None, user.headers())

        def masked(reply, event):
            return re.sub(rf"\b{event}\b", "N", json.dumps(reply))

        never = self.rows[-1]["id"] + 1000
        missing, _, of_missing = ask(never)
        self.assertEqual(missing, 404)
        for row in self.rng.sample(self.rows, min(len(self.rows), 20)):
            status, _, reply = ask(row["id"])
            if user.sees(row):
                self.assertEqual(status, 200, (row, reply))
                self.assertEqual(reply["matched"], found.holds(row), (row, reply))
            else:
                self.assertEqual(status, 404, (row, reply))
                self.assertEqual(masked(reply, row["id"]), masked(of_missing, never))

    def check_streams(self, user):
        status, _, reply = self.daemon.request("GET", "/v1/streams", None, user.headers())
        self.assertEqual(status, 200, reply)
        expected = sorted({row["stream"] for row in self.rows if user.sees_name(row["stream"])})
        self.assertEqual([stream["name"] for stream in reply["streams"]], expected)
        self.assertEqual(reply["total"], len(expected))
        for stream in reply["streams"]:
            for figure in ("last_id", "items", "retained"):
                self.assertEqual(stream[figure] is not None, user.sees_all_of(stream["name"]), stream)
        for name in (*STREAMS, "nothing"):
            status, _, reply = self.daemon.request("GET", f"/v1/streams/{name}", None, user.headers())
            there = 200 if any(row["stream"] == name for row in self.rows) else 404
            self.assertEqual(status, there if user.sees_name(name) else 403, reply)

    def check_live(self, users):
        """All users at once, each until the event that all of them get."""
        opened = []
        for user in users:
            found = random_filter(self.rng)
            text = f"({found.text}) or $stream = '{END}'"
            opened.append((user, found, self.enterContext(self.daemon.subscribe([text], user.headers(), stream="*"))))
        added = self.publish(5)
        end = self.publish_end()
        for user, found, subscriber in opened:
            ids = []
            while (event := subscriber.next_event()) is not None:
                self.assertNotIn("event", event)
                data = json.loads(event["data"])
                if data["id"] == end:
                    break
                ids.append(data["id"])
            # Events of different streams may overtake each other.
            late = [each for each in self.expected(user, "*", found, added) if each not in ids]
            while late:
                each = subscriber.next_json()["id"]
                self.assertIn(each, late, user)
                late.remove(each)
                ids.append(each)
            self.assertEqual(sorted(ids), self.expected(user, "*", found, added), (user, found.text))
            subscriber.close()

    def run_model(self, kind, seed):
        self.rng = random.Random(f"{seed} {kind}")
        self.rows, self.items = [], 0
        users = [User(self.rng, f"user{number}") for number in range(USERS)]
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        path = folder / "users.yaml"

        def write(users):
            write_users(path, {user.name: user.entry() for user in users})

        write(users)
        self.daemon = self.enterContext(Sluiced(f"store.kind={kind}", f"store.path={folder}/store",
                                                f"auth.users={path}", "limits.filter_conjunctions=100000",
                                                "limits.filter_literals=1000000"))
        self.publish(12)
        self.publish_end()
        for _ in range(ROUNDS):
            self.check_live(users)
            for user in users:
                with self.subTest(user=user, seed=seed, kind=kind):
                    asked, found = self.rng.choice(ASKED), random_filter(self.rng)
                    self.check_replay(user, asked, found)
                    self.check_match(user, asked, found)
                    if not user.sees_everything():
                        self.check_why(user, found)
                    self.check_streams(user)
        self.check_durable(users, write)

    def test_users_get_what_the_model_says(self):
        seed = int(os.environ.get("ROW_FILTERS_SEED", "58"))
        print(f"ROW_FILTERS_SEED={seed}", flush=True)
        for kind in ("memory", "rocksdb"):
            self.run_model(kind, seed)


if __name__ == "__main__":
    unittest.main()

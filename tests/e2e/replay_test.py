#!/usr/bin/env python3
"""The client where the broker keeps events: replays, subscriptions that begin earlier, and what was missed."""
import json
import unittest

from client_process import Client, sluice
from relay import Relay
from sluice_process import Sluiced, item, rss

TITLES = ["one", "two", "three", "four"]


class Replay(unittest.TestCase):
    def setUp(self):
        self.daemon = self.enterContext(Sluiced())
        self.url = f"http://127.0.0.1:{self.daemon.port}"
        for title in TITLES:
            self.publish(title)

    def publish(self, title, stream="s"):
        status, _, reply = self.daemon.publish(rss(item(title)), stream=stream)
        self.assertEqual(status, 202, reply)
        return reply["last_id"]

    def replay(self, *arguments, stream="s"):
        done = sluice("replay", "--server", self.url, "--stream", stream, *arguments)
        return done.returncode, done.stdout.splitlines(), done.stderr

    def epoch(self):
        with self.daemon.subscribe(stream="s") as subscriber:
            return subscriber.next()["id"].rpartition("-")[0]

    def change_retention(self, events):
        body = json.dumps({"retention": {"events": events}})
        self.assertEqual(self.daemon.request("PATCH", "/v1/streams/s", body)[0], 200)

    def test_prints_what_is_kept_and_ends(self):
        self.publish("elsewhere", stream="t")
        self.assertEqual(self.replay("true()"), (0, TITLES, ""))
        self.assertEqual(self.replay("--from-first", "$title = 'two'", "$title = 'four'"), (0, ["two", "four"], ""))
        self.assertEqual(self.replay("false()"), (1, [], ""))
        self.assertEqual(self.replay("true()", stream="*"), (0, [*TITLES, "elsewhere"], ""))
        self.assertEqual(self.replay("true()", stream="empty"),
                         (1, [], "sluice: the broker has no stream empty yet; publishing to it creates it\n"))
        status, lines, _ = self.replay("--json", "$title = 'three'")
        self.assertEqual((status, [json.loads(line)["id"] for line in lines]), (0, [3]))

    def test_begins_where_it_is_told_to(self):
        self.assertEqual(self.replay("--after", "2", "true()"), (0, TITLES[2:], ""))
        self.assertEqual(self.replay("--after", f"{self.epoch()}-3", "true()"), (0, TITLES[3:], ""))
        time = json.loads(self.replay("--json", "$title = 'two'")[1][0])["time"]
        self.assertEqual(self.replay("--since", time, "true()"), (0, TITLES[1:], ""))
        status, lines, said = self.replay("--since", "24h", "true()")  # the broker is younger
        self.assertEqual((status, lines), (0, TITLES))
        self.assertRegex(said, "^sluice: events of stream \"s\" since 24h may be missing or come again, [^\n]+\n$")
        for option, value in (("--after", "x"), ("--since", "yesterday")):
            status, lines, said = self.replay(option, value, "true()")
            self.assertEqual((status, lines), (2, []))
            self.assertRegex(said, f"^sluice: can't replay: .*{value}")

    def test_says_what_is_missing(self):
        self.change_retention(1)
        self.assertEqual(self.replay("true()"), (0, TITLES[3:], ""))
        status, lines, said = self.replay("--after", "2", "true()")
        self.assertEqual((status, lines), (0, TITLES[3:]))
        self.assertRegex(said, "^sluice: events of stream \"s\" after [^ ]*2 are missing, because the broker no longer "
                               "keeps all of them; those that it keeps from event 4 on follow\n$")
        status, lines, said = self.replay("--after", "another-2", "true()")
        self.assertEqual((status, lines), (0, TITLES[3:]))
        self.assertRegex(said, "^sluice: events of stream \"s\" after another-2 may be missing or come again, because "
                               "the broker's log began anew, as after a restart; those that it keeps from event 4 on "
                               "follow\n$")

    def test_a_subscription_begins_earlier_and_goes_on_live(self):
        client = self.enterContext(Client("subscribe", "--server", self.url, "--stream", "s", "--from-first", "--count",
                                          "5", "true()"))
        self.assertEqual([client.line() for _ in TITLES], TITLES)
        self.publish("five")
        self.assertEqual(client.line(), "five")
        self.assertEqual(client.ended(), 0)

    def test_a_subscription_gets_what_came_while_it_was_cut_off(self):
        with Relay(self.daemon.port) as relay:
            server = f"http://127.0.0.1:{relay.port}"
            client = self.enterContext(Client("subscribe", "--server", server, "--stream", "*", "true()"))
            self.daemon.wait_for_subscriptions()
            self.publish("five")
            self.assertEqual(client.line(), "five")
            relay.cut()
            client.wait_for("connecting again")
            self.publish("six", stream="t")
            relay.open.set()
            client.wait_for("^sluice: connected to .*, to continue after event .*-5.$")
            self.assertEqual(client.line(), "six")
            self.publish("seven")
            self.assertEqual(client.line(), "seven")


if __name__ == "__main__":
    unittest.main()

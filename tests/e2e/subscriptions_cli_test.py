#!/usr/bin/env python3
"""sluice subscriptions and sluice subscribe --subscription: durable subscriptions from the command line."""
import json
import os
import re
import signal
import tempfile
import time
import unittest
from pathlib import Path

from client_process import Client, sluice
from relay import Relay
from sluice_process import Sluiced, eventually, item, rss


class Durable(unittest.TestCase):
    def setUp(self):
        self.daemon = self.enterContext(Sluiced())
        self.server = ("--server", f"http://127.0.0.1:{self.daemon.port}")
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def subscriptions(self, command, *arguments, status=0):
        done = sluice("subscriptions", command, *self.server, *arguments)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def set(self, *options, name="work"):
        return self.subscriptions("set", name, "--stream", "s", *options)

    def show(self, name="work"):
        return json.loads(self.subscriptions("show", name, "--json").stdout)

    def publish(self, *titles, stream="s"):
        status, _, reply = self.daemon.publish(rss(*(item(title) for title in titles)), stream=stream)
        self.assertEqual(status, 202, reply)
        return list(range(reply["first_id"], reply["last_id"] + 1))

    def consume(self, *options, name="work", server=None):
        return self.enterContext(Client("subscribe", *(server or self.server), "--subscription", name, *options))

    def ended(self, *options, name="work", status=0):
        """Of a consumer that ends by itself."""
        done = sluice("subscribe", *self.server, "--subscription", name, *options)
        self.assertEqual(done.returncode, status, done.stderr)
        return done


class Commands(Durable):
    def test_one_is_made_shown_changed_and_deleted(self):
        made = self.set("--filter", "title = 'a'", "--filter", "title = 'b'", "--ack-wait", "5s", "--max-deliver", "3",
                        "--dead-letter", "dead", "--prefetch", "7", "--share", "--ack", "none", "--start", "first")
        self.assertEqual(made.stderr, "sluice: the store is in memory, so the subscription ends with the process\n"
                                      "sluice: the broker has no stream s yet; publishing to it creates it\n")
        for line in ("name +work", r"version +\d+", r'options.streams +\["s"\]', "options.ack +none",
                     "options.ack_wait +5s", "options.max_deliver +3", "options.dead_letter +dead",
                     "options.prefetch +7", "options.share +true", "position +0"):
            self.assertRegex(made.stdout, f"(?m)^{line}$")
        before = self.show()
        self.assertEqual(before["options"]["filters"], ["title = 'a'", "title = 'b'"])
        changed = json.loads(self.subscriptions("set", "work", "--no-share", "--hold-bytes", "1MiB", "--default",
                                                "filter", "--json").stdout)
        self.assertEqual(changed["options"], {**before["options"], "share": False, "hold_bytes": "1MiB", "filters": []})
        self.assertNotEqual(changed["version"], before["version"])
        self.assertEqual(self.subscriptions("set", "work", "--create", status=2).stderr,
                         "sluice: subscription work exists\n")
        stale = str(before["version"])
        for command in (("set", "work", "--prefetch", "9", "--if-version", stale), ("delete", "work", "--if-version", stale)):
            self.assertIn("version", self.subscriptions(*command, status=2).stderr)
        self.assertEqual(self.show()["options"]["prefetch"], 7)
        self.subscriptions("set", "work", "--prefetch", "9", "--if-version", str(changed["version"]))
        self.assertEqual(self.show()["options"]["prefetch"], 9)
        self.assertEqual(self.subscriptions("delete", "work").stdout, "")
        for command in (("show", "work"), ("delete", "work"), ("dead", "work"), ("seek", "work", "now")):
            self.assertEqual(self.subscriptions(*command, status=2).stderr,
                             'sluice: subscriptions: there is no subscription "work"\n')

    def test_what_the_broker_refuses_is_told(self):
        for arguments, expected in ((("--filter", "a["), "expected"), (("--prefetch", "0"), "prefetch"),
                                    (("--dead-letter", "s"), "dead"), (("--start", "sometime"), "start"),
                                    (("--stream", "a b"), "a b")):
            with self.subTest(arguments):
                done = self.subscriptions("set", "work", "--stream", "s", *arguments, status=2)
                self.assertEqual(done.stdout, "")
                self.assertIn(expected, done.stderr)
        self.set()
        self.assertIn("\nsluice: `sluice subscriptions seek work first` moves it\n",
                      self.subscriptions("set", "work", "--start", "first", status=2).stderr)
        self.assertIn("no stream of dead letters", self.subscriptions("dead", "work", status=2).stderr)

    def test_all_pages_are_listed(self):
        names = [f"n{number:03}" for number in range(205)]
        for name in names:
            status, _, _ = self.daemon.request("PUT", f"/v1/subscriptions/{name}", "{}")
            self.assertEqual(status, 201)
        lines = self.subscriptions("list").stdout.splitlines()
        self.assertRegex(lines[0], "^SUBSCRIPTION +CONSUMERS +UNACKNOWLEDGED +LAG +BEHIND +REDELIVERED +DEAD LETTERS$")
        self.assertEqual([line.split()[0] for line in lines[1:]], names)
        listed = map(json.loads, self.subscriptions("list", "--json").stdout.splitlines())
        self.assertEqual([each["name"] for each in listed], names)

    def test_the_list_says_what_waits(self):
        self.set()
        self.publish("a", "b")
        self.ended("--count", "1")
        self.consume()
        eventually(lambda: self.show()["consumers"] == 1 and self.show()["counts"]["redelivered"] == 2, "a consumer")
        self.assertRegex(self.subscriptions("list").stdout, r"(?m)^work +1 +2 +\d+ +\S.* +2 +0$")

    def test_seek_moves_it(self):
        self.set()
        ids = self.publish("a", "b", "c")
        self.assertEqual(self.ended("--ack", "--count", "3").stdout, "a\nb\nc\n")
        self.assertEqual(self.show()["position"], ids[2])
        self.assertRegex(self.subscriptions("seek", "work", str(ids[0])).stdout, f"(?m)^position +{ids[0]}$")
        self.assertEqual(self.ended("--ack", "--count", "2").stdout, "b\nc\n")
        self.subscriptions("seek", "work", "first")
        self.assertEqual(self.ended("--ack", "--count", "3").stdout, "a\nb\nc\n")
        self.assertIn("sometime", self.subscriptions("seek", "work", "sometime", status=2).stderr)


class Consuming(Durable):
    def test_it_goes_on_where_it_was(self):
        self.set()
        self.publish("a", "b", "c")
        self.assertEqual(self.ended("--ack", "--count", "2").stdout, "a\nb\n")
        client = self.consume("--ack", "--json")
        event = json.loads(client.line())
        self.assertEqual(event["item"]["title"], "c")
        ids = self.publish("d")
        self.assertEqual(json.loads(client.line())["item"]["title"], "d")
        eventually(lambda: self.show()["position"] == ids[0], "the acknowledgement")
        self.assertEqual(self.show()["counts"]["acknowledged"], 4)

    def test_what_is_not_acknowledged_comes_again(self):
        self.set()
        self.publish("a", "b")
        self.assertEqual(self.ended("--count", "2").stdout, "a\nb\n")
        events = [json.loads(line) for line in self.ended("--json", "--ack", "--count", "2").stdout.splitlines()]
        self.assertEqual([(event["item"]["title"], event["deliveries"]) for event in events], [("a", 2), ("b", 2)])
        self.assertEqual(self.show()["unacknowledged"], 0)

    def test_a_signal_ends_it_after_what_was_written_is_acknowledged(self):
        self.set()
        for sign in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(sign=sign):
                titles = [f"{sign.name} {n}" for n in range(30)]
                ids = self.publish(*titles)
                client = self.consume("--ack")
                for title in titles:
                    self.assertEqual(client.line(), title)
                client.process.send_signal(sign)
                self.assertEqual(client.process.wait(60), -sign)
                shown = self.show()
                self.assertEqual((shown["position"], shown["unacknowledged"]), (ids[-1], 0))

    def test_what_can_not_be_written_is_not_acknowledged(self):
        self.set()
        self.publish("a")
        with open("/dev/full", "wb") as full:
            done = sluice("subscribe", *self.server, "--subscription", "work", "--ack", stdout=full)
        self.assertEqual(done.returncode, 2)
        self.assertIn("can't write to standard output", done.stderr)
        self.assertEqual(self.show()["unacknowledged"], 1)
        self.assertEqual(self.ended("--ack", "--count", "1").stdout, "a\n")

    def test_as_xml_too(self):
        self.set()
        ids = self.publish("a", "b")
        self.assertEqual(len(re.findall("<item>", self.ended("--ack", "--format", "xml", "--count", "2").stdout)), 2)
        self.assertEqual(self.show()["position"], ids[1])

    def test_output_that_is_read_late_is_not_delivered_again(self):
        """Events that wait longer than ack_wait to be written are extended."""
        self.set("--ack-wait", "1s")
        title = "x" * 20_000  # more than a pipe holds, in all
        ids = self.publish(*(f"{title}{n}" for n in range(30)))
        reader, writer = os.pipe()
        client = Client("subscribe", *self.server, "--subscription", "work", "--ack", "--count", "30", stdout=writer)
        os.close(writer)
        with client, os.fdopen(reader) as lines:
            time.sleep(3)
            read = [lines.readline() for _ in ids]
            self.assertEqual(client.ended(), 0)
        self.assertEqual([line[len(title):] for line in read], [f"{n}\n" for n in range(30)])
        self.assertEqual(self.show()["position"], ids[-1])

    def test_a_lost_connection_is_made_again(self):
        self.set()
        with Relay(self.daemon.port) as relay:
            client = self.consume("--ack", server=("--server", f"http://127.0.0.1:{relay.port}"))
            ids = self.publish("one")
            self.assertEqual(client.line(), "one")
            eventually(lambda: self.show()["position"] == ids[0], "the acknowledgement")
            relay.cut()
            client.wait_for("connecting again")
            relay.open.set()
            client.wait_for(r"again after [0-9.]+ s\.$")
            ids = self.publish("two")
            self.assertEqual(client.line(), "two")
            eventually(lambda: self.show()["position"] == ids[0], "the acknowledgement")

    def test_one_consumer_at_a_time(self):
        self.set()
        first = self.consume("--ack")
        eventually(lambda: self.show()["consumers"] == 1, "the first consumer")
        self.assertRegex(self.ended(status=2).stderr,
                         "^sluice: can't subscribe: .*work.*\nsluice: --takeover takes it over\n$")
        second = self.consume("--ack", "--takeover")
        self.assertEqual(first.line("stderr"), f"sluice: subscribed to work at {self.server[1]}")
        self.assertRegex(first.line("stderr"), "^sluice: the broker ended the subscription: .*taken")
        self.assertEqual(first.ended(), 2)
        self.publish("a")
        self.assertEqual(second.line(), "a")
        self.subscriptions("delete", "work")
        second.wait_for("^sluice: the broker ended the subscription: .*deleted")
        self.assertEqual(second.ended(), 2)

    def test_without_acknowledgements(self):
        self.set("--ack", "none")
        ids = self.publish("a", "b")
        self.assertRegex(self.ended("--ack", status=2).stderr, "^sluice: --ack needs a subscription with acknowl")
        self.assertEqual(self.ended("--count", "2").stdout, "a\nb\n")
        eventually(lambda: self.show()["position"] == ids[1], "what was written is done")
        self.assertIn('there is no subscription "none"', self.ended("--ack", name="none", status=2).stderr)


class Executing(Durable):
    def test_each_event_is_given_to_a_command(self):
        self.set()
        ids = self.publish("a", "b", "c")
        log = self.folder / "log"
        done = self.ended("--count", "3", "--exec", f'echo "$SLUICE_ID $SLUICE_STREAM $SLUICE_DELIVERIES" >> {log}; cat >> {log}')
        self.assertEqual((done.stdout, done.stderr), ("", f"sluice: subscribed to work at {self.server[1]}\n"))
        lines = log.read_text().splitlines()
        epoch = self.show()["epoch"]
        self.assertEqual(lines[::2], [f"{epoch}-{each} s 1" for each in ids])
        self.assertEqual([json.loads(line)["item"]["title"] for line in lines[1::2]], ["a", "b", "c"])
        self.assertEqual((self.show()["position"], self.show()["unacknowledged"]), (ids[2], 0))

    def test_a_command_that_fails_gets_the_event_again_until_it_is_a_dead_letter(self):
        self.set("--max-deliver", "3", "--dead-letter", "dead")
        self.publish("good", "bad", "good too")
        log = self.folder / "log"
        client = self.consume("--retry-delay", "20ms", "--exec", f"echo $SLUICE_DELIVERIES >> {log}; ! grep -q bad || exit 7")
        client.wait_for("^sluice: subscribed to work")
        for delivery in (1, 2, 3):
            self.assertRegex(client.line("stderr"), rf"^sluice: event \S+-2, delivery {delivery}: exit status 7$")
        eventually(lambda: self.show()["counts"]["dead_letters"] == 1, "the dead letter")
        ids = self.publish("last")
        eventually(lambda: self.show()["position"] == ids[0], "the last event")
        self.assertEqual(sorted(log.read_text().split()), ["1", "1", "1", "1", "2", "3"])
        self.set("--dead-letter", "dead", name="other")
        self.assertEqual(self.subscriptions("dead", "work").stdout,
                         "bad\n  event 2 of s, 3 deliveries: exit status 7\n")
        letter = json.loads(self.subscriptions("dead", "work", "--json").stdout)["dead_letter"]
        self.assertEqual((letter["id"], letter["reason"]), (2, "exit status 7"))
        self.assertEqual(self.subscriptions("dead", "other").stdout, "")

    def test_a_slow_command_keeps_the_events_that_wait(self):
        """Each takes longer than ack_wait, and they wait for each other."""
        self.set("--ack-wait", "1s")
        ids = self.publish(*"abcd")
        log = self.folder / "log"
        self.ended("--count", "4", "--exec", f"sleep 0.6; echo $SLUICE_ID >> {log}")
        self.assertEqual([line.rsplit("-", 1)[1] for line in log.read_text().split()], [str(each) for each in ids])
        self.assertEqual(self.show()["position"], ids[3])

    def test_a_signal_lets_the_command_end(self):
        self.set()
        ids = self.publish("a", "b")
        begun, go_on = self.folder / "begun", self.folder / "go_on"
        client = self.consume("--exec", f"touch {begun}; until test -e {go_on}; do sleep 0.01; done")
        eventually(begun.exists, "the command")
        client.process.send_signal(signal.SIGTERM)
        go_on.touch()
        self.assertEqual(client.process.wait(60), -signal.SIGTERM)
        self.assertIn(self.show()["position"], ids)


if __name__ == "__main__":
    unittest.main()

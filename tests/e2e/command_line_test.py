#!/usr/bin/env python3
"""The command lines of sluice and sluiced: errors are reported in plain words, and lost output is an error."""
import json
import os
import re
import subprocess
import unittest
from pathlib import Path

from client_process import Client
from sluice_process import TIMEOUT_S, Sluiced, eventually, item, report_crash, rss

EXAMPLE = str(Path(__file__).resolve().parents[2] / "docker" / "examples" / "harbour.rss")


def run(program, *arguments, **more):
    done = subprocess.run([os.environ[program], *arguments], text=True, timeout=TIMEOUT_S, stderr=subprocess.PIPE,
                          **{"stdout": subprocess.PIPE, **more})
    report_crash(done.returncode, done.args)
    return done


class CommandLine(unittest.TestCase):
    def complaint(self, program, *arguments):
        done = run(program, *arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        first, *more = done.stderr.splitlines()
        self.assertTrue(more and more[0].startswith("Run sluice"), done.stderr)
        return first

    def test_hints_do_not_disturb_the_output(self):
        hint = ("sluice: hint: filter:1:10: politics without quotes is the name of an element; for the text write "
                "category = 'politics'\ncategory = politics\n         ^\n")
        explained = run("SLUICE", "explain", "category = politics")
        self.assertEqual((explained.returncode, explained.stderr), (0, hint))
        self.assertTrue(explained.stdout.startswith("filter: category = politics\n"))
        matched = run("SLUICE", "match", "category = politics", EXAMPLE)
        self.assertEqual((matched.returncode, matched.stdout, matched.stderr), (1, "", hint))
        matched = run("SLUICE", "match", "$published >= '2017-01-01' and $published < '2100-01-01'", EXAMPLE)
        self.assertEqual((matched.returncode, matched.stderr), (0, ""))
        self.assertEqual(len(matched.stdout.splitlines()), 5)

    def test_wrong_arguments(self):
        for arguments, expected in (
            ([], "expected a subcommand: publish, subscribe, replay, match, why, explain, align, search, distance, "
                 "recurrence, status, top, streams, subscriptions, user, store, manual, completion or help"),
            (["subscribe", "--after", "k-1", "--since", "1h", "a"], "--after excludes --since"),
            (["replay", "--from-first", "--after", "k-1", "a"], "--after excludes --from-first"),
            (["subscribe", "--subscription", "w", "a"], "FILTER excludes --subscription"),
            (["subscribe", "--subscription", "w", "--stream", "s"], "--stream excludes --subscription"),
            (["subscribe", "--subscription", "w", "--after", "k-1"], "--after excludes --subscription"),
            (["subscribe", "--subscription", "w", "--since", "1h"], "--since excludes --subscription"),
            (["subscribe", "--subscription", "w", "--from-first"], "--from-first excludes --subscription"),
            (["subscribe", "--ack", "a"], "--ack requires --subscription"),
            (["subscribe", "--takeover", "a"], "--takeover requires --subscription"),
            (["subscribe", "--exec", "cat", "a"], "--exec requires --subscription"),
            (["subscribe", "--subscription", "w", "--retry-delay", "1s"], "--retry-delay requires --exec"),
            (["subscribe", "--subscription", "w", "--exec", "cat", "--retry-delay", "1"],
             "--retry-delay must be a duration with its unit, such as 1s, not 1"),
            (["subscribe", "--subscription", "w", "--exec", "cat", "--format", "xml"], "--format excludes --exec"),
            (["subscribe"], "FILTER is required"),
            (["subscriptions"], "expected a subcommand: list, show, set, delete, seek or dead"),
            (["subscriptions", "lst"], "there is no subcommand 'lst'; did you mean 'list'?"),
            (["subscriptions", "list", "a"], "unexpected argument 'a'"),
            (["subscriptions", "show"], "NAME is required"),
            (["subscriptions", "seek", "a"], "TO is required"),
            (["subscriptions", "--json", "list"], "--json goes after the subcommand: sluice subscriptions list --json"),
            (["subscriptions", "set", "a", "--filtr", "x"], "there is no option --filtr; did you mean '--filter'?"),
            (["subscriptions", "set", "a", "--ack", "all"], "--ack must be each, cumulative or none, not all"),
            (["subscriptions", "set", "a", "--ack-wait", "5"],
             "--ack-wait must be a duration with its unit, such as 30s, not 5"),
            (["subscriptions", "set", "a", "--hold-bytes", "5x"], "--hold-bytes must be a size, such as 10MiB, not 5x"),
            (["subscriptions", "set", "a", "--prefetch", "65537"],
             "--prefetch must be a whole number from 0 to 65536, not 65537"),
            (["subscriptions", "set", "a", "--default", "stat"],
             "--default must be stream, filter, ack, ack-wait, max-deliver, dead-letter, prefetch, share or hold-bytes, "
             "not stat"),
            (["subscriptions", "set", "a", "--create", "--if-version", "1"], "--create excludes --if-version"),
            (["subscriptions", "show", "a", "--owner", "*"],
             "--owner must be the name of a user, 1 to 64 of the characters A-Z a-z 0-9 - _ . @ (not just . or ..), or "
             "'' for nobody's, not *"),
            (["subscribe", "--owner", "a", "b"], "--owner requires --subscription"),
            (["user"], "expected a subcommand: add, passwd, token, list or remove"),
            (["user", "delete", "alice", "--file", "f"], "there is no subcommand 'delete'"),
            (["user", "--fil", "f"], "there is no option --fil"),
            (["user", "list"], "--file is required"),
            (["user", "add", "--file", "f"], "NAME is required"),
            (["user", "add", "a", "--file", "f", "--no-password", "--password-stdin"],
             "--password-stdin excludes --no-password"),
            (["user", "token", "a", "--file", "f", "--revoke", "b", "--note", "c"], "--note excludes --revoke"),
            (["help", "subscriptions", "sett"], "there is no subcommand 'sett'; did you mean 'set'?"),
            (["stauts"], "there is no subcommand 'stauts'; did you mean 'status'?"),
            (["zzzzzz"], "there is no subcommand 'zzzzzz'"),
            (["subscribe", "--count", "-1", "a"], "--count must be a whole number of at least 0, not -1"),
            (["subscribe", "--count", "1x", "a"], "--count must be a whole number of at least 0, not 1x"),
            (["subscribe", "--count"], "--count needs a value: NUMBER"),
            (["subscribe", "--count", "1", "--count", "2", "a"], "--count is given more than once"),
            (["subscribe", "--cuont", "1"], "there is no option --cuont; did you mean '--count'?"),
            (["explain", "-price < 0"], "there is no option -price; write -- before a filter that begins with '-': "
                                        "sluice explain -- '-price < 0'"),
            (["match", "-price = 0", "a.xml"], "there is no option -price; write -- before a filter that begins with "
                                               "'-': sluice match -- '-price < 0'"),
            (["subscribe", "-a"], "there is no option -a; write -- before a filter that begins with '-': sluice "
                                  "subscribe -- '-price < 0'"),
            (["explain", "--(-price) < 0"], "there is no option --(-price); write -- before a filter that begins with "
                                            "'-': sluice explain -- '-price < 0'"),
            (["explain", "--foo", "price < 3"], "there is no option --foo"),
            (["match", "--annotate", "alignment", "true()", "a.xml"], "there is no option --annotate"),
            (["status", "-a"], "there is no option -a"),
            (["subscribe", "--format", "foo", "a"], "--format must be title, json, xml or source, not foo"),
            (["match", "--format", "1", "a", "b"], "--format must be title, json, xml or source, not 1"),
            (["subscribe", "--annotate", "foo", "a"], "--annotate must be alignment or none, not foo"),
            (["align", "--devices", "0,x", "a", "b"], "--devices must be whole numbers from 0 to 1023, not x"),
            (["align", "--processor", "tpu", "a", "b"], "--processor must be auto, cpu or gpu, not tpu"),
            (["search", "--algorithm", "best", "a", "b"],
             "--algorithm must be filter, prefix-sums or plain, not best"),
            (["search", "--threads", "1025", "a", "b"], "--threads must be a whole number from 0 to 1024, not 1025"),
            (["search", "--count", "--summary", "a", "b"], "--count excludes --summary"),
            (["distance", "--parts", "2", "--whole", "a", "b"], "--whole excludes --parts"),
            (["distance", "--algorithm", "myers", "a", "b"],
             "--algorithm must be bit-parallel, o-asm, w-scan or w-shuffle, not myers"),
            (["recurrence", "a"], "--epsilon is required"),
            (["status", "--json=x"], "--json can't be 'x'"),
            (["explain", "a", "b"], "unexpected argument 'b'"),
            (["publish"], "FILE is required"),
            (["match", "a"], "FILE is required"),
            (["match", "--since", "1h"], "FILTER is required"),
            (["why", "--id", "1"], "FILTER is required"),
            (["why", "a"], "--id is required"),
            (["why", "--id", "1", "a", "b"], "unexpected argument 'b'"),
            (["match", "--since", "1h", "a", "b"], "FILE excludes --since"),
            (["match", "--since", "1h", "--repair", "strict", "a"], "--since excludes --repair"),
            (["status", "--timeout", "0"], "--timeout must be a number of seconds from 0.001 to 1000000, not 0"),
            (["status", "--key", "k.pem"], "--key requires --cert"),
            (["top", "--interval", "2"], "--interval must be a duration from 100ms to 1h, such as 2s, not 2"),
            (["top", "--interval", "1ms"], "--interval must be a duration from 100ms to 1h, such as 2s, not 1ms"),
            (["top", "--count", "x"], "--count must be a whole number of at least 0, not x"),
            (["status", "--timeout", "1s"], "--timeout must be a number of seconds from 0.001 to 1000000, not 1s"),
            (["match", "--json", "--format", "xml", "a", "b"], "--json excludes --format"),
            (["status", "--color", "blue"], "--color must be auto, always or never, not blue"),
            (["match", "--repair", "x", "a", "b"], "--repair must be lenient or strict, not x"),
            (["--json", "status"], "--json goes after the subcommand: sluice status --json"),
            (["help", "statsu"], "there is no subcommand 'statsu'; did you mean 'status'?"),
        ):
            with self.subTest(arguments):
                self.assertEqual(self.complaint("SLUICE", *arguments), "sluice: " + expected)
        self.assertEqual(self.complaint("SLUICED", "--port", "3"), "sluiced: there is no option --port")
        self.assertEqual(self.complaint("SLUICED", "--set"), "sluiced: --set needs a value: NAME=VALUE")

    def test_where_to_read_on(self):
        self.assertIn("\nRun sluice help for more information.\n", run("SLUICE", "help", "nosuch").stderr)
        self.assertIn("\nRun sluice streams --help for more", run("SLUICE", "streams", "--nosuch").stderr)

    def test_a_filter_that_begins_with_a_dash(self):
        explained = run("SLUICE", "explain", "--", "-price < 0")
        self.assertEqual((explained.returncode, explained.stderr), (0, ""))
        self.assertTrue(explained.stdout.startswith("filter: -price < 0\n"), explained.stdout)
        rows = "title,price\nlamp,90\nbell,-60\n"
        matched = run("SLUICE", "match", "--content-type", "text/csv", "--", "-price > 0", "-", input=rows)
        self.assertEqual((matched.returncode, matched.stdout, matched.stderr), (0, "bell\n", ""))

    def test_match_takes_the_names_that_streams_may_have(self):
        for name in ("", ".", "..", "-", "a b", "*"):
            with self.subTest(name):
                done = run("SLUICE", "match", "--stream", name, "true()", EXAMPLE)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertEqual(done.stderr, "sluice: --stream: expected 1 to 128 of the characters A-Z a-z 0-9 . _ - "
                                              f"(not just ., .. or -), not \"{name}\"\n")
        done = run("SLUICE", "match", "--stream", "a.B_c-9", "$stream != 'a.B_c-9'", EXAMPLE)
        self.assertEqual((done.returncode, done.stderr), (1, ""))

    def test_help_says_what_applies(self):
        def text(*arguments):
            return run("SLUICE", *arguments, "--help").stdout

        for command in ("subscribe", "match", "why", "explain"):
            self.assertIn("A filter is an XPath 1.0", text(command))
        for command in ([], ["publish"], ["align"], ["search"], ["distance"], ["recurrence"], ["status"]):
            self.assertNotIn("A filter is", text(*command))
        for command in ("subscribe", "explain", "align", "recurrence", "status", "top", "streams", "subscriptions"):
            self.assertIn("Exit status: 0 done, 2 failed.", text(command))
        for command in ("list", "show", "set", "delete", "seek", "dead"):
            self.assertIn("Exit status: 0 done, 2 failed.", text("subscriptions", command))
            self.assertIn("--timeout SECONDS", text("subscriptions", command))
        self.assertIn("1 a line or an item was refused, 2 failed", text("publish"))
        self.assertIn("1 nothing matched", text("match"))
        self.assertIn("1 no pair is within --within, 2 failed", text("distance"))
        self.assertIn("0 done, 1 the store is damaged (verify), 2 failed", text("store"))
        for command in ("publish", "subscribe", "why", "status", "top", "streams"):
            self.assertIn("--timeout SECONDS", text(command))

    def test_help_names_options_as_they_are_typed(self):
        for command in ("publish", "subscribe", "align"):
            self.assertRegex(run("SLUICE", command, "--help").stdout, r"\n  --(\w+),--no-\1\s")

    def test_an_address_is_no_file(self):
        address = "https://example.org/feed"
        for command in (["publish", address], ["match", "true()", address], ["align", address, EXAMPLE],
                        ["search", EXAMPLE, address], ["distance", address, EXAMPLE], ["distance", EXAMPLE, address],
                        ["recurrence", "--epsilon", "1", address]):
            done = run("SLUICE", *command)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"can't read {address}: expected a file, not an address", done.stderr)

    def test_a_content_type_says_what_standard_input_is(self):
        rows = "title,price\nlamp,90\nbell,60\n"
        with Sluiced() as daemon:
            publish = ["publish", "--server", f"http://127.0.0.1:{daemon.port}", "-"]
            done = run("SLUICE", *publish, "--content-type", "text/csv", input=rows)
            self.assertEqual((done.returncode, done.stdout),
                             (0, "standard input: 2 received: 2 new, 0 updated, 0 unchanged\n"), done.stderr)
            self.assertEqual(run("SLUICE", *publish, input=rows).returncode, 2)
            done = run("SLUICE", *publish, "--content-type", "image/png", input=rows)
            self.assertEqual(done.returncode, 2)
            self.assertIn("image/png", done.stderr)
        done = run("SLUICE", "match", "--content-type", "text/csv", "price < 90", "-", input=rows)
        self.assertEqual((done.returncode, done.stdout), (0, "bell\n"), done.stderr)

    def test_items_without_title_show_their_values(self):
        reading = '{"sensor": {"id": 7, "note": "%s"}, "tags": ["a", "b"]}' % ("é" * 100)
        shown = f"sensor/id=7, sensor/note={'é' * 30}…, tags=a, tags=b\n"
        self.assertEqual(run("SLUICE", "match", "true()", "-", input=reading).stdout, shown)
        self.assertEqual(run("SLUICE", "match", "true()", "-", input="{}").stdout, "(untitled)\n")
        self.assertEqual(run("SLUICE", "match", "true()", "-", input="<a><b>text</b></a>").stdout, "text\n")
        with Sluiced() as daemon:
            server = f"http://127.0.0.1:{daemon.port}"
            with Client("subscribe", "--server", server, "--count", "1", "tags") as subscriber:
                daemon.wait_for_subscriptions()
                self.assertEqual(run("SLUICE", "publish", "--server", server, "-", input=reading).returncode, 0)
                self.assertEqual((subscriber.line(), subscriber.line()), (shown.rstrip("\n"), None))
                self.assertEqual(subscriber.ended(), 0)

    def test_output_that_is_lost(self):
        for program, status, *arguments in (
            ("SLUICE", 2, "match", "title", EXAMPLE), ("SLUICE", 2, "explain", "title"), ("SLUICE", 2, "--help"),
            ("SLUICED", 1, "--check-config"), ("SLUICED", 1, "--print-defaults"), ("SLUICED", 1, "--help"),
        ):
            with self.subTest(arguments), open("/dev/full", "wb") as full:
                done = run(program, *arguments, stdout=full)
                self.assertEqual(done.returncode, status)
                self.assertTrue(done.stderr.startswith(f"{program.lower()}: can't write to standard output"), done)

    def test_a_subscriber_whose_output_is_lost_leaves(self):
        with Sluiced() as daemon, open("/dev/full", "wb") as full:
            server = f"http://127.0.0.1:{daemon.port}"
            with Client("subscribe", "--server", server, "title", stdout=full) as subscriber:
                daemon.wait_for_subscriptions()
                self.assertEqual(run("SLUICE", "publish", "--server", server, EXAMPLE).returncode, 0)
                subscriber.wait_for("can't write to standard output")
                self.assertEqual(subscriber.ended(), 2)

    def test_the_broker_says_which_part_of_a_subscription_is_wrong(self):
        with Sluiced() as daemon:
            server = f"http://127.0.0.1:{daemon.port}"
            for arguments, expected in (
                (["--stream", "bad name!", "a"], 'can\'t subscribe: parameter "stream" is "bad name!"; expected'),
                (["--annotate", "alignment", "--format", "xml", "a"], "can't subscribe: annotate=alignment needs"),
                (["a["], "filter:1:3: expected"),
            ):
                with self.subTest(arguments):
                    done = run("SLUICE", "subscribe", "--server", server, *arguments)
                    self.assertEqual(done.returncode, 2)
                    self.assertTrue(done.stderr.startswith("sluice: " + expected), done.stderr)

    def test_streams_are_made_shown_changed_and_deleted(self):
        with Sluiced() as daemon:
            def streams(*arguments):
                return run("SLUICE", "streams", "--server", f"http://127.0.0.1:{daemon.port}", *arguments)

            made = streams("news", "--set", "deduplicate=false", "--set", "deduplication_window=1d")
            self.assertEqual(made.returncode, 0, made.stderr)
            self.assertRegex(made.stdout, r"(?m)^options.deduplicate +false$")
            self.assertRegex(made.stdout, r"(?m)^options.deduplication_window +1d$")
            daemon.publish(rss(item("a"), item("b"), item("c")), stream="news")
            self.assertRegex(streams().stdout, r"^STREAM +EVENTS +SIZE +LAST ID +KNOWN ITEMS +DEFINED\n"
                                               r"news +3 +\d[\d.]* (Ki)?B +3 +\d+  yes\n$")
            self.assertEqual(json.loads(streams("news", "--set", "repair=strict", "--json").stdout)["options"]["repair"],
                             "strict")
            self.assertRegex(streams("news").stdout, r"(?m)^options.deduplicate +false$")
            self.assertRegex(streams("news", "--set", "deduplicate=null").stdout, r"(?m)^options.deduplicate +true$")
            self.assertRegex(streams("news").stdout, r"(?m)^retained.events +3$")
            self.assertRegex(streams("news").stdout, r"(?m)^retained.bytes +\d[\d.]* (Ki)?B$")
            self.assertIsInstance(json.loads(streams("news", "--json").stdout)["retained"]["bytes"], int)
            limited = streams("news", "--set", "retention.events=2", "--set", "retention.age=3d").stdout
            for line in ("options.retention.events +2", "options.retention.age +3d", "retained.events +2", "retained.first_id +2"):
                self.assertRegex(limited, f"(?m)^{line}$")
            self.assertRegex(streams("news", "--set", "retention.events=null").stdout, r"(?m)^options.retention.events +0$")
            self.assertRegex(run("SLUICE", "status", "--server", f"http://127.0.0.1:{daemon.port}").stdout,
                             r"(?m)^log.retained.events +2$")
            self.assertEqual(streams("more", "--set", "repair=strict").returncode, 0)
            listed = map(json.loads, streams("--json").stdout.splitlines())
            self.assertEqual([stream["name"] for stream in listed], ["more", "news"])
            self.assertEqual(streams("more", "--delete").returncode, 0)
            self.assertRegex(streams("purge", "news", "--before", "3").stdout, r"(?m)^events +1$")
            erased = streams("erase", "news", "3", "--json")
            self.assertEqual((erased.returncode, erased.stdout, erased.stderr), (0, "", ""))
            self.assertEqual(json.loads(streams("purge", "news", "--json").stdout),
                             {"stream": "news", "events": 1, "first_id": 4})
            self.assertEqual(streams("purge", "--help").returncode, 0)
            self.assertEqual(streams("news", "--delete").returncode, 0)
            for name in ("purge", "erase"):  # streams of these names
                daemon.publish(rss(item("a")), stream=name)
                self.assertRegex(streams("--", name).stdout, r"(?m)^retained.events +1$")
                self.assertEqual(streams("--delete", "--", name).returncode, 0)
            for arguments, expected in ((["news"], 'there is no stream "news"'), (["news", "--set", "x"], "NAME=VALUE"),
                                        (["news", "--set", "deduplication_window=5"],
                                         "sluice: streams: deduplication_window: 5 has no unit; write 5s"),
                                        (["news", "--set", "repare=strict"], 'did you mean "repair"?'),
                                        (["list"], 'there is no stream "list"\nsluice: `sluice streams` lists them\n'),
                                        (["a b"], "the name of the stream is not valid"),
                                        ([""], "the name of the stream is not valid"),
                                        ([".."], "the name of the stream is not valid"),
                                        (["purge"], "STREAM"), (["erase", "news"], "ID"),
                                        (["purge", "news", "--before", "x"], "--before"),
                                        (["purge", "news"], 'there is no stream "news"'),
                                        (["erase", "news", "3"], 'stream "news" has no event 3'),
                                        (["--delete"], "STREAM")):
                with self.subTest(arguments):
                    done = streams(*arguments)
                    self.assertEqual(done.returncode, 2)
                    self.assertIn(expected, done.stderr)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The client's help: the same in each way of asking for it, and its examples work as they are typed."""
import gzip
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from client_process import asked, end_session, environment, output_of, sluice
from sluice_process import Sluiced, eventually, item, rss

EXAMPLES = Path(__file__).resolve().parents[2] / "docker" / "examples"
COMMANDS = ("publish", "subscribe", "replay", "match", "why", "explain", "align", "search", "distance", "recurrence", "status",
            "top", "streams", "subscriptions", "user", "store", "manual", "completion")


def examples_of(command):
    text = sluice(command, "--help").stdout
    return re.findall(r"^  (.+)$", re.search(r"^Examples:\n((?:  .+\n)+)", text, re.M)[1], re.M)


class Help(unittest.TestCase):
    def setUp(self):
        """A folder with the files that the examples name, and their programs."""
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        shutil.copy(EXAMPLES / "harbour.rss", self.folder / "news.rss")
        for name in ("read.fasta", "patterns.txt", "waves.txt", "words.txt", "notes.txt", "keyboard.costs"):
            shutil.copy(EXAMPLES / name, self.folder)
        shutil.copy(EXAMPLES / "lamp.fasta", self.folder / "genome.fasta")
        (self.folder / "archive.atom.gz").write_bytes(gzip.compress((EXAMPLES / "lighthouse.atom").read_bytes()))
        (self.folder / "prices.txt").write_text("item,price\nlamp,90\n")
        (self.folder / "log.ndjson").write_text('{"level":"info"}\n{"level":"error"}\n')
        programs = self.folder / "bin"
        programs.mkdir()
        (programs / "sluice").symlink_to(os.environ["SLUICE"])
        (programs / "curl").write_text(f"#!/bin/sh\ncat {shlex.quote(str(EXAMPLES))}/harbour.rss\n")
        (programs / "man").write_text("#!/bin/sh\nexec cat\n")
        for name in ("curl", "man"):
            (programs / name).chmod(0o755)
        self.path = f"{programs}:{os.environ['PATH']}"

    def shell(self, command, daemon):
        process = subprocess.Popen(["bash", "-o", "pipefail", "-c", command], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, start_new_session=True,
                                   env=environment(PATH=self.path, SLUICE_SERVER=f"http://127.0.0.1:{daemon.port}"))
        self.addCleanup(end_session, process)
        return process

    def test_examples_as_typed(self):
        with Sluiced("store.kind=rocksdb", f"store.path={self.folder}/store"):
            pass
        with Sluiced() as daemon:
            for command in COMMANDS:
                examples = examples_of(command)
                self.assertTrue(examples)
                for example in examples:
                    with self.subTest(example):
                        eventually(lambda: daemon.status()["subscriptions"]["total"] == 0, "no subscriptions")
                        if "erase" in example:  # the broker's ids are not those of the example
                            last_id = daemon.publish(rss(item("to be erased")), stream="news")[2]["last_id"]
                            example = example.replace("news 5", f"news {last_id}")
                        if "-- purge" in example:
                            daemon.publish(rss(item("in a stream named like a command")), stream="purge")
                        if "user add alice" in example:  # asks on the terminal
                            prompts = ("New password of alice: ", "The same again: ")
                            status, shown = asked(*shlex.split(example)[1:], cwd=self.folder,
                                                  typed=[(prompt, b"open sesame\r") for prompt in prompts])
                            self.assertEqual(status, 0, shown)
                            self.assertIn("alice: added", shown)
                            continue
                        example = example.replace("tail -f", "tail")  # that would never end
                        process = self.shell(example, daemon)
                        if command == "subscribe":
                            daemon.wait_for_subscriptions()
                            for name in ("news.rss", "archive.atom.gz"):
                                published = self.shell(f"sluice publish --no-deduplicate {name}", daemon)
                                output_of(published)
                                self.assertEqual(published.returncode, 0)
                        out, err = output_of(process)
                        subscribed = (r'^\{"level":"note","detail":"subscribed to .*\n' if "--json" in example
                                      else r"^sluice: subscribed to .*\n")
                        err, notes = re.subn(subscribed, "", err, flags=re.M)
                        self.assertEqual(notes, example.startswith("sluice subscribe "))
                        expected = ""
                        if "--since" in example:
                            expected = "sluice: the broker has no older events: it began later\n"
                        if "--start" in example:
                            expected = "sluice: the store is in memory, so the subscription ends with the process\n"
                        self.assertEqual((process.returncode, err), (0, expected), out)
                        self.assertTrue(out or ">" in example or "delete" in example or "erase" in example
                                        or "source" in example)

    def test_one_help_however_it_is_asked_for(self):
        for command in COMMANDS:
            text = sluice(command, "--help").stdout
            self.assertEqual(sluice("help", command).stdout, text)
            self.assertIn(f"Usage: sluice {command} ", text)
        for parent in ("subscriptions", "user", "store"):
            listed = sluice("help", parent).stdout.split("Subcommands:")[1].split("Examples:")[0]
            for command in re.findall(r"^  ([a-z]+) ", listed, re.M):
                text = sluice(parent, command, "--help").stdout
                self.assertEqual(sluice("help", parent, command).stdout, text)
                self.assertIn(f"Usage: sluice {parent} {command} ", text)
        self.assertEqual(sluice("help").stdout, sluice("--help").stdout)
        for command in COMMANDS:
            self.assertIn(f"\n  {command} ", sluice("help").stdout)
        done = sluice("help", "subscrib")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("there is no subcommand 'subscrib'; did you mean 'subscribe'?", done.stderr)

    def test_what_the_columns_are(self):
        for command, counts in (("align", "letters count from 1"), ("search", "They count from 0"),
                                ("distance", "and count from 1")):
            self.assertRegex(sluice("help", command).stdout, f"(?m)^Output: .*{counts}")
            self.assertIn(counts, re.sub(r"\s+", " ", sluice("manual").stdout))

    def test_which_arguments_are_files(self):
        for command, names in (("align", ("QUERY", "TEXT")), ("search", ("PATTERNS", "TEXT")),
                               ("distance", ("PATTERNS", "TEXTS")), ("recurrence", ("SERIES",))):
            for name in names:
                self.assertRegex(sluice("help", command).stdout, f"(?m)^  {name} FILE ")

    def test_the_version_says_how_it_was_built(self):
        text = sluice("-V").stdout
        self.assertEqual(text, sluice("--version").stdout)
        self.assertRegex(text, r"^sluice \d+\.\d+\.\d+\ngpu +\S.*\ncompiler +\S.*\n"
                               r"http +libcurl \d+\.\d+\.\d+ \(OpenSSL")


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The recipes of docker/recipes.md, as they stand there; nginx_test.py has the one for nginx. Only addresses, and where
programs are, differ from what is typed."""
import configparser
import http.server
import json
import os
import queue
import re
import shlex
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

from client_process import end_session, environment, output_of
from sluice_process import TIMEOUT_S, Sluiced, eventually, item, rss

RECIPES = Path(__file__).resolve().parents[2] / "docker" / "recipes.md"


def blocks(heading, language):
    """The blocks of code in this language below a heading."""
    section = RECIPES.read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.findall(rf"^```{language}\n(.*?)^```$", section, re.M | re.S)


def block(heading, language):
    found = blocks(heading, language)
    assert len(found) == 1, f"{len(found)} blocks of {language} below {heading}"
    return found[0]


def replaced(text, old, new):
    assert text.count(old) == 1, f"{old!r} is not once in: {text}"
    return text.replace(old, new)


class Site(http.server.ThreadingHTTPServer):
    """A site of somebody else's: serves `feed`, and puts what is posted to it into `posted`. Replies with the next of
    `statuses`, and with 200 when these are used up."""

    daemon_threads = True

    class Handler(http.server.BaseHTTPRequestHandler):
        def reply(self, body=b""):
            self.send_response(self.server.statuses.pop(0) if self.server.statuses else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self):
            self.reply(self.server.feed.encode())

        def do_POST(self):
            self.server.posted.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.reply()

        def log_message(self, *_):
            pass

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.feed, self.posted, self.statuses = "", queue.Queue(), []
        self.address = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __exit__(self, *failure):
        self.shutdown()
        super().__exit__(*failure)


class Recipes(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "sluice").symlink_to(os.environ["SLUICE"])
        self.daemon = self.enterContext(Sluiced())
        self.address = f"http://127.0.0.1:{self.daemon.port}"
        self.site = self.enterContext(Site())
        self.environment = environment(HOME=str(self.folder), SLUICE_SERVER=self.address, no_proxy="*",
                                       PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}")

    def save(self, name, text):
        path = self.folder / name
        path.write_text(text.replace("http://127.0.0.1:8080", self.address))
        path.chmod(0o755)
        return path

    def start(self, *command):
        process = subprocess.Popen(command, cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        self.addCleanup(end_session, process)
        return process

    def publish(self, *titles, category="politics"):
        document = rss(*(item(title, category, link=f"https://example.org/{n}") for n, title in enumerate(titles)))
        self.assertEqual(self.daemon.publish(document, stream="news")[0], 202)

    def make_subscription(self):
        command = re.fullmatch(r"\$ (.*)\n", block("A Slack webhook", "console"))[1]
        process = self.start("sh", "-c", command)
        output_of(process)
        self.assertEqual(process.returncode, 0)

    def state(self):
        return self.daemon.request("GET", "/v1/subscriptions/slack")[2]

    def posted(self):
        return self.site.posted.get(timeout=TIMEOUT_S)["text"]

    def test_a_feed_from_cron(self):
        self.save("bin/publish-feed", block("A feed every five minutes, from cron", "sh"))
        line = block("A feed every five minutes, from cron", "crontab")
        command = re.fullmatch(r"(?:\S+ +){5}(.*)\n", line)[1]
        command = replaced(command, "https://example.org", self.site.address)

        def run():
            process = self.start("sh", "-c", command)
            return *output_of(process), process.returncode

        with self.daemon.subscribe(stream="news") as subscriber:
            for titles in (("a", "b"), ("a", "b"), ("b", "c")):
                self.site.feed = rss(*map(item, titles))
                self.assertEqual(run(), ("", "", 0))
            self.assertEqual(subscriber.titles(3), ["a", "b", "c"])
        self.site.feed = "<html/>"
        out, err, status = run()
        self.assertEqual((out, status), ("", 1))
        self.assertIn('"status":422', err)
        self.site.statuses = [404]
        self.assertEqual(run()[2], 22)  # curl's

    def test_a_slack_webhook(self):
        self.make_subscription()
        self.save("to-slack", block("A Slack webhook", "python"))
        script = replaced(block("A Slack webhook", "sh"), "https://hooks.slack.com", self.site.address)
        self.site.statuses = [503]
        self.start("sh", "-c", script)
        self.publish("Bread &amp; wine")
        self.assertEqual([self.posted(), self.posted()], ["Bread &amp; wine\nhttps://example.org/0"] * 2)
        eventually(lambda: self.state()["counts"]["acknowledged"] == 1, "an acknowledgement")
        self.assertEqual(self.state()["counts"]["rejected"], 1)

    def test_a_consumer_that_systemd_starts_again(self):
        self.make_subscription()
        unit = configparser.ConfigParser(interpolation=None)
        unit.optionxform = str
        unit.read_string(block("A consumer that restarts", "ini"))
        service = unit["Service"]
        self.assertEqual(service["Environment"], "SLUICE_SERVER=http://127.0.0.1:8080")
        command = replaced(service["ExecStart"], "/usr/local/bin/sluice ", os.environ["SLUICE"] + " ")
        command = replaced(command, "/usr/local/bin/to-slack", str(self.save("to-slack", block("A Slack webhook", "python"))))
        self.environment["SLACK_WEBHOOK"] = self.site.address
        for title in ("a", "b"):  # is killed, and started again
            consumer = self.start(*shlex.split(command))
            self.publish(title)
            self.assertEqual(self.posted(), f"{title}\nhttps://example.org/0")
            eventually(lambda: self.state()["unacknowledged"] == 0, "acknowledged")
            end_session(consumer)
            eventually(lambda: self.state()["consumers"] == 0, "no consumer")

    def test_a_consumer_in_a_loop(self):
        self.make_subscription()
        self.start("sh", "-c", blocks("A consumer that restarts", "sh")[0])
        self.publish("a", "b")
        eventually(lambda: self.state()["counts"]["acknowledged"] == 2, "acknowledgements")
        lines = (self.folder / "slack.jsonl").read_text().splitlines()
        self.assertEqual([json.loads(line)["item"]["title"] for line in lines], ["a", "b"])

    def test_a_consumer_in_python(self):
        program = self.save("consumer.py", block("A consumer in Python", "python"))

        def read_until_killed(*titles):
            process = self.start(sys.executable, str(program))
            for title in titles:
                self.assertEqual(process.stdout.readline(), f"{title}\n")
            position = self.folder / "news.position"
            last_id = self.daemon.request("GET", "/v1/streams/news")[2]["last_id"]
            eventually(lambda: position.exists() and position.read_text().endswith(f"-{last_id}"), "a position")
            end_session(process)

        self.publish("before it begins")
        read_until_killed("before it begins")
        self.publish("a", "b")
        self.publish("of another category", category="fishing")
        self.publish("c")
        read_until_killed("a", "b", "c")
        self.publish("d")
        read_until_killed("d")


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The client and its broker: what comes between them, and what becomes of a lost connection."""
import gzip
import itertools
import json
import os
import shlex
import signal
import socket
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from client_process import Client, end_session, environment, output_of, sluice
from relay import Relay, self_signed
from sluice_process import TIMEOUT_S, Sluiced, eventually, item, report_crash, rss

EXAMPLES = Path(__file__).resolve().parents[2] / "docker" / "examples"
HARBOUR = str(EXAMPLES / "harbour.rss")


def url(port, scheme="http", path=""):
    return f"{scheme}://127.0.0.1:{port}{path}"


class Texts(unittest.TestCase):
    # Every printable character of ASCII, escapes of a query, characters beyond ASCII and white space.
    ANY = "".join(map(chr, range(33, 127))).replace("'", "") + " a+b%2B%zz&c=d;e#f \u00e9\u6f22\U0001f600\t\nz"

    def test_filters_arrive_as_they_were_typed(self):
        texts = ["C++", "'", self.ANY]
        with Sluiced() as daemon:
            for text, quote in zip(texts, "'\"'"):
                client = self.enterContext(Client("subscribe", "--server", url(daemon.port), "--count", "1", "--json",
                                                  f"contains(v, {quote}{text}{quote}) and price + 5 > 10"))
                daemon.wait_for_subscriptions()
                for price in (1, 6):
                    documents = [{"v": text, "price": price}, {"v": text.replace("+", " ", 1) + "x", "price": price}]
                    self.assertEqual(daemon.publish(json.dumps(documents), "application/json")[0], 202)
                self.assertEqual(json.loads(client.line())["data"], {"v": text, "price": 6})
                self.assertEqual(client.ended(), 0)
                eventually(lambda: daemon.status()["subscriptions"]["total"] == 0, "no subscription")

    def test_names_and_settings_of_streams_arrive_as_they_were_typed(self):
        with Sluiced() as daemon, tempfile.TemporaryDirectory() as folder:
            address = ("--server", url(daemon.port))
            path = Path(folder) / "one.json"
            path.write_text("{}")
            for command in (("subscribe", "true()"), ("publish", str(path))):
                for name in ("a+b", "a b", "a%2Bb", "a&stream=b", "a#b", "\u00e9"):
                    done = sluice(*command, *address, "--stream", name)
                    self.assertEqual((done.returncode, done.stdout), (2, ""))
                    self.assertIn(f'"{name}"', done.stderr)
            event_path = "//a[. = 'x+y & z%2B']"
            done = sluice("streams", "s", *address, "--set", f"event_path={event_path}", "--json")
            self.assertEqual((done.returncode, json.loads(done.stdout)["options"]["event_path"]), (0, event_path), done.stderr)


class Reconnecting(unittest.TestCase):
    def test_across_a_restart_of_the_broker(self):
        """The two brokers have ports of their own; the client knows only the relay's, which nobody else can get."""
        with Sluiced() as first, Relay(first.port) as relay:
            client = self.enterContext(Client("subscribe", "--server", url(relay.port), "true()"))
            first.wait_for_subscriptions()
            first.publish(rss(item("one")))
            self.assertEqual(client.line(), "one")
            relay.open.clear()
            self.assertEqual(first.stop(), 0)
            self.assertRegex(client.wait_for("connecting again"), "^sluice: the broker closed the connection")
            with Sluiced() as second:
                relay.target = second.port
                relay.open.set()
                client.wait_for(f"^sluice: connected to 127.0.0.1:{relay.port} again after [0-9.]+ s, "
                                "to continue after event .*1.$")
                second.wait_for_subscriptions()
                second.publish(rss(item("two")))
                self.assertEqual(client.line(), "two")

    def test_a_stream_that_is_not_there_yet(self):
        with Sluiced() as daemon:
            daemon.publish(rss(item("old")), stream="news")
            client = self.enterContext(Client("subscribe", "--server", url(daemon.port), "--timeout", str(TIMEOUT_S),
                                              "--stream", "newz", "--count", "1", "true()"))
            self.assertEqual([client.line("stderr"), client.line("stderr")],
                             [f"sluice: subscribed to stream newz at {url(daemon.port)}: true()",
                              "sluice: the broker has no stream newz yet; publishing to it creates it "
                              "(did you mean news?)"])
            daemon.publish(rss(item("one")), stream="newz")
            self.assertEqual((client.line(), client.ended(), client.line("stderr")), ("one", 0, None))

    def test_a_killed_broker_is_lost_too(self):
        daemon = Sluiced()
        self.addCleanup(daemon.process.stderr.close)
        self.addCleanup(daemon.kill)
        client = self.enterContext(Client("subscribe", "--server", url(daemon.port), "--no-reconnect", "true()"))
        daemon.wait_for_subscriptions()
        self.assertEqual(client.line("stderr"), f"sluice: subscribed to stream default at {url(daemon.port)}: true()")
        daemon.kill()
        self.assertRegex(client.line("stderr"), f"^sluice: lost the connection to 127.0.0.1:{daemon.port}: ")
        self.assertEqual(client.ended(), 2)

    def test_a_broker_that_hangs_is_noticed_by_its_heartbeats(self):
        with Sluiced("delivery.heartbeat=200ms") as daemon:
            client = self.enterContext(Client("subscribe", "--server", url(daemon.port), "--json", "true()"))
            daemon.wait_for_subscriptions()
            self.assertEqual(json.loads(client.line("stderr")),
                             {"level": "note", "detail": f"subscribed to stream default at {url(daemon.port)}: true()",
                              "server": url(daemon.port), "stream": "default", "filters": ["true()"]})
            daemon.process.send_signal(signal.SIGSTOP)
            try:
                said = json.loads(client.line("stderr"))
            finally:
                daemon.process.send_signal(signal.SIGCONT)
            self.assertEqual(said["level"], "warning")
            self.assertRegex(said["detail"], f"^no sign of 127.0.0.1:{daemon.port} for 1 s; connecting again")
            self.assertRegex(json.loads(client.line("stderr"))["detail"], "^connected to .* again after ")

    def test_output_that_is_read_late_is_no_sign_of_death(self):
        """The client waits for a sign for three heartbeats, which a busy machine must not use up."""
        with Sluiced("delivery.heartbeat=3s") as daemon:
            command = [os.environ["SLUICE"], "subscribe", "--server", url(daemon.port), "--json", "true()"]
            client = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                      env=environment())
            self.addCleanup(end_session, client)
            daemon.wait_for_subscriptions()
            daemon.publish(rss(item("x" * 200_000)))  # more than a pipe holds
            with daemon.subscribe(["false()"]) as clock:  # longer than the client waits for a sign
                for _ in range(4):
                    while clock.next().get("comment") != "heartbeat":
                        pass
            self.assertEqual(json.loads(client.stdout.readline())["id"], 1)
            daemon.publish(rss(item("last")))
            self.assertEqual(json.loads(client.stdout.readline())["id"], 2)
            client.send_signal(signal.SIGINT)
            out, err = output_of(client)
            self.assertEqual((out, [json.loads(line)["level"] for line in err.splitlines()]), ("", ["note"]))

    def test_the_events_that_were_missed_are_asked_for(self):
        """The client names the last event that it has got whole."""
        asked = []

        def serve(listener):
            for events in (b"retry: 0\nid: 5\ndata: {}\n\nid: 6\ndata: half", b"id: 6\ndata: {}\n\n"):
                connection, _ = listener.accept()
                connection.settimeout(TIMEOUT_S)
                with connection:
                    asked.append(connection.recv(65536).decode())
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + events)

        with socket.create_server(("127.0.0.1", 0)) as listener:
            listener.settimeout(TIMEOUT_S)
            server = threading.Thread(target=serve, args=(listener,), daemon=True)
            server.start()
            done = sluice("subscribe", "--server", url(listener.getsockname()[1]), "--count", "2", "true()")
            server.join(TIMEOUT_S)
        self.assertEqual((done.returncode, done.stdout), (0, "{}\n" * 2), done.stderr)
        self.assertNotIn("Last-Event-ID", asked[0])
        self.assertIn("\r\nLast-Event-ID: 5\r\n", asked[1])

    def test_a_replay_that_is_cut_off_goes_on(self):
        asked = []

        def serve(listener):
            head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
            for events, end in ((b"retry: 0\nid: k-5\ndata: {}\n\n: heartbeat\nid: k-8\n\n", b""),
                                (b"id: k-9\ndata: {}\n\n", b"0\r\n\r\n")):
                connection, _ = listener.accept()
                connection.settimeout(TIMEOUT_S)
                with connection:
                    asked.append(connection.recv(65536).decode())
                    connection.sendall(head + b"%x\r\n%s\r\n" % (len(events), events) + end)

        with socket.create_server(("127.0.0.1", 0)) as listener:
            listener.settimeout(TIMEOUT_S)
            server = threading.Thread(target=serve, args=(listener,), daemon=True)
            server.start()
            done = sluice("replay", "--server", url(listener.getsockname()[1]), "--since", "24h", "true()")
            server.join(TIMEOUT_S)
        self.assertEqual((done.returncode, done.stdout), (0, "{}\n" * 2), done.stderr)
        self.assertRegex(done.stderr, "^sluice: lost the connection .*\nsluice: connected .* after event k-8.\n$")
        self.assertTrue(asked[0].startswith("GET /v1/events?filter=true()&since=24h&until=now "), asked[0])
        self.assertNotIn("since", asked[1])
        self.assertIn("\r\nLast-Event-ID: k-8\r\n", asked[1])

    def test_refusals_are_final(self):
        with Sluiced() as daemon:
            for arguments, expected in ((["a["], "filter:1:3: expected"),
                                        (["--stream", "a b", "a"], "can't subscribe: ")):
                with self.subTest(arguments):
                    done = sluice("subscribe", "--server", url(daemon.port), *arguments)
                    self.assertEqual(done.returncode, 2)
                    self.assertIn("sluice: " + expected, done.stderr)

    def test_what_is_not_a_broker(self):
        with Sluiced() as daemon:
            below = url(daemon.port, path="/elsewhere")
            for command in (["subscribe", "a"], ["status"], ["streams"], ["publish", HARBOUR]):
                with self.subTest(command):
                    done = sluice(*command, "--server", below)
                    self.assertEqual((done.returncode, done.stdout), (2, ""))
                    self.assertRegex(done.stderr, "^sluice: .+")
        with socket.create_server(("127.0.0.1", 0)) as silent:
            # The time is for connecting, too, which is soon done: even a busy machine does not need five seconds.
            done = sluice("status", "--server", url(silent.getsockname()[1]), "--timeout", "5")
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, "^sluice: no reply from 127.0.0.1:[0-9]+ for 5 s\n$")


class Between(unittest.TestCase):
    """Proxies of every kind."""

    def setUp(self):
        self.daemon = self.enterContext(Sluiced())

    def try_all(self, server, *options, env=None):
        """Subscribes, publishes, and asks for the status through `server`."""
        client = self.enterContext(Client("subscribe", "--server", server, *options, "--count", "1", "true()", env=env))
        self.daemon.wait_for_subscriptions()
        done = sluice("publish", "--server", server, *options, HARBOUR, env=env)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("5 received: 5 new", done.stdout)
        self.assertEqual(client.line(), "Council votes to rebuild the north pier")
        self.assertEqual(client.ended(), 0)
        self.assertIn("version", sluice("status", "--server", server, *options, env=env).stdout)
        self.assertIn("default", sluice("streams", "--server", server, *options, env=env).stdout)

    def test_a_path_of_a_reverse_proxy(self):
        with Relay(self.daemon.port, path="/news/broker") as proxy:
            self.try_all(url(proxy.port, path="/news/broker/"))

    def test_https(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        certificate, key = self_signed(folder)
        with Relay(self.daemon.port, certificate=certificate, key=key) as proxy:
            server = url(proxy.port, "https")
            for command in (["status"], ["subscribe", "true()"]):
                done = sluice(*command, "--server", server)
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr,
                                 f"^sluice: can't trust 127.0.0.1:{proxy.port}: .*certificate.*--cacert FILE")
            self.assertRegex(sluice("status", "--server", server, "--cacert", folder + "/none").stderr,
                             "^sluice: can't read the certificates in .*/none: No such file or directory\n$")
            self.assertRegex(sluice("status", "--server", url(proxy.port)).stderr, "^sluice: .*127.0.0.1")
            self.assertRegex(sluice("status", "--server", url(self.daemon.port, "https")).stderr,
                             "^sluice: no secure connection to 127.0.0.1")
            self.try_all(server, "--cacert", certificate)
            done = sluice("status", "--server", server, env={"CURL_CA_BUNDLE": certificate})
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_no_proxy_leads_to_this_machine(self):
        nowhere = {"http_proxy": "http://127.0.0.1:1", "all_proxy": "http://127.0.0.1:1"}
        self.try_all(url(self.daemon.port), env=nowhere)
        for host in ("localhost", "0.0.0.0"):
            done = sluice("status", "--server", f"http://{host}:{self.daemon.port}", env=nowhere)
            self.assertNotIn("proxy", done.stderr)
            self.assertNotIn("can't connect", done.stderr)

    def test_a_proxy_leads_elsewhere(self):
        """The daemon understands what proxies are sent: targets with their host."""
        with Sluiced("http.hosts=[sluice.invalid]", "auth.anonymous=all") as daemon:  # it is not local
            done = sluice("status", "--server", "http://sluice.invalid", env={"http_proxy": url(daemon.port)})
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("running", done.stdout)


class Publishing(unittest.TestCase):
    def test_compressed_files(self):
        with Sluiced() as daemon, tempfile.TemporaryDirectory() as folder:
            feed = Path(folder) / "harbour.rss.gz"
            feed.write_bytes(gzip.compress(Path(HARBOUR).read_bytes()))
            done = sluice("publish", "--server", url(daemon.port), str(feed))
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (0, f"{feed}: 5 received: 5 new, 0 updated, 0 unchanged\n", ""))
            with feed.open("rb") as bytes_of_feed:
                done = sluice("publish", "--server", url(daemon.port), "-", stdin=bytes_of_feed)
            self.assertEqual(done.stdout, "standard input: 5 received: 0 new, 0 updated, 5 unchanged\n")
            self.assertEqual(sluice("match", "price < 100", str(feed)).stdout,
                             "For sale: ship's bell, slightly cracked\n")
            feed.write_bytes(feed.read_bytes()[:100])
            for command in (["publish", "--server", url(daemon.port), str(feed)], ["match", "true()", str(feed)]):
                done = sluice(*command)
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr, f"^sluice: .*{feed}: .*is not complete and valid gzip(, .*)?\n$")

    def test_json_of_every_command(self):
        with Sluiced() as daemon:
            server = ("--server", url(daemon.port))
            read, lamp = str(EXAMPLES / "read.fasta"), str(EXAMPLES / "lamp.fasta")
            for arguments in (["publish", *server, HARBOUR], ["match", "true()", HARBOUR], ["explain", "price < 3"],
                              ["align", read, lamp], ["search", str(EXAMPLES / "patterns.txt"), lamp],
                              ["distance", read, lamp],
                              ["recurrence", "--epsilon", "1", str(EXAMPLES / "waves.txt")],
                              ["status", *server], ["streams", *server],
                              ["streams", *server, "news", "--set", "deduplicate=false"],
                              ["subscriptions", "list", *server]):
                with self.subTest(arguments):
                    done = sluice(*arguments, "--json")
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    for line in done.stdout.splitlines():
                        json.loads(line)
            for arguments in (["publish", *server, "/none"], ["publish", *server, "--stream", "a b", HARBOUR],
                              ["match", "a[", HARBOUR], ["match", "a", "/none"], ["explain", "a["],
                              ["align", read, "/none"], ["search", read, "/none"], ["distance", read, "/none"],
                              ["recurrence", "--epsilon", "1", "/none"], ["recurrence", "--epsilon", "1", HARBOUR],
                              ["status", "--server", url(1)],
                              ["streams", *server, "none"],
                              ["subscriptions", "show", *server, "none"],
                              ["subscribe", *server, "--subscription", "none", "--ack"],
                              ["subscribe", *server, "a["],
                              ["subscribe", "--server", url(1), "a"]):
                with self.subTest(arguments):
                    done = sluice(*arguments, "--json")
                    self.assertEqual((done.returncode, done.stdout), (2, ""))
                    for line in done.stderr.splitlines():
                        error = json.loads(line)
                        self.assertEqual((error["level"], type(error["detail"])), ("error", str))


class Output(unittest.TestCase):
    def test_a_reader_that_leaves(self):
        with Sluiced() as daemon:
            command = (f"{shlex.quote(os.environ['SLUICE'])} subscribe --server {url(daemon.port)} 'true()' | head -n 1; "
                       "echo ${PIPESTATUS[0]}")
            shell = subprocess.Popen(["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                     env=environment(), start_new_session=True)
            self.addCleanup(end_session, shell)
            daemon.wait_for_subscriptions()
            daemon.publish(rss(item("one")))
            self.assertEqual(shell.stdout.readline(), "one\n")
            numbers = itertools.count()

            def has_noticed():
                daemon.publish(rss(item(f"more {next(numbers)}")))
                return shell.poll() is not None

            eventually(has_noticed, "the end of the client")
            out, err = output_of(shell)
            report_crash(int(out.strip() or 0), command)
            self.assertEqual(out, "2\n")
            self.assertRegex(err, "^sluice: subscribed to .*\n$")

    def test_output_that_was_closed_before_the_start(self):
        for arguments in (["match", "true()", HARBOUR], ["explain", "a"], ["--version"], ["help"]):
            with self.subTest(arguments):
                done = subprocess.run(["bash", "-c", 'exec "$@" >&-', "-", os.environ["SLUICE"], *arguments],
                                      stderr=subprocess.PIPE, text=True, timeout=TIMEOUT_S)
                report_crash(done.returncode, done.args)
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr, "^sluice: can't write to standard output")

    def test_a_filter_is_tried_on_what_was_published(self):
        with Sluiced("limits.condition_steps=1000") as daemon:
            for n in range(30):
                daemon.publish(rss(item(f"item {n}", "x" if n < 25 else "y")), stream="news")
            daemon.publish(rss(*(item(f"other {n}") for n in range(200))))
            since = ("match", "--server", url(daemon.port), "--since", "24h")
            done = sluice(*since, "--stream", "news", "category = 'x'")
            self.assertEqual((done.returncode, done.stderr),
                             (0, "sluice: the broker has no older events: it began later\n"))
            self.assertRegex(done.stdout, r"(?m)^\d{4}-\d\d-\d\dT\d\d:00:00Z +\d+ +\d+  #+$")
            self.assertRegex(done.stdout, r"(?m)^all +30 +25$")
            self.assertRegex(done.stdout, r"(?m)^ +25  \S+Z  item 24$")
            reply = json.loads(sluice(*since, "--stream", "*", "--json", "category = 'x'").stdout)
            self.assertEqual((reply["events"], reply["matched"], len(reply["examples"])), (230, 25, 20))
            self.assertEqual(sluice(*since, "--stream", "news", "category = 'z'").returncode, 1)
            done = sluice(*since, "count(//title[. = 'z']) > 1")
            self.assertEqual(done.returncode, 3)
            self.assertIn("200 events are undecided: the filter would exceed its budget\n", done.stderr)
            done = sluice(*since, "a[")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("sluice: filter:1:3: ", done.stderr)

    def test_status_without_a_gpu(self):
        with Sluiced("matcher.backend=cpu") as daemon:
            short = sluice("status", "--server", url(daemon.port)).stdout
            self.assertRegex(short, r"(?m)^engine\.devices +no GPU$")
            self.assertNotRegex(short, r"(?m) (0|false|null|\[\]|\{\})$")
            self.assertEqual(len({len(line) - len(line.split(maxsplit=1)[1]) for line in short.splitlines()}), 1, short)
            everything = sluice("status", "--server", url(daemon.port), "--all").stdout
            self.assertRegex(everything, r"(?m)^subscribers +0$")


if __name__ == "__main__":
    unittest.main()

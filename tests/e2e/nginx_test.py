#!/usr/bin/env python3
"""The configuration of nginx in docker/recipes.md, as typed: what is published and subscribed through it arrives as it does without
it, and the broker knows the clients."""
import http.client
import os
import re
import shutil
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path

from sluice_process import TIMEOUT_S, Sluiced, Subscriber, eventually, item, rss
from users_file import basic, hash_password, write_users

RECIPES = Path(__file__).resolve().parents[2] / "docker" / "recipes.md"
HOST = "news.example.org"
PASSWORD = "on the way through"
# Those of the machine stand for strangers.
LIMITS = ("limits.address_exempt=[]", "limits.address_connections=2", "log.level=debug")


def block(language):
    """The block of code in this language in the recipe."""
    section = RECIPES.read_text().split("## nginx in front")[1].split("\n## ")[0]
    found = re.findall(rf"^```{language}\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    assert len(found) == 1, f"{len(found)} blocks of {language}"
    return found[0]


def replaced(text, old, new):
    assert text.count(old) == 1, f"{old!r} is not once in: {text}"
    return text.replace(old, new)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Nginx:
    """A process that needs no rights and leaves nothing behind."""

    def __init__(self, folder, broker_port, adds_fields=True):
        self.port = free_port()
        site = replaced(block("nginx"), "127.0.0.1:8080", f"127.0.0.1:{broker_port}")
        site = replaced(site, "listen 80;", f"listen 127.0.0.1:{self.port};")
        if not adds_fields:  # and asks for the host that it connects to
            site = replaced(site, "proxy_pass http://sluice;", f"proxy_pass http://127.0.0.1:{broker_port};")
            site, removed = re.subn(r"proxy_set_header (Host|X-Forwarded-For|Forwarded) .*;", "", site)
            assert removed == 3, site
        paths = "".join(f"    {name}_temp_path {folder}/{name};\n"
                        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        (folder / "nginx.conf").write_text(
            ("user root;\n" if os.geteuid() == 0 else "") +  # else its workers could not enter the folder
            f"daemon off;\npid {folder}/pid;\nerror_log stderr;\nevents {{}}\n"
            f"http {{\n    access_log off;\n{paths}{site}}}\n")
        program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
        assert program, "nginx is not installed (docker/packages.txt)"
        self.process = subprocess.Popen([program, "-p", folder, "-c", folder / "nginx.conf", "-e", "stderr"])
        eventually(self.accepts, "nginx")

    def accepts(self):
        assert self.process.poll() is None, "nginx has ended"
        with socket.socket() as connection:
            return connection.connect_ex(("127.0.0.1", self.port)) == 0

    def stop(self):
        self.process.terminate()
        self.process.wait(TIMEOUT_S)


class Client:
    """A client of nginx with an address of its own. `user`: signs in as this one."""

    def __init__(self, nginx, address, user=None):
        self.port, self.address = nginx.port, address
        self.headers = {"Host": HOST, **(basic(user, PASSWORD) if user else {})}

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_S, source_address=(self.address, 0))

    def request(self, method, path, body=None, headers=None):
        connection = self.connect()
        try:
            connection.request(method, path, body, {**self.headers, **(headers or {})})
            reply = connection.getresponse()
            return reply.status, reply.read()
        finally:
            connection.close()

    def publish(self, document, headers=None):
        return self.request("POST", "/v1/events", document, {"Content-Type": "application/rss+xml", **(headers or {})})

    def subscribe(self, filters=()):
        return Subscriber(self, filters, {}, self.headers)


class BehindNginx(unittest.TestCase):
    def setUp(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        config = folder / "sluice.yaml"
        users = write_users(folder / "users.yaml", {
            "publisher": {"password": hash_password(PASSWORD), "publish": ["*"]},
            "reader": {"password": hash_password(PASSWORD), "publish": ["*"], "subscribe": ["*"]}})
        config.write_text(replaced(block("yaml"), "/etc/sluice/users.yaml", str(users)))
        self.broker = self.enterContext(Sluiced(*LIMITS, config=config))
        self.nginx = Nginx(folder, self.broker.port)
        self.addCleanup(self.nginx.stop)
        self.publisher = Client(self.nginx, "127.0.0.2", "publisher")
        self.reader = Client(self.nginx, "127.0.0.3", "reader")

    def logged(self, message):
        return [entry for entry in self.broker.log if entry["message"] == message]

    def test_an_event_arrives_while_the_stream_goes_on(self):
        with self.reader.subscribe(["category = 'a'"]) as subscriber:
            for title in ("one", "two"):
                self.assertEqual(self.publisher.publish(rss(item(title, "a"), item(title + "b", "b")))[0], 202)
                self.assertEqual(subscriber.titles(1), [title])

    def test_large_bodies_and_long_urls(self):
        with self.reader.subscribe(["title = 'large'", f"title = '{'x' * (60 << 10)}'"]) as subscriber:
            document = rss(item("large", description="y" * (10 << 20)))
            self.assertEqual(self.publisher.publish(document)[0], 202)
            self.assertEqual(subscriber.titles(1), ["large"])

    def test_limits_and_the_log_are_by_client(self):
        with self.reader.subscribe(), self.reader.subscribe():
            status, problem = self.reader.request("GET", "/v1/events")
            self.assertEqual(status, 429)
            self.assertIn(b"limits.address_connections", problem)
            # Nor does it help to write another address, in whatever field.
            for forged in ({"X-Forwarded-For": "192.0.2.1"}, {"Forwarded": "for=192.0.2.1"}):
                self.assertEqual(self.reader.request("GET", "/healthz", headers=forged)[0], 429)
            self.assertEqual(self.publisher.publish(rss(item("a")))[0], 202)
        self.assertEqual(self.broker.stop(), 0)
        requests = self.logged("request")
        self.assertEqual({request["peer"] for request in requests if request["status"] == 429}, {"127.0.0.3"})
        self.assertEqual([request["peer"] for request in requests if request["status"] == 202], ["127.0.0.2"])
        for request in requests:
            self.assertTrue(request["proxy"].startswith("127.0.0.1:"))
            self.assertFalse(request["local"])
        self.assertEqual([entry["peer"] for entry in self.logged("subscriber connected")], ["127.0.0.3"] * 2)

    def test_idempotency_keys_are_by_user(self):
        key = {"Idempotency-Key": "k"}
        self.assertEqual(self.publisher.publish(rss(item("a")), key)[0], 202)
        for address in ("127.0.0.2", "127.0.0.4"):
            self.assertEqual(Client(self.nginx, address, "publisher").publish(rss(item("b")), key)[0], 422)
        self.assertEqual(self.reader.publish(rss(item("b")), key)[0], 202)

    def test_what_is_forwarded_is_not_local(self):
        stranger = Client(self.nginx, "127.0.0.4")
        self.assertEqual(stranger.request("GET", "/healthz")[0], 200)
        for method, path in (("GET", "/v1/events"), ("GET", "/v1/status"), ("GET", "/v1/streams")):
            self.assertEqual(stranger.request(method, path)[0], 401)

    def test_what_nginx_forwards_without_any_field_is_not_local(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        nginx = Nginx(folder, self.broker.port, adds_fields=False)
        self.addCleanup(nginx.stop)
        stranger = Client(nginx, "127.0.0.4")
        self.assertEqual(stranger.request("GET", "/healthz")[0], 200)
        self.assertEqual(stranger.request("GET", "/v1/status")[0], 401)
        self.assertEqual(Client(nginx, "127.0.0.4", "reader").request("GET", "/v1/streams")[0], 200)

    def test_connections_to_the_broker_are_used_again(self):
        for n in range(20):
            self.assertEqual(self.publisher.publish(rss(item(str(n))))[0], 202)
        self.assertEqual(self.broker.stop(), 0)
        self.assertLess(len(self.logged("connection opened")), 20)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Every endpoint of the daemon's table, asked by everybody: without credentials, with wrong and expired ones, without
the right that it needs and with every other one, with it, with rights on another stream, and with a row filter. An
endpoint that has no request here fails the test."""
import http.client
import json
import os
import ssl
import subprocess
import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from certificates import Authority
from sluice_process import TIMEOUT_S, Sluiced, item, rss
from users_file import basic, bearer, hash_password, make_token, stored_token, write_users

HOST = "broker.example"
PROXY = "127.0.0.77"  # a trusted one
PASSWORD = "a lamp in the fog"
RSS = {"Content-Type": "application/rss+xml"}
EVERY = ["*"]
# All rights but one, or all of them, each on its own: none hangs on another.
GRANTS = {"publish": EVERY, "subscribe": EVERY, "manage": EVERY, "operate": True}
LACKING = {
    "publish": {**GRANTS, "publish": []},
    "subscribe": {**GRANTS, "subscribe": []},
    "subscriptions": {**GRANTS, "subscribe": [], "operate": False},  # to operate permits those of others
    "manage_stream": {**GRANTS, "manage": ["other"]},
    "see_stream": {"publish": ["other"], "subscribe": ["other"], "manage": ["other"]},
    "operate": {**GRANTS, "operate": False},
}


@dataclass(frozen=True)
class Ask:
    """A request for an endpoint. `before`: what the same user has to do first, as (method, target, body)."""
    target: str
    status: int  # of the reply to a user with every right
    body: Any = None
    headers: Any = None
    before: tuple = ()
    elsewhere: int = 403  # to a user with every right on another stream, who does not operate
    row: int = 403        # to a user who may subscribe to the stream, but only with a row filter


DOCUMENT = rss(item("one", "eu"), item("two", "us"))
TRIAL = json.dumps({"filter": "title", "document": DOCUMENT, "content_type": "application/rss+xml"})
SUBSCRIPTION = json.dumps({"streams": ["news"], "start": "first"})
DEFINED = ("PUT", "/v1/streams/gone", "{}")
MADE = ("PUT", "/v1/subscriptions/made", SUBSCRIPTION)

REQUESTS = {
    ("POST", "/v1/events"): Ask("/v1/events?stream=news&deduplicate=false", 202, DOCUMENT, RSS),
    ("POST", "/v1/publish"): Ask("/v1/publish?stream=news", 202, '{"title":"three"}\n',
                                 {"Content-Type": "application/x-ndjson"}),
    ("GET", "/v1/events"): Ask("/v1/events?stream=news", 200, row=200),
    ("GET", "/v1/events/*/why"): Ask("/v1/events/{news}/why?filter=title", 200, elsewhere=404, row=200),
    ("POST", "/v1/match"): Ask("/v1/match", 200, TRIAL, {"Content-Type": "application/json"}, elsewhere=200, row=200),
    ("GET", "/v1/streams"): Ask("/v1/streams", 200, elsewhere=200, row=200),
    ("GET", "/v1/streams/*"): Ask("/v1/streams/news", 200, row=200),
    ("PUT", "/v1/streams/*"): Ask("/v1/streams/gone", 200, "{}", before=(DEFINED,)),
    ("PATCH", "/v1/streams/*"): Ask("/v1/streams/gone", 200, "{}", before=(DEFINED,)),
    ("DELETE", "/v1/streams/*"): Ask("/v1/streams/gone", 204, before=(DEFINED,)),
    ("POST", "/v1/streams/*/purge"): Ask("/v1/streams/gone/purge", 200, before=(DEFINED,)),
    ("DELETE", "/v1/streams/*/events/*"): Ask("/v1/streams/erased/events/{erased}", 204),
    ("GET", "/v1/subscriptions"): Ask("/v1/subscriptions", 200, elsewhere=200, row=200),
    ("GET", "/v1/subscriptions/*"): Ask("/v1/subscriptions/made", 200, before=(MADE,), elsewhere=404, row=200),
    ("PUT", "/v1/subscriptions/*"): Ask("/v1/subscriptions/made", 200, SUBSCRIPTION, before=(MADE,), row=200),
    ("PATCH", "/v1/subscriptions/*"): Ask("/v1/subscriptions/made", 200, "{}", before=(MADE,), elsewhere=404, row=200),
    ("DELETE", "/v1/subscriptions/*"): Ask("/v1/subscriptions/made", 204, before=(MADE,), elsewhere=404, row=204),
    ("GET", "/v1/subscriptions/*/next"): Ask("/v1/subscriptions/made/next", 200, before=(MADE,), elsewhere=404, row=200),
    ("POST", "/v1/subscriptions/*/ack"): Ask("/v1/subscriptions/made/ack", 200, "{}", before=(MADE,), elsewhere=404,
                                             row=200),
    ("POST", "/v1/subscriptions/*/seek"): Ask("/v1/subscriptions/made/seek", 200, json.dumps({"to": "first"}),
                                              before=(MADE,), elsewhere=404, row=200),
    ("POST", "/v1/tickets"): Ask("/v1/tickets", 201, elsewhere=201, row=201),
    ("DELETE", "/v1/tickets/*"): Ask("/v1/tickets/{ticket}", 204, elsewhere=404, row=404),
    ("POST", "/v1/store/backup"): Ask("/v1/store/backup", 201, json.dumps({"path": "copy"})),
    ("GET", "/v1/status"): Ask("/v1/status", 200),
    ("GET", "/metrics"): Ask("/metrics", 200),
    ("GET", "/healthz"): Ask("/healthz", 200, elsewhere=200, row=200),
    ("GET", "/readyz"): Ask("/readyz", 200, elsewhere=200, row=200),
}


def endpoints():
    """The daemon's table: ((method, path), needs)."""
    text = subprocess.run([os.environ["ENDPOINTS_TABLE"]], capture_output=True, text=True, check=True).stdout
    lines = [json.loads(line) for line in text.splitlines()]
    return [((line["method"], line["path"]), line["needs"]) for line in lines]


class Broker(Sluiced):
    """Listens on loopback without TLS and with it."""

    def __init__(self, folder, authority, users, *options):
        certificate, key = authority.sign("localhost", ("DNS:localhost",))
        self.authority = authority
        super().__init__(
            "http.listeners=[{address: 127.0.0.1, port: 0}, {address: 127.0.0.1, port: 0, tls: true}]",
            f"tls.certificates=[{{certificate: {certificate}, key: {key}}}]", "tls.client_certificates=request",
            f"tls.client_ca={authority.certificate}", f"auth.users={users}", f"http.hosts=[{HOST}]",
            f"http.trusted_proxies=[{PROXY}]", "store.kind=rocksdb", f"store.path={folder / 'store'}", *options)
        self.tls_port = [entry["port"] for entry in self.log
                         if isinstance(entry, dict) and entry["message"] == "listening"][1]

    def ask(self, method, target, body=None, headers=(), tls=None, source="127.0.0.1"):
        """Status, headers and the body of a reply that ends; of an event stream its first line. `tls`: an ssl context."""
        if tls is None:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_S,
                                                    source_address=(source, 0))
        else:
            connection = http.client.HTTPSConnection("localhost", self.tls_port, timeout=TIMEOUT_S, context=tls,
                                                     source_address=(source, 0))
        try:
            connection.request(method, target, body, dict(headers))
            reply = connection.getresponse()
            is_stream = reply.headers.get("Content-Type") == "text/event-stream"
            content = reply.readline() if is_stream and method != "HEAD" else b"" if is_stream else reply.read()
            if reply.headers.get("Content-Type", "").endswith("json") and content:
                content = json.loads(content)
            return reply.status, reply.headers, content
        finally:
            connection.close()

    def context(self, certificate=None):
        made = ssl.create_default_context(cafile=self.authority.certificate)
        if certificate is not None:
            made.load_cert_chain(*certificate)
        return made


class RightsMatrix(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.authority = Authority(cls.folder)
        cls.table = endpoints()
        hashed = hash_password(PASSWORD)
        cls.token, cls.expired = make_token()[0], make_token()[0]
        users = {
            "full": {"password": hashed, "tokens": [stored_token(cls.token),
                                                    stored_token(cls.expired, "2020-02-01T00:00:00Z")], **GRANTS},
            "owner": {"password": hashed, **GRANTS},
            "idle": {"password": hashed},
            "elsewhere": {"password": hashed, **{right: ["other"] for right in ("publish", "subscribe", "manage")}},
            "row": {"password": hashed, "subscribe": [{"streams": ["news"], "filter": "//item[category = 'eu']"}]},
            "carol": {"certificate": True, **GRANTS},
            "plain": {"password": hashed, **GRANTS},  # a certificate may not stand for this one
        }
        users |= {f"lacks-{right}".replace("_", "-"): {"password": hashed, **rights}
                  for right, rights in LACKING.items()}
        # A user's name may be given with a wrong password only so often.
        users |= {f"guessed-{n}": {"password": hashed, **GRANTS} for n in range(len(cls.table))}
        cls.users = write_users(cls.folder / "users.yaml", users)
        cls.broker = cls.enterClassContext(Broker(cls.folder, cls.authority, cls.users, "auth.local=none"))
        cls.ids = {}
        for stream in ("news", "erased"):
            status, _, reply = cls.broker.ask("POST", f"/v1/events?stream={stream}", DOCUMENT,
                                              {**RSS, **basic("full", PASSWORD)})
            assert status == 202, reply
            cls.ids[stream] = str(reply["first_id"])

    def target(self, target):
        for name, value in self.ids.items():
            target = target.replace(f"{{{name}}}", value)
        if "{ticket}" in target:
            made = self.broker.ask("POST", "/v1/tickets", None, basic("owner", PASSWORD))
            self.assertEqual(made[0], 201, made)
            target = target.replace("{ticket}", made[2]["id"])
        return target

    def put(self, endpoint, headers, with_before=False, method=None, **more):
        """The reply to this endpoint's request."""
        ask = REQUESTS[endpoint]
        for method_before, target, body in ask.before if with_before else ():
            self.broker.ask(method_before, target, body, headers, **more)
        target = self.target(ask.target)
        return self.broker.ask(method or endpoint[0], target, None if method == "HEAD" else ask.body,
                               {**(ask.headers or {}), **headers}, **more)

    def refused(self, reply, status, what):
        got, headers, body = reply
        self.assertEqual(got, status, f"{what}: {body}")
        self.assertEqual("WWW-Authenticate" in headers, status == 401, what)
        if body:
            self.assertEqual(body["status"], status, what)
            self.assertTrue(body["detail"], what)

    def as_all(self, headers, status_of, with_before=False, **more):
        """Asks every endpoint, and HEAD where it may answer that. `status_of(endpoint, needs)`: the right status."""
        for n, (endpoint, needs) in enumerate(self.table):
            given = headers(n) if callable(headers) else headers
            address = {"source": f"127.0.3.{1 + n}"}  # each its own: wrong credentials slow down an address
            wanted = status_of(endpoint, needs)
            with self.subTest(endpoint=" ".join(endpoint), needs=needs):
                reply = self.put(endpoint, given, with_before, **{**address, **more})
                if wanted in (401, 403):
                    self.refused(reply, wanted, endpoint)
                else:
                    self.assertEqual(reply[0], wanted, reply[2])
                if endpoint[0] == "GET" and wanted in (401, 403):
                    self.refused(self.put(endpoint, given, False, "HEAD", **{**address, **more}), wanted, endpoint)

    def test_every_endpoint_has_a_request_here_and_no_other_has(self):
        self.assertEqual({endpoint for endpoint, _ in self.table}, set(REQUESTS))
        self.assertEqual(len(self.table), len(REQUESTS))
        # At least one endpoint for each kind of need: else a user below lacks nothing that is asked for.
        self.assertEqual({needs for _, needs in self.table}, {"nothing", "any_right", *LACKING})

    def test_no_credentials_over_loopback(self):
        self.as_all({}, lambda endpoint, needs: 200 if needs == "nothing" else 401)

    def test_no_credentials_over_tls(self):
        self.as_all({}, lambda endpoint, needs: 200 if needs == "nothing" else 401, tls=self.broker.context())

    def test_wrong_credentials_are_never_as_if_there_were_none(self):
        for headers in (lambda n: basic(f"guessed-{n}", PASSWORD + "x"), lambda n: bearer(make_token()[0])):
            self.as_all(headers, lambda endpoint, needs: 401)
        # A user who does not exist costs the whole check of a password, so not every endpoint is asked.
        for target in ("/v1/status", "/v1/streams", "/healthz"):
            self.refused(self.broker.ask("GET", target, None, basic("nobody", PASSWORD)), 401, target)

    def test_an_expired_token(self):
        self.as_all(bearer(self.expired), lambda endpoint, needs: 401)
        self.assertIn("expired", self.broker.ask("GET", "/v1/streams", None, bearer(self.expired))[2]["detail"])

    def test_no_right_at_all(self):
        self.as_all(basic("idle", PASSWORD), lambda endpoint, needs: 200 if needs == "nothing" else 403)

    def test_every_right_but_the_one_that_is_needed(self):
        for right in LACKING:
            headers = basic(f"lacks-{right}".replace("_", "-"), PASSWORD)
            for endpoint, needs in self.table:
                if needs == right:
                    with self.subTest(endpoint=" ".join(endpoint), needs=needs):
                        self.refused(self.put(endpoint, headers), 403, endpoint)

    def test_rights_on_another_stream(self):
        self.as_all(basic("elsewhere", PASSWORD), lambda endpoint, needs: REQUESTS[endpoint].elsewhere)

    def test_a_row_filter(self):
        self.as_all(basic("row", PASSWORD), lambda endpoint, needs: REQUESTS[endpoint].row, with_before=True)

    def full_rights(self, headers, **more):
        """Each in turn makes what is deleted, so that all get the same replies."""
        self.broker.ask("DELETE", "/v1/subscriptions/made", None, headers, **more)
        for endpoint, _ in self.table:
            with self.subTest(endpoint=" ".join(endpoint)):
                if endpoint == ("POST", "/v1/store/backup"):
                    folder = self.folder / "store.backups" / "copy"
                    if folder.exists():
                        folder.rename(folder.with_name(f"copy.{len(list(folder.parent.iterdir()))}"))
                if endpoint == ("DELETE", "/v1/streams/*/events/*"):
                    made = self.broker.ask("POST", "/v1/events?stream=erased&deduplicate=false", DOCUMENT,
                                           {**RSS, **headers}, **more)
                    self.ids["erased"] = str(made[2]["first_id"])
                reply = self.put(endpoint, headers, True, **more)
                self.assertEqual(reply[0], REQUESTS[endpoint].status, reply[2])

    def test_every_right_with_a_password(self):
        self.full_rights(basic("full", PASSWORD))

    def test_every_right_with_a_token_over_tls(self):
        self.full_rights(bearer(self.token), tls=self.broker.context())

    def test_every_right_with_a_certificate(self):
        self.full_rights({}, tls=self.broker.context(self.authority.sign("carol")))

    def test_certificates_that_stand_for_nobody(self):
        for name in ("plain", "stranger"):
            context = self.broker.context(self.authority.sign(name))
            self.as_all({}, lambda endpoint, needs: 401, tls=context)
        carol = self.broker.context(self.authority.sign("carol"))
        self.as_all(lambda n: bearer(make_token()[0]), lambda endpoint, needs: 401, tls=carol)
        # The request's own credentials count before the connection's.
        self.as_all(basic("idle", PASSWORD), lambda endpoint, needs: 200 if needs == "nothing" else 403, tls=carol)

    def test_the_certificate_of_a_proxy_is_not_that_of_its_clients(self):
        proxy = {"tls": self.broker.context(self.authority.sign("carol")), "source": PROXY}
        self.assertEqual(self.broker.ask("GET", "/v1/status", **proxy)[0], 401)  # it may not say that it forwards it
        forwarded = {"X-Forwarded-For": "192.0.2.1"}
        self.as_all(forwarded, lambda endpoint, needs: 200 if needs == "nothing" else 401, **proxy)
        self.as_all({**forwarded, **basic("idle", PASSWORD)},
                    lambda endpoint, needs: 200 if needs == "nothing" else 403, **proxy)


class ThisMachine(unittest.TestCase):
    """auth.local is for requests that this machine makes for itself."""

    def test_what_is_forwarded_or_for_another_host_is_not_local(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        authority = Authority(folder)
        users = write_users(folder / "users.yaml", {"carol": {"certificate": True, **GRANTS}})
        with Broker(folder, authority, users) as broker:  # local: all, anonymous: none
            table = [(endpoint, needs) for endpoint, needs in endpoints() if needs != "nothing"]
            strangers = ({"Host": HOST}, {"X-Forwarded-For": "127.0.0.1"}, {"Forwarded": "for=127.0.0.1"},
                         {"X-Forwarded-Host": "localhost"}, {"X-Forwarded-Proto": "https"})
            senders = [(headers, source) for headers in strangers for source in ("127.0.0.1", PROXY)]
            senders.append(({}, PROXY))  # a trusted proxy need not say that it forwards
            for endpoint, needs in table:
                target = REQUESTS[endpoint].target.replace("{news}", "1").replace("{erased}", "1")
                for headers, source in senders:
                    with self.subTest(endpoint=" ".join(endpoint), headers=headers, source=source):
                        self.assertEqual(broker.ask(endpoint[0], target, None, headers, source=source)[0], 401)
            self.assertEqual(broker.ask("GET", "/v1/status")[0], 200)
            self.assertEqual(broker.ask("GET", "/v1/status", None, {"Host": "localhost"})[0], 200)
            self.assertEqual(broker.ask("GET", "/v1/status", tls=broker.context())[0], 200)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Users of a real daemon: passwords, tokens, certificates, tickets, what a file that is read again changes, and what
wrong credentials cost."""
import base64
import concurrent.futures
import contextlib
import http.client
import json
import signal
import ssl
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import users_file  # noqa: E402
from certificates import Authority  # noqa: E402
from sluice_process import TIMEOUT_S, Sluiced, eventually, item, rss, run_to_end  # noqa: E402
from users_file import bearer, hash_password, make_token, stored_token, unpadded, write_users  # noqa: E402

# Of what is sent in these tests, nothing may be in the log.
SECRET = "correct horse"


def basic(name, password=SECRET):
    return users_file.basic(name, password)


class WithUsers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.hash = hash_password(SECRET)
        cls.token, _ = make_token()
        cls.expired, _ = make_token()

    def write(self, **users):
        """The users file. Replaced in one step: the daemon may look at it at any time."""
        path = self.folder / f"{self.id().rsplit('.', 1)[1]}.yaml"
        return write_users(path, users, {"desk": {"subscribe": ["desk"]}})

    def alice(self, **more):
        return {"password": self.hash, "publish": ["a"], "subscribe": ["a"], **more}

    def broker(self, path, *options):
        return Sluiced(f"auth.users={path}", "auth.local=none", *options)

    def reload(self, broker):
        broker.process.send_signal(signal.SIGHUP)
        return broker.wait_for_log("users file read again")

    def publish(self, broker, headers):
        return broker.request("POST", "/v1/events?stream=a", rss(item("t")),
                              {"Content-Type": "application/rss+xml", **headers})

    def assert_no_secrets(self, broker):
        broker.stop()
        log = json.dumps(broker.log)
        for secret in (SECRET, self.token, self.expired, "slk_", base64.b64encode(SECRET.encode()).decode()[:-4]):
            self.assertNotIn(secret, log)


class UsersTest(WithUsers):
    def test_a_password_gives_the_rights_of_its_user(self):
        path = self.write(alice=self.alice(), bob={"password": hash_password("x"), "roles": ["desk"]})
        with self.broker(path, "log.level=debug") as broker:
            self.assertEqual(self.publish(broker, basic("alice"))[0], 202)
            self.assertEqual(broker.request("GET", "/v1/events?stream=b", headers=basic("alice"))[0], 403)
            self.assertEqual(self.publish(broker, basic("bob", "x"))[0], 403)
            self.assertEqual(self.publish(broker, {})[0], 401)
            self.assertEqual(broker.request("GET", "/v1/status", headers=basic("alice"))[0], 403)
            self.assertEqual(broker.request("GET", "/healthz")[0], 200)
            self.assertEqual(broker.request("GET", "/healthz", headers=basic("alice", "wrong"))[0], 401)
            self.assert_no_secrets(broker)

    def test_a_user_who_does_not_exist_is_told_the_same_as_one_with_a_wrong_password(self):
        path = self.write(alice=self.alice(), carol={"subscribe": ["a"]})
        with self.broker(path) as broker:
            replies = [self.publish(broker, basic(name, "wrong")) for name in ("alice", "nobody", "carol", "", "a" * 500)]
            self.assertEqual([(status, body) for status, _, body in replies], [(401, replies[0][2])] * 5)
            self.assertIn("Basic", replies[0][1]["WWW-Authenticate"])
            self.assertEqual(self.publish(broker, basic("carol", ""))[0], 401)

    def test_tokens(self):
        tokens = [stored_token(self.token), stored_token(self.expired, "2020-01-01T00:00:01Z")]
        with self.broker(self.write(alice=self.alice(tokens=tokens)), "log.level=debug") as broker:
            self.assertEqual(self.publish(broker, bearer(self.token))[0], 202)
            self.assertEqual(self.publish(broker, {"Authorization": f"bearer  {self.token} "})[0], 202)
            status, _, body = self.publish(broker, bearer(self.expired))
            self.assertEqual(status, 401)
            self.assertIn("expired", body["detail"])
            for wrong in (self.token[:-1], self.token[:-1] + ("A" if self.token[-1] != "A" else "B"), "x",
                          self.token.upper(), "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9."):
                self.assertEqual(self.publish(broker, bearer(wrong))[0], 401)
            self.assert_no_secrets(broker)

    def test_what_is_not_well_formed_is_refused_and_never_taken_for_nothing(self):
        with self.broker(self.write(alice=self.alice()), "auth.anonymous=all", "auth.local=all") as broker:
            self.assertEqual(broker.request("GET", "/v1/status")[0], 200)
            for value in ("", "Basic", "Basic ", "Basic !!!", "Basic YWxpY2U=", "Digest x", "Bearer", "Bearer ",
                          "Negotiate YII", "alice:" + SECRET, "Basic " + unpadded(b"alice:a b") + " x"):
                with self.subTest(value):
                    status, headers, _ = broker.request("GET", "/v1/status", headers={"Authorization": value})
                    self.assertEqual(status, 401)
            connection = broker.connect()
            with contextlib.closing(connection):
                connection.putrequest("GET", "/v1/status")
                for _ in range(2):
                    connection.putheader("Authorization", basic("alice")["Authorization"])
                connection.endheaders()
                self.assertEqual(connection.getresponse().status, 400)

    def test_without_a_users_file_credentials_are_wrong(self):
        with Sluiced() as broker:
            self.assertEqual(broker.request("GET", "/v1/status")[0], 200)
            self.assertEqual(broker.request("GET", "/v1/status", headers=basic("alice"))[0], 401)
            self.assertEqual(broker.request("GET", "/v1/status", headers=bearer(self.token))[0], 401)

    def test_roles_of_those_without_credentials(self):
        path = self.write(alice=self.alice())
        with self.broker(path, "auth.local=desk") as broker:
            with broker.subscribe(stream="desk"):
                self.assertEqual(broker.request("GET", "/v1/events?stream=a")[0], 401)
        for options in (("auth.local=lab",), ("auth.anonymous=lab",)):
            status, _, error = run_to_end("--set", f"auth.users={path}", "--set", "http.port=0", "--set",
                                          "store.kind=memory", "--set", options[0])
            self.assertNotEqual(status, 0)
            self.assertIn('there is no role "lab"', error)
            self.assertIn(str(path), error)

    def test_a_configuration_is_checked_with_its_users_file(self):
        check = ("--check-config", "--set", f"auth.users={self.write(alice=self.alice(roles=['desk']))}")
        self.assertEqual(run_to_end(*check), (0, "configuration is valid\n", ""))
        status, _, error = run_to_end(*check, "--set", "auth.anonymous=dsk")
        self.assertEqual((status, error.count('there is no role "dsk"')), (2, 1), error)
        path = self.write(alice={"publish": ["a b"]})
        status, _, error = run_to_end("--check-config", "--set", f"auth.users={path}")
        self.assertEqual((status, error.startswith(f"{path}:")), (2, True), error)

    def test_a_users_file_that_is_not_valid_is_told_at_the_start(self):
        path = self.folder / "bad.yaml"
        path.write_text("users:\n  alice: {password: hunter2}\n  bob: {subscribe: [{streams: [a], filter: \"../x = 1\"}]}\n")
        status, _, error = run_to_end("--set", f"auth.users={path}", "--set", "http.port=0", "--set",
                                      "store.kind=memory")
        self.assertNotEqual(status, 0)
        self.assertIn(f"{path}:2:21: users.alice.password: not the hash of a password", error)
        self.assertIn(f"{path}:3:44: users.bob.subscribe[0].filter: a row filter must not look outside the item", error)
        self.assertNotIn("hunter2", error)

    def test_others_may_not_read_the_file(self):
        path = self.write(alice=self.alice())
        path.chmod(0o644)
        with Sluiced(f"auth.users={path}") as broker:
            broker.stop()
            self.assertTrue([line for line in broker.log if "can be read by others" in str(line)])

    def test_a_file_that_is_read_again_ends_the_streams_of_those_it_changes(self):
        path = self.write(alice=self.alice(), bob=self.alice(), carol=self.alice())
        with self.broker(path) as broker:
            streams = {name: broker.subscribe(headers=basic(name), stream="a") for name in ("alice", "bob", "carol")}
            with contextlib.ExitStack() as stack:
                for stream in streams.values():
                    stack.enter_context(stream)
                self.write(alice=self.alice(subscribe=["a", "b"]), carol=self.alice(certificate=True))
                entry = self.reload(broker)
                self.assertEqual((entry["users"], entry["changed"]), (2, 2))
                for name in ("alice", "bob"):
                    end = streams[name].next_event()
                    self.assertEqual((end["event"], json.loads(end["data"])["type"]),
                                     ("error", "urn:sluice:problem:revoked"))
                    self.assertIsNone(streams[name].next())
                self.assertEqual(self.publish(broker, basic("carol"))[0], 202)
                self.assertEqual(streams["carol"].titles(1), ["t"])
                self.assertEqual(self.publish(broker, basic("bob"))[0], 401)
                with broker.subscribe(headers=basic("alice"), stream="b"):
                    pass

    def test_a_consumer_of_a_durable_subscription_ends_when_the_rights_change(self):
        path = self.write(alice=self.alice())
        with self.broker(path) as broker:
            made = json.dumps({"filters": ["title"], "streams": ["a"]})
            self.assertEqual(broker.request("PUT", "/v1/subscriptions/work", made, basic("alice"))[0], 201)
            with broker.subscribe(headers=basic("alice"), subscription="work") as stream:
                self.write(alice=self.alice(subscribe=["a", "b"]))
                self.reload(broker)
                self.assertEqual(json.loads(stream.next_event()["data"])["type"], "urn:sluice:problem:revoked")
                self.assertIsNone(stream.next())
            self.assertEqual(self.publish(broker, basic("alice"))[0], 202)
            with broker.subscribe(headers=basic("alice"), subscription="work", takeover="true") as stream:
                self.assertEqual(stream.titles(1), ["t"])

    def test_a_new_password_forgets_the_old_one(self):
        path = self.write(alice=self.alice())
        with self.broker(path) as broker:
            self.assertEqual(self.publish(broker, basic("alice"))[0], 202)
            self.write(alice=self.alice(password=hash_password("new")))
            self.reload(broker)
            self.assertEqual(self.publish(broker, basic("alice"))[0], 401)
            self.assertEqual(self.publish(broker, basic("alice", "new"))[0], 202)

    def test_a_file_that_is_not_valid_changes_nothing_when_it_is_read_again(self):
        path = self.write(alice=self.alice())
        with self.broker(path) as broker, broker.subscribe(headers=basic("alice"), stream="a") as stream:
            self.write(alice={"pasword": "x"})
            entry = broker.wait_for_log("the users file could not be read again, what was read before stays in use")
            self.assertIn("did you mean \"password\"", entry["reason"])
            self.assertEqual(self.publish(broker, basic("alice"))[0], 202)
            self.assertEqual(stream.titles(1), ["t"])
            self.write(alice=self.alice(operate=True))
            broker.wait_for_log("users file read again")  # it notices by itself
            self.assertEqual(broker.request("GET", "/v1/status", headers=basic("alice"))[0], 200)

    def test_the_role_of_those_without_credentials_changes_with_the_file(self):
        path = self.write(alice=self.alice())
        with self.broker(path, "auth.local=desk") as broker, broker.subscribe(stream="desk") as stream:
            write_users(path, {"alice": self.alice()}, {"desk": {"subscribe": ["a"]}})
            self.reload(broker)
            self.assertEqual(json.loads(stream.next_event()["data"])["type"], "urn:sluice:problem:revoked")
            self.assertEqual(broker.request("GET", "/v1/events?stream=desk")[0], 401)
            with broker.subscribe(stream="a"):
                pass

    def ticket(self, broker, headers):
        status, reply_headers, ticket = broker.request("POST", "/v1/tickets", headers=headers)
        self.assertEqual(status, 201)
        self.assertEqual(reply_headers["Cache-Control"], "no-store")
        self.assertEqual((ticket["expires_in"], ticket["url_parameter"]), (60, "ticket"))
        return ticket

    def test_a_ticket_opens_one_stream_of_one_url(self):
        with self.broker(self.write(alice=self.alice(), bob=self.alice()), "log.level=debug") as broker:
            ticket = self.ticket(broker, basic("alice"))
            text = ticket["ticket"]
            for method, path in (("POST", "/v1/events?stream=a"), ("GET", "/v1/streams"), ("HEAD", "/v1/events?stream=a")):
                connection = broker.connect()
                with self.subTest(method=method, path=path), contextlib.closing(connection):
                    connection.request(method, f"{path}{'&' if '?' in path else '?'}ticket={text}", "")
                    self.assertEqual(connection.getresponse().status, 401)
            with broker.subscribe(stream="a", ticket=text) as first:
                self.assertEqual(self.publish(broker, basic("bob"))[0], 202)
                self.assertEqual(first.titles(1), ["t"])
                self.assertEqual(broker.request("GET", f"/v1/events?stream=a&format=xml&ticket={text}")[0], 401)
                self.assertEqual(broker.request("GET", f"/v1/events?stream=a&ticket={text}x")[0], 401)
                with broker.subscribe(stream="a", ticket=text) as second:
                    self.assertIsNone(first.next_event())  # the newer one has ended it
                    url = f"/v1/tickets/{ticket['id']}"
                    self.assertEqual(broker.request("DELETE", url, headers=basic("bob"))[0], 404)
                    self.assertEqual(broker.request("DELETE", url)[0], 401)
                    self.assertEqual(broker.request("DELETE", url, headers=basic("alice"))[0], 204)
                    self.assertIsNone(second.next_event())
                    self.assertEqual(broker.request("DELETE", url, headers=basic("alice"))[0], 404)
            self.assertEqual(broker.request("GET", f"/v1/events?stream=a&ticket={text}")[0], 401)
            self.assert_no_secrets(broker)

    def test_a_ticket_has_the_rights_of_its_user_and_ends_with_them(self):
        path = self.write(alice=self.alice())
        with self.broker(path) as broker:
            ticket = self.ticket(broker, basic("alice"))["ticket"]
            self.assertEqual(broker.request("GET", f"/v1/events?stream=b&ticket={ticket}")[0], 403)
            ticket = self.ticket(broker, basic("alice"))["ticket"]
            with broker.subscribe(stream="a", ticket=ticket) as stream:
                self.write(alice=self.alice(publish=[]))
                self.reload(broker)
                self.assertEqual(json.loads(stream.next_event()["data"])["type"], "urn:sluice:problem:revoked")
            self.assertEqual(broker.request("GET", f"/v1/events?stream=a&ticket={ticket}")[0], 401)
            self.assertEqual(broker.request("POST", "/v1/tickets")[0], 401)

    def test_a_user_has_a_hundred_tickets(self):
        with self.broker(self.write(alice=self.alice())) as broker:
            replies = []

            def is_refused():
                replies.append(broker.request("POST", "/v1/tickets", headers=basic("alice")))
                return replies[-1][0] == 429

            eventually(is_refused, "too many tickets")
            self.assertGreaterEqual(len(replies), 101)  # more if the machine is so slow that tickets expire meanwhile
            self.assertEqual({status for status, _, _ in replies[:-1]}, {201})
            self.assertIn("Retry-After", replies[-1][1])

    def test_wrong_credentials_are_slowed_and_remembered_ones_are_not(self):
        path = self.write(alice=self.alice(operate=True), bob={"password": hash_password("x"), "publish": ["a"]})
        with self.broker(path) as broker:
            self.assertEqual(self.publish(broker, basic("alice"))[0], 202)
            statuses = []

            def slowed():
                status, headers, _ = self.publish(broker, bearer("x"))
                statuses.append(status)
                return headers if status == 429 else None

            self.assertGreaterEqual(int(eventually(slowed, "429")["Retry-After"]), 1)
            self.assertGreaterEqual(statuses.count(401), 10)
            self.assertEqual(statuses.count(401) + statuses.count(429), len(statuses))
            self.assertEqual(self.publish(broker, basic("alice"))[0], 202)
            counts = broker.request("GET", "/v1/status", headers=basic("alice"))[2]["counters"]["authentications"]
            self.assertEqual(counts["checked"], 1)
            self.assertEqual(counts["wrong"], statuses.count(401))
            self.assertEqual(counts["slowed"], statuses.count(429))
            eventually(lambda: self.publish(broker, basic("bob", "x"))[0] == 202, "a try that is looked at")

    def test_the_same_password_at_once_is_checked_once(self):
        path = self.write(alice=self.alice(password=hash_password(SECRET, 14), operate=True))
        with self.broker(path) as broker, concurrent.futures.ThreadPoolExecutor(40) as pool:
            statuses = list(pool.map(lambda _: self.publish(broker, basic("alice"))[0], range(40)))
            self.assertEqual(statuses, [202] * 40)

    def test_checks_are_bounded_and_others_are_served_meanwhile(self):
        path = self.write(alice=self.alice(password=hash_password(SECRET, 14)), root=self.alice(operate=True))
        with self.broker(path) as broker, concurrent.futures.ThreadPoolExecutor(40) as pool:
            self.assertEqual(self.publish(broker, basic("root"))[0], 202)
            guesses = [pool.submit(self.publish, broker, basic(f"user{n}", "wrong")) for n in range(200)]
            self.assertEqual(self.publish(broker, basic("root"))[0], 202)
            self.assertEqual(broker.request("GET", "/healthz")[0], 200)
            self.assertLessEqual({guess.result()[0] for guess in guesses}, {401, 429, 503})


class Certificates(WithUsers):
    """A client certificate names a user."""

    def setUp(self):
        self.authority = Authority(self.enterContext(tempfile.TemporaryDirectory()))
        self.local = self.authority.sign("localhost", ("DNS:localhost", "IP:127.0.0.1"))

    def context(self, certificate=None):
        context = ssl.create_default_context(cafile=self.authority.certificate)
        if certificate:
            context.load_cert_chain(*certificate)
        return context

    def ask(self, broker, context, method="GET", path="/v1/status", headers=None):
        connection = http.client.HTTPSConnection("localhost", broker.port, timeout=TIMEOUT_S, context=context)
        with contextlib.closing(connection):
            connection.request(method, path, None, headers or {})
            reply = connection.getresponse()
            return reply.status, json.loads(reply.read() or "null")

    def tls_broker(self, *options):
        certificate, key = self.local
        return Sluiced("http.listeners=[{address: 127.0.0.1, port: 0, tls: true}]",
                       f"tls.certificates=[{{certificate: {certificate}, key: {key}}}]",
                       "tls.client_certificates=request", f"tls.client_ca={self.authority.certificate}",
                       "auth.local=none", *options)

    def test_a_certificate_names_a_user_who_may_use_one(self):
        path = self.write(ops={"operate": True, "certificate": True}, other={"operate": True, "password": self.hash})
        with self.tls_broker(f"auth.users={path}") as broker:
            certificates = {name: self.authority.sign(name) for name in ("ops", "other", "stranger")}
            self.assertEqual(self.ask(broker, self.context(certificates["ops"]))[0], 200)
            for name in ("other", "stranger"):
                status, body = self.ask(broker, self.context(certificates[name]))
                self.assertEqual(status, 401)
                self.assertIn(f'the client certificate names "{name}"', body["detail"])
            self.assertEqual(self.ask(broker, self.context())[0], 401)
            # Other credentials come first, and wrong ones are not saved by a certificate.
            context = self.context(certificates["ops"])
            self.assertEqual(self.ask(broker, context, headers=basic("other", "wrong"))[0], 401)
            self.assertEqual(self.ask(broker, self.context(certificates["stranger"]), headers=basic("other"))[0], 200)

    def test_requests_of_one_connection_each_have_their_own_user(self):
        path = self.write(ops={"operate": True, "certificate": True}, alice=self.alice())
        with self.tls_broker(f"auth.users={path}") as broker:
            connection = http.client.HTTPSConnection("localhost", broker.port, timeout=TIMEOUT_S,
                                                     context=self.context(self.authority.sign("ops")))
            with contextlib.closing(connection):
                for headers, expected in (({}, 200), (basic("alice"), 403), ({}, 200), (basic("alice", "no"), 401),
                                          ({}, 200)):
                    connection.request("GET", "/v1/status", headers=headers)
                    reply = connection.getresponse()
                    reply.read()
                    self.assertEqual(reply.status, expected)

    def test_a_proxys_certificate_is_not_its_clients(self):
        path = self.write(proxy={"operate": True, "certificate": True}, alice=self.alice(operate=True))
        with self.tls_broker(f"auth.users={path}", "http.trusted_proxies=[127.0.0.1]") as broker:
            context = self.context(self.authority.sign("proxy"))
            for headers in ({"X-Forwarded-For": "192.0.2.1"}, {"X-Forwarded-For": "127.0.0.1"}, {"Via": "1.1 proxy"},
                            {"Forwarded": "for=192.0.2.1"}, {}):
                with self.subTest(headers):
                    self.assertEqual(self.ask(broker, context, headers=headers)[0], 401)
                    self.assertEqual(self.ask(broker, context, headers={**headers, **basic("alice")})[0], 200)

    def test_without_a_users_file_the_name_is_for_the_log_alone(self):
        with self.tls_broker("auth.anonymous=none", "log.level=debug") as broker:
            self.assertEqual(self.ask(broker, self.context(self.authority.sign("alice")))[0], 401)
            self.assertEqual(broker.wait_for_log("request")["user"], "alice")


if __name__ == "__main__":
    unittest.main()

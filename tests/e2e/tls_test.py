#!/usr/bin/env python3
"""TLS: protocols, certificates, and what goes wrong. Clients are Python's ssl module and the openssl command."""
import http.client
import os
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from certificates import Authority  # noqa: E402
from sluice_process import TIMEOUT_S, Sluiced, eventually, item, rss, run_to_end  # noqa: E402

LOCAL_NAMES = ("DNS:localhost", "IP:127.0.0.1")
GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


class TlsSluiced(Sluiced):
    """`certificates`: pairs of files; `trusted`: the authority that clients trust."""

    def __init__(self, trusted, certificates, *options, **more):
        listed = ", ".join(f"{{certificate: {certificate}, key: {key}}}" for certificate, key in certificates)
        self.context = ssl.create_default_context(cafile=trusted.certificate)
        super().__init__("http.listeners=[{address: 127.0.0.1, port: 0, tls: true}]", f"tls.certificates=[{listed}]",
                         *options, **more)  # of two options of one name the later one counts

    def connect(self):
        return http.client.HTTPSConnection("localhost", self.port, timeout=TIMEOUT_S, context=self.context)

    def socket(self, name="localhost", context=None, session=None):
        """A connection after its handshake."""
        raw = socket.create_connection(("127.0.0.1", self.port), timeout=TIMEOUT_S)
        try:
            return (context or self.context).wrap_socket(raw, server_hostname=name, session=session)
        except BaseException:
            raw.close()
            raise

    def is_served(self, context):
        """Whether a request is answered. In TLS 1.3 a client learns only later that its certificate is refused."""
        try:
            with self.socket(context=context) as connection:
                connection.sendall(GET)
                return connection.recv(100).startswith(b"HTTP/1.1 200 ")
        except (ssl.SSLError, ConnectionError):
            return False


class Tls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.authority = Authority(cls.folder)
        cls.local = cls.authority.sign("localhost", LOCAL_NAMES)

    def broker(self, *options, certificates=None, **more):
        return TlsSluiced(self.authority, certificates or [self.local], *options, **more)

    def s_client(self, broker, *arguments, text=""):
        """Standard output and error of `openssl s_client`, and its exit status."""
        done = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{broker.port}", *arguments],
                              input=text, capture_output=True, text=True, timeout=TIMEOUT_S)
        return done.stdout + done.stderr, done.returncode

    def test_what_is_published_is_delivered_whatever_its_size(self):
        filters = [f"//item[title = 't{n}']" for n in range(2_000)]  # a long URL
        with self.broker() as broker, broker.subscribe(filters) as subscriber:
            for n, length in enumerate((0, 1, 16_383, 16_384, 16_385, 100_000, 3_000_000)):
                text = "x" * length
                self.assertEqual(broker.publish(rss(item(f"t{n}", author=text)))[0], 202)
                delivered = subscriber.next_json()["item"]
                self.assertEqual((delivered["title"], delivered.get("author", [""])), (f"t{n}", [text]))

    def test_a_subscriber_that_reads_late_misses_nothing(self):
        with self.broker("delivery.queue_bytes=256MiB") as broker, broker.subscribe() as subscriber:
            for n in range(40):
                self.assertEqual(broker.publish(rss(item(str(n), description="x" * 500_000)))[0], 202)
            self.assertEqual(subscriber.titles(40), [str(n) for n in range(40)])

    def test_many_requests_on_one_connection_some_pipelined(self):
        with self.broker() as broker, broker.socket() as connection:
            connection.sendall(GET * 100)
            received = b""
            while received.count(b"HTTP/1.1 200 ") < 100:
                received += connection.recv(65_536)

    def test_a_reply_reaches_a_client_that_has_ended_its_side(self):
        with self.broker() as broker, broker.socket() as connection:
            connection.sendall(GET)
            socket.socket.shutdown(connection, socket.SHUT_WR)  # of TCP, without TLS's own end
            self.assertTrue(connection.recv(100).startswith(b"HTTP/1.1 200 "))

    def test_old_protocols_and_weak_ciphers_are_refused(self):
        with self.broker() as broker:
            for arguments in (("-tls1", "-cipher", "ALL:@SECLEVEL=0"), ("-tls1_1", "-cipher", "ALL:@SECLEVEL=0"),
                              ("-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA256"),
                              ("-tls1_2", "-cipher", "ECDHE-ECDSA-AES256-SHA"),
                              ("-tls1_2", "-cipher", "AES128-GCM-SHA256:DHE-RSA-AES128-GCM-SHA256"),
                              ("-tls1_2", "-cipher", "ALL:@SECLEVEL=0:-kECDHE:-kDHE")):
                output, status = self.s_client(broker, *arguments)
                self.assertNotEqual(status, 0, arguments)
                self.assertRegex(output, "Cipher is \\(NONE\\)|no cipher match|handshake failure|protocol version")
            for arguments, named in ((("-tls1_2",), "TLSv1.2"), (("-tls1_3",), "TLSv1.3")):
                output, status = self.s_client(broker, *arguments)
                self.assertEqual(status, 0)
                self.assertIn(f"New, {named}", output)
            self.assertTrue(broker.is_served(broker.context))

    def test_sessions_are_resumed(self):
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            with self.subTest(version), self.broker() as broker:
                broker.context.minimum_version = broker.context.maximum_version = version
                session = None
                for resumed in (False, True, True):
                    with broker.socket(session=session) as connection:
                        self.assertEqual(connection.session_reused, resumed)
                        connection.sendall(GET)
                        self.assertTrue(connection.recv(100))  # in TLS 1.3 the ticket comes after the handshake
                        session = connection.session

    def test_the_certificate_is_the_one_for_the_name(self):
        others = [self.authority.sign("a", ("DNS:a.example",)), self.authority.sign("b", ("DNS:*.b.example",))]
        with self.broker(certificates=[self.local, *others]) as broker:
            context = ssl.create_default_context(cafile=self.authority.certificate)
            context.check_hostname = False
            for asked, shown in (("localhost", "localhost"), ("a.example", "a"), ("A.Example", "a"), ("x.b.example", "b"),
                                 ("b.example", "localhost"), ("x.y.b.example", "localhost"), ("unknown", "localhost"),
                                 (None, "localhost")):
                with broker.socket(asked, context) as connection:
                    subject = dict(pair[0] for pair in connection.getpeercert()["subject"])
                    self.assertEqual(subject["commonName"], shown, asked)

    def test_http_1_1_is_the_protocol_that_is_agreed_on(self):
        with self.broker() as broker:
            broker.context.set_alpn_protocols(["h2", "http/1.1"])
            with broker.socket() as connection:
                self.assertEqual(connection.selected_alpn_protocol(), "http/1.1")
            broker.context.set_alpn_protocols(["h2"])
            with self.assertRaisesRegex(ssl.SSLError, "(?i)no.application.protocol"):
                broker.socket()

    def test_an_expired_certificate_is_replaced_without_a_dropped_connection(self):
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        used = folder / "c.pem", folder / "c.key"

        def put(pair):
            for source, target in zip(pair, used):
                shutil.copy(source, folder / "new")
                os.replace(folder / "new", target)

        put(self.authority.sign("localhost", LOCAL_NAMES, until="20200102000000Z"))
        unchecked = ssl._create_unverified_context()
        with self.broker(certificates=[used]) as broker:
            self.assertFalse(broker.is_served(broker.context))
            checked, broker.context = broker.context, unchecked
            subscriber = broker.subscribe()
            published, over = [], threading.Event()

            def publish():
                connection = broker.connect()
                while not over.is_set() or len(published) < 50:
                    connection.request("POST", "/v1/events", rss(item(str(len(published)))),
                                       {"Content-Type": "application/rss+xml"})
                    reply = connection.getresponse()
                    reply.read()
                    published.append(reply.status)
                connection.close()

            publisher = threading.Thread(target=publish)
            publisher.start()
            try:
                eventually(lambda: len(published) > 20, "publications")
                put(self.local)
                eventually(lambda: broker.is_served(checked), "the new certificate")
            finally:
                over.set()
                publisher.join()
            self.assertEqual(set(published), {202})
            self.assertEqual(subscriber.titles(len(published)), [str(n) for n in range(len(published))])
            subscriber.close()
            # What can't be read leaves what was read before, whether it is looked at or asked for.
            used[1].write_text("no key")
            broker.wait_for_log("certificates could not be read again, those read before stay in use")
            self.assertIn(str(used[1]), broker.log[-1]["reason"])
            broker.process.send_signal(1)  # SIGHUP
            broker.wait_for_log("certificates could not be read again, those read before stay in use")
            self.assertTrue(broker.is_served(checked))
            put(self.local)
            broker.wait_for_log("certificates read again")
            self.assertTrue(broker.is_served(checked))

    def client(self, pair=None):
        context = ssl.create_default_context(cafile=self.authority.certificate)
        if pair is not None:
            context.load_cert_chain(*pair)
        return context

    def test_clients_certificates(self):
        good = self.client(self.authority.sign("alice"))
        other = Authority(self.folder, f"other-{id(self)}")
        foreign = self.client(other.sign("alice"))
        expired = self.client(self.authority.sign("alice", until="20200102000000Z"))
        for kind, anonymous in (("require", False), ("request", True)):
            with self.subTest(kind), self.broker(f"tls.client_certificates={kind}",
                                                 f"tls.client_ca={self.authority.certificate}",
                                                 "log.level=debug") as broker:
                self.assertTrue(broker.is_served(good))
                self.assertEqual(broker.wait_for_log("request")["user"], "alice")
                self.assertFalse(broker.is_served(foreign))
                self.assertEqual(broker.wait_for_log("TLS handshake failed")["reason"], "certificate verify failed")
                self.assertFalse(broker.is_served(expired))
                self.assertEqual(broker.is_served(self.client()), anonymous)
                with broker.socket(context=good) as connection:  # a resumed session has the user, too
                    connection.sendall(GET)
                    connection.recv(100)
                    session = connection.session
                with broker.socket(context=good, session=session) as connection:
                    self.assertTrue(connection.session_reused)
                    connection.sendall(GET)
                    connection.recv(100)
                self.assertEqual([broker.wait_for_log("request").get("user") for _ in range(2 + anonymous)],
                                 [None] * anonymous + ["alice"] * 2)

    def test_plain_http_is_answered_with_the_reason(self):
        with self.broker() as broker:
            with socket.create_connection(("127.0.0.1", broker.port), timeout=TIMEOUT_S) as connection:
                connection.sendall(GET)
                reply = b""
                while piece := connection.recv(1_000):
                    reply += piece
            self.assertTrue(reply.startswith(b"HTTP/1.1 400 "))
            self.assertTrue(reply.endswith(b"this port speaks TLS; use https://\n"))

    def test_a_proxy_header_precedes_the_handshake(self):
        with self.broker("http.listeners=[{address: 127.0.0.1, port: 0, tls: true, proxy_protocol: true}]",
                         "http.trusted_proxies=[127.0.0.1]", "log.level=debug") as broker:
            with socket.create_connection(("127.0.0.1", broker.port), timeout=TIMEOUT_S) as raw:
                raw.sendall(b"PROXY TCP4 203.0.113.9 192.0.2.1 50000 443\r\n")
                with broker.context.wrap_socket(raw, server_hostname="localhost") as connection:
                    connection.sendall(GET)
                    self.assertTrue(connection.recv(100).startswith(b"HTTP/1.1 200 "))
            request = broker.wait_for_log("request")
            self.assertEqual((request["peer"], request.get("local", False)), ("203.0.113.9", False))
            with self.assertRaises((ssl.SSLError, ConnectionError)):  # without the header
                broker.socket()

    def test_handshakes_that_do_not_end_are_cut_off(self):
        with self.broker("tls.handshake_timeout=100ms") as broker:
            hello = ssl.MemoryBIO()
            client = broker.context.wrap_bio(ssl.MemoryBIO(), hello, server_hostname="localhost")
            with self.assertRaises(ssl.SSLWantReadError):
                client.do_handshake()
            hello = hello.read()
            for sent in (b"", hello[:1], hello[:100], hello):
                with socket.create_connection(("127.0.0.1", broker.port), timeout=TIMEOUT_S) as connection:
                    connection.sendall(sent)
                    while connection.recv(65_536):
                        pass
            eventually(lambda: broker.status()["connections"] <= 1, "closed connections")

    def test_records_of_a_byte_and_a_renegotiation(self):
        with self.broker() as broker:
            with broker.socket() as connection:
                for at in range(len(GET)):
                    connection.sendall(GET[at:at + 1])
                self.assertTrue(connection.recv(100).startswith(b"HTTP/1.1 200 "))
            output, _ = self.s_client(broker, "-tls1_2", text="R\n")
            self.assertRegex(output, "no renegotiation|handshake failure|unexpected")
            self.assertTrue(broker.is_served(broker.context))

    def test_a_connection_too_many_gets_an_alert(self):
        with self.broker("limits.address_connections=1", "limits.address_exempt=[]") as broker, broker.subscribe():
            with self.assertRaisesRegex(ssl.SSLError, "(?i)alert.internal.error"):
                broker.socket()

    def test_files_that_cannot_be_used_end_the_start(self):
        certificate, key = self.local
        other = self.authority.sign("other")
        locked = self.folder / f"locked-{id(self)}.key"
        subprocess.run(["openssl", "ec", "-in", str(key), "-aes256", "-passout", "pass:secret", "-out", str(locked)],
                       check=True, capture_output=True)
        for files, reason in (((certificate, "/nowhere"), "tls.certificates: /nowhere: No such file or directory"),
                              (("/nowhere", key), "tls.certificates: /nowhere: No such file or directory"),
                              ((key, key), f"tls.certificates: {key}: no start line"),
                              ((certificate, other[1]), f"tls.certificates: {other[1]}: not the key of {certificate}"),
                              ((certificate, locked), f"{locked}: the key has a passphrase; write it without one")):
            options = ("--set", "http.listeners=[{address: 127.0.0.1, port: 0, tls: true}]", "--set",
                       f"tls.certificates=[{{certificate: {files[0]}, key: {files[1]}}}]", "--set", "store.kind=memory")
            status, _, log = run_to_end(*options)
            self.assertEqual(status, 1)
            self.assertIn(reason, log)
            status, output, log = run_to_end(*options, "--check-config")
            self.assertEqual((status, output), (2, ""))
            self.assertIn(reason, log)


if __name__ == "__main__":
    unittest.main()

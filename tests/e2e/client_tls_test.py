#!/usr/bin/env python3
"""The client over TLS and over Unix sockets: what it trusts, how it shows who it is, and how it says what is wrong."""
import json
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from certificates import Authority, openssl
from client_process import Client, sluice
from sluice_process import TIMEOUT_S, Sluiced, eventually, item, rss

EXAMPLES = Path(__file__).resolve().parents[2] / "docker" / "examples"
HARBOUR = str(EXAMPLES / "harbour.rss")
LOCAL_NAMES = ("DNS:localhost", "IP:127.0.0.1", "IP:::1")


class Server:
    """A TLS server of Python's that answers each connection's first request with an empty object."""

    def __init__(self, certificate, key, **settings):
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate, key)
        self.seen = []  # of each connection: its protocol, the name and the version
        self.context.set_alpn_protocols(["h2", "http/1.1"])
        self.context.sni_callback = lambda connection, name, context: self.seen.append(name)
        for name, value in settings.items():
            if name == "client_ca":
                self.context.load_verify_locations(value)
                self.context.verify_mode = ssl.CERT_REQUIRED
            else:
                setattr(self.context, name, value)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:  # closed
                return
            try:
                connection.settimeout(TIMEOUT_S)
                with self.context.wrap_socket(connection, server_side=True) as tls:
                    self.seen.append(tls.selected_alpn_protocol())
                    tls.recv(65536)
                    tls.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
                    tls.unwrap()
            except OSError:  # a client that does not like us, or we it
                connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.listener.close()


class WithAuthority(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.authority = Authority(cls.folder, "Harbour CA")
        cls.certificate, cls.key = cls.authority.sign("server", LOCAL_NAMES)

    def failure(self, server, *options, command=("status",), env=None):
        """The one line that says why a command failed."""
        done = sluice(*command, "--server", server, *options, env=env)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def daemon(self, listeners, *options):
        certificates = f"{{certificate: {self.certificate}, key: {self.key}}}" if "tls: true" in listeners else ""
        return self.enterContext(Sluiced(f"http.listeners=[{listeners}]", f"tls.certificates=[{certificates}]",
                                         *options))

    def wait_for_a_subscription(self, *options, env):
        def is_there():
            status = sluice("status", "--json", *options, env=env)
            self.assertEqual((status.returncode, status.stderr), (0, ""))
            return json.loads(status.stdout)["subscriptions"]["total"] == 1

        eventually(is_there, "a subscription")

    def try_all(self, *options, env=None):
        """Every kind of request: a stream of events, a long body, a short one."""
        with Client("subscribe", *options, "--stream", "s", "--from-first", "true()", env=env) as client:
            self.wait_for_a_subscription(*options, env=env)
            large = self.folder / "large.rss"
            large.write_text(rss(item("large", description="x" * 3_000_000)))
            for file, news in ((HARBOUR, 5), (str(large), 1)):
                done = sluice("publish", *options, "--no-deduplicate", "--stream", "s", file, env=env)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn(f"{news} new", done.stdout)
            self.assertEqual(client.line(), "Council votes to rebuild the north pier")
            client.process.send_signal(signal.SIGINT)
            self.assertEqual(client.ended(), -signal.SIGINT)


class Broker(WithAuthority):
    def test_https(self):
        daemon = self.daemon("{address: 127.0.0.1, port: 0, tls: true}")
        trusted = str(self.authority.certificate)
        for host in ("localhost", "127.0.0.1"):
            self.try_all("--server", f"https://{host}:{daemon.port}", "--cacert", trusted)
        self.try_all(env={"SLUICE_SERVER": f"https://localhost:{daemon.port}", "SLUICE_CACERT": trusted})
        self.assertRegex(self.failure(f"http://localhost:{daemon.port}"), "400 Bad Request: .*https://")

    def test_client_certificates(self):
        own, own_key = self.authority.sign("ship")
        both = self.folder / "both.pem"
        both.write_text(Path(own).read_text() + Path(own_key).read_text())
        stranger, stranger_key = Authority(self.folder, "Other CA").sign("stranger")
        daemon = self.daemon("{address: 127.0.0.1, port: 0, tls: true}, {unix: %s/sock}" % self.folder,
                             "tls.client_certificates=require", f"tls.client_ca={self.authority.certificate}")
        server, trust = f"https://localhost:{daemon.port}", ("--cacert", str(self.authority.certificate))
        for options in (("--cert", own, "--key", own_key), ("--cert", str(both))):
            self.try_all("--server", server, *trust, *options)
        self.try_all("--server", server, env={"SLUICE_CACERT": trust[1], "SLUICE_CERT": own, "SLUICE_KEY": own_key})
        for command in (("status",), ("publish", HARBOUR), ("subscribe", "--no-reconnect", "true()")):
            self.assertRegex(self.failure(server, *trust, command=command), "client certificate.*--cert FILE")
        self.assertRegex(self.failure(server, *trust, "--cert", stranger, "--key", stranger_key),
                         "client certificate in .*stranger.pem")


class Sockets(WithAuthority):
    def test_a_broker(self):
        path = self.folder / "a b.sock"
        self.daemon("{address: 127.0.0.1, port: 0}, {unix: '%s'}" % path)
        self.try_all("--server", f"unix:{path}")
        self.try_all(env={"SLUICE_SERVER": f"unix:{path}", "http_proxy": "http://127.0.0.1:1"})

    def test_none(self):
        path = self.folder / "none.sock"
        self.assertEqual(self.failure(f"unix:{path}"),
                         f"sluice: can't connect to unix:{path}: No such file or directory (does the broker run, and "
                         "with this socket?)\n")
        with socket.socket(socket.AF_UNIX) as left:
            left.bind(str(path))
        self.assertIn("Connection refused (the broker that made the socket has ended)", self.failure(f"unix:{path}"))


class Trust(WithAuthority):
    """With servers of Python's, which can be wrong in more ways."""

    def failure_at(self, host="localhost", trust=None, options=(), **settings):
        certificate = settings.pop("certificate", (self.certificate, self.key))
        with Server(*certificate, **settings) as server:
            return self.failure(f"https://{host}:{server.port}", "--cacert", trust or str(self.authority.certificate),
                                *options)

    def test_http_1_1_and_the_name_are_asked_for(self):
        with Server(self.certificate, self.key) as server:
            for host in ("localhost", "127.0.0.1"):
                sluice("status", "--server", f"https://{host}:{server.port}", "--cacert", self.authority.certificate)
            self.assertEqual(server.seen, ["localhost", "http/1.1", None, "http/1.1"])

    def test_an_issuer_that_is_not_trusted(self):
        self.assertIn("issued by O=Harbour, CN=Harbour CA, which is not in ",
                      self.failure_at(trust=str(Authority(self.folder, "Third CA").certificate)))
        with Server(self.certificate, self.key) as server:
            self.assertRegex(self.failure(f"https://localhost:{server.port}"),
                             "issued by O=Harbour, CN=Harbour CA, which this machine does not trust .*--cacert FILE")

    def test_a_certificate_out_of_its_time(self):
        old = self.authority.sign("old", LOCAL_NAMES, until="20200201000000Z")
        self.assertIn("its certificate expired on 2020-02-01 00:00:00 UTC", self.failure_at(certificate=old))
        early = self.authority.sign("early", LOCAL_NAMES, since="20480101000000Z", until="20490201000000Z")
        self.assertIn("its certificate is not valid before 2048-01-01 00:00:00 UTC (is this machine's clock right?)",
                      self.failure_at(certificate=early))

    def test_another_name(self):
        other = self.authority.sign("other", ("DNS:a.example", "DNS:*.b.example", "IP:10.0.0.1", "IP:::2"))
        for host in ("localhost", "127.0.0.1"):
            self.assertRegex(self.failure_at(host, certificate=other),
                             "can't trust .*: its certificate is for a.example, \\*.b.example, 10.0.0.1, ::2\n$")

    def test_client_certificates_by_version(self):
        stranger = Authority(self.folder, "Fourth CA").sign("guest")
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            with self.subTest(version):
                settings = {"maximum_version": version, "client_ca": self.authority.certificate}
                self.assertRegex(self.failure_at(**settings), "client certificate.*--cert FILE")
                self.assertRegex(self.failure_at(options=("--cert", stranger[0], "--key", stranger[1]), **settings),
                                 "client certificate in .*guest.pem")

    def test_a_server_without_tls(self):
        daemon = self.enterContext(Sluiced())
        self.assertIn("it does not speak TLS (is it http, not https?)", self.failure(f"https://localhost:{daemon.port}"))
        with socket.create_server(("127.0.0.1", 0)) as silent:
            server = f"https://localhost:{silent.getsockname()[1]}"
            self.assertIn("within 0.3 s (is it http, not https?)", self.failure(server, "--timeout", "0.3"))

    def test_files_that_cannot_be_used(self):
        encrypted = self.folder / "encrypted.key"
        openssl("pkey", "-in", self.key, "-aes256", "-passout", "pass:x", "-out", encrypted)
        none, key, certificate = self.folder / "none", self.key, self.certificate
        ca_key = str(self.authority.key)
        for options, expected in (
            (("--cacert", none), f"can't read the certificates in {none}: No such file or directory"),
            (("--cacert", key), f"can't read the certificates in {key}: no certificate or crl found"),
            (("--cert", none), f"can't read the certificate in {none}: No such file or directory"),
            (("--cert", key), f"can't read the certificate in {key}: it has none in PEM"),
            (("--cert", certificate), f"can't read the key in {certificate}: it has none in PEM (--key FILE names another file)"),
            (("--cert", certificate, "--key", none), f"can't read the key in {none}: No such file or directory"),
            (("--cert", certificate, "--key", ca_key),
             f"the key in {ca_key} does not match the certificate in {certificate}"),
            (("--cert", certificate, "--key", encrypted),
             f"the key in {encrypted} is encrypted; decrypt it: openssl pkey -in {encrypted} -out PLAIN"),
        ):
            with self.subTest(options):
                self.assertEqual(self.failure("https://localhost", *map(str, options)), f"sluice: {expected}\n")


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The client's credentials: what it sends, to whom, and what it says when they do not do."""
import contextlib
import json
import socket
import tempfile
import threading
import unittest
from pathlib import Path

from client_process import asked, sluice
from sluice_process import TIMEOUT_S
from users_file import basic

SECRET = "open-sesame-7"


def reply(status, content_type="application/json", body=b"{}", fields=""):
    return (f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\n{fields}Content-Length: {len(body)}\r\n"
            f"Connection: close\r\n\r\n").encode() + body


def problem(status, detail):
    return reply(status, "application/problem+json", json.dumps({"title": status, "detail": detail}).encode())


class Server:
    """Answers every request with the same, and keeps the heads of all."""

    def __init__(self, answer=reply("200 OK")):
        self.answer = answer
        self.heads = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:  # closed
                return
            connection.settimeout(TIMEOUT_S)
            with connection, contextlib.suppress(OSError):
                head = b""
                while b"\r\n\r\n" not in head and (piece := connection.recv(65536)):
                    head += piece
                self.heads.append(head.decode())
                connection.sendall(self.answer)
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(65536):
                    pass

    def field(self, name):
        """The values of the last request's fields of this name."""
        lines = self.heads[-1].split("\r\n")[1:]
        return [line.split(": ", 1)[1] for line in lines if line.lower().startswith(name.lower() + ":")]

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.listener.close()


def basic_fields(user, password):
    return list(basic(user, password).values())


class ClientAuth(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def file(self, name, text, mode=0o600):
        path = self.folder / name
        path.write_text(text)
        path.chmod(mode)
        return str(path)

    def status(self, server, *arguments, **env):
        done = sluice("status", "--server", getattr(server, "url", server), *arguments, start_new_session=True,
                      env={"HOME": str(self.folder), **env})
        self.assertNotIn(SECRET, done.stdout + done.stderr)
        return done

    def sent(self, *arguments, **env):
        """The Authorization of a request."""
        with Server() as server:
            done = self.status(server, *arguments, **env)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return server.field("Authorization")

    def test_what_is_sent(self):
        token = self.file("token", f"  {SECRET} \nmore\n")
        netrc = self.file(".netrc", f"machine 127.0.0.1 login bob password {SECRET}\n"
                                    f"machine 127.0.0.1 login alice password {SECRET}2\n"
                                    "machine example.org login eve password no\n")
        self.assertEqual(self.sent(), [])
        self.assertEqual(self.sent("--user", "alice", SLUICE_PASSWORD=SECRET), basic_fields("alice", SECRET))
        self.assertEqual(self.sent("--user", "alice", SLUICE_PASSWORD=SECRET, SLUICE_TOKEN="no"),
                         basic_fields("alice", SECRET))
        self.assertEqual(self.sent(SLUICE_PASSWORD=SECRET), [])
        self.assertEqual(self.sent("--token-file", token), [f"Bearer {SECRET}"])
        self.assertEqual(self.sent(SLUICE_TOKEN=SECRET), [f"Bearer {SECRET}"])
        self.assertEqual(self.sent("--token-file", token, SLUICE_TOKEN="no"), [f"Bearer {SECRET}"])
        self.assertEqual(self.sent("--netrc"), basic_fields("bob", SECRET))
        self.assertEqual(self.sent("--netrc", "--user", "alice"), basic_fields("alice", SECRET + "2"))
        self.assertEqual(self.sent(f"--netrc={netrc}", HOME="/nonexistent"), basic_fields("bob", SECRET))
        self.assertEqual(self.sent("--netrc", NETRC=netrc, HOME="/nonexistent"), basic_fields("bob", SECRET))
        self.assertEqual(self.sent("--header", f"Authorization: Own {SECRET}"), [f"Own {SECRET}"])

    def test_headers(self):
        with Server() as server:
            done = self.status(server, "--header", "X-Key: a b", "--header", "X-Other:c")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual((server.field("X-Key"), server.heads[-1].count("X-Other:c\r\n")), (["a b"], 1))
            for header, expected in (
                (f"X-Key {SECRET}", "--header must be of the form 'Name: value'"),
                (f"X Key: {SECRET}", "--header must be of the form 'Name: value'"),
                (f"X-Key: {SECRET}\r\nX-Other: a", "--header X-Key: the value has a control character"),
                ("X-Key:", "--header X-Key: there is no value"),
                ("Content-Length: 5", "--header Content-Length: sluice sets this one itself"),
            ):
                with self.subTest(header):
                    done = self.status(server, "--header", header)
                    self.assertEqual(done.returncode, 2)
                    self.assertIn(expected, done.stderr)
            self.assertEqual(len(server.heads), 1)

    def test_credentials_that_can_not_be_used(self):
        empty = self.file("empty", f"\n{SECRET}\n")
        for arguments, env, expected in (
            (("--user", f"alice:{SECRET}"), {}, "--user takes the name alone"),
            (("--user", "alice"), {}, "there is no terminal to ask for the password of alice"),
            (("--user", "alice", "--token-file", empty), {}, "excludes"),
            (("--netrc", "--token-file", empty), {}, "excludes"),
            (("--token-file", empty), {}, "is not a token"),
            (("--token-file", str(self.folder / "none")), {}, "can't read the token in"),
            (("--netrc",), {}, "can't read the credentials in"),
            ((), {"SLUICE_TOKEN": f"{SECRET}\r\nX: y"}, "what SLUICE_TOKEN has is not a token"),
        ):
            with self.subTest(arguments), Server() as server:
                done = self.status(server, *arguments, **env)
                self.assertEqual((done.returncode, done.stdout, server.heads), (2, "", []))
                self.assertIn(expected, done.stderr)

    def test_a_file_that_others_can_read(self):
        token = self.file("token", SECRET, 0o640)
        with Server() as server:
            done = self.status(server, "--token-file", token)
            self.assertEqual(done.returncode, 0)
            self.assertEqual(done.stderr, f"sluice: others on this machine may read the credentials in {token} "
                                          f"(chmod 600 {token})\n")

    def test_plain_text_to_another_machine(self):
        with Server() as proxy:  # takes the part of the other machine
            proxied = {"http_proxy": proxy.url, "SLUICE_TOKEN": SECRET}
            done = self.status("http://broker.example:8080", **proxied)
            self.assertEqual((done.returncode, proxy.heads), (2, []))
            self.assertIn("in plain text", done.stderr)
            self.assertIn("use https://broker.example:8080, or set SLUICE_ALLOW_PLAINTEXT=1", done.stderr)
            done = self.status("http://broker.example:8080", "--header", f"Cookie: {SECRET}", http_proxy=proxy.url)
            self.assertEqual((done.returncode, proxy.heads), (2, []))
            done = self.status("http://broker.example:8080", SLUICE_ALLOW_PLAINTEXT="1", **proxied)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(proxy.field("Authorization"), [f"Bearer {SECRET}"])

    def test_redirects_are_not_followed(self):
        with Server() as other, Server(reply("307 Temporary Redirect", fields=f"Location: {other.url}/\r\n")) as server:
            done = self.status(server, SLUICE_TOKEN=SECRET)
            self.assertEqual((done.returncode, len(server.heads), other.heads), (2, 1, []))

    def test_refusals(self):
        html = "text/html"
        wants = "wants credentials (--user NAME, --token-file FILE or SLUICE_TOKEN, --netrc, or --cert FILE)"
        for answer, env, expected in (
            (problem("401 Unauthorized", "sign in"), {}, f"status: the broker {wants}: sign in"),
            (problem("401 Unauthorized", "it expired"), {"SLUICE_TOKEN": SECRET},
             "status: the broker does not accept the credentials: it expired"),
            (reply("401 Unauthorized", html, b"<p>", "Server: nginx/1.2\r\n"), {},
             f"status: the server (Server: nginx/1.2) {wants}"),
            (problem("403 Forbidden", "alice may not operate"), {"SLUICE_TOKEN": SECRET}, "status: alice may not operate"),
            (reply("403 Forbidden", html, b"<p>", "Server: nginx/1.2\r\n"), {},
             "status: the answer is 403 Forbidden (Server: nginx/1.2), without the broker's reason"),
            (reply("407 Proxy Authentication Required", html, b"<p>"), {},
             "of a proxy before the broker: it wants credentials of its own, which http_proxy names"),
            (reply("413 Payload Too Large", html, b"<p>", "Server: nginx/1.2\r\n"), {},
             "of a proxy before the broker (Server: nginx/1.2): it passes on no body of this size"),
            (reply("502 Bad Gateway", html, b"<p>", "Server: nginx/1.2\r\n"), {},
             "of a proxy before the broker (Server: nginx/1.2): it can't reach the broker"),
            (reply("504 Gateway Timeout", html, b"<p>"), {}, "of a proxy before the broker: the broker was silent"),
            (problem("413 Payload Too Large", "the limit is 5"), {}, "status: the limit is 5"),
        ):
            with self.subTest(expected), Server(answer) as server:
                done = self.status(server, **env)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(expected, done.stderr)

    def test_a_proxy_that_makes_no_tunnel(self):
        with Server(reply("407 Proxy Authentication Required", "text/html", b"<p>")) as proxy:
            done = self.status("https://broker.example", https_proxy=proxy.url, SLUICE_TOKEN=SECRET)
            self.assertEqual(done.returncode, 2)
            self.assertIn("the proxy does not connect to broker.example: its answer is 407", done.stderr)
            self.assertNotIn(SECRET, "".join(proxy.heads))

    def test_a_password_typed_on_the_terminal(self):
        with Server() as server:
            keys = b"typo\x15" + SECRET.encode() + b"x\x7f\r"
            status, shown = asked("status", "--server", server.url, "--user", "alice",
                                  typed=[("Password of alice: ", keys)])
            self.assertEqual(status, 0, shown)
            self.assertNotIn(SECRET, shown)
            self.assertEqual(server.field("Authorization"), basic_fields("alice", SECRET))


if __name__ == "__main__":
    unittest.main()

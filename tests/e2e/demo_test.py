#!/usr/bin/env python3
"""docker/demo, as ./dev run starts it: it talks to its own broker on that broker's port, or reports why it can't."""
import os
import pty
import re
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from client_process import end_session, output_of, written_on
from sluice_process import TIMEOUT_S, Sluiced

ROOT = Path(__file__).resolve().parents[2]


class Demo(unittest.TestCase):
    def setUp(self):
        """A folder that looks like the project after a build."""
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        shutil.copytree(ROOT / "docker", self.folder / "docker")
        (self.folder / "build").mkdir()
        (self.folder / "build" / "bin").symlink_to(Path(os.environ["SLUICED"]).parent)

    def start(self, *options, **more):
        process = subprocess.Popen([self.folder / "docker" / "demo", *options], start_new_session=True,
                                   **{"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, **more})
        self.addCleanup(end_session, process)
        return process

    def ended(self, process):
        """Output and exit status of a demo that ends on its own."""
        return output_of(process)[0], process.returncode

    def check_shown(self, process, curl="curl -NG http"):
        """The demo shows four items from its broker, and Ctrl-C ends both."""
        printed = ""
        too_late = threading.Timer(TIMEOUT_S, end_session, [process])
        too_late.start()
        for line in process.stdout:
            printed += line
            if "Ctrl-C stops it" in line:
                break
        too_late.cancel()
        os.killpg(process.pid, signal.SIGINT)
        printed += output_of(process)[0]
        # 130: it has said that Ctrl-C stops it, and was not yet waiting for that.
        self.assertIn(process.returncode, (0, 130), printed)
        self.assertEqual(printed.count("    received: "), 4, printed)
        port = re.search(r'listening"?[ ,].*port"?[=:](\d+)', printed)[1]
        self.assertRegex(printed, f"{curl}://[^ ]*:{port}/v1/events")
        self.assertRegex(printed, "stopped")
        self.assertNotIn("\x1b", printed)
        return port

    def test_any_free_port(self):
        for options in ([], ["--set", "log.format=json"]):
            with self.subTest(options):
                self.check_shown(self.start("--set", "http.port=0", *options))

    def test_over_tls(self):
        listener = "http.listeners=[{address: 127.0.0.1, port: 0, tls: true}]"
        certificate = self.folder / "build" / "tls" / "certificate.pem"
        made = []
        for days in (None, None, "1"):  # there is none; there is one; there is one that expires within a day
            if days:
                subprocess.run(["openssl", "req", "-x509", "-key", certificate.parent / "key.pem", "-subj", "/CN=old",
                                "-days", "1", "-out", certificate], check=True, timeout=TIMEOUT_S)
            process = self.start("--tls", "--set", listener, env={**os.environ, "CURL_CA_BUNDLE": "/dev/null"})
            self.check_shown(process, curl="curl --cacert build/tls/certificate.pem -NG https")
            made.append(certificate.read_text())
        self.assertEqual(certificate.parent.stat().st_mode & 0o777, 0o700)
        self.assertEqual((certificate.parent / "key.pem").stat().st_mode & 0o777, 0o600)
        self.assertEqual(made[0], made[1])
        self.assertNotEqual(made[1], made[2])

    def test_a_port_from_a_file(self):
        path = self.folder / "sluice.yaml"
        path.write_text("http: {port: 0}\n")
        self.assertNotEqual(self.check_shown(self.start("-c", str(path))), "8080")

    def test_a_port_that_another_broker_has(self):
        with Sluiced() as other:
            output, status = self.ended(self.start("--set", f"http.port={other.port}"))
            self.assertEqual(status, 1)
            self.assertIn(f"cannot listen on 127.0.0.1 port {other.port}: Address already in use", output)
            self.assertIn("./dev run --set http.port=8081", output)
            self.assertEqual(other.status()["counters"]["events"], 0)

    def test_a_port_that_another_program_has(self):
        """One that answers nothing, and would let a client wait for ever."""
        with socket.create_server(("127.0.0.1", 0)) as other:
            port = other.getsockname()[1]
            output, status = self.ended(self.start("--set", f"http.port={port}"))
            self.assertEqual(status, 1)
            self.assertIn(f"cannot listen on 127.0.0.1 port {port}: Address already in use", output)
            self.assertIn("for another port: ./dev run --set http.port=8081", output)
            other.setblocking(False)
            self.assertRaises(BlockingIOError, other.accept)  # nobody has tried to talk to it

    def headline(self, script, **environment):
        """The first line that a script prints on a terminal."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen(script, stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL,
                                   start_new_session=True,
                                   env={**os.environ, "TERM": "xterm", "NO_COLOR": "", **environment})
        self.addCleanup(end_session, process)
        os.close(theirs)
        self.addCleanup(os.close, ours)
        written = b""
        for piece in written_on(ours):
            written += piece
            if "»".encode() in written and written.endswith(b"\n"):
                break
        end_session(process)
        return written.decode()

    def test_colours_on_a_terminal_only(self):
        say = ["bash", "-c", f"source <(sed '/^case /,$d; /^cd /d' {shlex.quote(str(ROOT))}/dev); say hello"]
        demo = [self.folder / "docker" / "demo", "--set", "http.port=0"]
        for script in (say, demo):
            with self.subTest(script):
                self.assertIn("\x1b[1m»", self.headline(script))
                self.assertNotIn("\x1b", self.headline(script, NO_COLOR="1"))
                self.assertNotIn("\x1b", self.headline(script, TERM="dumb"))
        said = subprocess.run(say, capture_output=True, text=True, timeout=TIMEOUT_S, check=True)
        self.assertEqual(said.stdout, "» hello\n")

    def test_options_that_start_nothing(self):
        self.assertEqual(self.ended(self.start("--check-config"))[1], 0)
        self.assertEqual(self.ended(self.start("--set", "http.port=x"))[1], 2)


if __name__ == "__main__":
    unittest.main()

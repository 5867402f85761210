"""A fresh sluiced for each attack: started with the options that it knows, watched, and stopped."""
import functools
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import wire
from accounts import users_options

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from certificates import Authority  # noqa: E402
from sluice_process import TIMEOUT_S, Sluiced  # noqa: E402

MEMORY_BYTES = 512 << 20
KILLED_BYTES = 6 * MEMORY_BYTES  # protects other processes on the machine
# Loopback addresses are exempt by default. Here they stand for strangers, including the quiet users.
SUITE_OPTIONS = ("store.kind=memory", f"limits.memory={MEMORY_BYTES >> 20}MiB", "limits.address_exempt=[]")
RSS_INTERVAL_S = 0.02
STATUS_INTERVAL_S = 0.25
END_S_MAX = 2 * TIMEOUT_S


@functools.cache
def known_options():
    """The names that `sluiced --print-defaults` prints, as section.name."""
    text = subprocess.run([os.environ["SLUICED"], "--print-defaults"], capture_output=True, text=True, check=True).stdout
    names, section = set(), ""
    for line in text.splitlines():
        if found := re.match(r"([a-z_]+):", line):
            section = found[1]
        elif found := re.match(r"  ([a-z_]+):", line):
            names.add(f"{section}.{found[1]}")
    return names


@functools.cache
def certificate_folder():
    return tempfile.TemporaryDirectory()


@functools.cache
def tls_options():
    certificate, key = Authority(certificate_folder().name).sign("localhost", ("DNS:localhost",))
    return ("http.listeners=[{address: 127.0.0.1, port: 0}, {address: 127.0.0.1, port: 0, tls: true}]",
            f"tls.certificates=[{{certificate: {certificate}, key: {key}}}]")


def memory_used(port, timeout=wire.TIMEOUT_S):
    """The bytes that the daemon says it uses, as it counts them against limits.memory; None if it does not say that."""
    try:
        reply = wire.request(port, "GET", "/v1/status", timeout=timeout)
        return json.loads(reply.body)["memory"]["used"] if reply.status == 200 else None
    except (OSError, wire.Broken, ValueError, KeyError):
        return None


class Daemon(Sluiced):
    """`address_space_bytes`: how much more the process may map than when it begins to listen. `tls`: it has a listener
    with TLS, too, at `tls_port`. `users`: it has those of accounts.py."""

    common = ()

    def __init__(self, options=(), address_space_bytes=None, tls=False, users=False):
        known = known_options()
        wanted = [*SUITE_OPTIONS, *options, *(tls_options() if tls else ()), *(users_options() if users else ())]
        self.left_out = [option for option in wanted if option.split("=")[0] not in known]
        super().__init__(*(option for option in wanted if option not in self.left_out))
        ports = [entry["port"] for entry in self.log if "port" in entry and entry["message"] == "listening"]
        self.tls_port = ports[1] if len(ports) > 1 else None
        self.rss_bytes_max = self.used_bytes_max = 0
        self._watched = [threading.Thread(target=watch, daemon=True) for watch in (self._watch, self._watch_status)]
        for thread in self._watched:
            thread.start()
        if address_space_bytes is not None:
            bound = self.status_bytes("VmSize") + address_space_bytes
            resource.prlimit(self.process.pid, resource.RLIMIT_AS, (bound, bound))

    def status_bytes(self, field):
        """A size from /proc/PID/status; 0 if the process has ended."""
        try:
            text = Path(f"/proc/{self.process.pid}/status").read_text()
        except OSError:
            return 0
        found = re.search(rf"^{field}:\s+(\d+) kB", text, re.M)
        return int(found[1]) * 1024 if found else 0

    def _watch(self):
        while self.process.poll() is None:
            self.rss_bytes_max = max(self.rss_bytes_max, self.status_bytes("VmHWM"))
            if self.rss_bytes_max > KILLED_BYTES:
                self.process.kill()
            time.sleep(RSS_INTERVAL_S)

    def _watch_status(self):
        while self.process.poll() is None:
            self.used_bytes_max = max(self.used_bytes_max, memory_used(self.port) or 0)
            time.sleep(STATUS_INTERVAL_S)

    def is_alive(self):
        return self.process.poll() is None

    def end(self, sign):
        """Sends the signal. Returns the seconds until the process ended, and its status. A process that takes longer
        than END_S_MAX is killed; its status is None."""
        begin = time.monotonic()
        self.process.send_signal(sign)
        try:
            status = self.process.wait(END_S_MAX)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            status = None
        return time.monotonic() - begin, status

    def last_words(self):
        while not self._lines.empty():
            self.log.append(self._lines.get() or "(the end of the log)")
        return " | ".join(str(line).strip() for line in self.log[-3:])

    def __exit__(self, *failure):
        self.kill()
        for thread in self._watched:
            thread.join()
        self._reader.join()
        self.process.stderr.close()

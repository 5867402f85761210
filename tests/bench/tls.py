#!/usr/bin/env python3
"""What TLS costs the broker: its processor time a message, published on a connection that stays open and delivered to
one subscriber, over TLS 1.3 and over plain TCP, in turns; a handshake, full and resumed; and memory a connection.
Programs are those of build/shipped/bin, or of --bin."""
import argparse
import http.client
import os
import socket
import ssl
import statistics
import sys
import tempfile
import threading
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
from certificates import Authority  # noqa: E402
from sluice_process import TIMEOUT_S, Sluiced, item, rss  # noqa: E402

LISTENERS = "[{address: 127.0.0.1, port: 0}, {address: 127.0.0.1, port: 0, tls: true}]"


def cpu_s(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident(pid):
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Bench:
    def __init__(self, daemon, authority):
        self.daemon, self.pid = daemon, daemon.process.pid
        self.ports = [entry["port"] for entry in daemon.log if entry["message"] == "listening"]
        self.context = ssl.create_default_context(cafile=authority.certificate)

    def connection(self, tls):
        if tls:
            return http.client.HTTPSConnection("localhost", self.ports[1], timeout=TIMEOUT_S, context=self.context)
        return http.client.HTTPConnection("localhost", self.ports[0], timeout=TIMEOUT_S)

    def messages(self, tls, n, text):
        """Microseconds of the broker's processors a message."""
        stream = self.connection(tls)
        stream.request("GET", "/v1/events?stream=bench")
        reply = stream.getresponse()
        received = threading.Event()

        def read():
            left = n
            while left and (line := reply.readline()):
                left -= line.startswith(b"data:")
            received.set()

        publisher = self.connection(tls)
        reader = threading.Thread(target=read)
        reader.start()
        before = cpu_s(self.pid)
        for k in range(n):
            publisher.request("POST", "/v1/events?stream=bench", rss(item(f"{os.urandom(8).hex()}-{k}", author=text)),
                              {"Content-Type": "application/rss+xml"})
            assert publisher.getresponse().read()
        assert received.wait(TIMEOUT_S)
        used = cpu_s(self.pid) - before
        reader.join()
        publisher.close()
        stream.close()
        return used / n * 1e6

    def handshakes(self, n, is_resumed):
        session = None
        before = cpu_s(self.pid)
        for _ in range(n):
            raw = socket.create_connection(("localhost", self.ports[1]), timeout=TIMEOUT_S)
            with self.context.wrap_socket(raw, server_hostname="localhost", session=session) as connection:
                connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                connection.recv(1_000)
                session = connection.session if is_resumed else None
        return (cpu_s(self.pid) - before) / n * 1e6

    def connection_bytes(self, tls, n):
        before = resident(self.pid)
        held = []
        for _ in range(n):
            held.append(self.connection(tls))
            held[-1].request("GET", "/healthz")
            held[-1].getresponse().read()
        used = resident(self.pid) - before
        for connection in held:
            connection.close()
        return used / n


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=Path, default=ROOT / "build/shipped/bin")
    parser.add_argument("--messages", type=int, default=5_000, help="of a turn (default: %(default)s)")
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--text-bytes", type=int, default=700)
    arguments = parser.parse_args()
    os.environ["SLUICED"] = str(arguments.bin / "sluiced")
    with tempfile.TemporaryDirectory() as folder:
        authority = Authority(folder)
        certificate, key = authority.sign("localhost", ("DNS:localhost", "IP:127.0.0.1"))
        with Sluiced(f"http.listeners={LISTENERS}", f"tls.certificates=[{{certificate: {certificate}, key: {key}}}]",
                     "matcher.backend=cpu") as daemon:
            bench = Bench(daemon, authority)
            for tls in (False, True):
                print(f"{'TLS' if tls else 'plain'}: {bench.connection_bytes(tls, 500) / 1024:.1f} KiB a connection")
            turns = [[bench.messages(tls, arguments.messages, "x" * arguments.text_bytes) for tls in (False, True)]
                     for _ in range(arguments.turns)]
            plain, tls = (statistics.median(turn[i] for turn in turns) for i in (0, 1))
            ratio = statistics.median(turn[1] / turn[0] for turn in turns)
            print(f"a message: plain {plain:.1f} us, TLS {tls:.1f} us of the broker's processors, ratio {ratio:.2f}")
            for is_resumed in (False, True):
                print(f"a {'resumed' if is_resumed else 'full'} handshake with a request: "
                      f"{bench.handshakes(2_000, is_resumed):.0f} us")


if __name__ == "__main__":
    sys.exit(main())

"""What may stand between a client and sluiced: a reverse proxy below a path, with TLS or without."""
import contextlib
import socket
import ssl
import subprocess
import threading
from pathlib import Path

from sluice_process import TIMEOUT_S


class Relay:
    """Passes connections on to a port of this machine. With a path, requests must begin with it, and it is taken off.
    With certificate and key, speaks TLS. Reads nothing of a new connection until `open` is set; `target` may be changed
    meanwhile."""

    def __init__(self, port, path="", certificate=None, key=None):
        self.target, self.path, self.tls = port, path.encode(), None
        self.servers = []  # connections to the target
        if certificate:
            self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.tls.load_cert_chain(certificate, key)
        self.open = threading.Event()
        self.open.set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        with contextlib.suppress(OSError):
            self.open.wait(TIMEOUT_S)
            if self.tls:
                client = self.tls.wrap_socket(client, server_side=True)
            with client, socket.create_connection(("127.0.0.1", self.target)) as server:
                first = b""
                while first.count(b" ") < 2:
                    if not (piece := client.recv(65536)):
                        return
                    first += piece
                method, target, rest = first.split(b" ", 2)
                if not target.startswith(self.path + b"/"):
                    client.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                    return
                self.servers.append(server)
                server.sendall(b" ".join((method, target[len(self.path):], rest)))
                back = threading.Thread(target=self._pass_on, args=(server, client), daemon=True)
                back.start()
                self._pass_on(client, server)
                back.join(TIMEOUT_S)

    def cut(self):
        """Ends all connections, and keeps new ones waiting until `open` is set."""
        self.open.clear()
        for server in self.servers:
            with contextlib.suppress(OSError):  # it has ended
                server.shutdown(socket.SHUT_RDWR)

    @staticmethod
    def _pass_on(source, sink):
        with contextlib.suppress(OSError):
            while piece := source.recv(65536):
                sink.sendall(piece)
            sink.shutdown(socket.SHUT_WR)

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.listener.close()


def self_signed(folder):
    """Makes a certificate for 127.0.0.1 that nobody vouches for. Returns it and its key."""
    certificate, key = Path(folder) / "certificate.pem", Path(folder) / "key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-days", "2", "-subj", "/CN=sluice test", "-addext", "subjectAltName=IP:127.0.0.1",
                    "-keyout", str(key), "-out", str(certificate)],
                   check=True, capture_output=True, timeout=TIMEOUT_S)
    return str(certificate), str(key)

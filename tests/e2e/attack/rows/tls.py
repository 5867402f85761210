"""TLS: handshakes that cost, that never end, and records that no client would send."""
import contextlib
import os
import ssl

import wire
from rows import row
from rows.connections import GET, feed_until_cut

SOON = ("tls.handshake_timeout=1s",)


def context():
    unchecked = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    unchecked.check_hostname, unchecked.verify_mode = False, ssl.CERT_NONE
    return unchecked


def connect(attack, n=None):
    return wire.connect(attack.tls_port, attack.source(n), timeout=wire.ATTACKER_S)


def hello():
    """What a client sends first."""
    out = ssl.MemoryBIO()
    with contextlib.suppress(ssl.SSLWantReadError):
        context().wrap_bio(ssl.MemoryBIO(), out, server_hostname="localhost").do_handshake()
    return out.read()


def shake_hands(attack, client, n=None, session=None):
    """A connection after its handshake, or None if it was refused, which is noted."""
    try:
        raw = connect(attack, n)
    except OSError as error:
        attack.note_end(f"not accepted: {type(error).__name__}")
        return None
    try:
        return client.wrap_socket(raw, session=session)
    except OSError as error:
        attack.note_end(f"no handshake: {type(error).__name__}")
        raw.close()
        return None


@row(tls=True)
def tls_handshakes(attack):
    """Handshakes without a request from many addresses at once, full ones and resumed ones."""
    attack.under_way()

    def client(n):
        each, session = context(), None
        while attack.goes_on():
            connection = shake_hands(attack, each, n, session)
            if connection is None:
                continue
            with connection, contextlib.suppress(OSError):
                if session is None and n % 2:
                    connection.sendall(GET)
                    connection.recv(1_000)
                    session = connection.session
                attack.served["handshakes"] = attack.served.get("handshakes", 0) + 1

    attack.run_clients(client, 16)


@row(tls=True, options=SOON)
def tls_half_handshakes(attack):
    """Clients that send a part of their first message, or all of it a byte at a time, and wait: each must be cut off."""
    text = hello()
    attack.under_way()
    while attack.goes_on():
        held = []
        for n in range(300):
            with contextlib.suppress(OSError):
                held.append(connect(attack, n))
                wire.send(held[-1], text[:n])
        feed_until_cut(attack, held, 7, text)


@row(tls=True, options=("http.request_timeout=1s", *SOON))
def tls_records(attack):
    """Requests in records of a byte, records that are noise, too long or cut short, before and after the handshake."""
    noise = (os.urandom(300), b"\x16\x03\x01\xff\xff" + b"\x01" * 400, b"\x17\x03\x03\x40\x00" + b"x" * 100,
             b"\x80\x80\x01\x03\x01" + b"\x00" * 123, b"\x15\x03\x03\x00\x02\x02\x50" * 50, GET * 3)
    client = context()
    attack.under_way()
    while attack.goes_on():
        held = []
        for n, text in enumerate(noise):
            with contextlib.suppress(OSError):
                held.append(connect(attack, n))
                wire.send(held[-1], text)
        for n, text in enumerate(noise):
            connection = shake_hands(attack, client, n)
            if connection is None:
                continue
            with contextlib.suppress(OSError):
                os.write(connection.fileno(), text)  # past TLS
            with connection, contextlib.suppress(OSError):
                while connection.recv(1_000):
                    pass
        connection = shake_hands(attack, client)
        if connection is not None:
            with connection, contextlib.suppress(OSError):
                for at in range(len(GET)):
                    connection.sendall(GET[at:at + 1])
                reply = connection.recv(1_000)
                attack.check(reply.startswith((b"HTTP/1.1 200 ", b"HTTP/1.1 429 ")), f"a request byte by byte: {reply}")
        for connection in endings_of(attack, held):
            connection.close()


def endings_of(attack, held):
    """What does not speak TLS may get an alert or a reply of plain HTTP; how it ends is all that counts."""
    for connection in held:
        connection.settimeout(wire.ATTACKER_S)
        try:
            while connection.recv(1_000):
                pass
            attack.note_end("closed")
        except ConnectionError:
            attack.note_end("closed")
        except OSError:
            attack.fault("noise is still waited for")
    return held

"""Connections: many, silent, slow, or never finished."""
import contextlib
import select
import socket
import struct
import time

import wire
from rows import row

GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
SOON = ("http.request_timeout=1s",)


def hold(attack, n, source=None):
    """Opens as many connections as are accepted, from one address or from all in turn."""
    held = []
    for _ in range(n):
        try:
            held.append(attack.connect(source, timeout=2))
        except OSError as error:
            attack.note_end(f"not accepted: {type(error).__name__}")
    return held


def endings(attack, connections):
    """Notes how the readable connections ended, and returns the others."""
    if not connections:
        return []
    poll = select.poll()
    for connection in connections:
        poll.register(connection, select.POLLIN)
    ready = {descriptor for descriptor, _ in poll.poll(0)}
    open_still = []
    for connection in connections:
        if connection.fileno() not in ready:
            open_still.append(connection)
            continue
        try:
            attack.note(wire.Stream(connection).reply())
        except (OSError, wire.Broken):
            attack.note_end("closed")
        connection.close()
    return open_still


def reset_on_close(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


@row()
def half_open(attack):
    """Connections that send nothing or half a request, or leave within one: reset, and half closed."""
    pieces = (b"", b"GET", b"GET /healthz HTTP/1.1\r\nHost: loc", b"POST /v1/events HTTP/1.1\r\nHost: localhost\r\n"
              b"Content-Length: 1000\r\n\r\n<r>", b"GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n", GET * 3)
    attack.under_way()
    while attack.goes_on():
        for n, piece in enumerate(pieces):
            for leave in (wire.end_sending, reset_on_close, lambda c: None):
                connection = attack.connect(n)
                wire.send(connection, piece)
                with contextlib.suppress(OSError):  # the daemon has left first
                    leave(connection)  # half-closes, makes close() reset, or does nothing
                connection.close()


@row(plain_only=True)
def connection_flood(attack):
    """Thousands of silent connections that stay open, and as many that come and go."""
    attack.under_way()
    held = []
    while attack.goes_on():
        if len(held) < 4_000:
            held += hold(attack, 200)
        for n in range(100):
            try:
                attack.connect(n, timeout=2).close()
            except OSError:
                attack.note_end("not accepted")
        held = endings(attack, held)
    attack.served["held"] = len(held)


def feed_until_cut(attack, slow, nth, text):
    """Sends the text, a byte at a time, on every n-th connection. The daemon must end all of them."""
    give_up = time.monotonic() + wire.TIMEOUT_S
    at = 0
    while slow and time.monotonic() < give_up:
        for connection in slow[::nth]:
            wire.send(connection, text[at:at + 1])
        at += 1
        time.sleep(0.1)
        slow = endings(attack, slow)
    attack.check(not slow, f"{len(slow)} slow requests are still waited for")


@row(options=SOON, plain_only=True)
def slow_heads(attack):
    """Heads that arrive a byte at a time: each must be cut off when its time is up."""
    text = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 10_000
    attack.under_way()
    while attack.goes_on():
        feed_until_cut(attack, hold(attack, 300), 1, text)


@row(options=SOON, plain_only=True)
def slow_bodies(attack):
    """Bodies that arrive a byte at a time, and some that never arrive."""
    head = (b"POST /v1/events?stream=attack HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/xml\r\n"
            b"Content-Length: 10000000\r\n\r\n<r>")
    attack.under_way()
    while attack.goes_on():
        slow = hold(attack, 300)
        for connection in slow:
            wire.send(connection, head)
        feed_until_cut(attack, slow, 2, b" " * 10_000)


@row(plain_only=True)
def pipelining(attack):
    """Endless requests on connections whose replies nobody reads."""
    attack.under_way()
    request = b"GET /v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n" * 500
    flooding = hold(attack, 50)
    for connection in flooding:
        connection.setblocking(False)
    while attack.goes_on():
        for connection in flooding:
            try:
                connection.send(request)
            except BlockingIOError:
                pass
            except OSError:
                attack.note_end("closed")
                flooding.remove(connection)
        time.sleep(0.01)


@row(long_only=True, plain_only=True)
def request_flood(attack):
    """Small requests from one address, as fast as one process can send them and read their replies."""
    attack.under_way()
    flooding = hold(attack, 20, 0)
    for connection in flooding:
        connection.setblocking(False)
    while attack.goes_on():
        for connection in flooding:
            try:
                connection.send(GET * 50)
                replies = connection.recv(1 << 20)
                for status in (b"200", b"429", b"503"):
                    if n := replies.count(b"HTTP/1.1 " + status):
                        counts = attack.served if status == b"200" else attack.refused
                        counts[status.decode()] = counts.get(status.decode(), 0) + n
            except BlockingIOError:
                pass
            except OSError:
                attack.note_end("closed")
                flooding.remove(connection)
        if not flooding:
            time.sleep(0.1)
            flooding = hold(attack, 20, 0)
            for connection in flooding:
                connection.setblocking(False)


@row(long_only=True, plain_only=True)
def chatty_subscribers(attack):
    """Subscribers that send endlessly instead of listening."""
    streams = [s for n in range(20) if (s := attack.subscribe("stream=attack", n)) is not None]
    for stream in streams:
        stream.connection.setblocking(False)
    attack.under_way()
    chatter = b"a" * 65536
    while attack.goes_on():
        for stream in list(streams):
            try:
                stream.connection.send(chatter)
            except BlockingIOError:
                pass
            except OSError:
                attack.note_end("closed")
                streams.remove(stream)
        if not streams:
            time.sleep(0.05)


@row(options=("limits.connections=1000",), plain_only=True)
def all_connections(attack):
    """As many silent connections as limits.connections, from several addresses: others can still connect."""
    attack.under_way()
    held = []
    while attack.goes_on():
        held += hold(attack, 1_200 - len(held))
        time.sleep(0.1)
        held = endings(attack, held)
    attack.served["held"] = len(held)


@row(options=("limits.connections=200",), plain_only=True)
def all_subscribers(attack):
    """One address subscribes more often than there are connections: it gets a quarter, and others still subscribe."""
    attack.under_way()
    held = []
    while attack.goes_on() or not held:
        if len(held) < 50 and (stream := attack.subscribe("stream=attack", 0)) is not None:
            held.append(stream)
        elif attack.subscribe("stream=attack", 0) is not None:
            attack.fault(f"more than {len(held)} of 200 connections for one address")
            break
        time.sleep(0.001)
    attack.check(attack.subscribe("stream=attack", 1) is not None, "no connection is left for another address")
    attack.served["held"] = len(held)

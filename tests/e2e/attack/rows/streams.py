"""Streams: endless new ones, and what is remembered and reported for each."""
import time

import wire
from rows import MANY, row

BODY = b"<r><a/></r>"


def post(stream):
    return wire.head("POST", f"/v1/events?stream={stream}", {"Content-Type": "application/xml"}, len(BODY)) + BODY


def make_streams(attack, n, prefix, seconds=1e9, least=0):
    """Posts to n new stream names from 16 addresses; fewer if that takes long, but not fewer than `least`."""
    begin = time.monotonic()
    connections = {}
    for i in range(n):
        if i >= least and time.monotonic() > begin + seconds:
            return
        source = i % 16
        try:
            if source not in connections:
                connections[source] = wire.Stream(attack.connect(source))
            wire.send(connections[source].connection, post(f"{prefix}{i}"))
            attack.note(connections[source].reply())
        except (OSError, wire.Broken):
            connections.pop(source, None)
            attack.note_end("closed")


@row(options=("limits.streams=1000", "deduplication.window=1s"))
def new_streams(attack):
    """More new stream names than limits.streams, from a few addresses: others can still create theirs afterwards."""
    attack.under_way()
    make_streams(attack, 1_000_000, "s", attack.seconds - 0.2, least=2_000)


@row()
def long_status(attack):
    """Thousands of streams with long names, and connections that request all their statuses without reading them."""
    make_streams(attack, 10_000, "n" * 120, 5)
    attack.under_way()
    asking = []
    request = wire.head("GET", "/v1/status")
    while attack.goes_on():
        if len(asking) < MANY:
            try:
                asking.append(attack.connect(len(asking), timeout=2, receive_bytes=wire.SMALL_BUFFER_BYTES))
                wire.send(asking[-1], request * 20)
            except OSError:
                attack.note_end("not accepted")
        else:
            time.sleep(0.05)


MANY_KEYS = b"{" + b",".join(b"%x" % n for n in range(12_000)) + b"}"


def options_of(n):
    """Options as a client would give, with the longest event path that is allowed, and such as are refused."""
    return (b'{"event_path": "' + b"//a" * 341 + b'"}', b'{"deduplicate": false}', b"[" * 60_000,
            b"a: " * 20_000, b'{"event_path": "' + b"//a[" * 5_000 + b'"}', b"k: 1\n" * 10_000, MANY_KEYS)[n % 7]


@row(options=("limits.streams=1000",))
def defined_streams(attack):
    """Streams are defined, changed and deleted under ever new names, with options that are large, nested, many or wrong."""
    attack.under_way()
    connections = {}
    n = 0
    while attack.goes_on():
        source = n % 16
        method = (b"PUT", b"PUT", b"PUT", b"PATCH", b"DELETE")[n % 5].decode()
        body = b"" if method == "DELETE" else options_of(n)
        headers = {"Content-Type": "application/json"}
        try:
            if source not in connections:
                connections[source] = wire.Stream(attack.connect(source))
            wire.send(connections[source].connection,
                      wire.head(method, f"/v1/streams/d{n // 3}", headers, len(body)) + body)
            attack.note(connections[source].reply())
        except (OSError, wire.Broken):
            connections.pop(source, None)
            attack.note_end("closed")
        n += 1


@row(options=("limits.streams=4000",))
def pages_of_streams(attack):
    """Very many connections ask for the list of streams, with long options, and do not read it."""
    body = options_of(0)
    for n in range(2_000):
        try:
            stream = wire.Stream(attack.connect(n % 64))
            wire.send(stream.connection, wire.head("PUT", f"/v1/streams/{n:0>120}", {}, len(body)) + body)
            attack.note(stream.reply())
            stream.close()
        except (OSError, wire.Broken):
            attack.note_end("closed")
    attack.under_way()
    asking = []
    while attack.goes_on():
        if len(asking) < MANY:
            try:
                asking.append(attack.connect(len(asking), timeout=2, receive_bytes=wire.SMALL_BUFFER_BYTES))
                wire.send(asking[-1], wire.head("GET", "/v1/streams") * 20)
            except OSError:
                attack.note_end("not accepted")
        else:
            time.sleep(0.05)


@row(long_only=True)
def remembered_items(attack):
    """Documents of ten thousand new items each, to one stream after another; all items are remembered."""
    attack.under_way()
    n = 0
    while attack.goes_on():
        document = "<r>" + "".join(f"<a>{n}_{i}</a>" for i in range(9_999)) + "</r>"
        attack.publish(document, f"s{n % 100}", n=n)
        n += 1


@row()
def costly_event_path(attack):
    """Small documents on a stream whose event path looks at every node once for each node."""
    reply = attack.request("PUT", "/v1/streams/costly", b'{"event_path": "//a[count(preceding::a) = 77777]"}',
                           {"Content-Type": "application/json"})
    attack.expect(reply, (200, 201), "a stream's options")
    document = "<r>" + "<a/>" * 8_000 + "</r>"

    def client(n):
        while attack.goes_on():
            try:
                attack.publish(document, "costly", n=n, timeout=wire.ATTACKER_S)
            except (OSError, wire.Broken):
                attack.note_end("no reply")

    attack.under_way()
    attack.run_clients(client, 20)

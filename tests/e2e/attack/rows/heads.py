"""Heads of requests: sizes, and rare contents."""
import wire
from rows import row

KIB = 1024


def field_of(name_bytes, value_bytes):
    return b"X" * name_bytes + b": " + b"a" * value_bytes + b"\r\n"


def exchange(attack, data, n=None):
    """The reply to these bytes; None if the connection was closed without one."""
    with attack.connect(n) as connection:
        wire.send(connection, data)
        try:
            return wire.Stream(connection).reply()
        except wire.Broken:
            return None


def refused_head(attack, fields, what, statuses=(400, 431)):
    reply = exchange(attack, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + fields + b"\r\n")
    attack.check(reply is not None, f"{what}: closed without a reply")
    if reply is not None:
        attack.expect(attack.note(reply), statuses, what)


@row()
def giant_fields(attack):
    """Header fields of 64 KiB and more, which Beast's fields cannot hold, as names, values and folded lines."""
    attack.under_way()
    while attack.goes_on():
        for size in (64 * KIB - 1, 64 * KIB, 64 * KIB + 1, 200 * KIB, 4096 * KIB):
            refused_head(attack, field_of(1, size), f"a value of {size} bytes")
            refused_head(attack, field_of(size, 1), f"a name of {size} bytes")
        refused_head(attack, b"X: a\r\n" + b" aaaa\r\n" * 20_000, "a value of 20,000 folded lines")
        refused_head(attack, field_of(40 * KIB, 40 * KIB), "name and value of 40 KiB each")
        reply = exchange(attack, b"GET /" + b"a" * 300 * KIB + b" HTTP/1.1\r\nHost: localhost\r\n\r\n")
        attack.expect(attack.note(reply), (414, 431), "a target of 300 KiB")


@row(long_only=True)
def many_fields(attack):
    """As many header fields as fit into a head, on many connections."""
    head = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + b"".join(b"x%d: \r\n" % i for i in range(24_000)) + b"\r\n"
    attack.under_way()
    while attack.goes_on():
        for n in range(8):
            reply = exchange(attack, head, n)
            attack.expect(attack.note(reply), (200, 400, 431), "24,000 fields")


def chunked(rest, first=b""):
    return (b"POST /v1/events?stream=attack HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/xml\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n" + first + b"b\r\n<r><a/></r>\r\n" + rest)


@row()
def giant_trailers(attack):
    """Chunk trailers and chunk extensions of 64 KiB and more, in one piece and in many."""
    giants = {
        "a trailer of 64 KiB": chunked(b"0\r\n" + field_of(1, 64 * KIB) + b"\r\n"),
        "a trailer of 4 MiB": chunked(b"0\r\n" + field_of(1, 4096 * KIB) + b"\r\n"),
        "a trailer's name of 64 KiB": chunked(b"0\r\n" + field_of(64 * KIB, 1) + b"\r\n"),
        "100,000 trailers": chunked(b"0\r\n" + field_of(1, 60) * 100_000 + b"\r\n"),
        "an extension of 1 MiB": chunked(b"0\r\n\r\n", b"1;x=" + b"a" * 1024 * KIB + b"\r\n \r\n"),
        "a last chunk's extension of 1 MiB": chunked(b"0;x=" + b"a" * 1024 * KIB + b"\r\n\r\n"),
        "leading zeros of a chunk's size": chunked(b"0\r\n\r\n", b"0" * 1024 * KIB + b"1\r\n \r\n"),
    }
    attack.under_way()
    while attack.goes_on():
        for what, data in giants.items():
            reply = exchange(attack, data)
            attack.check(reply is not None, f"{what}: closed without a reply")
            if reply is not None:
                attack.expect(attack.note(reply), (400, 413, 431), what)


@row()
def odd_heads(attack):
    """Allowed but rare heads: leading CRLF, absolute-form targets, OPTIONS *, HEAD, unknown methods and versions."""
    port = str(attack.port).encode()
    cases = (
        (b"\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", (200,)),
        (b"GET http://localhost:" + port + b"/healthz HTTP/1.1\r\nHost: localhost:" + port + b"\r\n\r\n", (200,)),
        (b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", (200, 204)),
        (b"GET /healthz HTTP/1.0\r\n\r\n", (200,)),
        (b"BREW /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", (405, 501)),
        (b"CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n", (400, 405, 501)),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", (400, 505)),
        (b"GET /healthz HTTP/3.7\r\nHost: localhost\r\n\r\n", (400, 505)),
        (b"GET /healthz%00 HTTP/1.1\r\nHost: localhost\r\n\r\n", (400, 404)),
        (b"GET /v1/events?stream=%ff%fe HTTP/1.1\r\nHost: localhost\r\n\r\n", (400,)),
        (b"GET /v1/events?filter=%00 HTTP/1.1\r\nHost: localhost\r\n\r\n", (400,)),
        (b"GET /v1/events?filter=" + b"%28" * 20_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", (400,)),
        (b"GET /v1/events?" + b"a=b&" * 40_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", (400,)),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 200, (400, 431, 505)),
    )
    attack.under_way()
    while attack.goes_on():
        for data, statuses in cases:
            reply = exchange(attack, data)
            attack.check(reply is not None, f"{data[:60]!r}: closed without a reply")
            if reply is not None:
                attack.expect(attack.note(reply), statuses, repr(data[:60]))

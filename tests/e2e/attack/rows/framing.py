"""Request smuggling: bytes that two parsers might divide into requests in different ways. Each must get at most one
reply, and the request hidden behind it must never be served."""
import json
import re

import wire
from rows import row

DOCUMENT = b"<r><a/></r>"
HIDDEN = (b"POST /v1/events?stream=smuggled HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/xml\r\n"
          b"Content-Length: 11\r\n\r\n" + DOCUMENT)
POST = b"POST /v1/events?stream=attack HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/xml\r\n"
CHUNKS = b"b\r\n" + DOCUMENT + b"\r\n0\r\n\r\n"
END = b"0\r\n\r\n"

# Sent before the hidden request.
REFUSED = {
    "Content-Length and chunked": POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + END,
    "chunked and Content-Length": POST + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n" + END,
    "Content-Lengths that differ": POST + b"Content-Length: 11\r\nContent-Length: 0\r\n\r\n" + DOCUMENT,
    "Content-Length: 11, 0": POST + b"Content-Length: 11, 0\r\n\r\n" + DOCUMENT,
    "Content-Length: +11": POST + b"Content-Length: +11\r\n\r\n" + DOCUMENT,
    "Content-Length: -1": POST + b"Content-Length: -1\r\n\r\n" + DOCUMENT,
    "Content-Length: 0xb": POST + b"Content-Length: 0xb\r\n\r\n" + DOCUMENT,
    "Content-Length: 1 1": POST + b"Content-Length: 1 1\r\n\r\n" + DOCUMENT,
    "Content-Length of nothing": POST + b"Content-Length: \r\n\r\n" + DOCUMENT,
    "Content-Length beyond 64 bits": POST + b"Content-Length: 18446744073709551627\r\n\r\n" + DOCUMENT,
    "a space before the colon": POST + b"Transfer-Encoding : chunked\r\n\r\n" + CHUNKS,
    "a line feed in the name": POST + b"Content-Length\n: 11\r\n\r\n" + DOCUMENT,
    "chunked twice": POST + b"Transfer-Encoding: chunked, chunked\r\n\r\n" + CHUNKS,
    "chunked in two fields": POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n" + CHUNKS,
    "identity, then chunked": POST + b"Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n\r\n" + CHUNKS,
    "chunked, then identity": POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n" + CHUNKS,
    "xchunked": POST + b"Transfer-Encoding: xchunked\r\n\r\n" + CHUNKS,
    "chunked with a parameter": POST + b"Transfer-Encoding: chunked;q=1\r\n\r\n" + CHUNKS,
    "chunked in quotes": POST + b"Transfer-Encoding: \"chunked\"\r\n\r\n" + CHUNKS,
    "a vertical tab before chunked": POST + b"Transfer-Encoding: \x0bchunked\r\n\r\n" + CHUNKS,
    "gzip, chunked": POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n" + CHUNKS,
    "folded chunked beside Content-Length": POST + b"Content-Length: 5\r\nTransfer-Encoding:\r\n chunked\r\n\r\n" + END,
    "HTTP/1.0 with chunked": POST.replace(b"1.1", b"1.0") + b"Transfer-Encoding: chunked\r\n\r\n" + CHUNKS,
    "bare line feeds": (POST + b"Content-Length: 11\r\n\r\n").replace(b"\r\n", b"\n") + DOCUMENT,
    "a bare carriage return": POST + b"X: a\rContent-Length: 11\r\n\r\n" + DOCUMENT,
    "NUL in a value": POST + b"X: a\x00b\r\nContent-Length: 11\r\n\r\n" + DOCUMENT,
    "NUL in a name": POST + b"X\x00Y: a\r\nContent-Length: 11\r\n\r\n" + DOCUMENT,
    "a line without a colon": POST + b"Nonsense\r\nContent-Length: 11\r\n\r\n" + DOCUMENT,
    "a field without a name": POST + b": a\r\nContent-Length: 11\r\n\r\n" + DOCUMENT,
    "two versions": b"GET /healthz HTTP/1.1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a tab in the request line": b"GET\t/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a chunk's size 0xb": POST + b"Transfer-Encoding: chunked\r\n\r\n0x" + CHUNKS,
    "a chunk's size -b": POST + b"Transfer-Encoding: chunked\r\n\r\n-" + CHUNKS,
    "a chunk's size beyond 64 bits": POST + b"Transfer-Encoding: chunked\r\n\r\n1000000000000000b\r\n" + CHUNKS,
    "a chunk of 2^64 - 1": POST + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n" + CHUNKS,
    "a chunk of 2^63": POST + b"Transfer-Encoding: chunked\r\n\r\n8000000000000000\r\n" + CHUNKS,
    "a chunk without a size": POST + b"Transfer-Encoding: chunked\r\n\r\n\r\n" + CHUNKS,
    "an extension without a size": POST + b"Transfer-Encoding: chunked\r\n\r\n;x=y\r\n" + CHUNKS,
    "a space before a chunk's size": POST + b"Transfer-Encoding: chunked\r\n\r\n " + CHUNKS,
    "a chunk's size in full-width digits": POST + "Transfer-Encoding: chunked\r\n\r\n\uff11\r\n".encode() + CHUNKS,
    "NUL in an extension": POST + b"Transfer-Encoding: chunked\r\n\r\nb;\0\r\n" + DOCUMENT + b"\r\n" + END,
    "a bare line feed in a trailer": POST + b"Transfer-Encoding: chunked\r\n\r\nb\r\n" + DOCUMENT +
                                     b"\r\n0\r\nX: a\nY: b\r\n\r\n",
    "a trailer that is no field": POST + b"Transfer-Encoding: chunked\r\n\r\nb\r\n" + DOCUMENT +
                                  b"\r\n0\r\nnonsense\r\n\r\n",
    "a chunk without its line end": POST + b"Transfer-Encoding: chunked\r\n\r\nb\r\n" + DOCUMENT + END,
    "chunks with bare line feeds": POST + b"Transfer-Encoding: chunked\r\n\r\n" + CHUNKS.replace(b"\r\n", b"\n"),
    "a bare line feed in an extension": POST + b"Transfer-Encoding: chunked\r\n\r\nb;\n" + DOCUMENT + b"\r\n" + END,
}
ANSWERED_ONCE = {
    "no Host": b"GET /healthz HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(HIDDEN),
    "two Hosts": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(HIDDEN),
    "a body of GET": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(HIDDEN),
    "a body of HEAD": b"HEAD /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(HIDDEN),
    "a body of DELETE": b"DELETE /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(HIDDEN),
    "a body of 404": b"POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(HIDDEN),
    "a body that is refused": POST.replace(b"application/xml", b"image/png") + b"Content-Length: %d\r\n\r\n" % len(HIDDEN),
    "an expectation": POST + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(HIDDEN),
    "an upgrade": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n"
                  b"Content-Length: %d\r\n\r\n" % len(HIDDEN),
    "a trailer": POST + b"Transfer-Encoding: chunked\r\n\r\nb\r\n" + DOCUMENT +
                 b"\r\n0\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
}


def replies_to(attack, data, n=None):
    """Returns everything received, after closing the writing side."""
    received = b""
    with attack.connect(n) as connection:
        wire.send(connection, data)
        try:
            wire.end_sending(connection)
            while piece := connection.recv(65536):
                received += piece
        except TimeoutError:
            return received + b" (and is left open)"
        except OSError:
            pass  # reset: nothing more will come
    return received


def as_stream(data):
    """The same for the endpoint that reads its body while it arrives."""
    return data.replace(b"/v1/events?stream=attack", b"/v1/publish?stream=attack").replace(
        b"application/xml", b"application/x-ndjson")


def statuses_in(received):
    return [int(status) for status in re.findall(rb"HTTP/1\.[01] (\d{3}) ", received)]


@row()
def smuggling(attack):
    """Every known way to make two parsers disagree about the end of a request, each hiding a publication behind it."""
    attack.under_way()
    while attack.goes_on():
        for what, data in [*REFUSED.items(), *((f"stream: {w}", as_stream(d)) for w, d in REFUSED.items())]:
            statuses = statuses_in(replies_to(attack, data + HIDDEN))
            attack.check(len(statuses) <= 1 and all(400 <= s < 600 for s in statuses), f"{what}: {statuses}")
            attack.note_end(f"{statuses[0]} framing" if statuses else "closed without a reply")
        for what, data in [*ANSWERED_ONCE.items(), *((f"stream: {w}", as_stream(d)) for w, d in ANSWERED_ONCE.items())]:
            hidden = HIDDEN if b"chunked" not in data else b""
            statuses = [s for s in statuses_in(replies_to(attack, data + hidden)) if s != 100]
            attack.check(len(statuses) == 1, f"{what}: {statuses}")
    streams = json.loads(attack.request("GET", "/v1/status").body)["streams"]
    attack.check("smuggled" not in streams, "a hidden request was served")


@row()
def smuggling_beyond_the_rate(attack):
    """The same from an address that is over its rate limit: requests refused early might hide others."""
    attack.under_way()
    while attack.goes_on():
        replies_to(attack, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n" * 3_000, 0)
        for what, data in REFUSED.items():
            statuses = statuses_in(replies_to(attack, data + HIDDEN, 0))
            attack.check(len(statuses) <= 1 and all(400 <= s < 600 for s in statuses), f"{what}: {statuses}")
            attack.note_end(f"{statuses[0]} framing" if statuses else "closed without a reply")


@row(long_only=True)
def tiny_chunks(attack):
    """A body in one-byte chunks, each with an extension: little body, much parsing."""
    chunks = (b"1;x=" + b"a" * 60 + b"\r\n \r\n") * 2_000
    attack.under_way()
    connections = [attack.connect(n) for n in range(4)]
    for connection in connections:
        wire.send(connection, POST + b"Transfer-Encoding: chunked\r\n\r\nb\r\n" + DOCUMENT + b"\r\n")
    while attack.goes_on() and connections:
        for connection in list(connections):
            if not wire.send(connection, chunks):
                attack.note_end("closed in mid-body")
                connections.remove(connection)


@row(tls_too=True)
def split_everywhere(attack):
    """Valid requests that arrive in two pieces, divided at each byte in turn: the parser must resume correctly."""
    first = POST + b"Transfer-Encoding: chunked\r\n\r\n4;x=\"y\";z\r\n" + DOCUMENT[:4] + b"\r\n007\r\n" + DOCUMENT[4:]
    first += b"\r\n000\r\nX-Trailer: a\r\nY: b\r\n\r\n"
    both = first + b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    attack.under_way()
    while attack.goes_on():
        for at in range(1, len(both)):
            if not attack.goes_on():
                return
            with attack.connect(at) as connection:
                wire.send(connection, both[:at])
                wire.send(connection, both[at:])
                stream = wire.Stream(connection)
                for status in (202, 200):
                    attack.expect(attack.note(stream.reply()), (status,), f"divided at byte {at}")

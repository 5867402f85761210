"""Memory that adds up: limits that hold for one user, multiplied by many."""
import threading
import time
from urllib.parse import urlencode

import wire
from rows import row
from rows.operators import pattern
from rows.scans import Listeners, publish_again_and_again

MIB = 1 << 20
BIG = 15 * MIB
HEADERS = {"Content-Type": "application/xml"}


def begin_posts(attack, n, size, target="/v1/events?stream=attack", addresses=250):
    """Begins posts that lack their last byte, so that the daemon waits and keeps what has arrived."""
    piece = b" " * (4 * MIB)
    posts = []
    for i in range(n):
        if not attack.goes_on():
            break
        try:
            connection = attack.connect(i % addresses, timeout=2)
        except OSError:
            attack.note_end("not accepted")
            continue
        wire.send(connection, wire.head("POST", target, HEADERS, size))
        sent = 0
        while sent < size - 1 and attack.goes_on():
            part = piece[:min(len(piece), size - 1 - sent)]
            if not wire.send(connection, part):
                break
            sent += len(part)
        if sent < size - 1:
            finish(attack, connection)
        else:
            posts.append(connection)
    return posts


def finish(attack, connection):
    """Notes the daemon's reply, if any."""
    connection.settimeout(0.5)
    try:
        attack.note(wire.Stream(connection).reply())
    except (OSError, wire.Broken):
        attack.note_end("closed, or not read any further")
    connection.close()


def hold_posts(attack, *posts, **more):
    attack.under_way()
    held = begin_posts(attack, *posts, **more)
    attack.served["held"] = len(held)
    while attack.goes_on():
        time.sleep(0.05)


@row()
def unfinished_posts(attack):
    """200 posts of 15 MB that lack their last byte, from four addresses."""
    hold_posts(attack, 200, BIG, addresses=4)


@row()
def unfinished_posts_of_many(attack):
    """200 posts of 15 MB that lack their last byte, each from a different address."""
    hold_posts(attack, 200, BIG)


@row()
def unfinished_heads(attack):
    """4,000 heads of 250 KB that lack their last line, from many addresses."""
    head = b"GET /v1/events?stream=" + b"a" * 50_000 + b" HTTP/1.1\r\nHost: localhost\r\n"
    head += b"".join(b"x%d: " % i + b"b" * 50_000 + b"\r\n" for i in range(4))
    attack.under_way()
    held = []
    while attack.goes_on() and len(held) < 4_000:
        try:
            held.append(attack.connect(len(held), timeout=1))
            wire.send(held[-1], head)
        except OSError:
            attack.note_end("not accepted")
    attack.served["held"] = len(held)
    while attack.goes_on():
        time.sleep(0.05)


@row(long_only=True)
def unread_problems(attack):
    """Refusals that quote their 200 KB requests, sent to a thousand connections that do not read them."""
    targets = [f"/v1/events?{'%01' * 60_000}=1", "/" + "a" * 200_000, f"/v1/events?filter={'%28' * 21_000}",
               f"/v1/events?stream={'%C3%A9' * 30_000}"]
    attack.under_way()
    held = []
    while attack.goes_on():
        time.sleep(0.02)  # tests memory, not the rate limit
        if len(held) >= 1_000:
            continue
        try:
            held.append(attack.connect(len(held), timeout=1, receive_bytes=wire.SMALL_BUFFER_BYTES))
            wire.send(held[-1], wire.head("GET", targets[len(held) % len(targets)]) * 2)
        except OSError:
            attack.note_end("not accepted")
    reply = attack.note(attack.request("GET", targets[0]))
    attack.check(len(reply.body) < 4096, f"a problem of {len(reply.body)} bytes")


@row(long_only=True)
def unfinished_trials(attack):
    """60 trials of 30 MB that lack their last byte."""
    hold_posts(attack, 60, 2 * BIG, "/v1/match")


@row(ends_under_attack=True)
def tiny_documents(attack):
    """A queue of tiny documents, each of which needs its own tree, behind a slow filter."""
    Listeners(attack, [f"approx-contains(., '{pattern(i, 300)}', 255)" for i in range(128)])
    body = b"<r><a>x</a></r>"
    request = wire.head("POST", "/v1/events?stream=attack&deduplicate=false", HEADERS, len(body)) + body
    attack.under_way()
    slow = threading.Thread(target=publish_again_and_again, args=(attack, b"<r><a>" + b"abcdef " * 300_000 + b"</a></r>"))
    slow.start()
    streams = {}
    while attack.goes_on():
        for n in range(8):
            try:
                if n not in streams:
                    streams[n] = wire.Stream(attack.connect(n, timeout=wire.ATTACKER_S))
                wire.send(streams[n].connection, request * 20)
                for _ in range(20):
                    attack.note(streams[n].reply())
            except (OSError, wire.Broken):
                streams.pop(n, None)
                attack.note_end("closed, or late")
    slow.join()


@row(address_space_bytes=200 * MIB, options=("limits.memory=150MiB",))
def address_space(attack):
    """Forty posts of 15 MB at once to a process that may map 200 MiB more than when idle: allocations fail."""
    document = b"<r><a>" + b"<b>x</b>" * 9_000 + b"x" * (14 * MIB) + b"</a></r>"
    attack.under_way()

    def post(n):
        while attack.goes_on():
            try:
                attack.note(attack.request("POST", f"/v1/events?stream=attack{n % 3}", document, HEADERS, n,
                                           wire.ATTACKER_S))
            except (OSError, wire.Broken):
                attack.note_end("closed")

    attack.run_clients(post, 40)


@row(long_only=True)
def all_at_once(attack):
    """Everything that fills memory at once: unfinished posts, idle subscribers, large filters, streams, documents."""
    attack.under_way()

    def sleep_as_subscriber():
        kept = []
        while attack.goes_on() and len(kept) < 100:
            filters = [("filter", f"contains(., '{len(kept)}_{i}{'x' * 300}') or boolean(.)") for i in range(50)]
            try:
                kept.append(attack.subscribe(urlencode([("stream", "attack"), *filters]), len(kept), receive_bytes=wire.SMALL_BUFFER_BYTES))
            except (OSError, wire.Broken):
                attack.note_end("closed")
        while attack.goes_on():
            time.sleep(0.05)

    works = [sleep_as_subscriber, lambda: begin_posts(attack, 30, BIG),
             lambda: publish_again_and_again(attack, b"<r>" + b"<a>x</a>" * 100_000 + b"</r>", pause=0.02)]
    attack.run_clients(lambda i: works[i](), len(works))

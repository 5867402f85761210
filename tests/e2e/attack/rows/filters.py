"""Filters that are costly to compile or to keep, and floods of subscriptions."""
import json
import time
from random import Random
from urllib.parse import urlencode

import wire
from rows import row
from rows.scans import try_again_and_again

SMALL = "<r><a>x</a></r>"


def explosive(n):
    """Conjunctions of disjunctions whose normal form is at the limit, or just above it."""
    return " and ".join(f"(a{i}='x' or b{i}='x')" for i in range(n))


BOMBS = [
    "(" * 99 + "a" + ")" * 99,
    "(" * 60_000,
    "not(" * 95 + "a = 'x'" + ")" * 95,
    explosive(8), explosive(9), explosive(2_000),
    " or ".join(f"a='{i}'" for i in range(5_000)),
    " and ".join(f"contains(a, '{i}')" for i in range(3_000)),
    "//" + "a[" * 40 + "b" + "]" * 40,
    "|".join(f"//a{i}" for i in range(5_000)),
    "a = '" + "x" * 65_000 + "'",
    "matches(a, '" + "(a{1,1000}){1,1000}" * 10 + "')",
    "matches(a, '((((a{100}){100}){100}){100}){100}')",
    "matches(a, '" + "\\\\pL{1,500}" * 8 + "')",
    "approx-contains(a, '" + "x" * 4_096 + "', 255)",
    "1" + " + 1" * 15_000 + " = 2",
    "-" * 60_000 + "1 = 1",
    "a" + "/.." * 20_000,
    "string-length(" * 90 + "a" + ")" * 90 + " > 1",
    "$" * 60_000,
    "'" + "\u4e00" * 20_000,
    "9" * 60_000 + " = a",
]


@row()
def filter_bombs(attack):
    """Filters of 64 KB that nest, repeat or explode when compiled, as trials."""
    try_again_and_again(attack, [(text, SMALL) for text in BOMBS])


def subscribe_until_refused(attack, filters_of):
    """Keeps connections with the n-th list of filters, each from its own address."""
    attack.under_way()
    n, kept = 0, []
    while attack.goes_on():
        query = urlencode([("stream", "attack"), *(("filter", text) for text in filters_of(n))], safe="/")
        try:
            stream = attack.subscribe(query, n)
        except (OSError, wire.Broken) as error:
            attack.note_end(f"{error}")
            continue
        kept += [stream] if stream is not None else []
        n += 1
    attack.served["connections kept"] = len(kept)


@row()
def expression_bombs(attack):
    """Regular expressions of 200 KiB each when compiled, all different, 8 per filter and 128 filters per connection."""
    segments = "[a-y]{1,900}[0-8]{1,900}" * 4

    def filters(n):
        return [" or ".join(f"matches(a,'{segments}{n}_{i}_{k}')" for k in range(8)) for i in range(128)]

    subscribe_until_refused(attack, filters)


@row()
def normal_form_bombs(attack):
    """128 filters per connection, all different, whose normal forms are at the limit: 256 conjunctions from 200
    bytes."""

    def filters(n):
        return [" and ".join(f"(a{k}='{n}_{i}' or b{k}='x')" for k in range(8)) for i in range(128)]

    subscribe_until_refused(attack, filters)


@row()
def subscription_flood(attack):
    """Connection after connection with 128 different filters, kept open as long as the daemon allows."""

    def filters(n):
        return [f"a{i} = '{n}' and (b = '{i}' or contains(c, '{n}_{i}')) and d < {i}.5" for i in range(128)]

    subscribe_until_refused(attack, filters)


@row()
def long_paths(attack):
    """Filters of 60 KB whose paths have 30,000 steps, all different, four per connection."""
    subscribe_until_refused(attack, lambda n: [f"x{n}_{i}" + "/a" * 30_000 + " = 1" for i in range(4)])


@row()
def long_conditions(attack):
    """The same with conditions that no index decides."""
    subscribe_until_refused(attack, lambda n: [f"boolean(following::x{n}_{i}" + "/a" * 30_000 + ")" for i in range(4)])


@row()
def patterns_of_many_characters(attack):
    """Approximate patterns of 1,360 random characters each, 20 filters per connection."""
    random = Random(1)

    def filters(_):
        texts = ("".join(chr(random.randrange(0x4e00, 0x9fff)) for _ in range(1_360)) for _ in range(20))
        return [f"approx-contains(t, '{text}', 200)" for text in texts]

    subscribe_until_refused(attack, filters)


@row()
def many_names(attack):
    """Thousands of subscriptions that each name different elements, and subscribers with one new name at a time."""
    kept = []
    for n in range(100):
        names = [f"n{n}_{i} = '1'" for i in range(120)]
        kept.append(attack.subscribe(urlencode([("stream", "attack"), *(("filter", name) for name in names)]), n))
    attack.under_way()
    n = 0
    while attack.goes_on():
        stream = attack.subscribe(urlencode([("stream", "attack"), ("filter", f"m{n} = '1'")]), n)
        if stream is not None:
            stream.close()
        n += 1
    attack.served["names"] = 120 * len(kept) + n


@row(long_only=True)
def subscription_churn(attack):
    """Subscribers with new filters that come and leave at once, so that the engine never rests."""
    attack.under_way()
    n = 0
    while attack.goes_on():
        query = urlencode([("stream", "attack"), *(("filter", f"a = '{n}_{i}'") for i in range(20))])
        connection = attack.connect(n)
        wire.send(connection, wire.head("GET", "/v1/events?" + query))
        if n % 2:
            wire.Stream(connection).line()
        connection.close()
        n += 1
    attack.served["came and left"] = n


@row()
def match_replies(attack):
    """Trials of 100 KB whose replies repeat a leaf of 60 KB for each of ten thousand items, 600 MB in all."""
    document = "<r>" + "<a/>" * 10_000 + "</r>"
    body = json.dumps({"filter": "contains(., '" + "x" * 60_000 + "')", "document": document})
    attack.under_way()
    connections, n = [], 0
    while attack.goes_on():
        if len(connections) < 8:
            connections.append(attack.connect(n, receive_bytes=wire.SMALL_BUFFER_BYTES))  # nobody reads from it
            wire.send(connections[-1], wire.head("POST", "/v1/match", {"Content-Type": "application/json"}, len(body)) +
                      body.encode())
            n += 1
        time.sleep(0.05)
    try:
        reply = attack.match("contains(., '" + "x" * 60_000 + "')", document)
        attack.check(len(reply.body) < 64 << 20, f"a reply of {len(reply.body) >> 20} MiB")
    except wire.Broken as error:
        attack.note_end(f"{error}")

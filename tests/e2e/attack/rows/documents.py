"""Documents that are small on the wire and large in the daemon, or costly to parse."""
import gzip
import itertools
import zlib

import wire
from rows import row

MIB = 1 << 20
BIG = 15 * MIB


def publish_all(attack, documents):
    """Posts each document in turn while the attack goes on, and at least once. `documents`: name, bytes, allowed
    statuses, and optionally headers."""
    attack.under_way()
    for n, (what, document, statuses, *headers) in enumerate(itertools.cycle(documents)):
        if n >= len(documents) and not attack.goes_on():
            return
        fields = headers[0] if headers else {}
        reply = attack.publish(document, "attack&deduplicate=false", n=n, **fields)
        attack.expect(reply, (*statuses, 503), what)  # 503: no room just now


@row()
def gzip_bombs(attack):
    """Gigabytes compressed into megabytes: in one member and in thousands, nested, truncated, and at the limit."""
    compressed = {"Content_Encoding": "gzip"}
    raw = zlib.compressobj(9, zlib.DEFLATED, 31)
    gigabyte = b"".join([*(raw.compress(bytes(16 * MIB)) for _ in range(64)), raw.flush()])
    spaces = gzip.compress(b"<r>" + b" " * (BIG - 20) + b"<a/></r>", 9)
    publish_all(attack, [
        ("a gigabyte", gigabyte, (413,), compressed),
        ("a gigabyte, cut off", gigabyte[:len(gigabyte) // 2], (400, 413), compressed),
        ("thousands of members", gzip.compress(bytes(MIB), 9) * 1_000, (400, 413), compressed),
        ("empty members", gzip.compress(b"") * 200_000, (400, 413), compressed),
        ("gzip in gzip", gzip.compress(gzip.compress(bytes(BIG), 9), 9), (400,), compressed),
        ("gzip twice", gzip.compress(b"<r/>"), (400, 415), {"Content_Encoding": "gzip, gzip"}),
        ("15 MB of spaces", spaces, (202, 413), compressed),
    ])


def billion_laughs():
    entities = "<!ENTITY a0 'lol'>" + "".join(f"<!ENTITY a{i} '{f'&a{i - 1};' * 10}'>" for i in range(1, 10))
    return f"<!DOCTYPE r [{entities}]><r><i>&a9;</i></r>"


@row()
def entity_bombs(attack):
    """Nested entities, one long entity many times, very many entities, and entities from files and other hosts."""
    long = "<!DOCTYPE r [<!ENTITY a '" + "x" * 4_000 + "'>]><r><i>" + "&a;" * 1_000_000 + "</i></r>"
    many = "<!DOCTYPE r [" + "".join(f"<!ENTITY e{i} 'x'>" for i in range(700_000)) + "]><r><i/></r>"
    parameter = "<!DOCTYPE r [<!ENTITY % a '<!ENTITY b \"x\">'>" + "%a;" * 1_000_000 + "]><r><i>&b;</i></r>"
    publish_all(attack, [
        ("a billion laughs", billion_laughs(), (202,)),  # what can't be expanded is text
        ("one long entity a million times", long, (202, 413)),
        ("700,000 entities", many, (400, 413)),
        ("a file", "<!DOCTYPE r [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><r><i>&a;</i></r>", (202,)),
        ("another host", "<!DOCTYPE r SYSTEM 'http://127.0.0.1:1/x.dtd'><r><i>&a;</i></r>", (202,)),
        ("a million parameter entities", parameter, (202, 400, 413)),
        ("a million references to characters", "<r><i>" + "&#65;" * 2_000_000 + "</i></r>", (202,)),
        ("a million of HTML's entities", "<r><i>" + "&nbsp;" * 2_000_000 + "</i></r>", (202,)),
    ])


@row()
def deep_documents(attack):
    """Nested elements, objects and arrays, unfinished and finished, and maximal depth repeated widely."""
    json_type = {"Content_Type": "application/feed+json"}
    wide = "<r>" + ("<a>" * 250 + "</a>" * 250) * 8_000 + "</r>"
    publish_all(attack, [
        ("2,000,000 levels", "<a>" * 2_000_000, (400, 413)),
        ("a million levels, closed", "<a>" * 1_000_000 + "</a>" * 1_000_000, (413,)),
        ("8,000 times 250 levels", wide, (202, 413)),
        ("arrays", '{"version":"https://jsonfeed.org/version/1","items":' + "[" * 2_000_000, (400, 413), json_type),
        ("objects", '{"items":[' + '{"a":' * 1_000_000 + "1" + "}" * 1_000_000 + "]}", (400, 413), json_type),
    ])


@row()
def attribute_bombs(attack):
    """Elements with a million attributes, equal names, long names, and namespaces declared repeatedly."""
    many = "<r><a " + " ".join(f"a{i}=''" for i in range(900_000)) + "/></r>"
    alike = "<r><a " + " ".join(f"{'x' * 1_000}{i}=''" for i in range(14_000)) + "/></r>"
    scopes = "".join(f"<a xmlns:n{i}='urn:{i}'>" for i in range(200))
    looked_up = "<r xmlns:far='urn:far'>" + scopes + "<far:x far:y=''/>" * 400_000 + "</a>" * 200 + "</r>"
    declared = "<r>" + "<a xmlns:m='http://purl.org/dc/elements/1.1/' xmlns='urn:x'/>" * 200_000 + "</r>"
    publish_all(attack, [
        ("900,000 attributes", many, (400, 413)),
        ("14,000 attributes that begin alike", alike, (202, 413)),
        ("900,000 attributes, one twice", many.replace("a899999=", "a0="), (400, 413)),
        ("declarations that hide one another", looked_up, (202, 413)),
        ("400,000 declarations", declared, (202, 413)),
    ])


@row()
def large_documents(attack):
    """Valid documents of 15 MB, each costly in its own way, from several addresses at once."""
    long_name = "n" * 50_000
    cdata = "<r><a>" + "<![CDATA[]]>" * (BIG // 13) + "</a></r>"
    publish_all(attack, [
        ("small elements", "<r>" + "<a/>" * (BIG // 4) + "</r>", (202, 413)),
        ("one text", "<r><a>" + "x" * BIG + "</a></r>", (202,)),
        ("comments", "<r>" + "<!---->" * (BIG // 7) + "<a/></r>", (202, 413)),
        ("CDATA", cdata, (202, 413)),
        ("instructions", "<r>" + "<?a?>" * (BIG // 5) + "<a/></r>", (202, 413)),
        ("9,999 items", "<r>" + ("<a>" + "x" * 1_400 + "</a>") * 9_999 + "</r>", (202,)),
        ("long names", "<r>" + f"<{long_name}>" * 140 + f"</{long_name}>" * 140 + "</r>", (202, 413)),
        ("mixed content", "<r><a>" + "x<b/>" * 900_000 + "</a></r>", (202, 413)),
        ("UTF-16", ("<r><a>" + "é" * (BIG // 4) + "</a></r>").encode("utf-16"), (202,)),
        ("UTF-16 that grows", ("<r><a>" + "\u4e00" * (BIG // 2) + "</a></r>").encode("utf-16"), (202, 413)),
        ("no feed at all", b"\xff\xfe\x00" * (BIG // 3), (400, 413)),
    ])


@row()
def json_bombs(attack):
    """JSON Feeds with a million keys, the same key a million times, long numbers and escapes."""
    feed = '{"version":"https://jsonfeed.org/version/1","items":[%s]}'
    json_type = {"Content_Type": "application/feed+json"}
    publish_all(attack, [
        ("a million keys", feed % ("{" + ",".join(f'"k{i}":1' for i in range(1_000_000)) + "}"), (202, 413), json_type),
        ("one key a million times", feed % ("{" + ",".join(['"k":1'] * 1_000_000) + "}"), (202, 400, 413), json_type),
        ("a number of ten million digits", feed % ('{"k":' + "9" * 10_000_000 + "}"), (202, 400, 413), json_type),
        ("escapes", feed % ('{"k":"' + "\\u0041" * 2_000_000 + '"}'), (202, 413), json_type),
        ("empty objects", feed % ",".join(["{}"] * 4_000_000), (202, 413), json_type),
        ("an array of numbers", feed % ('{"k":[' + ",".join(["1"] * 5_000_000) + "]}"), (202, 413), json_type),
        ("keys that are no names", feed % ('{"' + "<>&" * 1_000_000 + '":1}'), (202, 400, 413), json_type),
    ])


def flood(attack, targets, body):
    """Posts as fast as sixteen connections allow, to each target in turn."""
    targets = itertools.cycle(targets)
    attack.under_way()
    streams = [wire.Stream(attack.connect(n)) for n in range(16)]
    while attack.goes_on():
        for stream in streams:
            head = wire.head("POST", next(targets), {"Content-Type": "application/xml"}, len(body))
            wire.send(stream.connection, head + body)
        for i, stream in enumerate(streams):
            try:
                attack.note(stream.reply())
            except wire.Broken:
                attack.note_end("closed")
                streams[i] = wire.Stream(attack.connect(i))


@row()
def publish_flood(attack):
    """Small, always new documents, as fast as several connections accept them, to one stream."""
    body = b"<r>" + b"".join(b"<a>%d</a>" % i for i in range(100)) + b"</r>"
    flood(attack, ["/v1/events?stream=attack&deduplicate=false"], body)


@row(long_only=True)
def publish_flood_of_many(attack):
    """The same to 500 streams in turn, each of which must get its turn at the matcher."""
    body = b"<r>" + b"".join(b"<a>%d</a>" % i for i in range(100)) + b"</r>"
    flood(attack, [f"/v1/events?stream=s{i}&deduplicate=false" for i in range(500)], body)


@row()
def unclosed_ignored_parts(attack):
    """Items full of elements that deduplication ignores, or so it seems: none of them has an end."""
    def item(text, size):
        return "<r><a><![CDATA[" + text * (size // len(text)) + "]]></a></r>"

    attack.under_way()
    for n in itertools.count():
        for text in ("<thr:total>", "<slash:comments '", "?utm_x", "<thr:total '><slash:comments>"):
            attack.expect(attack.publish(item(text, 30_000), "ignored", n=n), (202, 503), "a small item")
        attack.expect(attack.publish(item("<thr:total>", BIG), "ignored", n=n), (202, 503), "a large item")
        if not attack.goes_on():
            return

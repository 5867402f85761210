#!/usr/bin/env python3
"""Publishing what is no feed, in every format: what subscribers receive is what Python's own parsers read."""
import csv
import io
import json
import pathlib
import random
import tempfile
import unittest
from xml.etree import ElementTree

from client_process import Client, sluice
from sluice_process import Sluiced

CLOUD_EVENT = "application/cloudevents+json"


def paths_of(value, path=""):
    """The values of a JSON value by path, as the broker names them: arrays repeat their path, null is left out."""
    if isinstance(value, dict):
        inner = [each for key, member in value.items() for each in paths_of(member, f"{path}/{key}" if path else key)]
        yield from inner or [(path, "")]
    elif isinstance(value, list):
        for inner in value:
            yield from paths_of(inner, path)
    elif value is not None:
        yield path, value if isinstance(value, str) else json.dumps(value)


def values_of(value):
    values = {}
    for path, text in paths_of(value):
        values.setdefault(path, []).append(text)
    return values


def paths_of_xml(element, path=""):
    """The same values in an item's XML, which has an element for each."""
    inner = [each for child in element for each in paths_of_xml(child, f"{path}/{child.tag}" if path else child.tag)]
    return inner or [(path, element.text or "")]


def values_of_xml(text):
    values = {}
    for path, value in paths_of_xml(ElementTree.fromstring(text)):
        values.setdefault(path, []).append(value)
    return values


def random_value(dice, depth=0):
    kind = dice.randrange(8 if depth < 3 else 5)
    if kind >= 6:
        return {dice.choice("abcdefgh"): random_value(dice, depth + 1) for _ in range(dice.randrange(1, 4))}
    if kind == 5:
        return [random_value(dice, depth + 1) for _ in range(dice.randrange(4))]
    return [None, True, dice.randrange(-5, 1 << 70), round(dice.uniform(-9, 9), 3),
            "".join(dice.choice("aé\"\\\n ,😀<&") for _ in range(dice.randrange(6)))][kind]


class Formats(unittest.TestCase):
    def setUp(self):
        self.daemon = self.enterContext(Sluiced("streams={keyed: {id_path: sensor/id}}"))

    def publish(self, document, content_type, expected=202, **parameters):
        status, _, reply = self.daemon.publish(document, content_type, **parameters)
        self.assertEqual(status, expected, reply)
        return reply

    def twice(self, document, content_type, new, again, **parameters):
        """The document's items are delivered once, and `again` of them a second time."""
        self.assertEqual(self.publish(document, content_type, **parameters)["new"], new)
        reply = self.publish(document, content_type, **parameters)
        self.assertEqual((reply["new"], reply["updated"]), (again, 0))

    def test_json(self):
        readings = [{"sensor": {"id": n, "temp": n / 2}, "tags": ["a", ["b"]]} for n in range(10)]
        with self.daemon.subscribe(["sensor/temp > 3"]) as warm, self.daemon.subscribe(format="xml") as texts:
            self.twice(json.dumps(readings), "application/json", 10, 10)
            self.assertEqual([warm.next_json()["data"] for _ in range(3)], readings[7:])
            self.assertEqual([values_of_xml(texts.next_event()["data"]) for _ in range(10)],
                             [values_of(reading) for reading in readings])
        self.twice(json.dumps(readings[0]), "application/json", 1, 1)
        self.twice(json.dumps(readings), "application/json", 10, 0, stream="keyed")

    def test_random_json_is_what_python_reads(self):
        dice = random.Random(5)
        items = [{"n": n, "v": random_value(dice)} for n in range(500)]
        lines = "\n".join(json.dumps(item, ensure_ascii=dice.random() < 0.5) for item in items)
        for document, content_type in ((json.dumps(items), "application/json"), (lines, "application/x-ndjson"),
                                       (lines, "text/plain")):
            with self.daemon.subscribe(values="all") as subscriber, self.daemon.subscribe(format="xml") as texts:
                self.assertEqual(self.publish(document.encode(), content_type)["new"], len(items))
                for item in items:
                    event = subscriber.next_json()
                    self.assertEqual(event["data"], item)
                    self.assertEqual(event["values"], values_of(item))
                    self.assertEqual(values_of_xml(texts.next_event()["data"]), values_of(item))

    def test_ndjson_with_a_bad_line(self):
        with self.daemon.subscribe(["n > 1"]) as subscriber:
            reply = self.publish('{"n":1}\r\n{"n":\r\n\r\n{"n":2}', "application/jsonl")
            self.assertEqual((reply["received"], reply["refused"]), (2, 1))
            self.assertEqual([(r["index"], r["line"]) for r in reply["refusals"]], [(1, 2)])
            self.assertEqual(subscriber.next_json()["data"], {"n": 2})

    def test_csv(self):
        dice = random.Random(7)
        rows = [[str(n), *("".join(dice.choice("ab\",\r\n é") for _ in range(dice.randrange(6))) for _ in range(2))]
                for n in range(200)]
        text = io.StringIO()
        csv.writer(text).writerows([["n", "my note", "b"], *rows])
        read = list(csv.reader(io.StringIO(text.getvalue(), newline="")))[1:]
        with self.daemon.subscribe(["n >= 100"], values="all") as subscriber, \
                self.daemon.subscribe(format="xml") as texts:
            self.twice(text.getvalue().encode(), "text/csv; charset=utf-8", 200, 200)
            for n, note, b in read[100:]:
                event = subscriber.next_json()
                self.assertEqual(event["data"], {"n": n, "my note": note, "b": b})
                self.assertEqual(event["values"], {"n": [n], "my_note": [note], "b": [b]})
            for n, note, b in read:
                self.assertEqual(values_of_xml(texts.next_event()["data"]), {"n": [n], "my_note": [note], "b": [b]})
        reply = self.publish("a,b\n1\n2,3\n", "text/csv")
        self.assertEqual((reply["new"], reply["refusals"][0]["line"]), (1, 2))
        self.twice("1,2\n3,4\n", "text/csv; header=absent", 2, 2)

    def test_cloud_events(self):
        event = {"specversion": "1.0", "id": "1", "source": "/a", "type": "reading", "data": {"temp": 4.5}}
        with self.daemon.subscribe(["type = 'reading' and data/temp > 4"]) as subscriber:
            self.twice(json.dumps(event), CLOUD_EVENT, 1, 0)
            self.twice(json.dumps([event, {**event, "id": "2"}]), "application/cloudevents-batch+json", 1, 0)
            headers = {"ce-specversion": "1.0", "ce-id": "3", "ce-source": "/caf%C3%A9", "ce-type": "reading",
                       "Content-Type": "application/json"}
            for new in (1, 0):
                status, _, reply = self.daemon.request("POST", "/v1/events", '{"temp": 5}', headers)
                self.assertEqual((status, reply["new"]), (202, new))
            events = [subscriber.next_json() for _ in range(3)]
            self.assertEqual([e["item"]["id"] for e in events], ["1", "2", "3"])
            self.assertEqual(events[0]["data"], event)
            self.assertEqual((events[2]["data"]["source"], events[2]["data"]["data"]), ("/café", {"temp": 5}))
        self.publish(json.dumps({**event, "specversion": "0.3"}), CLOUD_EVENT, 400)

    def test_sequences(self):
        with self.daemon.subscribe(["align(sequence, 'ACGTACGT') >= 8"]) as found, \
                self.daemon.subscribe(["contains(quality, 'I')"]) as reads:
            self.twice(">r1 first read\nACGTA\nCGTTT\n>r2\nTTTTTTTT\n", "text/x-fasta", 2, 2)
            event = found.next_json()
            self.assertEqual(event["data"], {"id": "r1", "description": "first read", "sequence": "ACGTACGTTT"})
            self.twice("@q1\nACGT\n+\n@+I!\n", "application/x-fastq", 1, 1)
            self.assertEqual(reads.next_json()["data"], {"id": "q1", "sequence": "ACGT", "quality": "@+I!"})

    def test_data_keeps_what_the_publisher_wrote(self):
        """Digits of numbers, keys that repeat, order; a lone surrogate would be refused by strict readers."""
        written = '{"z": 1.10, "a": [1e400, -0, 123456789012345678901234567890], "k": 1, "k": null, "t": "\\ud800\\u0000 x"}'
        with self.daemon.subscribe() as subscriber:
            self.publish(written, "application/json")
            line = subscriber.next_event()["data"]
        expected = written.replace(", ", ",").replace(": ", ":").replace("\\ud800", "\\ufffd")
        self.assertIn(f'"data":{expected}}}', line)

    def test_the_source_is_what_was_published_line_by_line(self):
        documents = ((b'[{"a": 1,\r\n "b":  2.50}, {"c":\n3}]', "application/json", ['{"a": 1,\n "b":  2.50}', '{"c":\n3}']),
                     (b'{"a": 1}\r\n{"b":  2}\n', "application/x-ndjson", ['{"a": 1}', '{"b":  2}']),
                     (b'a,b\r\n1,"x\r\ny"\r\n 2 ,\r\n', "text/csv", ['1,"x\ny"', " 2 ,"]),
                     (b">r1 x\nAC\nGT\n>r2\nTT", "text/x-fasta", [">r1 x\nAC\nGT", ">r2\nTT"]),
                     (b"<rss><channel><item ><title>a &amp; b</title>\r\n</item><item/></channel></rss>",
                      "application/rss+xml", ["<item ><title>a &amp; b</title>\n</item>", "<item/>"]),
                     (b"<d><x:a xmlns:x='u'>&lt;</x:a></d>", "application/xml", ["<x:a xmlns:x='u'>&lt;</x:a>"]),
                     ("<d><a>\u00e9</a></d>".encode("utf-16"), "application/xml", ["<a>\u00e9</a>"]))
        with self.daemon.subscribe(format="source") as subscriber:
            for document, content_type, expected in documents:
                with self.subTest(document=document):
                    self.publish(document, content_type)
                    self.assertEqual([subscriber.next_event()["data"] for _ in expected], expected)

    def test_the_command_line_prints_each_form(self):
        directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        path = str(directory / "a.csv")
        pathlib.Path(path).write_text("n,my note\n1,x\n")
        data = {"n": "1", "my note": "x"}
        for options, expected in ((["--json"], {"id": 1, "stream": "default", "item": {}, "data": data}),
                                  (["--format", "json", "--values"],
                                   {"id": 1, "stream": "default", "item": {}, "data": data,
                                    "values": {"n": ["1"], "my_note": ["x"]}})):
            done = sluice("match", *options, "true()", path)
            self.assertEqual(json.loads(done.stdout), expected, done.stderr)
        self.assertEqual(sluice("match", "--format", "source", "true()", path).stdout, "1,x\n")
        self.assertEqual(sluice("match", "true()", path).stdout, "n=1, my note=x\n")
        for options in (["--values"], ["--values", "--format", "xml"], ["--values", "--format", "source"]):
            for command in (["match", *options, "true()", path], ["subscribe", *options, "true()"]):
                done = sluice(*command)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("--values needs --json", done.stderr)
        address = ("--server", f"http://127.0.0.1:{self.daemon.port}")
        with Client("subscribe", *address, "--format", "source", "--count", "1", "true()") as source, \
                Client("subscribe", *address, "--json", "--values", "--count", "1", "true()") as whole:
            self.daemon.wait_for_subscriptions(2)
            self.assertEqual(sluice("publish", *address, path).returncode, 0)
            self.assertEqual(source.line(), "1,x")
            event = json.loads(whole.line())
            self.assertRegex(event.pop("time"), r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$")
            self.assertEqual(event, {**expected, "change": "new"})

    def test_a_retry_with_its_key_gets_the_first_reply(self):
        def post(body, key="k"):
            return self.daemon.request("POST", "/v1/events", body, {"Content-Type": "application/json",
                                                                    "Idempotency-Key": f'"{key}"'})
        first, again = post('{"a":1}'), post('{"a":1}')
        self.assertEqual((first[0], first[2]), (again[0], again[2]))
        self.assertEqual(post('{"a":2}')[0], 422)
        self.assertEqual(post('{"a":2}', "other")[2]["first_id"], 2)
        self.assertEqual(post('{"a"', "bad")[0], 400)
        self.assertEqual(post('{"a":3}', "bad")[2]["first_id"], 3)

    def test_another_type_is_refused_with_those_accepted(self):
        status, headers, problem = self.daemon.publish("x", "application/zip")
        self.assertEqual(status, 415)
        for accepted in ("application/x-ndjson", "text/csv", CLOUD_EVENT, "text/x-fasta"):
            self.assertIn(accepted, headers["Accept-Post"])
            self.assertIn(accepted, problem["detail"])

    def test_the_command_line_knows_formats_by_file_names(self):
        files = {"a.ndjson": '{"n":1}\n{"n":2}\n7\n', "b.csv": "n\n3\n", "c.fasta": ">x\nACGT\n", "d.fq": "@y\nAC\n+\nII\n",
                 "e.txt": '{"n":4}\n{"n":5}\n', "f.json": '[{"n":6}]'}
        directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        with self.daemon.subscribe() as subscriber:
            for name, text in files.items():
                (directory / name).write_text(text)
                done = sluice("publish", "--server", f"http://127.0.0.1:{self.daemon.port}", str(directory / name))
                self.assertEqual(done.returncode, int(name == "a.ndjson"), done.stderr)
                if name == "a.ndjson":
                    self.assertIn("2 received: 2 new, 0 updated, 0 unchanged, 1 refused (line 3: ", done.stdout)
            numbers = [subscriber.next_json()["data"].get("n") for _ in range(8)]
        self.assertEqual(numbers, [1, 2, "3", None, None, 4, 5, 6])


if __name__ == "__main__":
    unittest.main()

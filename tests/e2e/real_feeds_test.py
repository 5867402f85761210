#!/usr/bin/env python3
"""Real feeds, if present beside the project: all their items arrive, filters agree with trials, and as XML the items
are what they are in their feeds."""
import json
import re
import unittest
from pathlib import Path
from xml.etree import ElementTree
from xml.parsers import expat

from client_process import sluice
from sluice_process import Sluiced

FEEDS = Path(__file__).resolve().parents[3] / "shared" / "feeds"
FILTERS = ["//item", "//entry[link/@rel='alternate']", "contains($title, 'a')", "not($author)",
           "$published > date('2010-01-01T00:00:00Z')", "count($category) > 1", "//item[position() = 2]"]
INHERITED = [f"{{http://www.w3.org/XML/1998/namespace}}{name}" for name in ("base", "lang")]


def is_well_formed(document, suffix):
    """Whether expat accepts it, ignoring blank lines before the XML declaration."""
    try:
        json.loads(document) if suffix == ".json" else expat.ParserCreate().Parse(document.strip(), True)
        return True
    except (ValueError, expat.ExpatError):
        return False


def content(element, is_item=True):
    """The element's name with its namespace, its attributes, its text and its children. Without the attributes that an
    item may have inherited, and the text behind it."""
    attributes = {name: value for name, value in element.attrib.items() if not (is_item and name in INHERITED)}
    children = [content(child, False) for child in element]
    return element.tag, attributes, element.text or "", children, "" if is_item else element.tail or ""


def items_of(document):
    """The items of an XML feed, or None if it is not well-formed."""
    try:
        root = ElementTree.fromstring(document.strip())
    except ElementTree.ParseError:
        return None
    return [content(element) for element in root.iter() if element.tag.rpartition("}")[2] in ("item", "entry")]


def feeds():
    """Paths and content types."""
    kinds = {".xml": "application/xml", ".json": "application/feed+json"}
    return [(path, kinds[path.suffix]) for path in sorted(FEEDS.iterdir()) if path.suffix in kinds]


@unittest.skipUnless(FEEDS.is_dir(), "no real feeds beside the project")
class RealFeeds(unittest.TestCase):
    def test_real_feeds(self):
        with Sluiced() as daemon, daemon.subscribe() as everything, daemon.subscribe(FILTERS) as filtered:
            published = 0
            for path, kind in feeds():
                with self.subTest(path.name):
                    document = path.read_bytes()
                    status, _, reply = daemon.publish(document, kind, deduplicate="false")
                    self.assertEqual(status, 202, reply)
                    if is_well_formed(document, path.suffix):
                        self.assertGreater(reply["received"], 0)
                        self.assertNotIn("repaired", reply)
                    else:
                        self.assertGreater(reply["repaired"], 0)
                        self.assertEqual(daemon.publish(document, kind, repair="strict")[0], 400)
                    if reply["received"] == 0:
                        continue
                    events = [everything.next_json() for _ in range(reply["received"])]
                    self.assertEqual([event["id"] for event in events],
                                     list(range(reply["first_id"], reply["last_id"] + 1)))
                    self.check_filters(daemon, document, kind, reply, filtered)
                    published += 1
            self.assertGreater(published, 0)

    def test_what_is_posted_again_is_not_delivered_again(self):
        with Sluiced("limits.address_streams=0") as daemon:
            for path, kind in feeds():
                document = path.read_bytes()
                for stream in ("all", re.sub(r"[^A-Za-z0-9._-]", "_", path.name)):
                    with self.subTest(path.name, stream=stream):
                        first = daemon.publish(document, kind, stream=stream)[2]
                        again = daemon.publish(document, kind, stream=stream)[2]
                        self.assertTrue(first["received"] > 0 or first["repaired"] > 0)
                        self.assertEqual((again["new"], again["updated"]), (0, 0), again)
                        self.assertEqual(again["unchanged"], first["received"])

    def test_items_as_xml_are_what_they_are_in_their_feeds(self):
        compared = 0
        with Sluiced() as daemon, daemon.subscribe(format="xml") as subscriber:
            for path, kind in feeds():
                with self.subTest(path.name):
                    document = path.read_bytes()
                    status, _, reply = daemon.publish(document, kind, deduplicate="false")
                    self.assertEqual(status, 202, reply)
                    items = [subscriber.next_event()["data"] for _ in range(reply["received"])]
                    for item in items:
                        expat.ParserCreate(namespace_separator=" ").Parse(item, True)
                    expected = items_of(document)
                    if expected is not None:
                        self.assertEqual([content(ElementTree.fromstring(item)) for item in items], expected)
                        compared += len(items)
                    printed = sluice("match", "--format", "xml", "true()", str(path)).stdout
                    self.assertEqual(printed, "".join(f"{item}\n" for item in items))
        self.assertGreater(compared, 0)

    def check_filters(self, daemon, document, kind, reply, filtered):
        expected = {}
        for index, text in enumerate(FILTERS):
            status, _, trial = daemon.request(
                "POST", "/v1/match", json.dumps({"filter": text, "document": document.decode(), "content_type": kind}),
                {"Content-Type": "application/json"})
            self.assertEqual(status, 200, trial)
            for each in trial["items"]:
                if each["matched"]:
                    expected.setdefault(reply["first_id"] + each["index"], []).append(index)
        received = [filtered.next_json() for _ in expected]
        self.assertEqual({event["id"]: event["filters"] for event in received}, expected)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Real feeds, if present beside the project: all their items arrive, and filters agree with trials."""
import json
import re
import unittest
from pathlib import Path
from xml.parsers import expat

from sluice_process import Sluiced

FEEDS = Path(__file__).resolve().parents[3] / "shared" / "feeds"
FILTERS = ["//item", "//entry[link/@rel='alternate']", "contains($title, 'a')", "not($author)",
           "$published > date('2010-01-01T00:00:00Z')", "count($category) > 1", "//item[position() = 2]"]


def is_well_formed(document, suffix):
    """Whether expat accepts it, ignoring blank lines before the XML declaration."""
    try:
        json.loads(document) if suffix == ".json" else expat.ParserCreate().Parse(document.strip(), True)
        return True
    except (ValueError, expat.ExpatError):
        return False


@unittest.skipUnless(FEEDS.is_dir(), "no real feeds beside the project")
class RealFeeds(unittest.TestCase):
    def test_real_feeds(self):
        with Sluiced() as daemon, daemon.subscribe() as everything, daemon.subscribe(FILTERS) as filtered:
            published = 0
            for path in sorted(FEEDS.iterdir()):
                kind = {".xml": "application/xml", ".json": "application/feed+json"}.get(path.suffix)
                if kind is None:
                    continue
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
            for path in sorted(FEEDS.iterdir()):
                kind = {".xml": "application/xml", ".json": "application/feed+json"}.get(path.suffix)
                document = path.read_bytes()
                if kind is None:
                    continue
                for stream in ("all", re.sub(r"[^A-Za-z0-9._-]", "_", path.name)):
                    with self.subTest(path.name, stream=stream):
                        first = daemon.publish(document, kind, stream=stream)[2]
                        again = daemon.publish(document, kind, stream=stream)[2]
                        self.assertTrue(first["received"] > 0 or first["repaired"] > 0)
                        self.assertEqual((again["new"], again["updated"]), (0, 0), again)
                        self.assertEqual(again["unchanged"], first["received"])

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

#!/usr/bin/env python3
"""Real feeds, where there are some beside the project: everything of them arrives, and filters agree with a trial."""
import json
import unittest
from pathlib import Path
from xml.parsers import expat

from sluice_process import Sluiced

FEEDS = Path(__file__).resolve().parents[3] / "shared" / "feeds"
FILTERS = ["//item", "//entry[link/@rel='alternate']", "contains($title, 'a')", "not($author)",
           "$published > date('2010-01-01T00:00:00Z')", "count($category) > 1", "//item[position() = 2]"]


def is_well_formed(document, suffix):
    """As expat sees it; blank lines before the XML declaration are forgiven."""
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
                    if not is_well_formed(document, path.suffix):
                        self.assertEqual(status, 400, reply)
                        continue
                    self.assertEqual(status, 202, reply)
                    self.assertGreater(reply["received"], 0)
                    events = [everything.next_json() for _ in range(reply["received"])]
                    self.assertEqual([event["id"] for event in events],
                                     list(range(reply["first_id"], reply["last_id"] + 1)))
                    self.check_filters(daemon, document, kind, reply, filtered)
                    published += 1
            self.assertGreater(published, 0)

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

#!/usr/bin/env python3
"""The link of an item is an absolute address, as Python's urljoin makes it of xml:base and the feed's own link."""
import itertools
import json
import tempfile
import unittest
from pathlib import Path
from urllib.parse import urljoin
from xml.sax.saxutils import quoteattr

from client_process import sluice

HOMES = ["http://example.org", "https://example.org/blog/index.html?a=b", "http://example.org:8080/a/b/c/"]
BASES = [None, "", "http://other.example/x/y", "/root/", "down/", "../up/", "//host.example/z/"]
LINKS = ["1", "/1", "./1", "../1", "../../../1", "a/./b/../c", "?p=1", "#top", "x?y=/../z", "//b.example/1",
         "http://c.example/1", "http://c.example/1?u=../x", "1;v=2", "..", ".", "a b", "\u00e9/\u00e8", "mailto:a@b.c"]


def base_attribute(base):
    return "" if base is None else " xml:base=" + quoteattr(base)


def atom(home, outer, inner):
    """A feed with an entry for each link, and the links that they should have."""
    base = home
    for each in (outer, inner):
        base = urljoin(base, each) if each else base
    entries = "".join(f"<entry{base_attribute(inner)}><id>urn:{i}</id><link href={quoteattr(link)}/></entry>"
                      for i, link in enumerate(LINKS))
    return (f'<feed xmlns="http://www.w3.org/2005/Atom"{base_attribute(outer)}><link href={quoteattr(home)}/>'
            f"{entries}</feed>"), [urljoin(base, link) for link in LINKS]


class Links(unittest.TestCase):
    def test_links_are_those_of_urljoin(self):
        with tempfile.TemporaryDirectory() as folder:
            for number, (home, outer, inner) in enumerate(itertools.product(HOMES, BASES, BASES)):
                document, expected = atom(home, outer, inner)
                path = Path(folder) / f"{number}.xml"
                path.write_text(document)
                done = sluice("match", "--format", "json", "true()", str(path))
                self.assertEqual(done.returncode, 0, done.stderr)
                links = [json.loads(line)["item"]["link"] for line in done.stdout.splitlines()]
                self.assertEqual(links, expected, (home, outer, inner))


if __name__ == "__main__":
    unittest.main()

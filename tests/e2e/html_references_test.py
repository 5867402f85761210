#!/usr/bin/env python3
"""References in titles of type html, and in XML itself, are what Python's html module reads by the HTML standard.

Where the two differ, the standard decides: Python leaves out control characters and noncharacters, which browsers keep.
Besides, a name without ";" before "=" is text here, as in attributes: it is a part of an address."""
import html
import json
import random
import unittest
from html.entities import html5
from xml.sax.saxutils import escape

from client_process import sluice

NAMES = [name[:-1] for name in html5 if name.endswith(";")]
LEGACY = [name for name in html5 if not name.endswith(";")]
ITEMS = 5_000  # of a document; limits.items is 10,000


def read_titles(begin, titles, end):
    """What `sluice match` reads as titles of items, which begin with x so that none is empty."""
    read = []
    for at in range(0, len(titles), ITEMS):
        items = "".join(titles[at:at + ITEMS])
        done = sluice("match", "--json", "true()", "-", input=begin + items + end)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        read += [json.loads(line)["item"]["title"] for line in done.stdout.splitlines()]
    return read


def read_html(texts):
    return read_titles("<feed xmlns='http://www.w3.org/2005/Atom'>",
                       [f"<entry><title type='html'>x{escape(text)}</title></entry>" for text in texts], "</feed>")


def visible(text):
    """White space as HTML shows it."""
    return " ".join(word for word in text.replace("\t", " ").replace("\n", " ").replace("\r", " ").split(" ") if word)


class HtmlReferences(unittest.TestCase):
    def check(self, texts):
        self.assertGreater(len(texts), 100)
        differing = [(text, got, visible("x" + html.unescape(text)))
                     for text, got in zip(texts, read_html(texts), strict=True)
                     if got != visible("x" + html.unescape(text))]
        self.assertEqual(differing[:10], [])

    def test_every_name(self):
        self.check([f"&{name};{rest}" for name in NAMES for rest in ("", "y", ";")])

    def test_names_without_semicolon(self):
        self.check([f"&{name}{rest}" for name in LEGACY + random.Random(1).sample(NAMES, 500)
                    for rest in ("", " y", "y", "2", "&amp;", "it;", ".")])

    def test_numbers(self):
        codes = [*range(0x200), *range(0xD7F0, 0xE010), *range(0xFDC0, 0xFE00), *range(0xFFF0, 0x10010),
                 0x10FFFD, 0x110000, 0xFFFFFFFF, 1 << 32, (1 << 32) + 65, 1 << 64, (1 << 64) + 65, 10 ** 40]
        texts = []
        for code in codes:
            if code not in html._invalid_codepoints or code in html._invalid_charrefs:
                texts += [f"&#{code};", f"&#{code} y", f"&#{code:012};", f"&#x{code:X};", f"&#X{code:x}z", f"&#{code}"]
        self.check(texts)

    def test_what_python_leaves_out(self):
        codes = [code for code in html._invalid_codepoints if code not in html._invalid_charrefs]
        self.assertEqual(read_html([f"&#{code};y" for code in codes]), [f"x{chr(code)}y" for code in codes])

    def test_names_before_equals_sign(self):
        texts = [f"?a&{name}=2" for name in LEGACY]
        self.assertEqual(read_html(texts), ["x" + text for text in texts])

    def test_names_in_xml(self):
        titles = [f"<item><title>x&{name};y</title></item>" for name in NAMES]
        expected = ["x" + html5[name + ";"] + "y" for name in NAMES]
        self.assertEqual(read_titles("<rss><channel>", titles, "</channel></rss>"), expected)


if __name__ == "__main__":
    unittest.main()

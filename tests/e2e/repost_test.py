#!/usr/bin/env python3
"""Feeds that are posted again: as they are, or written differently by another library, nothing is new or updated; with
one text changed, exactly one item is."""
import json
import random
import re
import unittest
from pathlib import Path
from xml.dom import minidom
from xml.dom.minidom import Node
from xml.parsers.expat import ExpatError

from sluice_process import Sluiced

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = [ROOT / "docker" / "examples", ROOT.parent / "shared" / "feeds"]
KINDS = {".xml": "application/xml", ".rss": "application/rss+xml", ".atom": "application/atom+xml",
         ".json": "application/feed+json"}


class Rewriter:
    """Writes an XML document in another way: order of attributes, quotes, references, CDATA sections, line ends, white
    space between elements, comments, empty elements."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def document(self, document):
        parts = ['<?xml version="1.0" encoding="utf-8"?>\r\n']
        for node in document.childNodes:
            if node.nodeType == Node.DOCUMENT_TYPE_NODE:
                parts.append(node.toxml())
            elif node.nodeType == Node.ELEMENT_NODE:
                parts.append(self.element(node))
        return "".join(parts).encode()

    def element(self, element):
        attributes = list(element.attributes.items())
        self.random.shuffle(attributes)
        start = element.tagName + "".join(self.attribute(name, value) for name, value in attributes)
        children = [node for node in element.childNodes if node.nodeType != Node.COMMENT_NODE]
        if not children and self.random.random() < 0.5:
            return f"<{start}/>"
        is_text = (Node.TEXT_NODE, Node.CDATA_SECTION_NODE)
        has_only_elements = bool(children) and all(
            node.nodeType not in is_text or not node.data.strip(" \t\r\n") for node in children)
        has_elements = any(node.nodeType == Node.ELEMENT_NODE for node in children)
        content = ""
        for node in children:
            if node.nodeType in is_text:
                if not (has_elements and has_only_elements):
                    content += self.text(node.data)
            elif node.nodeType == Node.ELEMENT_NODE:
                content += self.between(has_only_elements) + self.element(node)
            else:
                content += node.toxml()
        return f"<{start}>{content}{self.between(has_elements and has_only_elements)}</{element.tagName}>"

    def between(self, allowed):
        return self.random.choice(["", "\r\n   ", "<!-- x -->", "\n"]) if allowed else ""

    def attribute(self, name, value):
        quote = self.random.choice("\"'")
        text = "".join(self.character(c) for c in value)
        return f"{self.random.choice([' ', '  '])}{name} = {quote}{text.replace(quote, '&quot;' if quote == chr(34) else '&apos;')}{quote}"

    def character(self, c):
        if c in "&<>\t\n\r" or self.random.random() < 0.02:
            return self.random.choice([f"&#{ord(c)};", f"&#x{ord(c):X};"])
        return c

    def text(self, text):
        if "]]>" not in text and "\r" not in text and self.random.random() < 0.5:
            return f"<![CDATA[{text}]]>"
        return "".join("\r\n" if c == "\n" else self.character(c) for c in text)


def rewritten_json(value):
    """Keys in the opposite order, all characters escaped that can be."""
    if isinstance(value, dict):
        return "{ " + " , ".join(f"{rewritten_json(k)} : {rewritten_json(v)}" for k, v in reversed(value.items())) + "}"
    if isinstance(value, list):
        return "[ " + " , ".join(map(rewritten_json, value)) + "]"
    if isinstance(value, str):
        return '"' + "".join(f"\\u{ord(c):04x}" if ord(c) < 0x10000 else json.dumps(c)[1:-1] for c in value) + '"'
    return json.dumps(value)


def rewritten(document, suffix):
    """The document in another way; None if the library refuses it."""
    try:
        if suffix == ".json":
            return rewritten_json(json.loads(document)).encode()
        return Rewriter(50).document(minidom.parseString(document.strip()))
    except ExpatError:
        return None


def changed(document, suffix):
    """The document with one character more in the text of the last item's title; None if there is none."""
    if suffix == ".json":
        feed = json.loads(document)
        feed["items"][-1]["title"] = feed["items"][-1].get("title", "") + "!"
        return json.dumps(feed).encode()
    begin = max(document.rfind(b"<item"), document.rfind(b"<entry"))
    found = re.compile(rb"<title[^>]*>").search(document, max(begin, 0))
    return None if begin < 0 or not found else document[:found.end()] + b"!" + document[found.end():]


def feeds():
    return [path for folder in FOLDERS if folder.is_dir() for path in sorted(folder.iterdir()) if path.suffix in KINDS]


class Reposts(unittest.TestCase):
    def test_feeds_posted_again(self):
        with Sluiced() as daemon:
            rewrites = 0
            for path in feeds():
                with self.subTest(path.name):
                    document = path.read_bytes()

                    def publish(body):
                        status, _, reply = daemon.publish(body, KINDS[path.suffix], stream=path.stem)
                        self.assertEqual(status, 202, reply)
                        return reply["new"], reply["updated"], reply["unchanged"]

                    new, updated, unchanged = publish(document)
                    self.assertEqual(updated, 0)
                    items = new + unchanged
                    self.assertEqual(publish(document), (0, 0, items))
                    other = rewritten(document, path.suffix)
                    if other is not None:
                        rewrites += 1
                        self.assertEqual(publish(other), (0, 0, items))
                        self.assertEqual(publish(document), (0, 0, items))
                    other = changed(document, path.suffix)
                    if other is not None:
                        new, updated, unchanged = publish(other)
                        self.assertEqual((new + updated, unchanged), (1, items - 1))
            self.assertGreater(rewrites, 1)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The reference of the HTTP interface, protocol/wire/README.md: each of its examples as typed, and what it names."""
import os
import re
import shutil
import unittest
from pathlib import Path

from examples import Examples, examples_in

ROOT = Path(__file__).resolve().parents[2]
BINARIES = Path(os.environ["SLUICED"]).resolve().parent
REFERENCE = (ROOT / "protocol" / "wire" / "README.md").read_text(encoding="utf-8")


def words_of(folder, pattern):
    """What the pattern finds in the sources of a folder."""
    return {word for path in sorted((ROOT / folder).glob("*.cpp"))
            for word in re.findall(pattern, path.read_text(encoding="utf-8"))}


class Reference(unittest.TestCase):
    def run_all(self, *languages):
        examples = [each for each in examples_in(REFERENCE) if each.language in languages]
        self.assertEqual({each.language for each in examples}, set(languages))
        run = Examples(ROOT, BINARIES)
        try:
            run.run(examples)
        finally:
            run.end()
        self.assertEqual(run.failures, [], "\n".join(run.failures))

    def test_the_examples_do_what_they_show(self):
        self.run_all("console", "python")

    @unittest.skipUnless(shutil.which("node"), "node is not installed: the examples in JavaScript are not run")
    def test_those_in_javascript_do_so_too(self):
        self.run_all("console", "python", "javascript")

    def test_it_names_every_path_type_and_option_of_the_server(self):
        for path in words_of("broker/server", r'Endpoint\{http::verb::\w+, "(/[^"]*)"'):
            self.assertTrue(re.search(re.escape(path).replace(r"\*", "[A-Z]+") + r"\b", REFERENCE), path)
        for kind in words_of("broker/server", r"urn:sluice:problem:[a-z-]+"):
            self.assertIn(f"`{kind}`", REFERENCE)
        for status in words_of("protocol/wire/http", r"case ([1-5]\d\d):"):
            self.assertRegex(REFERENCE, rf"\b{status}\b")
        options = (ROOT / "config" / "sluice.yaml").read_text(encoding="utf-8")
        for option in re.findall(r"`[a-z]+\.([a-z_]+)`", REFERENCE):
            if option not in ("yaml", "md"):
                self.assertRegex(options, rf"(?m)^  {option}:")

    def test_its_links_lead_to_its_headings(self):
        headings = {re.sub(r"[^\w -]", "", line).strip().lower().replace(" ", "-")
                    for line in re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", REFERENCE, flags=re.M | re.S), re.M)}
        for link in re.findall(r"\]\(#([^)]*)\)", REFERENCE):
            self.assertIn(link, headings)
        for file in re.findall(r"\]\((\.\./[^)#]*)", REFERENCE):
            self.assertTrue((ROOT / "protocol" / "wire" / file).exists(), file)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""lower-case() of every assigned character, in context, is what Python's str.lower() gives: both go by Unicode."""
import json
import random
import re
import unicodedata
import unittest
from pathlib import Path

from client_process import sluice

TABLE = Path(__file__).resolve().parents[2] / "protocol" / "filter" / "syntax" / "lower_case_table.hpp"
FILTER_BYTES_MAX = 60_000  # limits.filter_bytes is 64 KiB


def is_same(text):
    """Whether a filter finds that this text's lower case is Python's."""
    done = sluice("match", f"lower-case(a) = '{text.lower()}'", "-", input=json.dumps({"a": text}))
    if done.returncode not in (0, 1):
        raise AssertionError(done.stderr)
    return done.returncode == 0


def differing(samples):
    """One of the samples that make the difference."""
    while len(samples) > 1:
        half = samples[:len(samples) // 2]
        samples = samples[len(half):] if is_same(" ".join(half)) else half
    return samples[0]


class LowerCase(unittest.TestCase):
    def setUp(self):
        version = re.search(r"Unicode ([\d.]+[\d])", TABLE.read_text()).group(1)
        if version != unicodedata.unidata_version:
            self.skipTest(f"Python has Unicode {unicodedata.unidata_version}, the table {version}")

    def check(self, samples):
        """Joined by spaces: a space is neither a cased letter nor passed over in the search for one."""
        while samples:
            taken, size = [], 0
            while samples and size < FILTER_BYTES_MAX:
                taken.append(samples.pop())
                size += len(taken[-1].encode()) + 1
            if not is_same(" ".join(taken)):
                found = differing(taken)
                self.fail(f"{found!r} has another lower case than {found.lower()!r}")

    def test_every_character(self):
        characters = [chr(code) for code in range(0x20, 0x110000)
                      if unicodedata.category(chr(code)) not in ("Cc", "Cn", "Co", "Cs") and chr(code) != "'"]
        self.check(list(characters))
        # Final sigmas depend on what letters and marks are; ideographs and syllables are all alike.
        cased = [c for c in characters if unicodedata.category(c) != "Lo"]
        self.check([f"a{c}Σ {c}Σ aΣ{c} aΣ{c}a" for c in cased])

    def test_random_texts(self):
        seeded = random.Random(1)
        letters = [chr(code) for code in range(0x80, 0x1F000)
                   if chr(code).lower() != chr(code) or unicodedata.category(chr(code)) in ("Ll", "Lm", "Mn", "Sk")]
        frequent = ["Σ", "Σ", "σ", "ς", "İ", "A", "z", "1", " ", ".", "\u0301"]
        self.check(["".join(seeded.choice([*frequent, seeded.choice(letters)]) for _ in range(seeded.randint(1, 12)))
                    for _ in range(20_000)])


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""sluice distance against plain dynamic programs, by every algorithm. SLUICE_PROCESSOR: cpu (the default) or gpu."""
import gzip
import json
import os
import pty
import random
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from client_process import environment, sluice, status_of, written_on
from sluice_process import TIMEOUT_S

PROCESSOR = os.environ.get("SLUICE_PROCESSOR", "cpu")
PUBLISHED = ("o-asm", "w-scan", "w-shuffle")
ALPHABETS = ("ab", "ACGT", "abcdefghijklmnopqrstuvwxyz", "aäßлж漢😀é ")
ROWS = ("1234567890-=", "qwertyuiop[]", "asdfghjkl;'", "zxcvbnm,./")
SHIFTED = ("!@#$%^&*()_+", "QWERTYUIOP{}", "ASDFGHJKL:\"", "ZXCVBNM<>?")
KEYS = {c: (row, place) for rows in (ROWS, SHIFTED) for row, keys in enumerate(rows) for place, c in enumerate(keys)}


class Costs:
    """Unit costs, unless a subclass has others."""
    name, delete, insert = "unit", 1, 1

    def different(self, x, y):
        return 1

    def substitute(self, x, y):
        return 0 if x == y else self.different(x, y)


class Typing(Costs):
    name, delete, insert = "typing", 2, 2

    def different(self, x, y):
        if x not in KEYS or y not in KEYS:
            return 3
        rows, places = (a - b for a, b in zip(KEYS[x], KEYS[y]))
        return min(3, max(1, (abs(rows) + abs(places) + abs(rows + places)) // 2))


class Vowels(Costs):
    name, delete, insert = "vowels", 2, 1

    def different(self, x, y):
        def kind(c):
            return c.lower() in "aeiou" if c.isascii() and c.isalpha() else None
        return 1 if kind(x) is not None and kind(x) == kind(y) else 2


class Table(Costs):
    def __init__(self, chance, path):
        self.name = str(path)
        self.delete, self.insert, self.other = chance.randint(1, 5), chance.randint(1, 3), chance.randint(0, 6)
        characters = chance.sample("abcdefgACGT #'", 9)
        self.table = {(x, y): 0 if x == y else chance.randint(0, 9) for x in characters for y in characters}
        written = {c: f"'{c}'" if c in " #'" else c for c in characters}
        lines = ["# A table.", f"delete {self.delete}", f"insert {self.insert} # here", f"other {self.other}", "",
                 " ".join(written.values())]
        lines += [f"{written[x]} " + " ".join(str(self.table[x, y]) for y in characters) for x in characters]
        path.write_text("\n".join(lines) + "\n")

    def different(self, x, y):
        return self.table.get((x, y), self.other)


def distance(pattern, text, costs, whole):
    column = [i * costs.delete for i in range(len(pattern) + 1)]
    least = column[-1]
    for y in text:
        diagonal, column[0] = column[0], column[0] + (costs.insert if whole else 0)
        for i, x in enumerate(pattern, 1):
            left = column[i]
            column[i] = min(column[i - 1] + costs.delete, left + costs.insert, diagonal + costs.substitute(x, y))
            diagonal = left
        least = min(least, column[-1])
    return column[-1] if whole else least


def random_string(chance, length, alphabet):
    return "".join(chance.choice(alphabet) for _ in range(length))


def rows_of(out):
    """(distance, pattern, text) of each line."""
    return [tuple(map(int, line.split("\t")[:3])) for line in out.splitlines()]


class Distance(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def files(self, patterns, texts):
        return (self.file("patterns.txt", "".join(p + "\n" for p in patterns)),
                self.file("texts.txt", "".join(t + "\n" for t in texts)))

    def endless(self):
        """A command that takes many minutes."""
        patterns = self.file("patterns.txt", "".join(f"{n:0600}\n" for n in range(2000)))
        texts = self.file("texts.txt", "0123456789" * 800_000)
        return [os.environ["SLUICE"], "distance", "--processor", "cpu", "--costs", "typing", "--summary", patterns, texts]

    def run_it(self, *arguments, status=0, processor=PROCESSOR, **more):
        done = sluice("distance", "--processor", processor, *arguments, **more)
        self.assertEqual((done.returncode, done.stderr), (status, ""), arguments)
        return done.stdout

    def test_examples_of_the_papers(self):
        for pattern, text, expected in (("ababa", "aaabbbaa", 1), ("ababa", "aaabbb", 2), ("aabaa", "aaabbb", 2)):
            files = self.files([pattern], [text])
            for algorithm in ("bit-parallel", *PUBLISHED):
                self.assertEqual(self.run_it("--algorithm", algorithm, *files),
                                 f"{expected}\t1\t1\t{pattern}\t{text}\n", algorithm)

    def test_a_byte_order_mark_is_of_no_file(self):
        files = [self.file(name, "\ufeff" + text) for name, text in
                 (("patterns", "lamp\n"), ("texts", "lamb\n"), ("costs", "delete 3\ninsert 4\nother 5\n\na b\na 0 1\nb 1 0\n"))]
        self.assertEqual(self.run_it("--whole", "--costs", files[2], *files[:2]), "5\t1\t1\tlamp\tlamb\n")

    def test_gzip_and_letter_case(self):
        files = [self.file(name, gzip.compress(text.encode())) for name, text in
                 (("patterns", "\ufeffLAMP\n"), ("texts", "\ufefflamb\n"),
                  ("costs", "\ufeffdelete 3\ninsert 4\nother 5\n\nb p\nb 0 1\np 1 0\n"))]
        self.assertEqual(self.run_it("--whole", "--costs", files[2], *files[:2]), "20\t1\t1\tLAMP\tlamb\n")
        self.assertEqual(self.run_it("--whole", "--ignore-case", "--costs", files[2], *files[:2]),
                         "1\t1\t1\tLAMP\tlamb\n")
        with open(files[1], "rb") as texts:
            self.assertEqual(self.run_it("--ignore-case", files[0], "-", stdin=texts), "1\t1\t1\tLAMP\tlamb\n")
        cut = self.file("cut", gzip.compress(b"lamb\n" * 1000)[:-9])
        for place in ((cut, files[1]), (files[0], cut), (*files[:2], "--costs", cut)):
            done = sluice("distance", *place)
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (2, "", f"sluice: can't read {cut}: it is not complete and valid gzip\n"))

    def test_random_inputs(self):
        chance = random.Random(1)
        for turn in range(12):
            alphabet = chance.choice(ALPHABETS)
            patterns = [random_string(chance, chance.choice((1, 5, 31, 32, 33, 40)), alphabet) for _ in range(4)]
            texts = [random_string(chance, chance.choice((0, 1, 31, 33, 70, 90)), alphabet) for _ in range(3)]
            texts.append("b" + patterns[-1][:-1] + "aa")
            files = self.files(patterns, texts)
            for costs in (Costs(), Typing(), Vowels(), Table(chance, self.folder / "a.costs")):
                expected = [(distance(p, t, costs, False), i, j)
                            for j, t in enumerate(texts, 1) for i, p in enumerate(patterns, 1)]
                plain = () if costs.name == "unit" and PROCESSOR == "gpu" else ("--parts", str(chance.randint(1, 7)))
                for how in ((), plain, *(("--algorithm", a, "--parts", d) for a in PUBLISHED for d in ("1", "2", "7"))):
                    with self.subTest(turn=turn, costs=costs.name, how=how):
                        out = self.run_it("--costs", costs.name, *how, *files)
                        self.assertEqual(rows_of(out), expected)
                within = chance.randint(0, 12)
                near = [row for row in expected if row[0] <= within]
                out = self.run_it("--costs", costs.name, "--within", str(within), *files, status=0 if near else 1)
                self.assertEqual(rows_of(out), near)
                out = self.run_it("--costs", costs.name, "--best", *files)
                self.assertEqual(rows_of(out), [min(row for row in expected if row[2] == j)
                                                for j in range(1, len(texts) + 1)])

    def test_whole_texts(self):
        chance = random.Random(2)
        for alphabet in ALPHABETS:
            patterns = [random_string(chance, chance.choice((1, 31, 32, 33, 65)), alphabet) for _ in range(3)]
            texts = [random_string(chance, chance.choice((0, 1, 31, 64, 90)), alphabet) for _ in range(3)] + patterns
            files = self.files(patterns, texts)
            for costs in (Costs(), Typing(), Vowels(), Table(chance, self.folder / "a.costs")):
                processor = PROCESSOR if costs.name == "unit" else "cpu"
                expected = [(distance(p, t, costs, True), i, j)
                            for j, t in enumerate(texts, 1) for i, p in enumerate(patterns, 1)]
                out = self.run_it("--whole", "--costs", costs.name, *files, processor=processor)
                self.assertEqual(rows_of(out), expected, costs.name)
                out = self.run_it("--whole", "--costs", costs.name, "--within", "20", *files, processor=processor)
                self.assertEqual(rows_of(out), [row for row in expected if row[0] <= 20])

    def test_long_texts(self):
        """The pattern's nearest place is where two pieces of a text overlap; no algorithm loses it."""
        chance = random.Random(3)
        pattern = "TTATTéTTGTTT"
        text = random_string(chance, (8 << 20) - 6, "ACG") + pattern[:5] + pattern[6:] + random_string(chance, 9999, "ACG")
        files = self.file("patterns.txt", pattern), self.file("texts.txt", text)
        for how in ((), ("--one-text", "--within", "9"), ("--algorithm", "w-shuffle")):
            self.assertEqual(rows_of(self.run_it(*how, *files)), [(1, 1, 1)], how)

    def test_one_text(self):
        files = self.files(["a\u00e9b"], ["xa", "\u00e9b"])
        self.assertEqual(rows_of(self.run_it("--one-text", *files)), [(1, 1, 1)])
        self.assertEqual(rows_of(self.run_it("--one-text", "--whole", *files)), [(2, 1, 1)])
        summary = json.loads(self.run_it("--one-text", "--summary", "--json", *files))
        self.assertEqual((summary["texts"], summary["text_characters"], summary["cells"]), (1, 5, 15))
        self.assertRegex(self.run_it("--one-text", "--summary", *files),
                         r"^1 pattern, 1 text of 5 characters: 15 cells in [0-9.]+ m?s \([0-9.]+ GCUPS\), "
                         r"bit-parallel on (one thread|\d+ threads|the GPU)\n$")

    def test_the_parts_of_the_example(self):
        chance = random.Random(4)
        files = self.files([random_string(chance, 32, "01")], [random_string(chance, 1024, "01")])
        for algorithm in PUBLISHED:
            out = self.run_it("--algorithm", algorithm, "--parts", "4", "--summary", *files)
            self.assertIn(f", {algorithm} in 4 parts on ", out)
            summary = json.loads(self.run_it("--algorithm", algorithm, "--parts", "4", "--summary", "--json", *files))
            self.assertEqual((summary["parts"], summary["cells"], summary["processor"]), (4, 32768, PROCESSOR))

    def test_json(self):
        files = self.files(["ab", "cd"], ["xabx"])
        self.assertEqual([json.loads(line) for line in self.run_it("--json", *files).splitlines()],
                         [{"pattern": 1, "text": 1, "distance": 0}, {"pattern": 2, "text": 1, "distance": 2}])

    def test_standard_input(self):
        patterns, texts = self.files(["ab"], ["xabx", "a"])
        expected = "0\t1\t1\tab\txabx\n1\t1\t2\tab\ta\n"
        with open(patterns, encoding="utf-8") as file:
            self.assertEqual(self.run_it("-", texts, stdin=file), expected)
        self.assertEqual(self.run_it(patterns, "-", input="xabx\r\na"), expected)
        self.assertEqual(self.run_it(patterns, "-", input=""), "")
        self.assertEqual(self.run_it(patterns, "-", "--within", "3", input="", status=1), "")

    def test_bad_input(self):
        good, texts = self.files(["ab"], ["ab"])
        empty = self.file("empty.txt", "ab\n\ncd\n")
        long, longer = self.file("long.txt", "a\n" + "a" * 1025), self.file("longer.txt", "a" * 16385)
        nul, bytes_ = self.file("nul.txt", "ab\nc\0d\n"), self.file("bytes.txt", b"ab\nc\xffd\n")
        nothing, table = self.file("nothing.txt", ""), self.file("a.costs", "delete 1\ninsert 1\nother 1\na b c\n"
                                                                 "a 0 1 1\nb 1 0\nc 1 1 0\n")
        for arguments, expected in (
            ((empty, texts), f"{empty}:2: the pattern is empty"),
            ((nothing, texts), f"{nothing}: the file is empty; expected one pattern per line"),
            ((nul, texts), f"{nul}:2: the pattern has a NUL byte, byte 2 of the line"),
            ((good, nul), f"{nul}:2: the text has a NUL byte, byte 2 of the line"),
            ((good, bytes_), f"{bytes_}:2: the text is not UTF-8, byte 2 of the line"),
            ((good, bytes_, "--one-text"), f"{bytes_}:2: the text is not UTF-8, byte 2 of the line"),
            ((longer, texts), f"{longer}:1: the pattern has 16385 characters; at most 16384 can be searched for"),
            ((long, texts, "--algorithm", "w-scan"),
             f"{long}:2: the pattern has 1025 characters; w-scan takes at most 1024"),
            ((good, texts, "--algorithm", "o-asm", "--whole"), "o-asm compares substrings, not whole texts"),
            ((good, str(self.folder)), f"can't read {self.folder}: Is a directory"),
            ((good, "/none"), "can't read /none: No such file or directory"),
            (("/none", texts), "can't read /none: No such file or directory"),
            (("-", "-"), "only one of the two files can be standard input"),
            ((good, texts, "--costs", "/none"), "can't read /none: No such file or directory"),
            ((good, texts, "--costs", table), f"{table}:6: row 'b' has 2 costs; the header has 3 characters"),
            ((good, texts, "--costs", good),
             f"{good}:1:1: unknown setting 'ab'; expected delete, insert, other, or a line of characters"),
        ):
            with self.subTest(arguments):
                done = sluice("distance", "--processor", PROCESSOR, *arguments)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"sluice: {expected}\n"))

    def test_output_that_cannot_be_written(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = sluice("distance", *self.files(["ab"], ["ab"]), stdout=full)
        self.assertEqual(done.returncode, 2)
        self.assertIn("No space left on device", done.stderr)

    def test_interrupted(self):
        """By Ctrl-C, as by the signal's default action."""
        for interrupt in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen(self.endless(), env=environment(), stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
            with process.stdout, process.stderr:
                try:
                    with self.assertRaises(subprocess.TimeoutExpired):
                        process.wait(1)
                    process.send_signal(interrupt)
                    self.assertEqual(process.wait(TIMEOUT_S), -interrupt)
                    self.assertEqual((process.stdout.read(), process.stderr.read()), (b"", b""))
                finally:
                    process.kill()
                    process.wait()

    def test_interrupted_on_a_terminal(self):
        """The progress bar is shown while the command works, and erased when it is interrupted."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen(self.endless(), stdin=theirs, stdout=theirs, stderr=theirs, env=environment())
        os.close(theirs)
        written = b""
        try:
            for piece in written_on(ours):
                written += piece
                if b" %" in written:
                    process.send_signal(signal.SIGINT)
            self.assertEqual(status_of(process), -signal.SIGINT)
            self.assertRegex(written.decode(), r"\[#* *\] +\d+ %")
            self.assertTrue(written.endswith(b"\r\x1b[K"), written)
        finally:
            os.close(ours)
            process.kill()
            process.wait()


if __name__ == "__main__":
    unittest.main()

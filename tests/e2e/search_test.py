#!/usr/bin/env python3
"""sluice search: compared with a plain search in Python, and its errors. $SLUICE_PROCESSOR is the processor to use,
cpu (the default) or gpu."""
import gzip
import json
import os
import random
import re
import shlex
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from client_process import environment, on_a_terminal, output_of, sluice, status_of
from sluice_process import TIMEOUT_S, eventually, report_crash

PROCESSOR = os.environ.get("SLUICE_PROCESSOR", "cpu")
THREADS = (1, 2, 3) if PROCESSOR == "cpu" else (1,)
ALGORITHMS = ("filter", "prefix-sums", "plain")


def occurrences(lines, text):
    """(offset, index of the line) of every occurrence, ascending."""
    found = []
    for index, pattern in enumerate(lines):
        at = text.find(pattern)
        while at >= 0:
            found.append((at, index))
            at = text.find(pattern, at + 1)
    return sorted(found)


def random_case(rng):
    """Patterns without line ends, with duplicates and prefixes of each other, and a text."""
    letters = rng.choice((b"a", b"01", b"acgt", bytes(range(97, 123)), bytes(set(range(256)) - {10, 13})))
    text = bytes(rng.choices(letters, k=rng.randrange(1, 30_000 if len(letters) > 1 else 300)))
    patterns = []
    for _ in range(rng.randrange(1, 40)):
        begin, size = rng.randrange(len(text)), rng.randrange(1, rng.choice((4, 12, 60)))
        cut = text[begin:begin + size]
        patterns.append(rng.choice((cut, cut[:1 + len(cut) // 2], bytes(rng.choices(letters, k=size)))))
    if len(letters) > 2:
        at = rng.randrange(len(text))
        text = text[:at] + b"\r\n" + text[at:]
    return patterns + rng.choices(patterns, k=rng.randrange(3)), text


def records_of(fasta):
    """(name, sequence) of each record: a plain reader, which joins lines."""
    records = []
    for line in fasta.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n"):
        if line.startswith(b">"):
            records.append((re.split(rb"[ \t]", line[1:], maxsplit=1)[0], []))
        elif records and not line.startswith(b";"):
            records[-1][1].append(line.translate(None, b" \t"))
    return [(name, b"".join(lines)) for name, lines in records]


def random_fasta(rng, letters_max=400):
    """Lines of any length and all line ends, comments, blanks, empty lines and records, names that are missing."""
    end = lambda: rng.choice(rng.choice(((b"\n",), (b"\r\n",), (b"\r",), (b"\n", b"\r\n", b"\r", b"\n\n"))))
    parts = [rng.choice((b"", b"\xef\xbb\xbf"))]
    for index in range(rng.randrange(1, 8)):
        parts += [rng.choice((b">%d" % index, b">", b"> %d" % index, b">%d\tof > some; words" % index, b">dup")), end()]
        left = rng.choice((0, 1, rng.randrange(letters_max)))
        while left > 0:
            size = min(left, rng.choice((1, 3, 70)))
            line = bytes(rng.choices(rng.choice((b"AC", b"ACGTacgtN", b"AC-.*")), k=size))
            at = rng.randrange(size)
            blank = rng.choice((b"", b"", b" ", b"\t", b" \t "))
            parts += [line[:at] + blank + line[at:], end(), rng.choice((b"",) * 8 + (b";ACGT" + end(), b" \t" + end()))]
            left -= size
    return b"".join(parts) if rng.randrange(2) else b"".join(parts).rstrip(b"\r\n")


class WithFiles(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        return str(path)


class Fasta(WithFiles):
    def lines(self, *arguments, statuses=(0, 1), **more):
        done = subprocess.run([os.environ["SLUICE"], *arguments], timeout=TIMEOUT_S, capture_output=True,
                              env=environment(), check=False, **more)
        report_crash(done.returncode, done.args)
        self.assertIn(done.returncode, statuses, done.stderr)
        return done.stdout.splitlines()

    def search(self, *arguments, **more):
        return self.lines("search", "--processor", PROCESSOR, *arguments, **more)

    def check_search(self, patterns, fasta, records):
        """By name and by content, of a file and of standard input."""
        expected = [(name, index, at, pattern) for index, (name, sequence) in enumerate(records)
                    for at, pattern in occurrences(patterns, sequence)]
        pattern_file = self.file("patterns", b"\n".join(patterns))
        named, content = self.file("a.fasta", fasta), self.file("text", fasta)
        shown = [b"%s:%d:%s" % (name, at, patterns[pattern]) for name, _, at, pattern in expected]
        self.assertEqual(self.search(pattern_file, named), shown)
        self.assertEqual(self.search(pattern_file, "-", input=fasta), shown)
        both = self.search(pattern_file, named, content)
        self.assertEqual(both, [path.encode() + b":" + line for path in (named, content) for line in shown])
        self.assertEqual([json.loads(line) for line in self.search("--json", pattern_file, content)],
                         [{"file": content, "record": name.decode(), "record_index": index, "offset": at,
                           "pattern": patterns[pattern].decode(), "pattern_index": pattern}
                          for name, index, at, pattern in expected])
        summary = json.loads(self.search("--json", "--summary", pattern_file, content)[0])
        self.assertEqual((summary["bytes"], summary["records"], summary["occurrences"]),
                         (sum(len(sequence) for _, sequence in records), len(records), len(expected)))
        packed = self.file("packed", b"".join(gzip.compress(fasta[at:at + 100]) for at in range(0, len(fasta), 100)))
        self.assertEqual(self.search(self.file("patterns.gz", gzip.compress(b"\n".join(patterns))), packed), shown)
        counts = [int(line.split(b"\t")[0]) for line in self.search("--count", pattern_file, content)]
        self.assertEqual(counts, [sum(pattern == each for *_, each in expected) for pattern in range(len(patterns))])

    def test_every_command_reads_it_as_a_plain_reader_does(self):
        rng = random.Random(9)
        for _ in range(25):
            fasta = random_fasta(rng)
            records = records_of(fasta)
            with self.subTest(fasta=fasta):
                cut = [sequence[at:at + rng.randrange(1, 30)] for _, sequence in records if sequence
                       for at in (rng.randrange(len(sequence)) for _ in range(3))]
                self.check_search([*dict.fromkeys([*cut, b"A", b"CA"])], fasta, records)
                path = self.file("a.fasta", fasta)
                matched = [json.loads(line)["data"] for line in self.lines("match", "--json", "true()", path)]
                self.assertEqual([data["sequence"].encode() for data in matched],
                                 [sequence for _, sequence in records])
                self.assertEqual([data.get("id", "").encode() for data in matched],
                                 [name for name, _ in records])
                compared = self.lines("distance", "--json", "--whole", self.file("empty", b"\xc3\xa9\n"), path)
                self.assertEqual([(each["record"].encode(), each["text"], each["distance"])
                                  for each in map(json.loads, compared)],
                                 [(name, index, max(1, len(sequence))) for index, (name, sequence) in
                                  enumerate(records, 1)])
                full = self.file("full.fa", b"".join(b">%s\r%s\r" % record for record in records if record[1]))
                if any(sequence for _, sequence in records):
                    aligned = [json.loads(line) for line in self.lines("align", "--json", full, full)]
                    names = [name.decode() for name, sequence in records if sequence]
                    self.assertEqual([(pair["query"], pair["text"]) for pair in aligned],
                                     [(query, text) for query in names for text in names])

    def test_both_strands_and_any_case(self):
        """Against a search for the patterns and for their reverse complements."""
        rng = random.Random(10)
        other = lambda sequence: sequence[::-1].translate(bytes.maketrans(b"ACGTacgt", b"TGCAtgca"))
        for _ in range(20):
            text = bytes(rng.choices(b"ACGTacgt", k=rng.randrange(1, 3000)))
            patterns = [bytes(rng.choices(b"ACGTacgt", k=rng.randrange(1, 7))) for _ in range(5)] + [b"ACGT", b"AcGt"]
            files = self.file("patterns", b"\n".join(patterns)), self.file("a.fa.gz", gzip.compress(b">r\n" + text))
            for options in ([], ["--ignore-case"]):
                fold = bytes.lower if options else bytes
                forward, texts = [fold(pattern) for pattern in patterns], fold(text)
                reverse = [other(pattern) for pattern in forward]
                found = [(at, 0, index) for at, index in occurrences(forward, texts)]
                self.assertEqual(self.search(*options, *files), [b"r:%d:%s" % (at, patterns[i]) for at, _, i in found])
                found += [(at, 1, index) for at, index in occurrences(reverse, texts) if forward[index] != reverse[index]]
                self.assertEqual(self.search("--both-strands", *options, *files),
                                 [b"r:%d:%s:%s" % (at, (b"+", b"-")[strand], patterns[i])
                                  for at, strand, i in sorted(found)])
                counts = [int(line.split(b"\t")[0]) for line in
                          self.search("--both-strands", "--count", *options, *files)]
                self.assertEqual(counts, [sum(i == each for *_, each in found) for i in range(len(patterns))])

    def test_paf_says_how_the_files_own_letters_are_aligned(self):
        """Each CIGAR, applied to the two sequences of the files, has the score, the strand and the lengths it claims."""
        rng = random.Random(11)
        other = lambda sequence: sequence[::-1].translate(str.maketrans("ACGT", "TGCA"))
        strands = set()
        for _ in range(30):
            text = "".join(rng.choices("ACGT", k=rng.randrange(50, 300)))
            at = rng.randrange(len(text) - 40)
            read = list(text[at:at + rng.randrange(30, 120)])
            for _ in range(rng.randrange(4)):
                place = rng.randrange(len(read))
                read[place:place + rng.randrange(3)] = rng.choices("ACGT", k=rng.randrange(3))
            read = "".join(read) if rng.randrange(2) else other("".join(read))
            files = self.file("q.fa", f">q\n{read}\n".encode()), self.file("t.fa", f">t\n{text}\n".encode())
            how = rng.choice(([], ["--global"]))
            line, = self.lines("align", "--both-strands", "--format", "paf", *how, *files)
            fields = line.decode().split("\t")
            query, query_length, begin, end, strand, name, length, text_begin, text_end, matches, columns = fields[:11]
            self.assertEqual((query, int(query_length), name, int(length), fields[11]),
                             ("q", len(read), "t", len(text), "255"))
            tags = dict(tag.split(":", 1) for tag in fields[12:])
            part, there = read[int(begin):int(end)], text[int(text_begin):int(text_end)]
            part = other(part) if strand == "-" else part
            score, equal, all_columns, edits = 0, 0, 0, 0
            for size, operation in re.findall(r"(\d+)(.)", tags["cg"].removeprefix("Z:")):
                size = int(size)
                ours, theirs = part[:0 if operation == "D" else size], there[:0 if operation == "I" else size]
                part, there = part[len(ours):], there[len(theirs):]
                score += {"=": size, "X": -3 * size}.get(operation, -5 - 2 * (size - 1))
                equal, all_columns = equal + size * (operation == "="), all_columns + size
                edits += size * (operation != "=")
                self.assertIn(operation, "=XID")
                self.assertTrue(operation in "ID" or all((a == b) == (operation == "=") for a, b in zip(ours, theirs)))
            self.assertEqual((part, there), ("", ""))
            self.assertEqual((tags["AS"], tags["NM"], int(matches), int(columns)),
                             (f"i:{score}", f"i:{edits}", equal, all_columns))
            scores = [json.loads(self.lines("align", "--json", *how, self.file("s.fa", f">s\n{each}\n".encode()),
                                            files[1])[0])["score"] for each in (read, other(read))]
            self.assertEqual((score, strand), (max(scores), "+" if scores[0] >= scores[1] else "-"))
            strands.add(strand)
        self.assertEqual(strands, {"+", "-"})

    def test_records_that_cross_the_pieces_of_a_long_file(self):
        """A piece has 16 MiB or 4 MiB for each thread on the CPU, and 128 MiB on a GPU."""
        piece = (16 << 20) if PROCESSOR == "cpu" else (128 << 20)
        line, lines = b"A" * 63 + b"\n", piece // 63 + 200
        fasta = bytearray(b">long\n" + line * lines + b">next\n" + line * 3)
        for at in (piece - 10, piece, piece + 1000):  # letters
            for k, letter in enumerate(b"CGTCGT"):
                fasta[6 + (at + k) // 63 * 64 + (at + k) % 63] = letter
        patterns = [b"CGTCGT", b"ACGT", b"GTA"]
        pattern = self.file("patterns", b"\n".join(patterns))
        found = self.search("--threads", "1", pattern, self.file("long", bytes(fasta)))
        sequence = records_of(bytes(fasta))[0][1]
        self.assertEqual(found, [b"long:%d:%s" % (at, patterns[index]) for at, index in occurrences(patterns, sequence)])
        self.assertEqual(len(found), 9)

    def test_patterns_may_be_fasta_by_their_name(self):
        patterns = self.file("primers.fa", b">p\nAC\nGT\n>q\nTT\n")
        self.assertEqual(self.search(patterns, self.file("text", b">r\nTTAC\nGT\n")), [b"r:0:TT", b"r:2:ACGT"])

    def test_plain_reads_fasta_as_it_is(self):
        patterns, text = self.file("patterns", b"ACGT\nseq\n"), self.file("a.fasta", b">seq\nAC\nGTACGT\n")
        self.assertEqual(self.search(patterns, text), [b"seq:0:ACGT", b"seq:4:ACGT"])
        self.assertEqual(self.search("--plain", patterns, text), [b"1:seq", b"10:ACGT"])

    def test_what_is_not_fasta_is_refused_by_line_or_searched_as_it_is(self):
        patterns = self.file("patterns", b"ACGT\n")
        for name, content, line in (("text", b">a\nACGT\nAC1T\n", 3), ("a.fa", b"ACGT\n", 1),
                                    ("c.fa", b"@a\nA\n+\nI\n", 1)):
            for command in ("search", "distance"):
                path = self.file(name, content)
                done = sluice(command, patterns, path)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertTrue(done.stderr.startswith(f"sluice: {path}:{line}: expected "), done.stderr)
                self.assertIn("--plain", done.stderr)
        cut = self.file("b.fa.gz", gzip.compress(b">a\nACGT\n")[:-1])
        for command in (["search", patterns, cut], ["search", cut, patterns], ["distance", patterns, cut],
                        ["align", cut, cut]):
            done = sluice(*command)
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (2, "", f"sluice: can't read {cut}: it is not complete and valid gzip\n"))
        for plain in (b"ACGT\n>a\nACGT\n", b"a\n", b"", b"\xef\xbb\xbfACGT>"):
            at = [b"%d:ACGT" % each for each, _ in occurrences([b"ACGT"], plain)]
            self.assertEqual(self.search(patterns, self.file("plain", plain)), at)

    def test_a_byte_order_mark_is_of_no_pattern(self):
        patterns = self.file("patterns", b"\xef\xbb\xbflamp\npier\n")
        self.assertEqual(self.search(patterns, self.file("text", b"pier lamp")), [b"0:pier", b"5:lamp"])


class Search(WithFiles):
    def search(self, *arguments, status=0, **more):
        """Standard output of a search, as bytes."""
        command = [os.environ["SLUICE"], "search", "--processor", PROCESSOR, *arguments]
        done = subprocess.run(command, timeout=TIMEOUT_S, capture_output=True, env=environment(), check=False, **more)
        report_crash(done.returncode, done.args)
        self.assertEqual((done.returncode, done.stderr), (status, b""))
        return done.stdout

    def combinations(self):
        for algorithm in ALGORITHMS:
            for threads in THREADS:
                with self.subTest(algorithm=algorithm, threads=threads):
                    yield "--algorithm", algorithm, "--threads", str(threads)

    def check(self, lines, text, how, line_end=b"\n"):
        found = occurrences(lines, text)
        status = 0 if found else 1
        files = (self.file("patterns", b"".join(line + line_end for line in lines)), self.file("text", text))
        self.assertEqual(self.search(*how, *files, status=status),
                         b"".join(b"%d:%s\n" % (at, lines[index]) for at, index in found))
        counts = [sum(index == each for _, index in found) for each in range(len(lines))]
        self.assertEqual(self.search(*how, "--count", *files, status=status),
                         b"".join(b"%d\t%s\n" % pair for pair in zip(counts, lines)))
        summary = json.loads(self.search(*how, "--summary", "--json", *files, status=status))
        self.assertEqual((summary["bytes"], summary["patterns"], summary["occurrences"], summary["algorithm"],
                          summary["processor"]), (len(text), len(lines), len(found), how[1], PROCESSOR))
        self.assertEqual("kernel_seconds" in summary, PROCESSOR == "gpu")

    def test_random_texts(self):
        rng = random.Random(7)
        for how in self.combinations():
            for _ in range(8):
                lines, text = random_case(rng)
                self.check(lines, text, how, rng.choice((b"\n", b"\r\n")))

    def test_worked_examples(self):
        for how in self.combinations():
            self.check([b"010", b"01", b"0101", b"11", b"0110"], b"01011010110101", how)
            self.check([b"banana", b"ana", b"anan", b"a", b"x"], b"banana", how)
            self.check([b"\0", b"\xff\xfe", b"\xe9"], b"a\0\0\xff\xff\xfe\xe9", how)
            self.check([b"longer than the text"], b"text", how)
            self.check([b"a"], b"", how)
        # As in the thesis: 256 patterns of 10, 20 and 30 characters in a text over {0, 1}.
        rng = random.Random(8)
        text = bytes(rng.choices(b"01", k=100_000))
        for how in self.combinations():
            for size in (10, 20, 30):
                self.check([bytes(rng.choices(b"01", k=size)) for _ in range(255)] + [text[-size:]], text, how)

    def test_a_text_of_several_pieces(self):
        """A piece has 16 MiB or 4 MiB for each thread on the CPU, and 128 MiB on a GPU."""
        piece = (16 << 20) if PROCESSOR == "cpu" else (128 << 20)
        text = bytearray(b"." * (2 * piece + 100))
        for at in (0, piece - 8, piece, piece + 9, 2 * piece - 1, 2 * piece + 92):
            text[at:at + 8] = b"abababab"
        lines = [b"abababab", b"ab", b"ba", b"b."]
        for how in self.combinations():
            if "filter" in how or ("prefix-sums" in how and how[-1] == str(THREADS[-1])):  # the others are slow
                self.check(lines, bytes(text), how)

    def test_several_files_and_json(self):
        patterns, one = self.file("patterns", b"ab\nb\n"), self.file("one", b"abb")
        two = self.file("two \xe9", b"xb")
        self.assertEqual(self.search(patterns, one, two).decode(),
                         f"{one}:0:ab\n{one}:1:b\n{one}:2:b\n{two}:1:b\n")
        self.assertEqual(self.search("--count", patterns, one, two), b"1\tab\n3\tb\n")
        lines = [json.loads(line) for line in self.search("--json", patterns, one).splitlines()]
        self.assertEqual(lines[0], {"file": one, "offset": 0, "pattern": "ab", "pattern_index": 0})
        self.assertEqual([line["offset"] for line in lines], [0, 1, 2])
        self.assertEqual(json.loads(self.search("--json", "--count", patterns, two).splitlines()[1]),
                         {"pattern": "b", "pattern_index": 1, "count": 1})
        self.assertEqual(len(self.search("--summary", patterns, one, two).splitlines()), 2)

    def test_the_summary(self):
        files = (self.file("patterns", b"ab\nb\n"), self.file("text", b"abb"))
        summary = self.search("--summary", "--algorithm", "prefix-sums", "--threads", "2", *files).decode()
        on = "2 threads" if PROCESSOR == "cpu" else "the GPU"
        self.assertRegex(summary, r"text: 3 bytes, 2 patterns, 3 occurrences in [\d.]+ \w+ \([\d.]+ [MG]B/s\), "
                                  rf"(of which .* in kernels, )?prefix sums on {on}\n$")

    def test_standard_input(self):
        patterns, text = self.file("patterns", b"ab\n"), self.file("text", b"xabab")
        self.assertEqual(self.search(patterns, "-", input=b"xabab"), b"1:ab\n3:ab\n")
        self.assertEqual(self.search("-", text, input=b"ab\r\n"), b"1:ab\n3:ab\n")
        self.assertEqual(self.search(patterns, "-", text, input=b"ab").decode(),
                         f"standard input:0:ab\n{text}:1:ab\n{text}:3:ab\n")
        for arguments in (["-", "-"], [patterns, "-", "-"]):
            done = sluice("search", *arguments)
            self.assertEqual((done.returncode, done.stderr),
                             (2, "sluice: only one of the files can be standard input\n"))

    def test_bad_input(self):
        good, text = self.file("good", b"a\n"), self.file("text", b"banana")
        many = self.file("many", b"".join(b"%d\n" % i for i in range(70_000)))
        none = str(self.folder / "none")
        missing = f"can't read {none}: No such file or directory"
        for arguments, expected in (
            ([self.file("gap", b"a\nb\n\nc\n"), text], f"{self.folder}/gap:3: the pattern is empty"),
            ([self.file("return", b"\r\n"), text], f"{self.folder}/return:1: the pattern is empty"),
            ([self.file("empty", b""), text], f"{self.folder}/empty: the file is empty; expected one pattern per line"),
            ([self.file("long", b"a\n" + b"x" * 65_537), text],
             f"{self.folder}/long:2: the pattern has 65537 bytes, more than the limit of 65536"),
            ([none, text], missing), ([good, none], missing),
            ([good, str(self.folder)], f"can't read {self.folder}: Is a directory"),
            ([str(self.folder), text], f"can't read {self.folder}: Is a directory"),
        ):
            with self.subTest(arguments):
                done = sluice("search", *arguments)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"sluice: {expected}\n"))
        done = sluice("search", "--processor", PROCESSOR, "--algorithm", "prefix-sums", many, text)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"many: the number of patterns, 70000, is .*65521|32768")
        self.assertEqual(self.search("--count", many, text, status=1).count(b"\n"), 70_000)
        done = sluice("search", good, none, text)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (2, f"{text}:1:a\n{text}:3:a\n{text}:5:a\n", f"sluice: {missing}\n"))

    def test_output_that_is_lost(self):
        files = (self.file("patterns", b"a\n"), self.file("text", b"a" * 1_000_000))
        for more in ([], ["--count"], ["--summary"], ["--json"]):
            with self.subTest(more), open("/dev/full", "wb") as full:
                done = sluice("search", *more, *files, stdout=full)
                self.assertEqual(done.returncode, 2)
                self.assertTrue(done.stderr.startswith("sluice: can't write to standard output"), done.stderr)

    def test_a_reader_that_leaves(self):
        program = shlex.quote(os.environ["SLUICE"])
        files = shlex.join((self.file("patterns", b"a\n"), self.file("text", b"a" * 1_000_000)))
        done = subprocess.run(["bash", "-c", f"{program} search {files} | head -n 2"], timeout=TIMEOUT_S, text=True,
                              capture_output=True, env=environment(), check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "0:a\n1:a\n", ""))

    def test_an_interrupt(self):
        """While it waits for input, and while it searches."""
        patterns = self.file("patterns", b"".join(b"%d\n" % i for i in range(100_000, 150_000)))
        for arguments in (["-"], ["--algorithm", "plain", self.file("text", b"123456789 " * 3_000_000)]):
            with self.subTest(arguments):
                process = subprocess.Popen([os.environ["SLUICE"], "search", "--summary", patterns, *arguments],
                                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                           text=True, env=environment())
                self.addCleanup(process.stdin.close)
                eventually(lambda: self.notes_interrupts(process.pid), "a handler of SIGINT")
                process.send_signal(signal.SIGINT)
                self.assertEqual(output_of(process), ("", ""))
                self.assertEqual(status_of(process), -signal.SIGINT)

    @staticmethod
    def notes_interrupts(process_id):
        """Whether the process has a handler of SIGINT."""
        status = Path(f"/proc/{process_id}/status").read_text()
        caught = int(next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt")), 16)
        return caught >> (signal.SIGINT - 1) & 1 == 1

    def test_patterns_command_no_terminal(self):
        files = (self.file("patterns", b"\x1b[2J\n"), self.file("text", b"a\x1b[2J"))
        self.assertEqual(on_a_terminal("search", *files), (0, "1:\ufffd[2J\n"))


if __name__ == "__main__":
    unittest.main()

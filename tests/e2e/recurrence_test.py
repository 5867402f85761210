#!/usr/bin/env python3
"""sluice recurrence: its measures against plain definitions, its plots, and what it says of bad input. The environment
variable SLUICE_PROCESSOR is its --processor (default: cpu)."""
import gzip
import json
import math
import os
import pty
import random
import signal
import struct
import subprocess
import tempfile
import unittest
import zlib
from pathlib import Path

from client_process import environment, sluice, status_of, written_on

PROCESSOR = os.environ.get("SLUICE_PROCESSOR", "cpu")
MANUAL = [.1, .5, 1.3, .7, .8, 1.4, 1.6, 1.2, .4, 1.1, .8, .2, 1.3]  # of PyRQA's manual


def runs(cells):
    """The lengths of the runs of ones."""
    lengths, length = [], 0
    for cell in [*cells, False]:
        if cell:
            length += 1
        elif length:
            lengths.append(length)
            length = 0
    return lengths


def share(lengths, shortest):
    points = sum(lengths)
    return sum(length for length in lengths if length >= shortest) / points if points else None


def matrix_of(series, epsilon):
    return [[abs(x - y) < epsilon for y in series] for x in series]


def measures(series, epsilon, v_min=2, l_min=2, theiler=1):
    """Recurrence rate, determinism and laminarity, as Marwan et al. define them."""
    matrix, n = matrix_of(series, epsilon), len(series)
    vertical = [length for column in zip(*matrix) for length in runs(column)]
    diagonal = [length for d in range(-n + 1, n) if abs(d) >= theiler
                for length in runs(matrix[i][i + d] for i in range(max(0, -d), min(n, n - d)))]
    return sum(map(sum, matrix)) / n ** 2, share(diagonal, l_min), share(vertical, v_min)


def window_places(seed, windows, places):
    mask = (1 << 64) - 1
    for w in range(1, windows + 1):
        z = seed + w * 0x9e3779b97f4a7c15 & mask
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & mask
        z = (z ^ z >> 27) * 0x94d049bb133111eb & mask
        z ^= z >> 31
        yield (z >> 32) * places >> 32, (z & 0xffffffff) * places >> 32


def microstates(series, epsilon, size, windows, seed, v_min, l_min, theiler=1):
    """The estimates of recurrence rate, determinism and laminarity, and Froguel's laminarity."""
    points, rows, diagonals, laminarities = 0, [0, 0, 0], [0, 0, 0], []
    def add(counts, lengths, shortest):
        for k, length in enumerate((1, shortest, shortest + 1)):
            counts[k] += sum(max(0, each - length + 1) for each in lengths)
    for row, column in window_places(seed, windows, len(series) - size + 1):
        window = [[abs(series[row + r] - series[column + c]) < epsilon for c in range(size)] for r in range(size)]
        lengths = [length for cells in window for length in runs(cells)]
        points += sum(lengths)
        add(rows, lengths, v_min)
        if lengths:
            laminarities.append(share(lengths, v_min))
        cells = [[window[r][c] and abs(row + r - column - c) >= theiler for c in range(size)] for r in range(size)]
        add(diagonals, [length for d in range(-size + 1, size)
                        for length in runs(cells[r][r + d] for r in range(max(0, -d), min(size, size - d)))], l_min)
    def density(counts, shortest, places):
        ones, least, more = (count / places(length) for count, length in zip(counts, (1, shortest, shortest + 1)))
        return min(1, max(0, (shortest * least - (shortest - 1) * more) / ones)) if ones else None
    return (points / windows / size ** 2, density(diagonals, l_min, lambda k: (size - k + 1) ** 2),
            density(rows, v_min, lambda k: size * (size - k + 1)),
            sum(laminarities) / len(laminarities) if laminarities else None)


def png_rows(path):
    """The rows of an 8-bit grey PNG."""
    data, at, packed = Path(path).read_bytes(), 8, b""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        content = data[at + 8:at + 8 + length]
        assert zlib.crc32(kind + content) == struct.unpack_from(">I", data, at + 8 + length)[0]
        if kind == b"IHDR":
            width, height, *form = struct.unpack(">IIBBBBB", content)
            assert form == [8, 0, 0, 0, 0]
        packed += content if kind == b"IDAT" else b""
        at += 12 + length
    raw, rows = zlib.decompress(packed), []
    above = bytes(width)
    for y in range(height):
        kind, line = raw[y * (width + 1)], bytearray(raw[y * (width + 1) + 1:(y + 1) * (width + 1)])
        for x in range(width):
            left, up, corner = line[x - 1] if x else 0, above[x], above[x - 1] if x else 0
            near = min((abs(up - corner), 0, left), (abs(left - corner), 1, up),
                       (abs(left + up - 2 * corner), 2, corner))[2]
            line[x] = line[x] + (0, left, up, (left + up) // 2, near)[kind] & 255
        rows.append(list(line))
        above = line
    return rows


def series_of(chance, n):
    kind = chance.randrange(4)
    if kind == 0:
        return [chance.random() for _ in range(n)]
    if kind == 1:
        return [chance.randrange(4) / 4 for _ in range(n)]
    if kind == 2:
        return [1.5] * n
    walk = [0.0]
    while len(walk) < n:
        walk.append(walk[-1] + chance.uniform(-.5, .5))
    return walk[:n]


class Recurrence(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def file(self, series, separator="\n"):
        path = self.folder / "series.txt"
        path.write_text(separator.join(map(repr, series)) + "\n")
        return path

    def analysed(self, series, epsilon, processor=PROCESSOR, **options):
        arguments = [text for name, value in options.items()
                     for text in ("--" + name.replace("_", "-"), str(value))]
        done = sluice("recurrence", "--json", "--epsilon", repr(epsilon), "--processor", processor, *arguments,
                      str(self.file(series)))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def assert_exact(self, found, expected):
        names = ("recurrence_rate", "determinism", "laminarity", "froguel_laminarity")
        for name, value in zip(names, expected):
            if value is None:
                self.assertIsNone(found[name])
            else:
                self.assertAlmostEqual(found[name], value, delta=2e-6 if name == "froguel_laminarity" else 1e-12)

    def test_exact_measures_are_those_of_the_definitions(self):
        chance = random.Random(5)
        for i in range(60):
            series = series_of(chance, chance.choice((1, 2, 3, 31, 33, 60, 90)))
            options = {"v_min": chance.randrange(1, 7), "l_min": chance.randrange(1, 7),
                       "theiler": chance.choice((0, 1, 2, 5, 100))}
            epsilon = chance.choice((1e-9, .25, .3, .7, 2.0))
            with self.subTest(i, series=series, epsilon=epsilon, **options):
                found = self.analysed(series, epsilon, algorithm="exact", **options)
                self.assertEqual((found["algorithm"], found["points"]), ("exact", len(series)))
                self.assert_exact(found, measures(series, epsilon, **options))

    def test_exact_measures_with_long_lines(self):
        chance = random.Random(6)
        walk = [0.0]
        while len(walk) < 160:
            walk.append(walk[-1] + chance.uniform(-.1, .1))
        for shortest in (8, 31, 32, 33, 63, 64):
            with self.subTest(shortest):
                self.assert_exact(self.analysed(walk, .4, v_min=shortest, l_min=shortest),
                                  measures(walk, .4, shortest, shortest))
        for shortest in (65, 100, 159, 161):
            with self.subTest(shortest):
                self.assert_exact(self.analysed(walk, .4, processor="cpu", v_min=shortest, l_min=shortest, theiler=3),
                                  measures(walk, .4, shortest, shortest, 3))

    def test_the_example_of_pyrqas_manual(self):
        self.assert_exact(self.analysed(MANUAL, .65), measures(MANUAL, .65))

    def test_a_byte_order_mark_is_not_a_number(self):
        series = ("recurrence", "--epsilon", "0.5", "--json", "-")
        with_mark, without = (json.loads(sluice(*series, input=mark + "1 2 3 1 2 3").stdout) for mark in ("\ufeff", ""))
        self.assertEqual(with_mark["recurrence_rate"], without["recurrence_rate"])

    def test_gzip_is_decompressed(self):
        path = self.folder / "series.gz"
        path.write_bytes(gzip.compress("\ufeff1 2 3 1 2 3".encode()))
        done = sluice("recurrence", "--epsilon", "0.5", "--json", str(path))
        self.assertAlmostEqual(json.loads(done.stdout)["recurrence_rate"], 1 / 3)
        path.write_bytes(gzip.compress(b"1 2 3")[:-4])
        done = sluice("recurrence", "--epsilon", "0.5", str(path))
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (2, "", f"sluice: can't read {path}: it is not complete and valid gzip\n"))

    def test_numbers_in_json_have_no_exponent(self):
        for epsilon in ("1e20", "1.5e-7"):
            line = sluice("recurrence", "--epsilon", epsilon, "--json", str(self.file(MANUAL))).stdout
            self.assertNotRegex(line, r"\d[eE][+-]?\d")
            self.assertEqual(json.loads(line)["epsilon"], float(epsilon))

    def test_threads_do_not_change_a_result(self):
        chance = random.Random(7)
        series = [chance.random() for _ in range(3000)]
        for options in ({"algorithm": "exact", "l_min": 3}, {"windows": 20_000, "theiler": 2}):
            results = []
            for threads in range(1, 6):
                found = self.analysed(series, .27, threads=threads, **options)
                self.assertLessEqual(found["workers"], threads)
                results.append({k: v for k, v in found.items() if k not in ("seconds", "workers")})
            self.assertEqual(results, [results[0]] * 5)

    def test_microstates_are_those_of_the_definition(self):
        chance = random.Random(8)
        for i in range(30):
            size = chance.choice((4, 8, 9, 16, 32))
            series = series_of(chance, size + chance.randrange(200))
            options = {"size": size, "windows": chance.choice((2, 30, 100)), "seed": chance.randrange(1 << 64),
                       "v_min": chance.randrange(1, size // 2 + 1), "l_min": chance.randrange(1, size // 2 + 1),
                       "theiler": chance.randrange(4)}
            epsilon = chance.choice((1e-9, .25, .3, .7))
            with self.subTest(i, epsilon=epsilon, points=len(series), **options):
                found = self.analysed(series, epsilon, **options)
                self.assertEqual((found["algorithm"], found["windows"]), ("microstates", options["windows"]))
                self.assert_exact(found, microstates(series, epsilon, **options))

    def test_estimates_are_within_their_errors(self):
        chance = random.Random(9)
        series = [chance.random() for _ in range(8000)]
        exact = self.analysed(series, .27, algorithm="exact")
        found = self.analysed(series, .27, algorithm="microstates")
        self.assertGreaterEqual(found["windows"], 8192)
        for name in ("recurrence_rate", "determinism", "laminarity"):
            self.assertLess(found[name + "_error"], .005)
            self.assertLess(abs(found[name] - exact[name]), 5 * found[name + "_error"])

    def test_long_series_are_estimated_unless_counting_is_asked_for(self):
        chance = random.Random(10)
        series = [chance.randrange(100) for _ in range(262_145)]
        self.assertEqual(self.analysed(series, 1.5)["algorithm"], "microstates")
        self.assertEqual(self.analysed(series[:1000], 1.5)["algorithm"], "exact")

    def test_text(self):
        path = self.file(MANUAL, "; ")
        rate, determinism, laminarity = measures(MANUAL, .65)
        done = sluice("recurrence", "--epsilon", ".65", "--processor", "cpu", str(path))
        self.assertRegex(done.stdout,
                         rf"^{path}: 13 values, epsilon 0.65\nrecurrence rate +{rate:.6f}\n"
                         rf"determinism +{determinism:.6f} \(lines of at least 2 points\)\n"
                         rf"laminarity +{laminarity:.6f} \(lines of at least 2 points\)\n"
                         r"time +\d+\.\d{3} m?s on one thread\n$")
        done = sluice("recurrence", "--epsilon", "1e-3", "--size", "4", "--windows", "2", "--theiler", "9", "--processor",
                      "cpu", str(path))
        self.assertRegex(done.stdout, r"\nmicrostates +2 of 4 x 4, seed 1\nrecurrence rate +\d\.\d{6} ± \d\.\d{6}\n"
                                      r"determinism +none: nothing recurs \(")
        self.assertIn("\nFroguel's value ", done.stdout)

    def test_standard_input(self):
        done = sluice("recurrence", "--json", "--epsilon", "1", "-", input="1, 2\n1;2\n")
        self.assertEqual(json.loads(done.stdout)["recurrence_rate"], .5)

    def test_what_is_wrong_is_said(self):
        for text, message in (("1 2\n3\n4, abc\n", "series.txt:3: value 5 is not a number: \"abc\""),
                              ("1,,2", "series.txt:1: value 2 is missing"),
                              ("1\n\n1e999", "series.txt:3: value 2 is too large: \"1e999\""),
                              (" \n", "series.txt: expected a series of numbers, not an empty one")):
            (self.folder / "series.txt").write_text(text)
            done = sluice("recurrence", "--epsilon", "1", "series.txt", cwd=self.folder)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"sluice: {message}\n"))
        self.file(MANUAL)
        for arguments, message in (
                (["--windows", "9", "--size", "32"], "microstates of 32 x 32 need a series of at least 32 values, not of 13"),
                (["--size", "8", "--l-min", "5"], "microstates of 8 x 8 count lines of at least 4 points at most, not of 5"),
                (["--size", "8", "--algorithm", "exact"], "--windows, --size and --seed are for --algorithm microstates"),
                (["--plot", "-", "--json"], "a plot can't be drawn between lines of JSON"),
                (["--plot", "x.svg"], "can't write a plot to x.svg: plots are PNG; give a name that ends in .png, or -"),
                (["--plot", "/none/x.png"], "can't write /none/x.png: No such file or directory"),
                (["--plot", "png"], "can't write a plot to png: plots are PNG"),
                (["--size", "33"], "--size must be a whole number from 2 to 32, not 33"),
                (["--size", "0"], "--size must be a whole number from 2 to 32, not 0"),
                (["--windows", "1"], "--windows must be a whole number from 2 to 1099511627776, not 1"),
                (["--epsilon", "0"], "--epsilon must be a number above 0, not 0"),
                (["--epsilon", "nan"], "--epsilon must be a number above 0, not nan"),
                (["--epsilon", "inf"], "--epsilon must be a number above 0, not inf"),
                (["--v-min", "-1"], "--v-min must be a whole number from 1 to 2147483647, not -1"),
                (["--algorithm", "fast"], "--algorithm must be exact or microstates, not fast")):
            epsilon = [] if "--epsilon" in arguments else ["--epsilon", "1"]
            done = sluice("recurrence", *epsilon, *arguments, "series.txt", cwd=self.folder)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(message, done.stderr)
        done = sluice("recurrence", "series.txt", cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--epsilon", done.stderr)

    def plotted(self, series, epsilon):
        path = self.folder / "plot.png"
        done = sluice("recurrence", "--epsilon", repr(epsilon), "--plot", str(path), str(self.file(series)))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return png_rows(path)[::-1]  # both axes begin at the lower left

    def test_plots_of_short_series_are_their_matrices(self):
        chance = random.Random(11)
        for n in (1, 2, 57, 300):
            series = series_of(chance, n)
            rows = self.plotted(series, .3)
            self.assertEqual(rows, [[0 if cell else 255 for cell in row] for row in matrix_of(series, .3)])

    def test_plots_of_long_series_are_grey(self):
        chance = random.Random(12)
        series = [chance.random() for _ in range(2048)]
        rows, matrix = self.plotted(series, .3), matrix_of(series, .3)
        self.assertEqual((len(rows), len(rows[0])), (1024, 1024))
        for y, x in [(0, 0), (1023, 0), *((chance.randrange(1024), chance.randrange(1024)) for _ in range(2000))]:
            points = sum(matrix[2 * y + r][2 * x + c] for r in (0, 1) for c in (0, 1))
            self.assertEqual(rows[y][x], 255 - math.floor(255 * points / 4 + .5))

    def test_a_plot_is_drawn_on_the_terminal(self):
        done = sluice("recurrence", "--epsilon", "1", "--plot", "-", str(self.file([0, 0, 5])))
        self.assertEqual(done.stdout.split("\n")[-3:], ["▓▓▓", "██", ""])
        done = sluice("recurrence", "--epsilon", "1", "--plot", "-", str(self.file([7] * 500)))
        self.assertEqual(done.stdout.split("\n")[5:], ["█" * 80] * 40 + [""])

    def test_full_disks(self):
        path = str(self.file(MANUAL))
        plot = self.folder / "full.PNG"
        plot.symlink_to("/dev/full")
        done = sluice("recurrence", "--epsilon", "1", "--plot", str(plot), path)
        self.assertEqual((done.returncode, done.stderr), (2, f"sluice: can't write {plot}: No space left on device\n"))
        with open("/dev/full", "w") as full:
            done = sluice("recurrence", "--epsilon", "1", path, stdout=full)
        self.assertEqual(done.returncode, 2)
        self.assertIn("can't write to standard output", done.stderr)

    def test_an_interrupt_ends_it_and_leaves_no_bar(self):
        chance = random.Random(13)
        path = self.file([chance.randrange(1000) for _ in range(1_500_000)])
        ours, theirs = pty.openpty()
        process = subprocess.Popen([os.environ["SLUICE"], "recurrence", "--algorithm", "exact", "--processor", "cpu",
                                    "--epsilon", "20", str(path)], stdin=theirs, stdout=theirs, stderr=theirs,
                                   env=environment())
        os.close(theirs)
        self.addCleanup(process.kill)
        written, is_asked = b"", False
        for piece in written_on(ours):
            written += piece
            if b" left" in written and not is_asked:
                is_asked = True
                process.send_signal(signal.SIGINT)
        os.close(ours)
        self.assertEqual(status_of(process), -signal.SIGINT)
        self.assertTrue(written.endswith(b"\r\x1b[K"), written[-200:])
        self.assertNotIn(b"determinism", written)


if __name__ == "__main__":
    unittest.main()

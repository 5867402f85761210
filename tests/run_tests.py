#!/usr/bin/env python3
"""Runs the tests of builds, and tells faults from bad luck: run_tests.py [--shuffle SEED] FOLDER BUILD… [-- OPTION OF CTEST…]

BUILDs are folders that ctest knows the tests of. FOLDER is for what the run leaves behind. Tests that failed are run
once more, alone, after all others. A test that passes then is printed as FLAKY, and the run passes. Some failures are
never forgiven, whatever a second try would say:
- a report of a sanitizer, or of a daemon that crashed: any file in FOLDER/reports. Tests find the folder's path in
  SLUICE_REPORTS, sanitizers in their log_path;
- a test that died of a signal or could not be started;
- a finding of a fuzzer;
- more failures than a busy machine explains;
- a program of a BUILD's test_programs.txt without tests: finding them has failed, without a word.
What the tests printed stays in FOLDER/first.log and FOLDER/again.log. Lines of FOLDER/costs, if there are any, are printed
at the end. ctest's own closing lines come last. The exit status is 0 or 1.
"""
import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

FLAKY_MAX = 10  # more failures at once are no bad luck
FORGIVABLE = ("Failed", "Timeout")
REPORT_BYTES = 20_000  # that are printed of a report
SLOWEST = 10  # tests that are printed with their seconds
OUTPUT_BYTES = 10_000_000  # that are kept of a test's output

SUPPRESSIONS = Path(__file__).resolve().parent / "support" / "tsan_suppressions.txt"


class Run:
    """One run of ctest: its output shown and kept, and what it says of the tests. Its closing lines are not shown yet."""

    def __init__(self, folder, log, options, environment):
        results = log.with_suffix(".xml")
        results.unlink(missing_ok=True)
        self.closing = []
        command = ["ctest", "--test-dir", folder, "--output-on-failure", "--no-tests=error", "--output-junit", results,
                   "--test-output-size-passed", str(OUTPUT_BYTES), "--test-output-size-failed", str(OUTPUT_BYTES)]
        with subprocess.Popen([*map(str, command), *options], stdout=subprocess.PIPE, env=environment, text=True,
                              errors="replace") as ctest, open(log, "w", encoding="utf-8") as kept:
            for line in ctest.stdout:
                if self.closing or re.match(r"\d+% tests passed, ", line):
                    self.closing.append(line)
                else:
                    sys.stdout.write(line)
                    sys.stdout.flush()
                kept.write(line)
        self.status = ctest.returncode
        summary = re.match(r"\d+% tests passed, \d+ tests? failed out of (\d+)$", "".join(self.closing[:1]))
        self.count = int(summary[1]) if summary else 0
        listed = re.findall(r"^\s+\d+ - (.*) \(([^()]+)\)$", "".join(self.closing), re.M)
        self.skipped = {name: "" for name, reason in listed if reason in ("Skipped", "Disabled")}
        self.failed = {name: reason for name, reason in listed if reason not in ("Skipped", "Disabled")}
        self.seconds, self.partly_skipped = {}, []
        if results.exists():
            self.read_results(results)

    def read_results(self, path):
        for test in ElementTree.parse(path).getroot().iter("testcase"):
            name, output = test.get("name"), test.findtext("system-out") or ""
            self.seconds[name] = float(test.get("time"))
            if name in self.skipped:
                reason = re.search(r"skipped: (.*)", output)
                self.skipped[name] = reason[1] if reason else ""
            for part, why in re.findall(r"^(\w+) \(.*\) \.\.\. skipped (.*)$", output, re.M):  # unittest's words
                self.partly_skipped.append(f"{name}: {part}: {why}")


def environment_for(reports):
    variables = dict(os.environ, SLUICE_REPORTS=str(reports))
    for sanitizer in ("ASAN", "LSAN", "TSAN", "UBSAN"):
        given = variables.get(f"{sanitizer}_OPTIONS")
        # A daemon that can't drain in time ends with its threads running, on purpose.
        of_threads = f'report_thread_leaks=0:suppressions="{SUPPRESSIONS}"' if sanitizer == "TSAN" else None
        options = [given, of_threads, f"log_path={reports}/{sanitizer.lower()}"]
        variables[f"{sanitizer}_OPTIONS"] = ":".join(filter(None, options))
    return variables


def tests_of(folder):
    shown = subprocess.run(["ctest", "--test-dir", str(folder), "--show-only=json-v1"], capture_output=True, text=True,
                           check=True).stdout
    return json.loads(shown)["tests"]


def without_tests(builds, tests):
    """The programs whose tests have not been found."""
    has_tests = {test["command"][0] for test in tests if test.get("command")}
    programs = []
    for build in builds:
        listed = build / "test_programs.txt"
        programs += listed.read_text(encoding="utf-8").split("\n") if listed.exists() else []
    return [program for program in programs if program and program not in has_tests]


def quoted(text):
    return f"[==[{text}]==]"


def shuffled(tests, seed):
    """A ctest file with these tests in random order: ctest begins with those of the highest COST."""
    order = list(range(len(tests)))
    random.Random(seed).shuffle(order)
    lines = []
    for test, cost in zip(tests, order):
        name = quoted(test["name"])
        lines.append(f"add_test({name} {' '.join(map(quoted, test.get('command', ['/nonexistent'])))})")
        for each in [*test.get("properties", []), {"name": "COST", "value": cost + 1}]:
            value = each["value"]
            text = ";".join(map(str, value)) if isinstance(value, list) else str(value)
            lines.append(f"set_tests_properties({name} PROPERTIES {each['name']} {quoted(text)})")
    return "\n".join(lines) + "\n"


def unforgivable(failed):
    """Why these failures are not tried again: lines, none if they may be."""
    reasons = [f"{name}: {reason}" for name, reason in failed.items() if reason not in FORGIVABLE]
    reasons += [f"{name}: a finding of the fuzzer" for name in failed if name.startswith("fuzz ")]
    if len(failed) > FLAKY_MAX:
        reasons.append(f"{len(failed)} tests failed")
    return reasons


def is_report(path):
    """Not if it only says that a name was too long for the sanitizer to print."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return not lines or not all(line.endswith("WARNING: Symbolizer buffer too small") for line in lines)


def print_reports(reports):
    for path in reports:
        print(f"---- {path.name}")
        print(path.read_text(encoding="utf-8", errors="replace")[:REPORT_BYTES])


def print_costs(folder, run):
    print("\nThe slowest tests, in seconds:")
    for name in sorted(run.seconds, key=run.seconds.get, reverse=True)[:SLOWEST]:
        print(f"{run.seconds[name]:8.1f}  {name}")
    costs = folder / "costs"
    if costs.exists():
        print("\n" + costs.read_text(encoding="utf-8"), end="")


def run(folder, builds, seed, options):
    reports = folder / "reports"
    shutil.rmtree(reports, ignore_errors=True)
    reports.mkdir(parents=True)
    environment = environment_for(reports)
    known = folder / "CTestTestfile.cmake"
    known.write_text("".join(f"subdirs({quoted(build)})\n" for build in builds), encoding="utf-8")
    tests = tests_of(folder)
    faults = [f"no tests were found in {program}" for program in without_tests(builds, tests)]
    if seed is not None:
        known.write_text(shuffled(tests, seed), encoding="utf-8")
    first = Run(folder, folder / "first.log", options, environment)
    last, final, flaky = first, first.failed, []
    faults += unforgivable(first.failed)
    if first.status != 0 and not first.failed:
        faults.append(f"ctest ended with {first.status}")
    if first.failed and not faults:
        print(f"Once more, alone: {', '.join(first.failed)}", flush=True)
        last = Run(folder, folder / "again.log", ["--rerun-failed", "-j1"], environment)
        final = last.failed
        flaky = [name for name in first.failed if name not in final]
        if last.count != len(first.failed):
            faults.append(f"{last.count} of {len(first.failed)} tests were run once more")
    found = [path for path in sorted(reports.iterdir()) if is_report(path)]
    if found:
        faults.append(f"{len(found)} reports of sanitizers and crashes")
        print_reports(found)
    print_costs(folder, first)
    print()
    for reason in dict.fromkeys(first.skipped.values()):
        names = [name for name, why in first.skipped.items() if why == reason]
        print(f"SKIPPED {', '.join(names)}: {reason}" if len(names) < 5 else f"SKIPPED {len(names)} tests: {reason}")
    for part in first.partly_skipped:
        print("SKIPPED a part of", part)
    for name in flaky:
        print("FLAKY", name)
    for name, reason in final.items():
        print("FAILED", name, f"({reason})")
    for fault in faults:
        print("FAULT", fault)
    passed = first.count - len(first.skipped) - len(final)
    print(f"{passed} passed, {len(final)} failed, {len(first.skipped)} skipped, {len(flaky)} flaky\n")
    print("".join(last.closing), end="")
    return 0 if passed > 0 and not final and not faults else 1


def main():
    arguments = sys.argv[1:]
    options = []
    if "--" in arguments:
        end = arguments.index("--")
        arguments, options = arguments[:end], arguments[end + 1:]
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--shuffle", type=int)
    parser.add_argument("folder", type=lambda text: Path(text).resolve())
    parser.add_argument("builds", nargs="+", type=lambda text: Path(text).resolve())
    given = parser.parse_args(arguments)
    return run(given.folder, given.builds, given.shuffle, options)


if __name__ == "__main__":
    sys.exit(main())

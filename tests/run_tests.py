#!/usr/bin/env python3
"""Runs the tests of a ctest folder, and tells faults from bad luck: run_tests.py FOLDER [OPTION OF CTEST…].

Tests that failed are run once more, alone, after all others. A test that passes then is printed as FLAKY, and the run
passes. Some failures are never forgiven, whatever a second try would say:
- a report of a sanitizer, or of a daemon that crashed: any file in FOLDER/reports. Tests find the folder's path in
  SLUICE_REPORTS, sanitizers in their log_path;
- a test that died of a signal or could not be started;
- a finding of a fuzzer;
- more failures than a busy machine explains.
What the tests printed stays in FOLDER/first.log and FOLDER/again.log. The exit status is 0 or 1.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

FLAKY_MAX = 10  # more failures at once are no bad luck
FORGIVABLE = ("Failed", "Timeout")
REPORT_BYTES = 20_000  # that are printed of a report


class Run:
    """One run of ctest: its output shown and kept, and what it says of the tests."""

    def __init__(self, folder, log, options, environment):
        with subprocess.Popen(["ctest", "--test-dir", str(folder), "--output-on-failure", "--no-tests=error", *options],
                              stdout=subprocess.PIPE, env=environment, text=True, errors="replace") as ctest, \
                open(log, "w", encoding="utf-8") as kept:
            for line in ctest.stdout:
                sys.stdout.write(line)
                sys.stdout.flush()
                kept.write(line)
        self.status = ctest.returncode
        text = Path(log).read_text(encoding="utf-8")
        summary = re.findall(r"^\d+% tests passed, (\d+) tests? failed out of (\d+)$", text, re.M)
        self.count = int(summary[-1][1]) if summary else 0
        end = text.rpartition("% tests passed")[2]
        listed = re.findall(r"^\s+\d+ - (.*) \(([^()]+)\)$", end, re.M)
        self.skipped = [name for name, reason in listed if reason in ("Skipped", "Disabled")]
        self.failed = {name: reason for name, reason in listed if reason not in ("Skipped", "Disabled")}


def environment_for(reports):
    variables = dict(os.environ, SLUICE_REPORTS=str(reports))
    for sanitizer in ("ASAN", "LSAN", "TSAN", "UBSAN"):
        given = variables.get(f"{sanitizer}_OPTIONS")
        # A daemon that can't drain in time ends with its threads running, on purpose.
        leaks = "report_thread_leaks=0" if sanitizer == "TSAN" else None
        options = [given, leaks, f"log_path={reports}/{sanitizer.lower()}"]
        variables[f"{sanitizer}_OPTIONS"] = ":".join(filter(None, options))
    return variables


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


def run(folder, options):
    reports = folder / "reports"
    shutil.rmtree(reports, ignore_errors=True)
    reports.mkdir(parents=True)
    environment = environment_for(reports)
    first = Run(folder, folder / "first.log", options, environment)
    final, flaky = first.failed, []
    faults = unforgivable(first.failed)
    if first.status != 0 and not first.failed:
        faults.append(f"ctest ended with {first.status}")
    if first.failed and not faults:
        print(f"Once more, alone: {', '.join(first.failed)}", flush=True)
        again = Run(folder, folder / "again.log", ["--rerun-failed", "-j1"], environment)
        final = again.failed
        flaky = [name for name in first.failed if name not in final]
        if again.count != len(first.failed):
            faults.append(f"{again.count} of {len(first.failed)} tests were run once more")
    found = [path for path in sorted(reports.iterdir()) if is_report(path)]
    if found:
        faults.append(f"{len(found)} reports of sanitizers and crashes")
        print_reports(found)
    print()
    for name in first.skipped:
        print("SKIPPED", name)
    for name in flaky:
        print("FLAKY", name)
    for name, reason in final.items():
        print("FAILED", name, f"({reason})")
    for fault in faults:
        print("FAULT", fault)
    passed = first.count - len(first.skipped) - len(final)
    print(f"{len(flaky)} flaky")
    print(f"{passed} passed, {len(final)} failed, {len(first.skipped)} skipped")
    return 0 if passed > 0 and not final and not faults else 1


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(run(Path(sys.argv[1]).resolve(), sys.argv[2:]))

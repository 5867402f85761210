#!/usr/bin/env python3
"""run_tests.py on planted faults: what is forgiven, and what never is."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RUN_TESTS = Path(__file__).resolve().parents[1] / "run_tests.py"
FAILS_ONCE = "if [ -e {name}.tried ]; then exit 0; fi; touch {name}.tried; "


class RunTests(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def run_tests(self, **commands):
        """Exit status and output for tests that are shell commands."""
        tests = {"good": "true", **commands}
        lines = [f'add_test("{name}" "/bin/sh" "-c" [==[{command.format(name=name)}]==])\n'
                 f'set_tests_properties("{name}" PROPERTIES WORKING_DIRECTORY "{self.folder}" TIMEOUT 60'
                 f' SKIP_REGULAR_EXPRESSION "skipped: ")\n' for name, command in tests.items()]
        (self.folder / "CTestTestfile.cmake").write_text("".join(lines))
        environment = {name: text for name, text in os.environ.items() if not name.endswith("_OPTIONS")}
        done = subprocess.run([sys.executable, RUN_TESTS, self.folder, "-j2"], capture_output=True, text=True,
                              env=environment)
        return done.returncode, done.stdout + done.stderr

    def test_all_good(self):
        status, output = self.run_tests(other="true", left_out="echo skipped: no device")
        self.assertEqual(status, 0, output)
        self.assertIn("SKIPPED left_out\n", output)
        self.assertIn("\n0 flaky\n2 passed, 0 failed, 1 skipped\n", output)

    def test_what_fails_once_is_flaky(self):
        status, output = self.run_tests(shy=FAILS_ONCE + "echo late; exit 1")
        self.assertEqual(status, 0, output)
        self.assertIn("FLAKY shy\n1 flaky\n2 passed, 0 failed, 0 skipped\n", output)
        self.assertIn("late", (self.folder / "first.log").read_text())
        self.assertIn("Passed", (self.folder / "again.log").read_text())

    def test_what_fails_twice_has_failed(self):
        status, output = self.run_tests(wrong="exit 1")
        self.assertEqual(status, 1)
        self.assertIn("FAILED wrong (Failed)\n0 flaky\n1 passed, 1 failed, 0 skipped\n", output)

    def test_faults_on_the_first_try_only(self):
        for kind, command in {"a crash": "kill -SEGV $$", "an abort": "kill -ABRT $$",
                              "a sanitizer": 'eval "$(echo "$TSAN_OPTIONS" | tr : ";")"; echo race >"$log_path.1"; exit 66',
                              "a report beside success": 'echo race >"$SLUICE_REPORTS/x"; exit 0',
                              "a daemon": 'echo "sluiced died of SIGSEGV" >"$SLUICE_REPORTS/crash"; exit 1'}.items():
            with self.subTest(kind):
                (self.folder / "shy.tried").unlink(missing_ok=True)
                status, output = self.run_tests(shy=FAILS_ONCE + command)
                self.assertEqual(status, 1, output)
                self.assertIn("FAULT ", output)

    def test_a_finding_of_a_fuzzer(self):
        status, output = self.run_tests(**{"fuzz feed": FAILS_ONCE + "exit 77"})
        self.assertEqual(status, 1, output)

    def test_a_program_that_is_missing(self):
        (self.folder / "CTestTestfile.cmake").write_text('add_test("gone" "/nonexistent")\nadd_test("good" "true")\n')
        self.assertEqual(subprocess.run([sys.executable, RUN_TESTS, self.folder], capture_output=True).returncode, 1)

    def test_no_test_at_all(self):
        (self.folder / "CTestTestfile.cmake").write_text("")
        self.assertEqual(subprocess.run([sys.executable, RUN_TESTS, self.folder], capture_output=True).returncode, 1)


if __name__ == "__main__":
    unittest.main()

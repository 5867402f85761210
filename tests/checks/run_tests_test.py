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
        self.build = self.folder / "build"
        self.build.mkdir()

    def run_tests(self, *options, programs=(), **commands):
        """Exit status and output for tests that are shell commands."""
        tests = {"good": "true", **commands}
        lines = [f'add_test("{name}" "/bin/sh" "-c" [==[{command.format(name=name)}]==])\n'
                 f'set_tests_properties("{name}" PROPERTIES WORKING_DIRECTORY "{self.build}" TIMEOUT 60'
                 f' SKIP_RETURN_CODE 4 ENVIRONMENT "ONE=1;TWO=2")\n' for name, command in tests.items()]
        (self.build / "CTestTestfile.cmake").write_text("".join(lines))
        (self.build / "test_programs.txt").write_text("".join(f"{program}\n" for program in programs))
        environment = {name: text for name, text in os.environ.items() if not name.endswith("_OPTIONS")}
        done = subprocess.run([sys.executable, RUN_TESTS, *options, self.folder, self.build, "--", "-j2"],
                              capture_output=True, text=True, env=environment)
        return done.returncode, done.stdout + done.stderr

    def test_all_good(self):
        status, output = self.run_tests(other='test "$ONE$TWO" = 12', left_out="echo '  skipped: no device'; exit 4",
                                        partly="echo \"test_it (file.Class.test_it) ... skipped 'no IPv6'\"")
        self.assertEqual(status, 0, output)
        self.assertIn("SKIPPED left_out: no device\n", output)
        self.assertIn("SKIPPED a part of partly: test_it: 'no IPv6'\n", output)
        self.assertRegex(output, "3 passed, 0 failed, 1 skipped, 0 flaky\n\n100% tests passed, 0 tests failed out of 4\n")
        self.assertRegex(output, r"The slowest tests, in seconds:\n +\d+\.\d  ")

    def test_what_fails_is_not_skipped(self):
        status, output = self.run_tests(wrong="echo skipped: no device; exit 1")
        self.assertEqual(status, 1, output)
        self.assertIn("1 passed, 1 failed, 0 skipped", output)

    def test_programs_without_tests(self):
        self.assertEqual(self.run_tests(programs=["/bin/sh"])[0], 0)
        status, output = self.run_tests(programs=["/bin/sh", "/bin/none"])
        self.assertEqual(status, 1)
        self.assertIn("FAULT no tests were found in /bin/none\n", output)

    def test_a_seed_gives_the_order(self):
        commands = {f"t{i}": "echo {name} >>order" for i in range(20)}
        orders = []
        for seed in ("1", "1", "2"):
            self.assertEqual(self.run_tests("--shuffle", seed, **commands)[0], 0)
            orders.append(sorted((self.build / "order").read_text().split()))
            (self.build / "order").unlink()
            started = [line for line in (self.folder / "first.log").read_text().split("\n") if " Start " in line]
            orders.append(started)
        self.assertEqual(orders[0::2], [sorted(commands)] * 3)
        self.assertEqual(orders[1], orders[3])
        self.assertNotEqual(orders[1], orders[5])

    def test_costs_are_printed_before_the_closing_lines(self):
        (self.folder / "costs").write_text("12 s building\n")
        output = self.run_tests()[1]
        self.assertLess(output.index("12 s building"), output.index("100% tests passed"))

    def test_what_fails_once_is_flaky(self):
        status, output = self.run_tests(shy=FAILS_ONCE + "echo late; exit 1")
        self.assertEqual(status, 0, output)
        self.assertIn("FLAKY shy\n2 passed, 0 failed, 0 skipped, 1 flaky\n", output)
        self.assertIn("late", (self.folder / "first.log").read_text())
        self.assertIn("Passed", (self.folder / "again.log").read_text())

    def test_what_fails_twice_has_failed(self):
        status, output = self.run_tests(wrong="exit 1")
        self.assertEqual(status, 1)
        self.assertIn("FAILED wrong (Failed)\n1 passed, 1 failed, 0 skipped, 0 flaky\n", output)

    def test_faults_on_the_first_try_only(self):
        for kind, command in {"a crash": "kill -SEGV $$", "an abort": "kill -ABRT $$",
                              "a sanitizer": 'eval "$(echo "$TSAN_OPTIONS" | tr : ";")"; echo race >"$log_path.1"; exit 66',
                              "a report beside success": 'echo race >"$SLUICE_REPORTS/x"; exit 0',
                              "a daemon": 'echo "sluiced died of SIGSEGV" >"$SLUICE_REPORTS/crash"; exit 1'}.items():
            with self.subTest(kind):
                (self.build / "shy.tried").unlink(missing_ok=True)
                status, output = self.run_tests(shy=FAILS_ONCE + command)
                self.assertEqual(status, 1, output)
                self.assertIn("FAULT ", output)

    def test_a_finding_of_a_fuzzer(self):
        status, output = self.run_tests(**{"fuzz feed": FAILS_ONCE + "exit 77"})
        self.assertEqual(status, 1, output)

    def test_no_tests(self):
        for tests in ('add_test("gone" "/nonexistent")\nadd_test("good" "true")\n', ""):
            (self.build / "CTestTestfile.cmake").write_text(tests)
            done = subprocess.run([sys.executable, RUN_TESTS, self.folder, self.build], capture_output=True)
            self.assertEqual(done.returncode, 1, tests)


if __name__ == "__main__":
    unittest.main()

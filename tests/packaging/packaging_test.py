#!/usr/bin/env python3
"""Consumers' projects: one finds an installed Sluice, one adds its sources. packaging_test.py BUILD SOURCE COMPILER
LAUNCHER: the libraries of the build folder BUILD are installed into a temporary folder, nothing of it is rebuilt."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
from sluice_process import report_crash  # noqa: E402

BUILD, SOURCE, COMPILER, LAUNCHER = sys.argv[1:]


def run(*command):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    report_crash(done.returncode, done.args)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


class Packaging(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def output_of_consumer(self, name, *options):
        """Configures, builds and runs a consumer's project with nothing of our presets."""
        build = self.folder / name
        run("cmake", "-S", HERE / name, "-B", build, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={COMPILER}",
            "-DCMAKE_BUILD_TYPE=Debug", *options)
        run("cmake", "--build", build, "--target", "consumer", "--parallel", "2")
        return run(next(path for path in (build / "consumer", build / "bin" / "consumer") if path.exists()))

    def test_find_package_after_an_installation(self):
        prefix = self.folder / "prefix"
        run("cmake", "--install", BUILD, "--component", "libraries", "--prefix", prefix)
        output = self.output_of_consumer("installed", f"-DCMAKE_PREFIX_PATH={prefix}")
        self.assertEqual(output, "Ship's bell\nLamp for the pier\n")
        for file in prefix.rglob("*.cmake"):
            self.assertNotIn(SOURCE, file.read_text(), f"{file.name} names the folder of the sources")

    def test_add_subdirectory(self):
        output = self.output_of_consumer("added", f"-DSLUICE={SOURCE}", f"-DCMAKE_CXX_COMPILER_LAUNCHER={LAUNCHER}")
        self.assertEqual(output, "1508166600\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

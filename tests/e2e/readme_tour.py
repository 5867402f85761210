#!/usr/bin/env python3
"""Runs the tour of README.md as typed: readme_tour.py ROOT BIN.

Every ```console block of the section "Five-minute tour" is run, in order, in a folder that looks like the project after
./dev run: with a broker that has seen nothing, build/bin being BIN. A line that starts with "$ " is a command; what
follows is what it must print, "…" standing for anything. A block marked ```console background is a terminal of its own:
it is left running, and what it printed is compared when the tour is over. Only the port differs from what is typed.
"""
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TIMEOUT_SECONDS = 60


def blocks(readme):
    """The tour's blocks: (is it a background one, [(command, expected output)])."""
    tour = re.search(r"^## Five-minute tour$(.*?)^## ", readme, re.M | re.S)
    for mark, text in re.findall(r"^```console ?(\w*)\n(.*?)^```$", tour[1], re.M | re.S):
        steps = re.findall(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", text, re.M)
        yield mark == "background", steps


def pattern(expected):
    """A regular expression for expected output."""
    text = re.escape(expected.strip()).replace("…", ".*")
    return re.compile(text, re.S)


class Tour:
    def __init__(self, root, binaries):
        self.folder = Path(tempfile.mkdtemp(prefix="sluice-tour-"))
        (self.folder / "build").mkdir()
        (self.folder / "build" / "bin").symlink_to(binaries)
        (self.folder / "docker").symlink_to(root / "docker")
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.environment = dict(os.environ, SLUICE_SERVER=f"http://127.0.0.1:{self.port}")
        self.failures = []
        self.background = []
        self.broker = subprocess.Popen(["build/bin/sluiced", "--set", f"http.port={self.port}"], cwd=self.folder)

    def shell(self, command):
        command = command.replace("127.0.0.1:8080", f"127.0.0.1:{self.port}")
        return subprocess.Popen(["bash", "-c", "exec 2>&1; " + command], cwd=self.folder, env=self.environment,
                                stdout=subprocess.PIPE, text=True, start_new_session=True)

    def subscribers(self):
        status = self.shell("build/bin/sluice status").communicate(timeout=TIMEOUT_SECONDS)[0]
        found = re.search(r"^subscribers +(\d+)$", status, re.M)
        return int(found[1]) if found else -1

    def wait_for_subscribers(self, count):
        """A command left running has subscribed when the broker says so; before that, nothing may be published."""
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while self.subscribers() != count:
            if time.monotonic() > deadline or self.broker.poll() is not None:
                raise SystemExit(f"there are not {count} subscribers")
            time.sleep(0.02)

    def check(self, command, expected, printed):
        if not pattern(expected).fullmatch(printed.strip()):
            self.failures.append(f"$ {command}\nexpected:\n{expected}\nprinted:\n{printed}")

    def run(self, tour):
        self.wait_for_subscribers(0)
        for is_background, steps in tour:
            for command, expected in steps:
                print("$", command)
                process = self.shell(command)
                if is_background:
                    self.background.append((command, expected, process))
                    self.wait_for_subscribers(len(self.background))
                else:
                    self.check(command, expected, process.communicate(timeout=TIMEOUT_SECONDS)[0])

    def end(self):
        """Ends the broker, which delivers what it has and closes its connections, and so the commands left running."""
        self.broker.terminate()
        if self.broker.wait(TIMEOUT_SECONDS) != 0:
            self.failures.append(f"the broker ended with status {self.broker.returncode}")
        for command, expected, process in self.background:
            printed = process.communicate(timeout=TIMEOUT_SECONDS)[0]
            printed = re.sub(r"^sluice: the broker .*\n", "", printed, flags=re.M)
            self.check(command, expected, printed)
        shutil.rmtree(self.folder)


def main():
    root, binaries = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    steps = list(blocks((root / "README.md").read_text(encoding="utf-8")))
    tour = Tour(root, binaries)
    try:
        tour.run(steps)
    finally:
        tour.end()
    for failure in tour.failures:
        print("----\n" + failure)
    print(sum(len(commands) for _, commands in steps), "commands,", len(tour.failures), "failures")
    return 1 if tour.failures or not steps else 0


if __name__ == "__main__":
    sys.exit(main())

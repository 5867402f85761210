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
import subprocess
import sys
import tempfile
from pathlib import Path

from sluice_process import TIMEOUT_S, Sluiced, eventually, report_crash


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


def environment(folder, port):
    """What the commands see of ours: no proxies, and no settings of curl's."""
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    return {**kept, "HOME": str(folder), "SLUICE_SERVER": f"http://127.0.0.1:{port}"}


class Tour:
    def __init__(self, root, binaries):
        self.folder = Path(tempfile.mkdtemp(prefix="sluice-tour-"))
        (self.folder / "build").mkdir()
        (self.folder / "build" / "bin").symlink_to(binaries)
        (self.folder / "docker").symlink_to(root / "docker")
        self.failures = []
        self.background = []
        os.environ["SLUICED"] = "build/bin/sluiced"
        self.broker = Sluiced(folder=self.folder)
        self.environment = environment(self.folder, self.broker.port)

    def shell(self, command):
        command = command.replace("127.0.0.1:8080", f"127.0.0.1:{self.broker.port}")
        return subprocess.Popen(["bash", "-c", "exec 2>&1; " + command], cwd=self.folder, env=self.environment,
                                stdout=subprocess.PIPE, text=True, start_new_session=True)

    def output(self, process):
        try:
            printed = process.communicate(timeout=TIMEOUT_S)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            raise
        report_crash(process.returncode if process.returncode < 128 else 128 - process.returncode, process.args)
        return printed

    def wait_for_subscribers(self, count):
        """A command left running has subscribed when the broker says so; before that, nothing may be published."""
        eventually(lambda: self.broker.status()["subscribers"] == count, f"{count} subscribers")

    def check(self, command, expected, printed):
        if not pattern(expected).fullmatch(printed.strip()):
            self.failures.append(f"$ {command}\nexpected:\n{expected}\nprinted:\n{printed}")

    def run(self, tour):
        for is_background, steps in tour:
            for command, expected in steps:
                print("$", command)
                process = self.shell(command)
                if is_background:
                    self.background.append((command, expected, process))
                    self.wait_for_subscribers(len(self.background))
                else:
                    self.check(command, expected, self.output(process))

    def end(self):
        """Ends the broker, which delivers what it has and closes its connections, and so the commands left running."""
        if (status := self.broker.stop()) != 0:
            self.failures.append(f"the broker ended with status {status}")
        for command, expected, process in self.background:
            printed = re.sub(r"^sluice: the broker .*\n", "", self.output(process), flags=re.M)
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

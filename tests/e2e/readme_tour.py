#!/usr/bin/env python3
"""Runs the tour of README.md as typed: readme_tour.py ROOT BIN.

Runs every ```console block of the section "Five-minute tour", in order, in a folder that looks like the project after
./dev run, with a fresh broker and with BIN as build/bin. A line that starts with "$ " is a command. The lines after it
are its expected output, in which "…" stands for anything. A block marked ```console background is a separate terminal:
its command keeps running, and its output is compared at the end. Only the port differs from what is typed."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from client_process import end_session, output_of
from sluice_process import TIMEOUT_S, Sluiced, eventually, report_crash


def blocks(readme):
    """Yields the tour's blocks: (whether it is a background block, [(command, expected output)])."""
    tour = re.search(r"^## Five-minute tour$(.*?)^## ", readme, re.M | re.S)
    for mark, text in re.findall(r"^```console ?(\w*)\n(.*?)^```$", tour[1], re.M | re.S):
        steps = re.findall(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", text, re.M)
        yield mark == "background", steps


def pattern(expected):
    """A regular expression for expected output. Columns may be wider or narrower."""
    text = re.escape(expected.strip()).replace("…", ".*")
    text = re.sub(r"(\\ ){2,}", "  +", text)
    return re.compile(text, re.S)


def environment(folder, port):
    """What the commands see of ours: no proxies, and no settings of curl's."""
    outside = ("CURL_HOME", "XDG_CONFIG_HOME", "CURL_CA_BUNDLE")
    kept = {name: value for name, value in os.environ.items()
            if not name.lower().endswith("_proxy") and name not in outside}
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
        self.broker = Sluiced(cwd=self.folder)
        self.environment = environment(self.folder, self.broker.port)

    def shell(self, command):
        command = command.replace("127.0.0.1:8080", f"127.0.0.1:{self.broker.port}")
        return subprocess.Popen(["bash", "-c", "exec 2>&1; " + command], cwd=self.folder, env=self.environment,
                                stdout=subprocess.PIPE, text=True, start_new_session=True)

    def wait_for_subscribers(self, count):
        """Waits until the broker reports the background subscriptions, and they are in place: nothing may be published
        before that. Each is in place before one that comes later, which leaves again."""
        self.wait_for_status(count)
        with self.broker.subscribe():
            pass
        self.wait_for_status(count)

    def wait_for_status(self, count):
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
                    self.check(command, expected, output_of(process)[0])

    @staticmethod
    def output_until_the_end(process):
        """What a background command prints. A subscriber waits for the broker's return: Ctrl-C ends it once it has said
        that the connection is lost, and so has printed all that it got."""
        printed = ""
        too_late = threading.Timer(TIMEOUT_S, end_session, [process])
        too_late.start()
        for line in process.stdout:
            printed += line
            if "connecting again" in line:
                os.killpg(process.pid, signal.SIGINT)
        too_late.cancel()
        report_crash(process.wait(), process.args)
        return printed

    def end(self):
        """Stops the broker, which delivers all events and closes its connections, and then what waits for it."""
        try:
            if (status := self.broker.stop()) != 0:
                self.failures.append(f"the broker ended with status {status}: {self.broker.log}")
            for command, expected, process in self.background:
                printed = self.output_until_the_end(process)
                printed = re.sub(r"^sluice: the broker .*\n", "", printed, flags=re.M)
                self.check(command, expected, printed)
        finally:
            for _, _, process in self.background:
                end_session(process)
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

#!/usr/bin/env python3
"""Runs the section "Users and rights" of docker/serving.md as typed: operators_tour.py ROOT BIN.

Runs its ```console blocks in a shell, in a folder that looks like the project after ./dev run, with BIN as build/bin.
The ```yaml block is the configuration of the broker, which is started between those before it and those behind it; only
its port and address differ from what is typed."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from examples import environment, examples_in, pattern
from sluice_process import TIMEOUT_S, Sluiced

MARK = "@@ the next command @@"


def section_of(page):
    """What stands before the configuration, the configuration, and what stands behind it."""
    section = re.search(r"^## Users and rights$(.*?)^## ", page, re.M | re.S)[1]
    parts = re.split(r"^```yaml\n(.*?)^```$", section, flags=re.M | re.S)
    assert len(parts) == 3, f"{len(parts) // 2} blocks of yaml"
    return parts


def replaced(text, old, new):
    assert text.count(old) == 1, f"{old!r} is not once in: {text}"
    return text.replace(old, new)


class Tour:
    def __init__(self, root, binaries):
        self.folder = Path(tempfile.mkdtemp(prefix="sluice-tour-"))
        (self.folder / "build").mkdir()
        (self.folder / "build" / "bin").symlink_to(binaries)
        (self.folder / "docker").symlink_to(root / "docker")
        self.exported = ""  # settings that the shell keeps from one block to the next
        self.failures, self.commands = [], 0

    def run(self, markdown, port=0):
        """The commands of a part of the section, in one shell."""
        examples = list(examples_in(markdown))
        self.commands += len(examples)
        script = "".join(f"echo '{MARK}'\n{example.text.replace(':8443', f':{port}')}\n" for example in examples)
        done = subprocess.run(["bash", "-c", self.exported + script], cwd=self.folder,
                              env=environment(self.folder, port), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=2 * TIMEOUT_S, check=False)
        for example, printed in zip(examples, done.stdout.split(MARK)[1:], strict=True):
            print("$", example.text)
            if not pattern(example.expected).fullmatch(printed.strip()):
                self.failures.append(f"{example.text}\nexpected:\n{example.expected}\nprinted:\n{printed}")
        self.exported += "".join(f"{example.text}\n" for example in examples if example.text.startswith("export "))


def main():
    root, binaries = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    before, config, behind = section_of((root / "docker" / "serving.md").read_text(encoding="utf-8"))
    tour = Tour(root, binaries)
    try:
        tour.run(before)
        config = replaced(replaced(config, "port: 8443", "port: 0"), "address: 0.0.0.0", "address: 127.0.0.1")
        (tour.folder / "build" / "news.yaml").write_text(config)
        os.environ["SLUICED"] = "build/bin/sluiced"
        with Sluiced(config="build/news.yaml", listens=True, cwd=tour.folder) as broker:
            tour.run(behind, broker.port)
    finally:
        shutil.rmtree(tour.folder)
    for failure in tour.failures:
        print("----\n" + failure)
    print(tour.commands, "commands,", len(tour.failures), "failures")
    return 1 if tour.failures or not tour.commands else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Runs the tour of README.md as typed: readme_tour.py ROOT BIN.

Runs every ```console block of the section "Five-minute tour", in order, in a folder that looks like the project after
./dev run, with a fresh broker and with BIN as build/bin. examples.py says how."""
import re
import sys
from pathlib import Path

from examples import Examples, examples_in


def main():
    root, binaries = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    readme = (root / "README.md").read_text(encoding="utf-8")
    tour = list(examples_in(re.search(r"^## Five-minute tour$(.*?)^## ", readme, re.M | re.S)[1]))
    run = Examples(root, binaries, "store.kind=rocksdb", "store.path=build/store")
    try:
        run.run(tour)
    finally:
        run.end()
    for failure in run.failures:
        print("----\n" + failure)
    print(len(tour), "commands,", len(run.failures), "failures")
    return 1 if run.failures or not tour else 0


if __name__ == "__main__":
    sys.exit(main())

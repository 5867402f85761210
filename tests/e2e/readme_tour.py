#!/usr/bin/env python3
"""Runs the tour of README.md as typed, and the pages that continue it: readme_tour.py ROOT BIN.

Runs every ```console block of the README's section "Five-minute tour" and of these pages, in order, in a folder that looks
like the project after ./dev run, with a fresh broker and with BIN as build/bin. examples.py says how."""
import re
import sys
from pathlib import Path

from examples import Examples, examples_in

PAGES = ("docker/operating.md", "gpu/tools/tour.md")


def main():
    root, binaries = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    readme = (root / "README.md").read_text(encoding="utf-8")
    parts = [re.search(r"^## Five-minute tour$(.*?)^## ", readme, re.M | re.S)[1]]
    parts += [(root / page).read_text(encoding="utf-8") for page in PAGES]
    of_parts = [list(examples_in(part)) for part in parts]
    run = Examples(root, binaries, "store.kind=rocksdb", "store.path=build/store")
    try:
        for examples in of_parts:
            run.run(examples)
    finally:
        run.end()
    for failure in run.failures:
        print("----\n" + failure)
    print(*map(len, of_parts), "commands,", len(run.failures), "failures")
    return 1 if run.failures or not all(of_parts) else 0


if __name__ == "__main__":
    sys.exit(main())

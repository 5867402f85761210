#!/usr/bin/env python3
"""How much memory the daemon takes under ten minutes of everything that takes memory at once, and whether all that was
accepted is delivered. Prints the resident memory beside limits.memory. The daemon is that of the environment variable
SLUICED, or build/bin/sluiced."""
import argparse
import os
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parent.parent.parent
os.environ.setdefault("SLUICED", str(ROOT / "build/bin/sluiced"))
sys.path.insert(0, str(ROOT / "tests/e2e"))
from mixed_load import MIB, memory_of, mixed_load  # noqa: E402
from sluice_process import Sluiced  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--memory", type=int, default=512, metavar="MIB", help="limits.memory; default: %(default)s")
    arguments = parser.parse_args()
    limit = arguments.memory * MIB
    with Sluiced(f"limits.memory={arguments.memory}MiB", "publish.wait=200ms") as daemon:
        begin = time.monotonic()
        load = mixed_load(daemon, limit, lambda load: time.monotonic() > begin + arguments.seconds)
        lost = set(load.accepted) - set(load.received)
        print(f"limits.memory {limit // MIB} MiB; resident at most {load.peak_bytes / MIB:.0f} MiB, "
              f"{100 * load.peak_bytes / limit - 100:+.1f} %; {len(load.accepted)} events accepted, "
              f"{len(load.received)} delivered, {len(lost)} lost; {memory_of(daemon).get('refusals')} refusals; "
              f"{time.monotonic() - begin:.0f} s")
    return 0 if load.received == load.accepted else 1


if __name__ == "__main__":
    sys.exit(main())

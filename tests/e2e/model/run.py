#!/usr/bin/env python3
"""Random steps against a daemon, whose answers must equal those of a plain model. See `run.py --help`."""
import argparse
import os
import random
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from driver import Driver  # noqa: E402
from reconnects import reconnect  # noqa: E402
from stored import StoredDriver  # noqa: E402

STEPS, LONG_STEPS = 4_000, 100_000
RECONNECTS, LONG_RECONNECTS = 50, 1_000
# Name, its share of the steps, who takes them, the daemon's options, and whether it drops events for reasons that the
# model can't know.
WORLDS = (
    ("plain", 4, Driver, (), False),
    ("small store", 1, Driver, ("store.bytes=256KiB",), True),
    ("on disk", 3, StoredDriver, (), False),
)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, help=f"of all worlds (default: {STEPS:,}, or {LONG_STEPS:,} with --long)")
    parser.add_argument("--reconnects", type=int,
                        help=f"(default: {RECONNECTS}, or {LONG_RECONNECTS:,} with --long)")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("SLUICE_TEST_SEED", 53)))
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--sluiced", help="the daemon (default: $SLUICED)")
    options = parser.parse_args()
    if options.sluiced:
        os.environ["SLUICED"] = options.sluiced
    steps = options.steps or (LONG_STEPS if options.long else STEPS)
    shares = sum(share for _, share, *_ in WORLDS)
    for name, share, kind, settings, learns in WORLDS:
        begin = time.monotonic()
        print(f"{name}: seed {options.seed}, {steps * share // shares} steps", flush=True)
        driver = kind(options.seed, settings, learns)
        try:
            driver.run(steps * share // shares)
            print(f"  {driver.counts}, {len(driver.model.events)} events at the end, "
                  f"{time.monotonic() - begin:.1f} s", flush=True)
        finally:
            driver.close()
    begin = time.monotonic()
    times = options.reconnects or (LONG_RECONNECTS if options.long else RECONNECTS)
    received = reconnect(random.Random(options.seed), times)
    print(f"reconnects: seed {options.seed}, {times} in the middle of publishing, {received} events received, "
          f"{time.monotonic() - begin:.1f} s")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Random steps with durable subscriptions against the broker in a test program, whose clock moves when a step says so.
See `run_subscriptions.py --help`."""
import argparse
import os
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from subscriptions import SubscriptionsDriver  # noqa: E402
from subscriptions_stored import StoredSubscriptionsDriver  # noqa: E402

STEPS, LONG_STEPS = 5_000, 1_000_000
STEPS_OF_DAEMON = 10_000  # then another begins, so that its log stays small
KILLS = 200  # with --long
# Name, its share of the steps, who takes them.
WORLDS = (("in memory", 2, SubscriptionsDriver), ("on disk", 3, StoredSubscriptionsDriver))


def drive(name, kind, seed, run):
    print(f"{name}: seed {seed}", flush=True)
    begin = time.monotonic()
    driver = kind(seed)
    try:
        run(driver)
        print(f"  {driver.counts}, {len(driver.model.events)} events, {time.monotonic() - begin:.1f} s", flush=True)
    except BaseException:
        driver.daemon.kill()
        driver.daemon.end()
        print(f"  {driver.counts}; the last of the daemon's log: {driver.daemon.log[-20:]}", flush=True)
        raise
    finally:
        driver.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, help=f"of all worlds (default: {STEPS:,}, or {LONG_STEPS:,} with --long)")
    parser.add_argument("--kills", type=int, default=0, help=f"at random moments, besides (with --long: {KILLS})")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("SLUICE_TEST_SEED", 56)))
    parser.add_argument("--world", choices=[name for name, *_ in WORLDS], help="only this one")
    parser.add_argument("--long", action="store_true")
    options = parser.parse_args()
    steps = options.steps or (LONG_STEPS if options.long else STEPS)
    shares = sum(share for _, share, _ in WORLDS)
    for name, share, kind in WORLDS:
        if options.world not in (None, name):
            continue
        left, seed = steps * share // shares, options.seed
        while left > 0:
            part = min(left, STEPS_OF_DAEMON)
            drive(f"{name}, {part} steps", kind, seed, lambda driver, part=part: driver.run(part))
            left, seed = left - part, seed + 1
    if kills := options.kills or (KILLS if options.long else 0):
        drive(f"{kills} kills", StoredSubscriptionsDriver, options.seed, lambda driver: driver.run_to_kills(kills))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""The attack suite: everything that anybody who reaches the daemon's port can do to kill, freeze, fill or fool it. Each
attack runs on a fresh daemon on loopback with quiet users beside it. The short form judges what happened: what was
lost, repeated or refused, and whether the daemon lives and works. Only --long judges how long it took. See
`run.py --help`; tests/README.md explains how to add a row."""
import argparse
import os
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from rows import ROWS  # noqa: E402
from trial import LONG, SHORT, try_row  # noqa: E402

REASONS_SHOWN = 4
CHANCES = 5


def milliseconds(figures, key):
    value = figures.get(key)
    return "-" if value is None else f"{value:.1f}"


def counted(counts):
    ranked = sorted(counts.items(), key=lambda pair: -pair[1])
    shown = "; ".join(f"{n} × {what}" for what, n in ranked[:REASONS_SHOWN])
    return shown + (f"; and {len(ranked) - REASONS_SHOWN} other reasons" if len(ranked) > REASONS_SHOWN else "")


def name_of(row, over_tls):
    return row.name + " (TLS)" if over_tls else row.name


def report(name, verdict, seconds, in_detail):
    quiet, attacked = verdict.quiet, verdict.attacked
    print(f"{'ok  ' if verdict.passed else 'FAIL'} {name:26} quiet p50/p99 "
          f"{milliseconds(quiet, 'p50_ms')}/{milliseconds(quiet, 'p99_ms')} ms, attacked "
          f"{milliseconds(attacked, 'p50_ms')}/{milliseconds(attacked, 'p99_ms')} ms, probes p99 "
          f"{milliseconds(attacked, 'probe_p99_ms')} ms, RSS {verdict.rss_bytes >> 20} MiB, in use "
          f"{verdict.used_bytes >> 20} MiB, end after {'-' if verdict.end_s is None else f'{verdict.end_s:.1f}'} s, "
          f"{seconds:.1f} s")
    if in_detail or not verdict.passed:
        print(f"     refused: {counted(verdict.refused) or 'nothing'}")
        print(f"     served: {counted(verdict.served) or 'nothing'}")
    for fault in verdict.late + verdict.faults:
        print(f"     {fault}")
    for note in verdict.notes:
        print(f"     no fault: {note}")
    sys.stdout.flush()


def table_row(name, verdict):
    """A line of the table: latencies in milliseconds, memory in MiB."""
    quiet, attacked = verdict.quiet, verdict.attacked
    ratio = attacked["p99_ms"] / quiet["p99_ms"] if attacked.get("p99_ms") and quiet.get("p99_ms") else None
    cells = [f"`{name}`", milliseconds(quiet, "p50_ms"), milliseconds(quiet, "p99_ms"),
             milliseconds(attacked, "p50_ms"), milliseconds(attacked, "p99_ms"),
             "-" if ratio is None else f"{ratio:.1f}", milliseconds(attacked, "probe_p99_ms"),
             verdict.rss_bytes >> 20, verdict.used_bytes >> 20, attacked.get("lost", "-"), int(verdict.died)]
    return "| " + " | ".join(map(str, cells)) + " |"


def print_table(verdicts):
    print("\n| attack | quiet p50 | p99 | attacked p50 | p99 | p99 ratio | probes p99 | RSS, MiB | in use | lost | "
          "restarts |\n" + "| --- " * 11 + "|")
    for name, verdict in verdicts:
        print(table_row(name, verdict))


def run_row(row, form, over_tls):
    """What became of the row. One whose only fault is lateness gets more chances: the machine may be busy."""
    for chance in range(1, CHANCES + 1):
        begin = time.monotonic()
        verdict = try_row(row, form, over_tls)
        report(name_of(row, over_tls), verdict, time.monotonic() - begin, form is LONG)
        if verdict.passed or verdict.faults:
            break
        if chance < CHANCES:
            print("     only late: trying again")
    return verdict


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="rows to run; all of them without names")
    parser.add_argument("--list", action="store_true", help="list the rows with their purposes")
    parser.add_argument("--long", action="store_true",
                        help="all rows, with 1,000 quiet events each instead of 40; times are judged, too")
    parser.add_argument("--tls", action="store_true",
                        help="attack over TLS only, with all rows that can; without it, some rows run in both ways")
    parser.add_argument("--table", action="store_true", help="print the figures as a table in Markdown, too")
    parser.add_argument("--sluiced", help="the daemon; default: the environment variable SLUICED")
    arguments = parser.parse_args()
    if arguments.list:
        for row in ROWS.values():
            print(f"{row.name:26} {row.purpose}")
        return 0
    if unknown := [name for name in arguments.names if name not in ROWS]:
        parser.error(f"no such row: {', '.join(unknown)}; --list lists them")
    if arguments.sluiced:
        os.environ["SLUICED"] = str(Path(arguments.sluiced).resolve())
    if "SLUICED" not in os.environ:
        parser.error("no daemon given: use --sluiced PATH, or set SLUICED in the environment")
    chosen = [ROWS[name] for name in arguments.names]
    if not chosen:
        chosen = [r for r in ROWS.values() if arguments.long or not r.long_only]
    if arguments.tls:
        trials = [(row, True) for row in chosen if row.can_use_tls]
    else:
        trials = [(row, over_tls) for row in chosen for over_tls in (False, True) if row.tls_too or not over_tls]
    failed, left_out, verdicts = [], set(), []
    for row, over_tls in trials:
        verdict = run_row(row, LONG if arguments.long else SHORT, over_tls)
        verdicts.append((name_of(row, over_tls), verdict))
        left_out.update(verdict.left_out)
        if not verdict.passed:
            failed.append(name_of(row, over_tls))
    if arguments.table:
        print_table(verdicts)
    if left_out:
        print(f"left out, since this sluiced does not know them: {' '.join(sorted(left_out))}")
    print(f"{len(trials) - len(failed)} of {len(trials)} rows passed" + (f"; not: {', '.join(failed)}" if failed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Runs one row of the suite against a fresh daemon: quiet figures without the attack, then with it, then the daemon's
condition afterwards. Bounded in time whatever the daemon does."""
import itertools
import json
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from threading import Timer

import wire
from attacker import SETUP_S_MAX
from daemon import MEMORY_BYTES, Daemon, memory_used
from witness import LAST_EVENT_S, RATE

HERE = Path(__file__).resolve().parent
LATE_MS_MAX = 25
LATE_FACTOR_MAX = 5
PROBE_MS_MAX = 50
DRAIN_S = 2  # where the end is timed, or comes in the middle of an attack
PATIENT_DRAIN_S = 60
END_ATTACK_S = 6  # how long the attack goes on that SIGTERM comes in the middle of
GRACE_S = 5 * wire.TIMEOUT_S  # for an attacker to notice that its time is up
NICE = 19


@dataclass(frozen=True)
class Form:
    """How much is tried, and what is judged. The long form judges times and resident memory, too: a machine that does
    nothing else is its own. The short form judges only what happened, never how long it took."""
    quiet_events: int
    attack_events: int
    always_ends_under_attack: bool
    judges_times: bool

    def ends_under_attack(self, row):
        return row.ends_under_attack or self.always_ends_under_attack

    def options(self, row):
        if self.judges_times:
            return (f"shutdown.drain_timeout={DRAIN_S}s",)
        drain_s = DRAIN_S if self.ends_under_attack(row) else PATIENT_DRAIN_S
        return (f"shutdown.drain_timeout={drain_s}s", "publish.wait=60s")


SHORT = Form(quiet_events=10, attack_events=40, always_ends_under_attack=False, judges_times=False)
LONG = Form(quiet_events=200, attack_events=1000, always_ends_under_attack=True, judges_times=True)


@dataclass
class Verdict:
    quiet: dict = field(default_factory=dict)
    attacked: dict = field(default_factory=dict)
    rss_bytes: int = 0
    used_bytes: int = 0  # of limits.memory, as the daemon counts
    end_s: float | None = None
    refused: dict = field(default_factory=dict)
    served: dict = field(default_factory=dict)
    died: bool = False  # during the attack
    left_out: list = field(default_factory=list)  # options that the daemon doesn't know
    late: list = field(default_factory=list)  # faults that a busy machine alone may have caused; only of the long form
    faults: list = field(default_factory=list)
    notes: list = field(default_factory=list)  # what is no fault

    @property
    def passed(self):
        return not self.late and not self.faults


class Child:
    """A Python process that takes commands and answers in lines, and is killed if it does not answer in time."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([sys.executable, *map(str, arguments)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, cwd=HERE)

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def hear(self, seconds):
        """The next line; "" if none arrives in time, or the process has ended."""
        timer = Timer(seconds, self.process.kill)
        timer.start()
        line = self.process.stdout.readline()
        timer.cancel()
        return line.strip()

    def hear_json(self, seconds):
        line = self.hear(seconds)
        return json.loads(line) if line.startswith("{") else None

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


def attacker(row, daemon, form, seconds, over_tls):
    return Child("-B", HERE / "attacker.py", row.name, daemon.port, seconds, NICE if form.judges_times else 0,
                 daemon.tls_port or 0, int(over_tls))


def measure(witness, events, verdict):
    witness.tell(f"measure {events}")
    figures = witness.hear_json(events / RATE + 6 * LAST_EVENT_S)
    if figures is None:
        verdict.faults.append("the witness did not finish")
    return figures or {}


def judge_quiet_ones(form, verdict):
    before, during = verdict.quiet, verdict.attacked
    if not before or not during:
        return
    faults, late = verdict.faults, verdict.late
    for name, figures in (("before the attack", before), ("under attack", during)):
        if figures["lost"]:
            faults.append(f"{figures['lost']} quiet events lost {name}")
        if figures["repeated"]:
            faults.append(f"{figures['repeated']} quiet events repeated {name}")
        if not figures["in_order"]:
            faults.append(f"quiet events out of order {name}")
        if figures["probes_lost"]:
            faults.append(f"probes lost {name}: {figures['probes_lost']}")
        if figures["turned_away"]:
            # When memory is short, 503 for a moment is right. On a machine that does nothing else it does not happen.
            is_moment = all(reason.startswith("503 ") for reason in figures["reasons"])
            told = verdict.notes if is_moment and not form.judges_times else faults
            told.append(f"the quiet publisher was turned away {name}: {figures['reasons']}")
    if form.judges_times:
        judge_times(before, during, late)


def judge_times(before, during, late):
    if during["p99_ms"] is None or before["p99_ms"] is None:
        return
    bound = max(LATE_MS_MAX, LATE_FACTOR_MAX * before["p99_ms"])
    if during["p99_ms"] > bound:
        late.append(f"quiet p99 {during['p99_ms']:.1f} ms, above {bound:.0f}")
    if during["probe_p99_ms"] > PROBE_MS_MAX:
        late.append(f"/healthz and /readyz: p99 {during['probe_p99_ms']:.0f} ms, above {PROBE_MS_MAX}")


def normal_use(port, title):
    """None, or what does not work after the attack. The title must be new: what is known is not delivered again."""
    try:
        stream = wire.subscribe(port, "stream=after&filter=//item%5Bprice%3C90%5D")
        if isinstance(stream, wire.Reply):
            return f"subscribe: {stream.status} {stream.body[:200]!r}"
        document = f"<rss><channel><item><title>{title}</title><price>60</price></item></channel></rss>"
        published = wire.request(port, "POST", "/v1/events?stream=after", document,
                                 {"Content-Type": "application/rss+xml"})
        if published.status != 202:
            return f"publish: {published.status} {published.body[:200]!r}"
        event = stream.data_event()
        if event is None or f'"title":"{title}"' not in "".join(event):
            return f"delivery: {event}"
        stream.close()
        large = "<rss><channel><item><title>" + "x" * (1 << 20) + "</title></item></channel></rss>"
        published = wire.request(port, "POST", "/v1/events?stream=after", large, {"Content-Type": "application/rss+xml"})
        if published.status != 202:
            return f"publish a megabyte: {published.status} {published.body[:200]!r}"
        body = json.dumps({"filter": "price < 90", "document": document})
        matched = wire.request(port, "POST", "/v1/match", body, {"Content-Type": "application/json"})
        if matched.status != 200 or json.loads(matched.body)["items"][0]["matched"] is not True:
            return f"match: {matched.status} {matched.body[:200]!r}"
        status = wire.request(port, "GET", "/v1/status")
        if status.status != 200:
            return f"status: {status.status}"
        memory = json.loads(status.body).get("memory", {"used": 0, "limit": 0})
        return None if memory["used"] <= memory["limit"] else f"memory in use: {memory}"
    except (OSError, wire.Broken) as error:
        return f"{type(error).__name__}: {error}"


def recover(daemon, form, verdict):
    """Normal use must be possible again: at once on a machine that does nothing else, within a minute on any."""
    give_up = time.monotonic() + (0 if form.judges_times else wire.TIMEOUT_S)
    for n in itertools.count(1):
        fault = normal_use(daemon.port, f"after {n}")
        if fault is None:
            return
        if time.monotonic() > give_up or not daemon.is_alive():
            verdict.faults.append(f"afterwards: {fault}")
            return
        if n == 1:
            verdict.notes.append(f"afterwards, at first: {fault}")
        time.sleep(0.01)


# What the attacker has been told, by its beginning, and the counters in the status of which one must then not be 0.
COUNTED = {
    **{f"{code} ": (f"replies.{code}",) for code in (400, 401, 403, 408, 413, 415, 421, 422, 431)},
    "503 ": ("replies.503", "connections_refused.limit", "connections_refused.resources"),
    "429 ": ("replies.429", "connections_refused.address"),
    "told gap": ("gaps",), "told error": ("slow_filters", "slow_consumers", "events_lost"),
}


def uncounted(port, told):
    """Kinds of refusals that the attacker got and that no counter shows."""
    status = wire.request(port, "GET", "/v1/status")
    counters = json.loads(status.body)["counters"]

    def value(name):
        family, _, label = name.partition(".")
        return counters[family][label] if label else counters[family]

    return [kind for kind, names in COUNTED.items() if any(what.startswith(kind) for what in told)
            and all(value(name) == 0 for name in names)]


def judge_counts(port, verdict):
    """Each kind of refusal must have been counted at least once. The status may be some moments old."""
    give_up = time.monotonic() + wire.TIMEOUT_S
    try:
        while missing := uncounted(port, verdict.refused):
            if time.monotonic() > give_up:
                verdict.faults.append(f"refused, but not counted: {missing}")
                return
            time.sleep(0.05)
    except (OSError, wire.Broken, ValueError, KeyError) as error:
        verdict.faults.append(f"no status after the attack: {type(error).__name__}: {error}")


def attack(row, daemon, form, over_tls, verdict):
    """Runs the attack with the witness beside it."""
    unfinished = verdict.late if form.judges_times else verdict.faults
    seconds = form.attack_events / RATE + 0.2
    with Child("-B", HERE / "witness.py", daemon.port) as witness:
        if witness.hear(LAST_EVENT_S) != "ready":
            verdict.faults.append("the witness could not subscribe")
            return
        verdict.quiet = measure(witness, form.quiet_events, verdict)
        with attacker(row, daemon, form, seconds, over_tls) as enemy:
            if enemy.hear(SETUP_S_MAX) != "under way":
                unfinished.append("the attacker did not get under way")
                return
            verdict.attacked = measure(witness, form.attack_events, verdict)
            findings = enemy.hear_json(seconds + GRACE_S)
    if findings is None:
        unfinished.append("the attacker did not finish")
        return
    verdict.refused, verdict.served = findings["refused"], findings["served"]
    verdict.faults += findings["faults"]
    if daemon.is_alive():
        judge_counts(daemon.port, verdict)


def end(row, daemon, form, over_tls, verdict):
    under_attack = form.ends_under_attack(row)
    if under_attack:
        with attacker(row, daemon, form, END_ATTACK_S, over_tls) as enemy:
            enemy.hear(SETUP_S_MAX)
            time.sleep(0.5)  # waits for nothing: the signal comes in the middle
            verdict.end_s, status = daemon.end(signal.SIGTERM)
    else:
        verdict.end_s, status = daemon.end(signal.SIGTERM)
    when = "under attack" if under_attack else "after the attack"
    # 1: some work was cut short, which is right while the attack goes on.
    if status != 0 and not (under_attack and status == 1):
        verdict.faults.append(f"SIGTERM {when}: exit status {status} ({daemon.last_words()})")
    elif form.judges_times and verdict.end_s > DRAIN_S + 1:
        verdict.late.append(f"SIGTERM {when}: ended after {verdict.end_s:.1f} s, drain_timeout is {DRAIN_S} s")


def try_row(row, form, over_tls):
    """`over_tls`: the attacker's connections are encrypted, and the quiet ones' are not."""
    verdict = Verdict()
    with Daemon((*row.options, *form.options(row)), row.address_space_bytes, row.tls or over_tls,
                row.users) as daemon:
        verdict.left_out = daemon.left_out
        attack(row, daemon, form, over_tls, verdict)
        judge_quiet_ones(form, verdict)
        if daemon.is_alive():
            recover(daemon, form, verdict)
        if daemon.is_alive():
            verdict.used_bytes = max(daemon.used_bytes_max, memory_used(daemon.port) or 0)
            end(row, daemon, form, over_tls, verdict)
        else:
            verdict.died = True
            verdict.faults.append(f"the daemon died, status {daemon.process.returncode} ({daemon.last_words()})")
        verdict.rss_bytes = daemon.rss_bytes_max
    return verdict

"""Subscribers whose filters have thousands of conditions, each on a path of its own, that come and leave."""
import threading
import time
from urllib.parse import urlencode

import wire
from rows import row

CLIENTS = 6
QUIET = 249  # the number of an attacker's address from which only single filters come
CONDITIONS = 7_200
PER_FILTER = 112  # a filter has at most 256 conjunctions

SMALL_MEMORY = ("limits.memory=128MiB",)


def filters(form, name, conditions=CONDITIONS, per_filter=PER_FILTER, operator=" or "):
    """Filters with the conditions, of which each is the form with a path of its own."""
    every = [form.format(f"p{name}_{i}") for i in range(conditions)]
    return [operator.join(every[i:i + per_filter]) for i in range(0, conditions, per_filter)]


def query(texts):
    return urlencode([("stream", "attack"), *(("filter", text) for text in texts)], safe="/()',=")


def subscribe_now_and_then(attack, waits):
    """What an honest subscriber notices: how long it waits to be in place."""
    while attack.goes_on():
        begun = time.monotonic()
        try:
            stream = attack.subscribe(query([f"category = 'h{len(waits) % 7}'"]), QUIET)
        except (OSError, wire.Broken) as error:
            attack.fault(f"a quiet subscriber got no answer: {error}")
            continue
        if stream is not None:
            stream.close()
            waits.append(time.monotonic() - begun)
        time.sleep(0.02)


def come_and_leave(attack, filters_of, reads_reply=True, keeps=0):
    """Six clients subscribe with filters_of(a name that is always new) and leave, or stay until they have `keeps`."""
    waits = []
    attack.under_way()
    quiet = threading.Thread(target=subscribe_now_and_then, args=(attack, waits), daemon=True)
    quiet.start()

    def client(c):
        n, kept = 0, []
        while attack.goes_on():
            target = query(filters_of(f"{c}x{n}"))
            n += 1
            try:
                if reads_reply:
                    stream = attack.subscribe(target, c, timeout=wire.ATTACKER_S)
                    kept += [stream] if stream is not None else []
                else:
                    connection = attack.connect(c)
                    wire.send(connection, wire.head("GET", "/v1/events?" + target))
                    connection.close()
            except (OSError, wire.Broken) as error:
                attack.note_end(f"{error}")
            if len(kept) > keeps:
                kept.pop(0).close()
            attack.check(attack.status()["memory"]["used"] > 0, "the status does not tell the memory in use")

    attack.run_clients(client, CLIENTS)
    quiet.join(wire.TIMEOUT_S)
    attack.check(len(waits) > 0, "nobody else could subscribe")
    attack.served["quiet subscribers"] = len(waits)
    attack.served["longest wait of a quiet subscriber, ms"] = round(1e3 * max(waits, default=0))


@row(options=SMALL_MEMORY)
def subscribe_and_leave_distinct_paths(attack):
    """Six clients subscribe with 7,200 contains() each, all on distinct paths, and leave, with limits.memory=128MiB."""
    come_and_leave(attack, lambda name: filters("contains({},'x')", name))


@row()
def subscribe_and_leave_many_forms(attack):
    """The same with conditions of all forms in turn."""
    forms = ("{}='x'", "{}<5", "{}", "starts-with({},'x')", "count({}) mod 3=1", "{}!='x'")
    turn = {"n": 0}

    def some(name):
        turn["n"] += 1
        return filters(forms[turn["n"] % len(forms)], name, conditions=5_000)

    come_and_leave(attack, some)


@row(long_only=True)
def subscribe_and_leave_one_filter(attack):
    """The same with one filter of 250 conditions, and with 128 filters of one."""
    come_and_leave(attack, lambda name: filters("contains({},'x')", name, 250, 250) if int(name.split('x')[1]) % 2
                   else filters("contains({},'x')", name, 128, 1))


@row(options=SMALL_MEMORY)
def leave_before_the_reply(attack):
    """The same, but nobody waits for the reply."""
    come_and_leave(attack, lambda name: filters("contains({},'x')", name), reads_reply=False)


@row(long_only=True, options=SMALL_MEMORY)
def keep_distinct_paths(attack):
    """The same, but each client keeps its last three subscriptions."""
    come_and_leave(attack, lambda name: filters("contains({},'x')", name), keeps=3)


@row(long_only=True)
def subscribe_and_leave_long_paths(attack):
    """The same with paths of eight steps."""
    come_and_leave(attack, lambda name: filters("contains(a/b/c/d/e/f/g/{},'x')", name, conditions=5_000))

#!/usr/bin/env python3
"""The attacking process: `attacker.py NAME PORT SECONDS NICE TLS_PORT OVER_TLS`. Where latencies are judged, NICE is the
lowest priority, since on a network it would have its own machine. OVER_TLS is 1 if all of it goes to TLS_PORT. Prints "under way" when everything is prepared, then attacks for
SECONDS, and prints as JSON the replies that it got and its unmet expectations."""
import json
import os
import resource
import sys
import threading
import time

import wire
from rows import ROWS

SETUP_S_MAX = 5 * wire.TIMEOUT_S


class Attack:
    """What a row of the suite gets: the target, its time limit, and a place for its findings."""

    def __init__(self, port, seconds, tls_port):
        self.port = port
        self.tls_port = tls_port
        self.seconds = seconds
        self.deadline = time.monotonic() + SETUP_S_MAX
        self.refused = {}
        self.served = {}
        self.faults = []
        self.turn = 0

    def under_way(self):
        self.deadline = time.monotonic() + self.seconds
        print("under way", flush=True)

    def goes_on(self):
        return time.monotonic() < self.deadline

    def source(self, n=None):
        """The n-th attacker address, or each in turn: attackers and quiet users have different addresses."""
        if n is None:
            n = self.turn = self.turn + 1
        return f"127.0.1.{1 + n % 250}"

    def connect(self, n=None, **more):
        return wire.connect(self.port, self.source(n), **more)

    def request(self, method, target, body=None, headers=(), n=None, timeout=wire.TIMEOUT_S):
        return wire.request(self.port, method, target, body, headers, self.source(n), timeout)

    def publish(self, document, stream="attack", content_type="application/xml", n=None, timeout=wire.TIMEOUT_S,
                **headers):
        fields = {"Content-Type": content_type, **{name.replace("_", "-"): value for name, value in headers.items()}}
        return self.note(self.request("POST", f"/v1/events?stream={stream}", document, fields, n, timeout))

    def match(self, text, document, n=None, timeout=wire.TIMEOUT_S, **more):
        body = json.dumps({"filter": text, "document": document, "content_type": "application/xml", **more})
        return self.note(self.request("POST", "/v1/match", body, {"Content-Type": "application/json"}, n, timeout))

    def subscribe(self, query, n=None, **more):
        """Returns a Stream, or None if the subscription was refused; a refusal is noted."""
        reply = wire.subscribe(self.port, query, self.source(n), **more)
        if isinstance(reply, wire.Reply):
            self.note(reply)
            return None
        return reply

    def note(self, reply):
        """Counts a reply by its status and reason; None counts as no reply."""
        if reply is None:
            self.note_end("no reply")
            return reply
        if reply.status < 400:
            self.served[str(reply.status)] = self.served.get(str(reply.status), 0) + 1
            return reply
        reason = f"{reply.status} {reply.problem.get('detail', '')[:100]}"
        self.refused[reason] = self.refused.get(reason, 0) + 1
        if reply.problem.get("status") != reply.status or not reply.problem.get("detail"):
            self.fault(f"{reply.status} without its reason: {reply.headers} {reply.body[:200]}")
        return reply

    def note_end(self, what):
        """Counts the reason why a subscription or a connection ended."""
        self.refused[what] = self.refused.get(what, 0) + 1

    def status(self):
        """What the daemon says of itself. Asked from an address of its own, since the attackers' have used up theirs."""
        return json.loads(wire.request(self.port, "GET", "/v1/status", source="127.0.9.1").body)

    def eventually(self, holds):
        """Whether it becomes true, within as long as anything may take."""
        give_up = time.monotonic() + wire.TIMEOUT_S
        while not holds():
            if time.monotonic() > give_up:
                return False
            time.sleep(0.05)
        return True

    def run_clients(self, client, n):
        """Runs client(i) for each i below n on its own thread; each client loops while the attack goes on."""
        threads = [threading.Thread(target=client, args=(i,), daemon=True) for i in range(n)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(max(0, self.deadline - time.monotonic()) + wire.TIMEOUT_S)

    def expect(self, reply, statuses, what):
        """Checks the status. 429 (too much from this address) is always allowed."""
        if reply is None:
            return reply
        self.check(reply.status in (*statuses, 429),
                   f"{what}: {reply.status} {reply.body[:200]!r}, expected {statuses}")
        return reply

    def check(self, holds, what):
        if not holds:
            self.fault(what)

    def fault(self, what):
        if len(self.faults) < 10 and what not in self.faults:
            self.faults.append(what)


def main():
    os.nice(int(sys.argv[4]))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    row = ROWS[sys.argv[1]]
    port, tls_port = int(sys.argv[2]), int(sys.argv[5])
    if int(sys.argv[6]):
        wire.speak_tls()
        port = tls_port
    attack = Attack(port, float(sys.argv[3]), tls_port)
    try:
        row.run(attack)
    except (OSError, wire.Broken) as error:
        attack.fault(f"{type(error).__name__}: {error}")
    print(json.dumps({"refused": attack.refused, "served": attack.served, "faults": attack.faults}), flush=True)
    os._exit(0)  # closes open connections at once and ends hanging threads


if __name__ == "__main__":
    main()

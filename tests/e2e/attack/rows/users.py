"""Users: guessed passwords, credentials that no client would send, and tickets by the thousand."""
import contextlib
import json
import secrets
import threading
import time

import wire
from accounts import OLD_TOKEN, PASSWORD, TOKEN, basic, bearer
from rows import row

STATUS = "/v1/streams"  # needs some right
WRONG = (401, 503)      # 503: too many passwords are being checked
QUIET_BYTES_MAX = 128 << 20  # by how much guessing may raise what the daemon uses: a check takes 16 MiB
KNOWN = 4  # quiet users who have signed in before the attack, and as many who do so while it goes on
FRESH = "127.0.8."  # addresses that no attacker has


def used_bytes(attack):
    return attack.status()["memory"]["used"]


def sign_in(attack, n):
    """A quiet user asks from an address of its own; the first time its password is checked, and then remembered."""
    return wire.request(attack.port, "GET", STATUS, None, basic(f"quiet{n}", PASSWORD), f"{FRESH}{1 + n}")


def gets_through(attack, n, is_known):
    """Whether a quiet user does. Once a password is known to be right, it is not held up by those that others try."""
    while True:
        reply = sign_in(attack, n)
        if reply.status == 200:
            is_known = True
        elif is_known or reply.status != 503:
            attack.fault(f"quiet{n}: {reply.status} {reply.body[:200]!r}")
            return False
        if is_known and not attack.goes_on():
            return True
        time.sleep(0.02)


def flood(attack, guess, awaited=(401,), threads=24):
    """`guess(i)`: the source and the fields of a wrong guess of the i-th attacker. The first one is patient: it guesses
    at least until all statuses of `awaited` have come, however long its turn takes. Some quiet users have signed in before, and go on although it is their passwords
    that are guessed; others sign in meanwhile."""
    before = used_bytes(attack)
    for n in range(KNOWN):
        attack.check(attack.eventually(lambda: sign_in(attack, n).status == 200), f"quiet{n} can't sign in")
    attack.under_way()
    done, seen = [], set()

    def client(i):
        if i < 2 * KNOWN:
            if gets_through(attack, i, i < KNOWN):
                done.append(i)
            return
        is_patient = i == 2 * KNOWN
        while attack.goes_on() or (is_patient and not seen.issuperset(awaited)):
            source, fields = guess(i)
            timeout = wire.TIMEOUT_S if is_patient else wire.ATTACKER_S
            with contextlib.suppress(wire.Broken):
                reply = attack.note(wire.request(attack.port, "GET", STATUS, None, fields, source, timeout))
                attack.expect(reply, WRONG, "a wrong password")
                seen.add(reply.status)

    attack.run_clients(client, threads)
    attack.check(sorted(done) == list(range(2 * KNOWN)), f"quiet users who got through: {sorted(done)}")
    attack.check(seen.issuperset(awaited), f"the guesses got only {seen}")
    attack.check(used_bytes(attack) < before + QUIET_BYTES_MAX, "guessing passwords takes memory")


def guessed(i):
    """The name of a quiet user who has signed in, of another user, or of nobody."""
    name = ("mallory", f"quiet{i % KNOWN}", secrets.token_hex(8))[i % 3]
    return basic(name, secrets.token_hex(8))


@row(users=True)
def passwords_one_address(attack):
    """An address that guesses passwords without end, of users who exist and who do not: quiet users still sign in."""
    flood(attack, lambda i: (attack.source(0), guessed(i)), (401, 429))


@row(users=True)
def passwords_many_addresses(attack):
    """The same from 250 addresses at once."""
    flood(attack, lambda i: (attack.source(), guessed(i)))


def strange_fields():
    """Fields that are wrong, and the statuses that are right."""
    jwt = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJtYWxsb3J5IiwiZXhwIjo0MTAyNDQ0ODAwfQ."
    for text in ("", "Basic", "Basic ", "Basic =", "Basic ====", "Basic !!!!", "Basic bWFsbG9yeQ==", "Basic Og==",
                 "Basic /////w==", "Basic bWFsbG9yeTo\x7f", "Basic bWFsbG9yeToA", "Basic AG1hbGxvcnk6eA==",
                 "Basic bWFsbG9yeTp4 bWFsbG9yeTp4", "Basic bWFsbG9yeTp4=", "bWFsbG9yeTp4", "Bearer", "Bearer ",
                 "Bearer slt_", "Bearer slt__", f"Bearer {jwt}", f"Bearer {jwt}c2ln", f"Bearer {TOKEN}x",
                 f"Bearer {TOKEN[:-1]}", f"Bearer {TOKEN[:-1]}u", f"Bearer {TOKEN} {TOKEN}", f"Bearer {TOKEN},",
                 f"Bearer {OLD_TOKEN}", f"Token {TOKEN}", f"Basic {TOKEN}", "Negotiate YII", 'Digest username="mallory"',
                 "Bearer " + "t" * 20_000, "Basic " + "A" * 20_000, "Basic " + "YTo6" * 5_000):
        yield text, (400, 401, 503)
    for text in ("Bearer " + "t" * (64 << 10), "Basic " + "A" * (64 << 10), "x" * (64 << 10)):
        yield text, (431,)


@row(users=True)
def strange_credentials(attack):
    """Authorization fields that are malformed, too long, doubled, of other schemes, or JWTs that say alg: none."""
    right = f"Bearer {TOKEN}"
    cases = [(f"Authorization: {text}\r\n".encode("latin-1"), statuses) for text, statuses in strange_fields()]
    cases += [(f"Authorization: {one}\r\nAuthorization: {two}\r\n".encode(), (400, 401))
              for one, two in ((right, right), (right, "Bearer x"), ("Bearer x", right), ("", right))]
    cases += [(b"Authorization: Bearer " + bytes([byte]) + b"\r\n", (400, 401)) for byte in (0, 1, 9, 0x80, 0xff)]
    cases += [(f"Authorization: {right}\r\n\tx\r\n".encode(), (400, 401))]
    attack.under_way()
    served = set()
    while attack.goes_on() or not served:
        for field, statuses in cases:
            with wire.connect(attack.port, attack.source()) as connection:
                wire.send(connection, b"GET " + STATUS.encode() + b" HTTP/1.1\r\nHost: localhost\r\n" + field + b"\r\n")
                with contextlib.suppress(wire.Broken):
                    reply = attack.note(wire.Stream(connection).reply())
                    attack.expect(reply, statuses, repr(field[:80]))
                    served.add(reply.status)
    attack.check({400, 401, 431} <= served, f"only {served}")
    reply = wire.request(attack.port, "GET", STATUS, None, bearer(TOKEN), FRESH + "1")
    attack.check(reply.status == 200, f"the right token: {reply.status} {reply.body[:200]!r}")


def ticket(attack, n=None):
    """A new ticket, or None if there are too many."""
    reply = attack.note(attack.request("POST", "/v1/tickets", "", bearer(TOKEN), n))
    attack.expect(reply, (201, 503), "a ticket")
    return json.loads(reply.body) if reply.status == 201 else None


@row(users=True)
def tickets_by_the_thousand(attack):
    """A user who asks for tickets without end, opens streams with some, and makes up others."""
    before = used_bytes(attack)
    attack.under_way()
    made = 0
    while attack.goes_on() or not made:
        for n in range(100):
            given = ticket(attack, n)
            made += given is not None
            if given is not None and n % 50 == 0:
                stream = attack.subscribe(f"stream=attack&ticket={given['ticket']}", n)
                if stream is not None:
                    stream.close()
        for text in ("", "x", "%00", TOKEN, "a" * 30_000, secrets.token_urlsafe(32)):
            reply = attack.note(attack.request("GET", f"/v1/events?stream=attack&ticket={text}"))
            attack.expect(reply, (400, 401), "a ticket that nobody has")
    attack.served["tickets"] = made
    attack.check(used_bytes(attack) < before + (16 << 20), "tickets take memory")


@row(users=True)
def tickets_in_parallel(attack):
    """One ticket, used from many connections at once: for one address alone, and by one stream at a time."""
    attack.under_way()
    while attack.goes_on():
        given = ticket(attack)
        if given is None:
            time.sleep(0.05)
            continue
        held, lock = [], threading.Lock()

        def client(i):
            # Half of them want one stream, the others each a different one.
            query = f"stream=attack&ticket={given['ticket']}" + (f"&filter=a%3D{i}" if i % 2 else "")
            stream = attack.subscribe(query, i)
            if stream is not None:
                with lock:
                    held.append((query, stream))

        threads = [threading.Thread(target=client, args=(i,), daemon=True) for i in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(wire.TIMEOUT_S)
        queries = {query for query, _ in held}
        attack.check(len(queries) == 1, f"a ticket has opened {len(queries)} different streams")
        ends = [threading.Thread(target=read_to_end, args=(stream,), daemon=True) for _, stream in held]
        for end in ends:
            end.start()
        # A newer stream ends the older one: one is left, and ends with the ticket.
        left = attack.eventually(lambda: sum(end.is_alive() for end in ends) <= 1)
        attack.check(left, "several streams of one ticket")
        reply = attack.note(attack.request("DELETE", f"/v1/tickets/{given['id']}", None, bearer(TOKEN)))
        attack.expect(reply, (204,), "a ticket is revoked")
        if reply.status == 204:
            attack.check(attack.eventually(lambda: not any(end.is_alive() for end in ends)),
                         "a stream outlives its ticket")
        for _, stream in held:
            stream.close()


def read_to_end(stream):
    with contextlib.suppress(wire.Broken, OSError, ValueError):
        while stream.event() is not None:
            pass

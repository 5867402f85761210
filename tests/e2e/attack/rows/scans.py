"""Filters with unindexed conditions, on documents for which they take long: by subscription, and by trial."""
import itertools
import json
import threading
import time
from urllib.parse import urlencode

import wire
from rows import row


def items(n, content):
    return "<r>" + content * n + "</r>"


LETTERS = items(9_000, "<a>xxxxxxx</a>")                       # 144 KB
SIBLINGS = "<r><i>" + "<a/>" * 3_000 + "</i></r>"              # 12 KB
PAIRS = "<r><i>" + "<a>x</a><b>y</b>" * 4_900 + "</i></r>"
KEYS = items(90, "<i>" + "<a k='1234567890'/>" * 4_900 + "</i>")  # 8 MB

# Name, filter, and a document for which the filter takes long.
COSTLY = {
    "string values of the root": ("boolean(//a[string-length(/) = 7])", LETTERS),
    "a chain of following siblings": ("boolean(a" + "/following-sibling::a" * 90 + ")", SIBLINGS),
    "two following siblings": ("boolean(a/following-sibling::a/following-sibling::a[. = 'z'])",
                               "<r><i>" + "<a/>" * 9_500 + "</i></r>"),
    "equal nodes": ("a = b", PAIRS),
    "nodes that are less": ("a < b", PAIRS),
    "a long table of translate()": (f"translate(., '{'abcdefgh' * 400}', '') = 'x'", items(1, "<i>" + "z" * 4_000_000 + "</i>")),
    "string values of all children": ("boolean(//*[string-length(.) = 7])",
                                      "<r>" + "<a>" * 250 + "<b>x</b>" * 9_000 + "</a>" * 250 + "</r>"),
    "counting before": ("boolean(//a[count(preceding::a) = 7777])", LETTERS),
    "searches in searches": ("count(//a[//a[. = 'z']]) > 7", LETTERS),
    "a concatenation of itself": ("string-length(concat(" + ",".join("." * 500) + ")) = 7",
                                  items(1, "<i>" + "z" * 1_000_000 + "</i>")),
    "unions in unions": ("boolean(" + "(*|..)[" * 40 + ". = 'z'" + "]" * 40 + ")", "<r><i><a/><b/></i></r>"),
    "sums of sums": ("boolean(//a[sum(//a) = 7])", LETTERS),
    "ancestors of ancestors": ("boolean(//b/ancestor::*/descendant::b/ancestor::*[. = 'z'])",
                               "<r>" + "<a>" * 200 + "<b/>" * 9_000 + "</a>" * 200 + "</r>"),
    "namespaces": ("boolean(//*[namespace-uri(.) = 'urn:z'])", "<r xmlns='urn:a'>" + "<a>" * 240 + "<b/>" * 9_000 +
                   "</a>" * 240 + "</r>"),
    "ids": ("boolean(id(.))", items(1, "<i>" + "z " * 2_000_000 + "</i>")),
    "places": ("boolean(//a[last()][position() = count(../a)])", LETTERS),
}


class Listeners:
    """Subscribers that return whenever they are disconnected, and note the reasons given. When this has been made, each
    has subscribed, or was refused."""

    def __init__(self, attack, filters, n=1, more=()):
        self.attack = attack
        parameters = {"stream": "attack", **dict(more)}
        self.query = urlencode([*parameters.items(), *(("filter", text) for text in filters)], safe=":/()*|[]$'")
        self.threads = [threading.Thread(target=self.listen, args=(i,), daemon=True) for i in range(n)]
        self.tried = threading.Semaphore(0)
        self.accepted = 0  # subscriptions
        for thread in self.threads:
            thread.start()
        for _ in self.threads:
            self.tried.acquire(timeout=wire.TIMEOUT_S)

    def subscribe(self, n):
        """A Stream, or None."""
        try:
            stream = self.attack.subscribe(self.query, n, timeout=self.attack.seconds + wire.TIMEOUT_S)
            self.accepted += stream is not None
            return stream
        except (OSError, wire.Broken) as error:
            self.attack.note_end(f"subscription failed: {error}")
            return None
        finally:
            self.tried.release()

    def listen(self, n):
        while self.attack.goes_on():
            stream = self.subscribe(n)
            if stream is None:
                time.sleep(0.1)
                continue
            while (event := stream.event()) is not None:
                kind = next((line[7:] for line in event if line.startswith("event: ")), None)
                if kind is not None:
                    problem = next((json.loads(line[6:]) for line in event if line.startswith("data: ")), {})
                    self.attack.note_end(f"told {kind}: {problem.get('title')}")
                    self.attack.check(problem.get("detail"), f"no reason given: {event}")
                elif not event[0].startswith(":"):
                    self.attack.note_end("delivered")


def publish_again_and_again(attack, document, pause=0.1, stream="attack", **headers):
    n = 0
    while attack.goes_on():
        try:
            attack.publish(document, f"{stream}&deduplicate=false", n=n, timeout=wire.ATTACKER_S, **headers)
        except (OSError, wire.Broken) as error:
            attack.note_end(f"not published: {error}")
        n += 1
        time.sleep(pause)


def subscribe_and_publish(attack, filters, document, n=1, more=(), pause=0.1):
    Listeners(attack, filters, n, more)
    attack.under_way()
    publish_again_and_again(attack, document, pause)


def subscription_row(name, what, **settings):
    text, document = COSTLY[what]

    def run(attack):
        subscribe_and_publish(attack, [text], document)

    run.__name__ = f"scan_{name}"
    run.__doc__ = f"Subscribed: {what}, {text if len(text) < 70 else text[:70] + '…'}"
    row(**settings)(run)


# scan_everything tries all of them, too. Each alone is about latency.
for short, what in (("root_values", "string values of the root"), ("siblings", "a chain of following siblings")):
    subscription_row(short, what, ends_under_attack=True)
for short, what in (("equal_nodes", "equal nodes"), ("translate", "a long table of translate()"),
                    ("child_values", "string values of all children"),
                    ("two_siblings", "two following siblings"), ("less_nodes", "nodes that are less"),
                    ("preceding", "counting before"), ("searches", "searches in searches"),
                    ("concat", "a concatenation of itself"), ("sums", "sums of sums"),
                    ("ancestors", "ancestors of ancestors"), ("namespaces", "namespaces"), ("ids", "ids"),
                    ("places", "places")):
    subscription_row(short, what, long_only=True)


@row(ends_under_attack=True)
def scan_everything(attack):
    """All those filters on one connection, and all their documents."""
    Listeners(attack, [text for text, _ in COSTLY.values()], 2)
    attack.under_way()
    for n, (_, document) in enumerate(itertools.cycle(COSTLY.values())):
        if n >= len(COSTLY) and not attack.goes_on():
            return
        attack.publish(document, "attack&deduplicate=false")


@row(long_only=True)
def keys_128(attack):
    """128 ordinary filters //a[@k='…'] on one connection, and a document of 8 MB that each of them searches."""
    subscribe_and_publish(attack, [f"boolean(//a[@k='{i}z'])" for i in range(128)], KEYS)


def try_again_and_again(attack, trials, clients=4, leave_after_s=None):
    """Posts trials to /v1/match from several clients at once, each trial at least once. With `leave_after_s`, no client
    waits for its reply."""

    def client(n):
        own = trials[n::clients]
        for i, (text, document) in enumerate(itertools.chain(own, itertools.cycle(trials))):
            if i >= len(own) and not attack.goes_on():
                return
            try:
                attack.match(text, document, n, timeout=leave_after_s or wire.ATTACKER_S)
            except (OSError, wire.Broken):
                attack.note_end("left" if leave_after_s else "no reply")

    attack.under_way()
    attack.run_clients(client, clients)


@row(ends_under_attack=True)
def match_long(attack):
    """The same filters as trials, POST /v1/match, from four clients that wait for their replies."""
    try_again_and_again(attack, list(COSTLY.values()))


def abandoned(attack):
    return attack.status()["counters"]["requests_abandoned"]


@row(ends_under_attack=True)
def match_and_leave(attack):
    """Long trials whose clients leave: work that nobody waits for must stop, and is counted."""
    pattern = " or ".join(f"approx-contains(., '{str(i) * 1_000}', 255)" for i in range(10))
    trials = [COSTLY["string values of the root"], COSTLY["equal nodes"],
              (pattern, "<r><a>" + "the quick brown fox " * 300_000 + "</a></r>")]
    try_again_and_again(attack, trials, 8, leave_after_s=0.1)
    attack.check(attack.eventually(lambda: abandoned(attack) > 0), "no abandoned request was counted")


@row(ends_under_attack=True)
def compile_and_leave(attack):
    """Subscriptions whose filters take long to compile, and whose clients leave or wait: 16 addresses."""
    segments = "[a-y]{1,900}[0-8]{1,900}" * 4
    numbers = itertools.count()

    def query(n):
        texts = [" or ".join(f"matches(a, '{segments}{n}_{i}_{k}')" for k in range(8)) for i in range(32)]
        return urlencode([("stream", "attack"), *(("filter", text) for text in texts)])

    def client(n):
        while attack.goes_on():
            try:
                connection = attack.connect(n, timeout=wire.ATTACKER_S)
                wire.send(connection, wire.head("GET", "/v1/events?" + query(next(numbers))))
                if n % 4 == 0:
                    attack.note(wire.Stream(connection).reply())
                time.sleep(0.05)
                connection.close()
            except (OSError, wire.Broken):
                attack.note_end("no reply")

    attack.under_way()
    attack.run_clients(client, 16)
    attack.check(attack.eventually(lambda: abandoned(attack) > 0), "no abandoned request was counted")


@row()
def match_event_path(attack):
    """Trials whose event_path, which is also XPath, is what takes long."""
    paths = {"//a[string-length(/) = 7]": LETTERS, "//a[count(preceding::a) = 77777]": LETTERS,
             "//i[a = b]/a": PAIRS, "//a[sum(../a) = 7]": LETTERS,
             "//i/a" + "/following-sibling::a" * 20: SIBLINGS}

    def client(n):
        for path, document in itertools.cycle(paths.items()):
            if not attack.goes_on():
                return
            try:
                attack.match("true()", document, n, timeout=wire.ATTACKER_S, event_path=path)
            except (OSError, wire.Broken):
                attack.note_end("no reply")

    attack.under_way()
    attack.run_clients(client, 4)


# Conditions that find nothing at once, by kind; each takes a name of its own. Beside them, an evaluation's beginning and
# end, and noting that it is undecided, are what takes time: for every event of every stream.
CHEAP = {
    "following": "following::{}",
    "ancestors": "ancestor-or-self::*[{}]",
    "from the root": "//{}/..",
    "counts": "count({}) = count(../{})",
    "names": "name(*[1]) = '{}'",
    "variables": "$category[. = '{}']",
    "texts": "substring-before(., '{}') = 'x'",
    "ids": "id('{}')",
    "unions": "(a | {})[2]",
}
TINY = "<r><item><title>tiny</title></item></r>"


def names():
    return map("".join, itertools.product("xy", *["abcdefghijklmnopqrstuvwxyz"] * 3))


def disjunctions(filters, conditions, kinds=("following",)):
    """Filters of so many conditions each, of these kinds in turn."""
    texts = (CHEAP[kind].replace("{}", name) for kind, name in zip(itertools.cycle(kinds), names()))
    return [" or ".join(itertools.islice(texts, conditions)) for _ in range(filters)]


def subscribe_to_all(attack, filters_of_each):
    """A connection for each list of filters, of all streams, and tiny documents."""
    listeners = [Listeners(attack, filters, more=(("stream", "*"),)) for filters in filters_of_each]
    attack.check(all(each.accepted for each in listeners), "a subscription was refused")
    attack.under_way()
    publish_again_and_again(attack, TINY)


@row()
def many_cheap_conditions(attack):
    """12,000 conditions that find nothing in one GET of 223 KB, of all streams."""
    subscribe_to_all(attack, [disjunctions(120, 100)])


@row(long_only=True)
def some_cheap_conditions(attack):
    """1,000 of them in a GET of 18 KB."""
    subscribe_to_all(attack, [disjunctions(10, 100)])


@row()
def nested_unions(attack):
    """12 connections of 128 filters (*|..)[(*|..)[…]], five deep."""
    def nested(i):
        return "boolean(" + "(*|..)[" * 5 + f". = '{i}'" + "]" * 5 + ")"

    subscribe_to_all(attack, [[nested(f"{i}.{k}") for k in range(128)] for i in range(12)])


@row()
def cheap_conditions_of_all_kinds(attack):
    """12 connections with 2,000 conditions each that are cheap in different ways."""
    every = disjunctions(12 * 20, 100, tuple(CHEAP))
    subscribe_to_all(attack, [every[20 * i:20 * (i + 1)] for i in range(12)])


def cheap_row(name, kind):
    def run(attack):
        subscribe_to_all(attack, [disjunctions(80, 100, (kind,))])

    run.__name__ = f"cheap_{name}"
    run.__doc__ = f"8,000 conditions that find nothing on one connection: {CHEAP[kind]}"
    row(long_only=True)(run)


for short, what in (("variables", "variables"), ("names", "names"), ("from_the_root", "from the root"),
                    ("unions", "unions")):
    cheap_row(short, what)

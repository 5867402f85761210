"""Subscribers to all streams, including the quiet one: others must not pay for the cost of their filters."""
import time
from urllib.parse import urlencode

import wire
from rows import row
from rows.scans import Listeners


def listen(attack, filters, n=1):
    """Publishes nothing: the quiet publisher's small events are enough."""
    Listeners(attack, filters, n, more=[("stream", "*")])
    attack.under_way()
    while attack.goes_on():
        time.sleep(0.05)


@row(ends_under_attack=True)
def nosy_exponential(attack):
    """Nested unions in predicates, whose cost doubles with each level even for an item with two children."""
    listen(attack, ["boolean(" + "(*|..)[" * depth + ". = 'z'" + "]" * depth + ")" for depth in (20, 40, 60)])


@row(long_only=True)
def nosy_concatenation(attack):
    """Strings that a filter builds from constants alone: comparisons of long concatenations."""
    inner = "concat(" + ",".join(["'" + "x" * 300 + "'"] * 60) + ")"
    listen(attack, [f"boolean(*[*|..|{'../*|' * 50}.][string-length(translate({inner}, 'x', 'y{i}')) = 7])"
                    for i in range(10)])


@row(long_only=True)
def nosy_counting(attack):
    """Numbers that take a filter thousands of steps for each event, 20 filters on several connections."""
    filters = [" + ".join(["count(../..//*[. != ..])"] * 60) + f" = {i + 1_000_000}" for i in range(20)]
    listen(attack, filters, 4)


@row(long_only=True)
def nosy_accepting(attack):
    """100 connections with 128 different filters each that all accept everything."""
    kept = []
    for n in range(100):
        filters = [("filter", f"boolean(.) or x{i} = '{n}'") for i in range(128)]
        try:
            kept.append(attack.subscribe(urlencode([("stream", "*"), *filters])))
        except wire.Broken as error:
            attack.note_end(f"{error}")
    attack.under_way()
    while attack.goes_on():
        time.sleep(0.05)
    attack.served["connections"] = len(kept)

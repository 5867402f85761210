"""Conditions that are indexed or computed, but costly: edit distances, alignments, recurrence, expressions, and paths
that leave the item."""
import itertools

from rows import row
from rows.scans import Listeners, publish_again_and_again, subscribe_and_publish, try_again_and_again

BIG = 15 << 20
TEXT = "<r><a>" + "the quick brown fox jumps over the lazy dog " * (BIG // 44) + "</a></r>"
SIBLINGS = "<r>" + "<item><a>y</a></item>" * 9_900 + "</r>"
CHANNELS = "<rss>" + "<channel><item><a>y</a></item></channel>" * 9_900 + "</rss>"
FAT_SIBLINGS = "<r>" + ("<item><a>" + "y" * 600 + "</a></item>") * 9_900 + "</r>"  # 6 MB


def pattern(i, letters):
    return "".join(chr(97 + (i * 7 + k * (i + 3)) % 26) for k in range(letters))


def digits(i, n):
    """A pattern that no text of letters is near, so that all of it has to be computed."""
    return "".join(str((i * 7 + k * k * (i + 3) + k // 7) % 10) for k in range(n))


@row(ends_under_attack=True)
def edits_that_never_match(attack):
    """16 connections of 128 approx-contains() that no text is near, and texts of 15 MB on eight streams."""
    subscribers = [Listeners(attack, [f"approx-contains(., '{digits(128 * j + i, 300)}', 200)" for i in range(128)],
                             more=[("stream", f"attack{j % 8}")]) for j in range(16)]
    attack.under_way()
    attack.run_clients(lambda n: publish_again_and_again(attack, TEXT, stream=f"attack{n}"), 8)
    attack.served["subscribers"] = len(subscribers)


@row(ends_under_attack=True)
def edits_of_small_items(attack):
    """20 connections of 256 computed conditions, and documents of 9,900 items, none of which exceeds any budget."""
    for j in range(20):
        Listeners(attack, [" or ".join(f"approx-contains(., '{digits(256 * j + 16 * i + k, 300)}', 200)" for k in range(16))
                           for i in range(16)])
    attack.under_way()
    item = "<a>" + "the quick brown fox jumps over the lazy dog " * 32 + "</a>"
    publish_again_and_again(attack, "<r>" + item * 9_900 + "</r>")


@row(ends_under_attack=True)
def edits_255(attack):
    """128 approx-contains() with 255 edits each, all different, on one connection, and texts of 15 MB."""
    subscribe_and_publish(attack, [f"approx-contains(., '{pattern(i, 300)}', 255)" for i in range(128)], TEXT)


@row(long_only=True)
def edits_of_many(attack):
    """The same from eight subscribers at eight addresses, 16 conditions per filter, on texts of 1 MB."""
    filters = [" or ".join(f"approx-contains(., '{pattern(16 * j + i, 300)}', 255)" for i in range(16)) for j in range(8)]
    subscribe_and_publish(attack, filters, "<r><a>" + TEXT[10:1 << 20] + "</a></r>", n=8)


@row(ends_under_attack=True)
def quadratic_contains(attack):
    """contains(.., 'zz'), indexed, in thousands of items: each reads the text of all its siblings."""
    subscribe_and_publish(attack, ["contains(.., 'zz')"], FAT_SIBLINGS)


@row(ends_under_attack=True)
def quadratic_path(attack):
    """../item/a = 'x', indexed, in thousands of items: each has the values of all its siblings."""
    subscribe_and_publish(attack, ["../item/a = 'x'", "../../r/item/a = 'z'", "../item/a > 7"], SIBLINGS)


@row()
def multiplied_paths(attack):
    """Thousands of indexed paths like a/*/a/*/a, each of which leads to thousands of elements of a small document."""
    paths = ["/".join(steps) for steps in itertools.islice(itertools.product("a*", repeat=12), 4_000)]
    filters = [" and ".join(paths[i:i + 1_300]) + " and z" for i in range(0, len(paths), 1_300)]
    filters += [path + " = 'z'" for path in paths[::200]]
    document = "<r><i>" + "<a>" * 11 + "<a>q</a>" * 9_000 + "</a>" * 11 + "</i></r>"
    subscribe_and_publish(attack, filters, document)


@row(long_only=True)
def quadratic_channels(attack):
    """The same across thousands of channels with one item each: no item has a sibling."""
    filters = ["../../channel/item/a = 'x'", "../item/a = 'z'", "contains(../.., 'zz')",
               "../../../rss/channel/item/a > 7"]
    subscribe_and_publish(attack, filters, CHANNELS)


@row(long_only=True)
def quadratic_trial(attack):
    """quadratic_contains and quadratic_path as trials."""
    try_again_and_again(attack, [("contains(.., 'zz')", FAT_SIBLINGS), ("../item/a = 'x'", SIBLINGS)])


@row(ends_under_attack=True)
def alignments(attack):
    """Sequences of 10,000 letters, aligned with texts of megabytes, with the CIGAR requested."""
    sequence = "acgt" * 2_500
    filters = [f"align(., '{sequence[i:]}') > 9999999" for i in range(4)]
    document = "<r><a>" + "acgtacga" * (BIG // 8) + "</a></r>"
    subscribe_and_publish(attack, filters, document, more=[("annotate", "alignment")])


@row(long_only=True)
def alignments_of_many(attack):
    """128 alignments with texts that are each within the budget of one condition."""
    filters = [f"align(., '{pattern(i, 500).translate({k: 'acgt'[k % 4] for k in range(97, 123)})}') > 99999"
               for i in range(128)]
    subscribe_and_publish(attack, filters, "<r>" + ("<a>" + "acgtacga" * 2_000 + "</a>") * 300 + "</r>")


@row(ends_under_attack=True)
def recurrence(attack):
    """Laminarity, determinism and recurrence rate of series of millions of numbers: quadratic by definition."""
    document = "<r><a>" + "1 2 3 2 " * (BIG // 8) + "</a></r>"
    subscribe_and_publish(attack, ["laminarity(., 0.5) > 0.99", "determinism(., 1.5) > 0.99", "recurrence-rate(., 0.1) < 0"],
                          document)


@row(long_only=True)
def recurrence_of_many(attack):
    """Thousands of series in a document, each within the budget of one condition, and many filters."""
    document = "<r>" + ("<a>" + "1 2 3 2 5 " * 400 + "</a>") * 1_500 + "</r>"
    subscribe_and_publish(attack, [f"laminarity(., 0.{i}) > 0.99" for i in range(1, 100)], document)


@row(ends_under_attack=True)
def expressions(attack):
    """Non-matching regular expressions with large automata, on texts of 15 MB."""
    filters = [f"matches(., '(x+x+)+y{i}')" for i in range(40)]
    filters += [f"matches(., '[a-z ]*[aeiou][a-z ]{{200}}{i}$')" for i in range(40)]
    filters += [f"matches(., '(a|b|c|d|e)*(q|r|s)[^{chr(97 + i % 26)}]{{50,100}}Z{i}')" for i in range(40)]
    subscribe_and_publish(attack, filters, TEXT)


@row(long_only=True)
def many_searches(attack):
    """Thousands of contains() that almost match, on texts of 15 MB of one letter."""
    filters = [" or ".join(f"contains(., '{'x' * 60}{i}_{j}')" for j in range(16)) for i in range(128)]
    subscribe_and_publish(attack, filters, "<r><a>" + "x" * BIG + "</a></r>")


@row(long_only=True)
def large_events(attack):
    """Events of 15 MB to fifty subscribers who read them slowly: text that becomes longer as JSON."""
    document = "<r><a>" + "&quot;&#9;" * (BIG // 10) + "</a></r>"
    subscribe_and_publish(attack, ["boolean(.)"], document, n=50, pause=0.3)

"""Subscriptions to tens of thousands of different paths that no event has: reading and matching events of others must
not notice them. The subscriptions are made before the attack is under way."""
import time
from urllib.parse import urlencode

from rows import row

CONNECTIONS, FILTERS, CONDITIONS = 6, 128, 56  # 43,008 conditions

FUNCTIONS = ["contains({},'x')", "starts-with({},'x')", "count({})>1", "sum({})>1", "number({})=1", "string({})='x'",
             "normalize-space({})='x'", "string-length({})>1"]
# True of a path without nodes.
NEGATIONS = ["not({})", "count({})<1", "string-length({})=0", "not({}='x')", "string({})=''", "sum({})<1"]


def subscribe_to_paths(attack, conditions, path, stream, also=""):
    """Each condition of each filter is of another path; `also` is a further condition of each filter."""
    kept, number = [], 0
    for n in range(CONNECTIONS):
        filters = []
        for f in range(FILTERS):
            condition = conditions[f % len(conditions)]
            alternatives = " or ".join(condition.format(path.format(number + i)) for i in range(CONDITIONS))
            number += CONDITIONS
            filters.append(f"({alternatives}) and {also}" if also else alternatives)
        query = urlencode([("stream", stream), *(("filter", text) for text in filters)], safe="/()*@'=<>,")
        kept.append(attack.subscribe(query, n))
    attack.check(None not in kept, "a subscription was refused")
    attack.served["conditions"] = number
    attack.under_way()
    while attack.goes_on():
        time.sleep(0.05)


@row()
def missing_paths(attack):
    """Functions of 43,000 different paths, of a stream that nobody publishes to."""
    subscribe_to_paths(attack, FUNCTIONS, "p{}", "nobody")


@row()
def missing_paths_of_all_streams(attack):
    """The same with stream=*, so that only their paths tell that they concern nobody."""
    subscribe_to_paths(attack, FUNCTIONS, "p{}", "*")


@row()
def missing_paths_that_hold(attack):
    """Conditions that missing paths make true, beside one that is false, of all streams."""
    subscribe_to_paths(attack, NEGATIONS, "p{}", "*", "$stream='nobody'")


@row()
def missing_paths_and_negations(attack):
    """Nothing but negations, of which one that all filters share is false."""
    subscribe_to_paths(attack, NEGATIONS, "p{}", "*", "not($title) and not(title)")


@row()
def missing_wide_paths(attack):
    """Paths with * before their end, which may lead to many elements."""
    subscribe_to_paths(attack, ["{}='x'", *FUNCTIONS], "*/*/p{}", "*")


@row()
def missing_paths_beside_the_item(attack):
    """Paths beside the item, beside its ancestors, and above the document."""
    subscribe_to_paths(attack, ["{}='x'", *FUNCTIONS], "../../../p{}", "*")


@row()
def missing_attributes(attack):
    """Attributes and texts of different elements, and elements within them."""
    subscribe_to_paths(attack, ["{}/@a='x'", "{}/@*", "{}/text()='x'", "{}/*='x'", "date({})>1", "lower-case({})='x'"],
                       "p{}", "*")


@row()
def comparisons_of_missing_paths(attack):
    """Ranges and inequalities, which nothing but the path leads to."""
    subscribe_to_paths(attack, ["{}!='x'", "{}<5", "{}!=5", "{}>=1", "string({})<5", "count({})!=0"], "p{}", "*")


@row()
def operands_of_present_paths(attack):
    """Different operands for what every event has."""
    subscribe_to_paths(attack, ["$title='{}'", "starts-with($title,'{}')", "contains($title,'{}')", "$path='/{}'",
                                "name(.)='{}'", "string-length($title)={}0000"], "9{}", "*")

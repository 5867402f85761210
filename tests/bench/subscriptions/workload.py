"""Events by their number and filters by that of their subscription, so that every process knows which belong together.

Of 100 subscriptions 70 ask for one of 7,000 categories, 20 for a thousandth of all prices, 9 for a word of titles of 8
out of 20,000 words, and one for a tenth of all prices."""
import bisect

CATEGORIES, PRICES, WORDS, TITLE_WORDS = 7_000, 1_000_000, 20_000, 8
BAND = PRICES // 1_000


def mix(number):
    """A number below 2^32 that looks random, and is the same every time."""
    for _ in range(2):
        number = (number ^ number >> 16) * 0x45D9F3B & 0xFFFFFFFF
    return number ^ number >> 16


def word(number):
    return f"w{number:05}"


def words_of(event):
    return [mix(event * TITLE_WORDS + place) % WORDS for place in range(TITLE_WORDS)]


def category_of(event):
    return mix(event + (1 << 30)) % CATEGORIES


def price_of(event):
    return mix(event + (1 << 31)) % PRICES


def item(event, first, rest):
    """An item of RSS. Its title begins with `first` and its description is `rest`."""
    title = " ".join([first, *map(word, words_of(event))])
    return (f"<item><guid>{event}</guid><title>{title}</title><category>topic-{category_of(event)}</category>"
            f"<price>{price_of(event)}</price><description>{rest}</description></item>")


def rss(items):
    return f"<rss version='2.0'><channel><title>t</title>{''.join(items)}</channel></rss>"


def filter_of(subscription):
    kind, choice = subscription % 100, mix(subscription)
    if kind < 70:
        return f"$category = 'topic-{choice % CATEGORIES}'"
    if kind < 90:
        return f"price >= {choice % PRICES} and price < {choice % PRICES + BAND}"
    if kind < 99:
        return f"contains($title, '{word(choice % WORDS)}')"
    return f"price >= {PRICES - PRICES // 10}"


class Index:
    """Which of the events below `end` a subscription's filter accepts."""

    def __init__(self, end):
        self.by_category, self.by_word = {}, {}
        for event in range(end):
            self.by_category.setdefault(category_of(event), []).append(event)
            for number in {*words_of(event)}:
                self.by_word.setdefault(number, []).append(event)
        self.by_price = sorted((price_of(event), event) for event in range(end))

    def accepted(self, subscription):
        kind, choice = subscription % 100, mix(subscription)
        if kind < 70:
            return self.by_category.get(choice % CATEGORIES, [])
        if 90 <= kind < 99:
            return self.by_word.get(choice % WORDS, [])
        low, high = (choice % PRICES, choice % PRICES + BAND) if kind < 90 else (PRICES - PRICES // 10, PRICES)
        first, last = (bisect.bisect_left(self.by_price, (price, -1)) for price in (low, high))
        return [event for _, event in self.by_price[first:last]]

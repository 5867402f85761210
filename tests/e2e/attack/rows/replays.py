"""Subscribers that read everything from the log again."""
import json
import threading
from urllib.parse import urlencode

from rows import MANY, row
from rows.readers import sleepers

ITEMS = 100  # of a document
COSTLY = [f"count(//item[title = following::item/title]) > {k} or contains(., string({k}))" for k in range(128)]


@row()
def replaying(attack):
    """50 subscribers that replay 2,000 events, each again as soon as it is done; one that never reads what it asked
    for, and one of 128 costly filters."""
    replay_again_and_again(attack, 50, 2_000)


@row(long_only=True)
def very_many_replaying(attack):
    """The same with 1,000 subscribers and 20,000 events."""
    replay_again_and_again(attack, MANY, 20_000)


def replay_again_and_again(attack, replays, events):
    for first in range(0, events, ITEMS):
        items = "".join(f"<item><title>t{i}</title></item>" for i in range(first, first + ITEMS))
        attack.publish(f"<rss version='2.0'><channel>{items}</channel></rss>", "attack&deduplicate=false")
    sleepers(attack, 1, "stream=attack&from=first&format=source")
    greedy = urlencode([("stream", "attack"), ("from", "first"), *(("filter", text) for text in COSTLY)])
    attack.subscribe(greedy)
    attack.under_way()
    complete = [0]

    def read_all(i):
        while attack.goes_on():
            stream = attack.subscribe("stream=attack&from=first&filter=title", i)
            if stream is None:
                continue
            last = 0
            for _ in range(events):
                event = stream.data_event()
                if event is None:
                    return
                number = json.loads(event[-1].removeprefix("data: "))["id"]
                attack.check(number > last, f"event {number} came after {last}")
                last = number
            complete[0] += 1
            stream.connection.close()

    threads = [threading.Thread(target=read_all, args=(i,), daemon=True) for i in range(replays)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    attack.served["complete replays"] = complete[0]

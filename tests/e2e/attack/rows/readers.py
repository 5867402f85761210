"""Subscribers that do not read, or are very many."""
import select
import threading
import time
from urllib.parse import urlencode

import wire
from rows import MANY, row
from rows.scans import publish_again_and_again

FAT = "<r>" + ("<a>" + "x" * 100_000 + "</a>") * 10 + "</r>"


def sleepers(attack, n, query="stream=attack"):
    """Subscribers that stop reading once they have subscribed."""
    kept = []
    for i in range(n):
        try:
            stream = attack.subscribe(query, i, receive_bytes=wire.SMALL_BUFFER_BYTES)
        except (OSError, wire.Broken) as error:
            attack.note_end(f"subscription failed: {error}")
            continue
        kept += [stream] if stream is not None else []
    return kept


@row(options=("delivery.queue_bytes=16MiB",), tls_too=True)
def never_reading(attack):
    """200 subscribers, in two formats, that never read what one publisher sends them a megabyte at a time."""
    kept = sleepers(attack, 100) + sleepers(attack, 100, "stream=attack&format=xml")
    attack.under_way()
    publish_again_and_again(attack, FAT, pause=0.01)
    attack.served["sleepers"] = len(kept)


@row(long_only=True)
def never_reading_own_frames(attack):
    """The same, but each subscriber's events are rendered for it alone: it has filters and alignments of its own."""
    kept = []
    for i in range(100):
        query = urlencode([("stream", "attack"), ("annotate", "alignment"),
                           *(("filter", f"boolean(a{i}) or boolean(.) or align(a, 'acgt') > {k}") for k in range(16))])
        kept += sleepers(attack, 1, query)
    attack.under_way()
    publish_again_and_again(attack, "<r>" + "<a>acgt</a>" * 9_000 + "</r>", pause=0.01)
    attack.served["sleepers"] = len(kept)


@row(plain_only=True)
def wide_fanout(attack):
    """Very many subscribers to everything that all read, and events as fast as they are accepted."""
    poll = select.poll()
    kept = sleepers(attack, MANY, "stream=attack")
    sockets = {stream.connection.fileno(): stream.connection for stream in kept}
    for descriptor in sockets:
        poll.register(descriptor, select.POLLIN)

    def read():
        while attack.goes_on():
            for descriptor, _ in poll.poll(100):
                try:
                    if not sockets[descriptor].recv(1 << 20):
                        poll.unregister(descriptor)
                        attack.note_end("ended")
                except OSError:
                    poll.unregister(descriptor)
                    attack.note_end("ended")

    attack.under_way()
    threading.Thread(target=read, daemon=True).start()
    publish_again_and_again(attack, "<r>" + "<a><title>x</title></a>" * 20 + "</r>", pause=0.005)


@row(long_only=True)
def slow_trickle(attack):
    """Subscribers that read a byte now and then, so that they never look dead."""
    kept = sleepers(attack, 100)
    attack.under_way()

    def sip():
        while attack.goes_on():
            for stream in list(kept):
                try:
                    if not stream.connection.recv(1):
                        kept.remove(stream)
                        attack.note_end("ended")
                except OSError:
                    kept.remove(stream)
                    attack.note_end("ended")
            time.sleep(0.05)

    threading.Thread(target=sip, daemon=True).start()
    publish_again_and_again(attack, FAT, pause=0.01)

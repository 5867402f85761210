"""What a durable subscription does, in plain Python: which events it must deliver, which again and when, and which
never more. Pure, as model.py: time is that of a clock that the test moves.

A daemon may lag behind, so what arrives is taken one by one, and what must not have come then raises Fault.
`is_quiet()` says that nothing more can be on its way, so that what follows is known exactly. Where the test goes on
without waiting for that, what was on its way may have been delivered or not."""
from collections import deque
from typing import NamedTuple, Optional

from model import ALL, Fault

DEAD = "dead"  # a stream of dead letters, which the test may get to know after the daemon has delivered them
NEVER = float("inf")
BACKOFF_MS = 300_000  # at most, of what was delivered too often and has no dead-letter stream
HISTORY = 100  # lines of it are told of one that is at fault
EXPIRED, LEFT, RESTARTED = "not acknowledged within ack_wait", "the consumer left", "delivered before a restart"


class Clock:
    def __init__(self):
        self.ms = 0


class Options(NamedTuple):
    streams: tuple = ("default",)
    ack: str = "each"
    ack_wait_ms: int = 30_000
    max_deliver: int = 10
    dead_letter: Optional[str] = None
    prefetch: int = 1_000
    share: bool = False

    def selects(self, stream):
        return any(each in (ALL, stream) or (each.endswith(".*") and stream.startswith(each[:-1]))
                   for each in self.streams)

    def body(self, filters):
        """Of a PUT."""
        return {"streams": list(self.streams), "filters": [each.text for each in filters], "ack": self.ack,
                "ack_wait": f"{self.ack_wait_ms}ms", "max_deliver": self.max_deliver, "prefetch": self.prefetch,
                "share": self.share,
                **({"dead_letter": self.dead_letter} if self.dead_letter else {})}


class Entry:
    """An event that was delivered and not acknowledged, or may have been."""
    __slots__ = ("event", "deliveries", "held_by", "holder", "earliest", "latest", "expires", "reasons", "is_exact",
                 "is_sure", "may_be_gone")

    def __init__(self, event):
        self.event = event
        self.deliveries = 0  # the number of the last one that was seen
        self.held_by = None  # "stream" or "next", until it is due
        self.holder = None  # the consumer who got it last
        self.earliest = self.latest = 0  # ms, when it is due
        self.expires = 0  # ms, at the latest; what is delivered too often is due later
        self.reasons = set()  # that a dead letter may give
        self.is_exact = True  # no delivery was missed
        self.is_sure = True  # it is outstanding, whatever else
        self.may_be_gone = False  # acknowledged, or no longer wanted


class Durable:
    def __init__(self, model, clock, name, options, filters, after):
        self.model, self.clock, self.name, self.options = model, clock, name, options
        self.history = deque(maxlen=HISTORY)
        self.versions = [filters]  # the last is in force, earlier ones may have been when something was sent
        self.edited_at = 0  # the last id then
        self.after = self.floor = after  # what was dropped up to here was not asked for, or has been passed
        is_single = len(options.streams) == 1 and not options.streams[0].endswith("*")
        self.single = options.streams[0] if is_single else None
        self.wanted = {}  # must come for the first time: id -> event
        self.possible = {}  # may come for the first time
        self.entries = {}
        self.finished = {}  # acknowledged, or dead, or given up: why
        self.excused = {}  # finished while they may have been on their way: id -> the last id then, and to whom
        self.dead = set()
        self.dying = set()  # acknowledged while they may have been on their way to the dead letters
        self.maybe_acknowledged = set()  # without having been seen
        self.gone = 0  # that many were outstanding and are gone; a reset may not have come yet
        self.hidden = 0  # so many more may be outstanding since a crash, of those that may come
        self.hidden_end = 0  # all with lower ids
        self.lost = set()  # ids that may have been delivered to one who left without reading them
        self.consumers = []
        self.fewest = 0  # consumers that there may have been when something was sent that may come
        self.has_shared = options.share  # what comes to one says nothing of what comes to another
        self.unedited = set()  # consumers to whom something may be on its way that was sent before the last edit
        self.quiet_at = clock.ms  # the last time at which nothing was on its way
        self.has_crashed = False
        self.seen = set()
        self.overtaken = {}  # deliveries to one consumer that another's later one was read before: id -> their numbers
        self.offer(model.kept(ALL, after))

    # What is published

    def accepts(self, event, filters=None):
        filters = self.versions[-1] if filters is None else filters
        return self.options.selects(event.stream) and (not filters or any(each.holds(event) for each in filters))

    def offer(self, events):
        events = list(events)
        if any(self.options.selects(event.stream) for event in events):
            self.note(f"published {[event.id for event in events]}")
        for event in events:
            if event.id > self.after and self.accepts(event):
                is_late = event.stream == DEAD and self.options.ack == "none"
                (self.possible if is_late else self.wanted)[event.id] = event

    # What is known

    def fail(self, what):
        raise Fault(f"{what}; {self.describe()}")

    def describe(self):
        due = {number: (each.deliveries, each.earliest, each.latest, each.held_by, each.is_exact, each.is_sure)
               for number, each in list(self.entries.items())[:8]}
        return (f"{self.name} {self.options}, {[each.text for each in self.versions[-1]]} of {len(self.versions)}, "
                f"at {self.clock.ms} ms, quiet at {self.quiet_at}, waits for {len(self.wanted)} "
                f"{list(self.wanted)[:8]}, may get {list(self.possible)[:8]}, {len(self.entries)} outstanding {due}, "
                f"consumers: {self.kinds()}, finished {len(self.finished)} {list(self.finished.items())[-8:]}; "
                f"last: {'; '.join(self.history)}")

    def note(self, what):
        self.history.append(f"{self.clock.ms} {what}")

    def kinds(self):
        return [each.kind for each in self.consumers]

    def is_spent(self, entry):
        return bool(self.options.dead_letter) and 0 < self.options.max_deliver <= entry.deliveries

    def is_certain(self, entry):
        """It is outstanding now."""
        return entry.is_sure and not entry.may_be_gone and (
            self.clock.ms < entry.earliest or (entry.event.kept and not self.is_spent(entry)))

    def has_room(self):
        """More can be delivered for the first time."""
        return len(self.entries) + self.hidden < self.options.prefetch

    def may_have_room(self):
        return self.options.ack == "none" or sum(map(self.is_certain, self.entries.values())) < self.options.prefetch

    def must_die(self, entry):
        return (self.is_spent(entry) and entry.is_exact and entry.is_sure and not entry.may_be_gone and entry.event.kept
                and entry.latest <= self.clock.ms)

    def must_come_again(self, entry):
        return (entry.latest <= self.clock.ms and not entry.may_be_gone and entry.event.kept
                and not (self.is_spent(entry) and entry.is_exact))

    def due(self, is_consumed=False):
        """The ids that must come, or be dead letters. `is_consumed`: as if somebody did."""
        ids = [number for number, each in self.entries.items() if self.must_die(each)]
        if self.consumers or is_consumed:
            has_room = self.has_room()
            first_waiting = self.first_waiting()
            ids += [number for number, each in self.entries.items() if number < first_waiting
                    and self.must_come_again(each) and (each.is_sure or has_room)]
            ids += list(self.wanted) if has_room and first_waiting == NEVER else ()
        return ids

    def first_waiting(self):
        """Of cumulative acknowledgements it holds up what has higher ids; NEVER: nothing does."""
        if self.options.ack != "cumulative":
            return NEVER
        if self.hidden:
            return 0
        return min((number for number, each in self.entries.items() if not self.must_come_again(each) and not (
            each.held_by is not None and self.clock.ms < each.earliest)), default=NEVER)

    def is_quiet(self):
        if self.due():
            return False
        if not self.consumers:
            return True
        surely_waiting = min((number for number, each in self.entries.items() if self.options.ack == "cumulative"
                              and self.is_certain(each) and each.held_by is None and self.clock.ms < each.earliest),
                             default=NEVER)
        more = [each for number, each in self.entries.items()
                if number < surely_waiting and self.must_come_again(each)]
        if any(each.is_sure for each in more) or any(
                not each.is_sure or each.earliest <= self.clock.ms < each.latest for each in self.entries.values()):
            return False
        is_more = more or self.wanted and surely_waiting == NEVER
        return not is_more or not self.may_have_room()

    def note_quiet(self):
        """Everything that was due has come."""
        if self.is_quiet():
            self.quiet_at = self.clock.ms
            self.fewest = self.surely_consuming()

    def surely_consuming(self):
        """A call of `next` may not have begun, or may have ended."""
        return self.kinds().count("stream")

    def knows(self, number):
        places = (self.entries, self.wanted, self.possible, self.excused, self.dying, self.dead)
        return any(number in each for each in places)

    # What arrives

    def take_event(self, message, consumer):
        number, deliveries = message["id"], message.get("deliveries", 1)
        event = self.model.events.get(number)
        if event is None:
            self.fail(f"event {number} was never published")
        if (message["stream"], message["change"], message["item"]["title"]) != (
                event.stream, event.change, event.item.title):
            self.fail(f"event {number} is not what was published: {message}")
        if message.get("redelivered", False) != (deliveries > 1):
            self.fail(f"event {number} has the wrong mark: {message}")
        self.unexcuse(event, consumer)
        self.note(f"event {number} {deliveries} to {consumer}")
        self.check_order(event, deliveries, consumer)
        if deliveries in self.overtaken.get(number, ()):
            self.overtaken[number].discard(deliveries)
            return
        if number in self.finished:
            if number not in self.excused:
                self.fail(f"event {number}, delivery {deliveries}, came though {self.finished[number]}")
            return
        if not any(self.accepts(event, filters) for filters in self.versions):
            self.fail(f"event {number} came, and no filter accepts it: {message}")
        if number in self.seen and deliveries < 2:
            self.fail(f"event {number} came again, without a mark")
        was_wanted = number not in self.possible
        self.note_overtaken(number, deliveries)
        entry = self.entries.get(number)
        if entry is None:
            self.check_first(event, deliveries, consumer)
            entry = Entry(event)
            entry.is_exact = number in self.wanted
            self.entries[number] = entry
        else:
            self.check_again(entry, deliveries)
        if not was_wanted and number < self.hidden_end:
            self.hidden = max(0, self.hidden - 1)
        self.wanted.pop(number, None)
        self.possible.pop(number, None)
        if self.single is not None and not self.has_shared:
            self.floor = max(self.floor, number)
        self.seen.add(number)
        self.note_delivery(entry, deliveries, consumer)
        if event.stream == DEAD or not was_wanted:
            entry.earliest = 0  # it may have been on its way when nothing was known to be

    def unexcuse(self, event, consumer):
        """What is sent later arrives later: no version, and no redelivery, older than an event is on its way to who
        gets the event."""
        if event.id in self.seen or event.stream == DEAD:
            return
        if event.id > self.edited_at:
            self.note_edited(consumer)
        for number in [number for number, (fence, _) in self.excused.items() if fence < event.id]:
            self.excuse_no_more(number, consumer)

    def note_edited(self, consumer):
        self.unedited.discard(consumer)
        if not self.unedited:
            del self.versions[:-1]

    def excuse_no_more(self, number, consumer):
        those = self.excused[number][1]
        those.discard(consumer)
        if not those:
            del self.excused[number]

    def note_overtaken(self, number, deliveries):
        entry = self.entries.get(number)
        first = entry.deliveries + 1 if entry is not None else 1
        if len(self.consumers) > 1 and first < deliveries:
            self.overtaken.setdefault(number, set()).update(range(first, deliveries))

    def check_order(self, event, deliveries, consumer):
        """What comes to one consumer for the first time comes in order."""
        if deliveries == 1:
            if event.id <= consumer.last_ids.get(event.stream, 0):
                self.fail(f"event {event.id} came to {consumer} after {consumer.last_ids[event.stream]}")
            consumer.last_ids[event.stream] = event.id

    def check_first(self, event, deliveries, consumer):
        number = event.id
        if number not in self.wanted and number not in self.possible:
            self.fail(f"event {number} must not come here")
        if deliveries > (2 if self.has_crashed else 1) and (
                number not in self.lost and number not in self.overtaken and event.stream != DEAD):
            self.fail(f"event {number} came first as delivery {deliveries}")
        for earlier in self.wanted.values() if not self.has_shared else ():
            if earlier.id >= number:
                break
            if earlier.stream == event.stream and earlier.kept:
                self.fail(f"event {number} came, and {earlier.id} before it is missing")
        if not self.may_have_room() and not self.may_be_late(event):
            self.fail(f"event {number} came beyond what may be outstanding")
        part = -(-self.options.prefetch // max(self.fewest, 1))
        if self.options.ack != "none" and part <= sum(
                each.holder is consumer and each.held_by is not None and self.clock.ms < each.earliest
                and self.is_certain(each) for each in self.entries.values()):
            self.fail(f"event {number} came to {consumer}, who has {part} or more")

    def may_be_late(self, event):
        """It may have been outstanding, and be no more, before what others have got since."""
        return len(self.consumers) > 1 and (
            event.id not in self.wanted or not event.kept or len(self.versions) > 1
            or self.clock.ms >= self.quiet_at + self.options.ack_wait_ms)

    def check_again(self, entry, deliveries):
        number = entry.event.id
        is_next = deliveries == entry.deliveries + 1 or number in self.overtaken
        if entry.is_exact and not is_next or deliveries <= entry.deliveries:
            self.fail(f"event {number} came as delivery {deliveries} after {entry.deliveries}")
        if self.clock.ms < entry.earliest:
            self.fail(f"event {number} came again before {entry.earliest} ms")
        if entry.is_exact and self.is_spent(entry):
            self.fail(f"event {number} came again, and should be a dead letter")

    def note_delivery(self, entry, deliveries, consumer):
        entry.deliveries = deliveries
        if self.options.ack == "none":
            del self.entries[entry.event.id]
            self.finished[entry.event.id] = "nobody acknowledges"
            return
        entry.held_by, entry.holder = consumer.kind, consumer
        entry.is_exact = True
        entry.is_sure = entry.event.id not in self.maybe_acknowledged
        entry.may_be_gone = not entry.is_sure or not self.accepts(entry.event)
        entry.reasons = {EXPIRED}
        self.set_due(entry, self.clock.ms + self.options.ack_wait_ms)
        entry.earliest = self.quiet_at + self.options.ack_wait_ms
        entry.expires = self.clock.ms + self.options.ack_wait_ms

    def set_due(self, entry, ms):
        entry.earliest = entry.latest = entry.expires = ms
        if self.backs_off(entry):
            entry.latest = NEVER

    def set_due_after(self, entry, ms):
        """Its consumer has given it back."""
        self.set_due(entry, self.clock.ms + ms)
        if self.backs_off(entry):
            self.back_off(entry, self.clock.ms + ms)

    def backs_off(self, entry):
        return not self.options.dead_letter and self.options.max_deliver and (
            self.options.max_deliver <= entry.deliveries or not entry.is_exact)

    def back_off(self, entry, ms):
        """It is delivered too often, and waits from then on."""
        entry.held_by = None
        if entry.is_exact and entry.earliest == entry.expires:
            wait_ms = min(1_000 << min(entry.deliveries - self.options.max_deliver, 30), BACKOFF_MS)
            entry.earliest = entry.latest = ms + wait_ms
        else:
            entry.latest = ms + BACKOFF_MS

    def note_time(self):
        """The clock has moved."""
        for entry in self.entries.values():
            if entry.latest == NEVER and entry.expires <= self.clock.ms:
                self.back_off(entry, self.clock.ms)

    def take_reset(self, reset):
        dropped = self.dropped_id()
        self.note(f"reset {reset['oldest_id']}, dropped {dropped}, floor {self.floor}, gone {self.gone}")
        gone = [each for each in self.entries.values() if not each.event.kept and each.earliest <= self.clock.ms]
        if dropped <= self.floor and not gone:  # of what should come again it is told once more
            self.gone -= 1
        if self.gone < 0:
            self.fail(f"nothing was dropped, but this came: {reset}")
        if reset["reason"] != "retention" or reset["epoch"] != self.model.epoch:
            self.fail(f"the reason or the epoch is wrong: {reset}")
        for number in [number for number, event in self.wanted.items() if not event.kept]:
            self.possible[number] = self.wanted.pop(number)

    def dropped_id(self):
        """Where several streams are read, what others have dropped is told, too."""
        return max(self.model.dropped_id(self.single or ALL), self.model.forgotten_id)

    def take_dead_letter(self, number, deliveries, reason):
        self.note(f"dead letter {number} {deliveries} {reason}")
        if number in self.dead:
            self.fail(f"event {number} is a dead letter already")
        entry = self.entries.get(number)
        if entry is None and (self.excused.pop(number, None) is not None or number in self.dying):
            if number in self.wanted or number in self.possible:  # again since a seek, which it may have overtaken
                self.dying.discard(number)
                self.maybe_acknowledged.add(number)
                self.possible[number] = self.model.events[number]
                self.wanted.pop(number, None)
            else:
                self.dead.add(number)
            return
        if entry is None and (number in self.possible or (number in self.wanted and not self.is_quiet())):
            entry = Entry(self.model.events[number])
            entry.is_exact = False
        if entry is None:
            self.fail(f"event {number} is a dead letter")
        if not self.is_quiet() and deliveries > entry.deliveries:
            entry.is_exact = False  # what was delivered meanwhile is on its way
        if not self.options.dead_letter or not 0 < self.options.max_deliver <= deliveries:
            self.fail(f"event {number} is a dead letter after {deliveries} deliveries")
        if entry.is_exact and deliveries != entry.deliveries or deliveries < entry.deliveries:
            self.fail(f"event {number} is a dead letter after {deliveries} deliveries, not {entry.deliveries}")
        if entry.is_exact and self.clock.ms < entry.earliest:
            self.fail(f"event {number} is a dead letter before {entry.earliest} ms")
        if entry.is_exact and reason not in entry.reasons:
            self.fail(f"event {number} is a dead letter for {reason!r}, not {entry.reasons}")
        self.finish(number, "it is a dead letter")
        self.dead.add(number)

    def finish(self, number, why):
        entry = self.entries.pop(number, None)
        if entry is not None and self.is_spent(entry) and entry.earliest <= self.clock.ms:
            self.dying.add(number)
        if entry is not None and not entry.event.kept and entry.earliest <= self.clock.ms:
            self.gone += 1
        if (entry is not None and entry.earliest <= self.clock.ms) or number in self.wanted or number in self.possible:
            self.excused[number] = (self.model.last_id, set(self.consumers))
        self.wanted.pop(number, None)
        self.possible.pop(number, None)
        self.finished[number] = why

    # What consumers say

    def acknowledged(self, number, is_known):
        self.note(f"acknowledged {number} {is_known}")
        entry = self.entries.get(number)
        if is_known:
            if entry is None and number not in self.wanted and number not in self.possible:
                self.fail(f"the acknowledgement of event {number} did something, though {self.finished.get(number)}")
            if entry is None and number not in self.lost and (
                    not self.consumers or number in self.wanted and not self.may_have_room()):
                self.fail(f"event {number} was acknowledged before it was delivered")
            self.finish(number, "it was acknowledged")
        elif entry is not None:
            if self.is_certain(entry):
                self.fail(f"event {number} is not known")
            if not self.is_spent(entry) and entry.is_exact and entry.is_sure:
                self.finish(number, "it was not known any more")

    def may_reject(self, number, deliveries):
        """Whether a rejection or an extension of this delivery must do something; None: it may."""
        entry = self.entries.get(number)
        if entry is None:
            return False
        if entry.is_exact and self.clock.ms < entry.earliest:
            if deliveries not in (0, entry.deliveries):
                return False
            if self.is_certain(entry):
                return entry.held_by is not None
        return None

    # Where another delivery may be on its way, they name theirs.

    def rejected(self, number, deliveries, delay_ms, reason, is_known):
        self.note(f"rejected {number} {deliveries} {delay_ms} {is_known}")
        self.check_known(number, deliveries, is_known)
        if is_known:
            entry = self.entries[number]
            entry.held_by = None
            entry.reasons = {reason}
            self.set_due_after(entry, 0 if self.is_spent(entry) else delay_ms)

    def extended(self, number, deliveries, by_ms, is_known):
        self.note(f"extended {number} {deliveries} {by_ms} {is_known}")
        self.check_known(number, deliveries, is_known)
        if is_known:
            self.set_due(self.entries[number], self.clock.ms + by_ms)

    def acknowledged_up_to(self, limit, n=None):
        """And so many were acknowledged, if it is known."""
        self.note(f"acknowledged up to {limit}: {n}")
        entries = [each for number, each in self.entries.items() if number <= limit]
        least, most = sum(map(self.is_certain, entries)), len(entries)
        unseen = () if self.is_quiet() else (*self.wanted, *self.possible)
        on_their_way = [number for number in unseen if number <= limit]
        most += len(on_their_way) + len([number for number in self.possible if number in self.lost])
        if n is not None and not least <= n <= most:
            self.fail(f"{n} were acknowledged up to {limit}, not {least} to {most}")
        for entry in entries:
            if entry.is_sure:
                self.finish(entry.event.id, f"all up to {limit} were acknowledged")
            else:
                entry.may_be_gone = True
        for number in on_their_way:
            self.possible[number] = self.model.events[number]
            self.wanted.pop(number, None)
            self.maybe_acknowledged.add(number)

    def may_be_acknowledged(self, ids):
        """The daemon has ended meanwhile."""
        for number in ids:
            if number in self.entries:
                self.entries[number].may_be_gone = True

    def check_known(self, number, deliveries, is_known):
        expected = self.may_reject(number, deliveries)
        if expected is not None and expected != is_known:
            self.fail(f"delivery {deliveries} of event {number} is {'' if is_known else 'not '}known")

    def check_position(self, position):
        """Everything up to it is done."""
        for number in [number for number, entry in self.entries.items() if number <= position
                       and (not entry.event.kept or (entry.may_be_gone and not self.is_spent(entry)))]:
            self.finish(number, "it is below the position")
        for number, entry in self.entries.items():
            if self.is_certain(entry) and number <= position:
                self.fail(f"the position is {position}, and event {number} is not acknowledged")
        for number, event in self.wanted.items() if self.options.ack != "none" or self.is_quiet() else ():
            if event.kept and number <= position:
                self.fail(f"the position is {position}, and event {number} was not delivered")
            break

    # Who consumes

    def come(self, consumer):
        self.note(f"{consumer} comes")
        self.consumers.append(consumer)

    def leave(self, consumer, is_lossy, is_sudden=False):
        """A consumer is gone. `is_lossy`: with what was on its way; `is_sudden`: and more may have been by now."""
        self.note(f"{consumer} leaves, {is_lossy=}, {self.is_quiet()=}")
        if is_lossy:
            self.lost.update(self.possible)
        is_lossy = is_lossy and not self.is_quiet() or is_sudden
        wait_ms = self.options.ack_wait_ms if consumer.kind == "next" else 0
        self.consumers.remove(consumer)
        self.fewest = min(self.fewest, self.surely_consuming())
        for entry in self.entries.values() if consumer.kind == "stream" else ():
            if entry.holder is not consumer or entry.held_by is None:
                continue
            entry.held_by = None
            if self.clock.ms < entry.earliest:
                entry.reasons = {LEFT}
                self.set_due_after(entry, 0)
            else:
                entry.reasons.add(LEFT)
        if is_lossy:
            self.doubt(wait_ms)
        if self.consumers:
            self.note_edited(consumer)
            for number in list(self.excused):
                self.excuse_no_more(number, consumer)
            return
        self.unedited.clear()
        del self.versions[:-1]
        self.excused.clear()
        self.quiet_at = self.clock.ms

    def doubt(self, wait_ms):
        """What was on its way may have been delivered, or not; then it is due after so long at the latest."""
        now = self.clock.ms
        for entry in self.entries.values():
            if entry.earliest <= now:
                may_be_held = entry.held_by is not None or not entry.is_exact
                entry.is_exact = False
                self.set_due(entry, max(now + wait_ms, entry.expires if may_be_held else 0))
                entry.earliest = now
        self.lost.update(self.wanted)
        for number, event in list(self.wanted.items()):
            if self.options.ack == "none" or not event.kept:
                self.possible[number] = event  # gone, or its reset is
                continue
            self.set_due(self.add_doubtful(event), now + wait_ms)
            self.entries[number].earliest = now
        self.wanted.clear()

    def add_doubtful(self, event):
        """It may have been delivered."""
        entry = self.entries[event.id] = Entry(event)
        entry.is_exact = entry.is_sure = False
        return entry

    # The daemon ends, and comes back. Its consumer has left before

    def stop(self):
        self.note("stop")
        for entry in self.entries.values():
            entry.held_by = None
            entry.reasons |= {RESTARTED, LEFT}
            self.set_due_after(entry, 0)
            entry.earliest = self.clock.ms

    def crash(self):
        self.note("crash")
        self.has_crashed = True
        self.floor = self.after
        for entry in self.entries.values():
            entry.held_by = None
            entry.deliveries = min(entry.deliveries, 1)
            entry.is_exact = entry.is_sure = False
            self.set_due_after(entry, 0)
            entry.earliest = self.clock.ms
        if self.options.ack == "none":  # what was delivered is not stored each time
            self.possible.update((number, self.model.events[number]) for number in self.finished)
            self.lost.update(self.finished)
            self.finished.clear()

    def come_back(self, next_id, unacknowledged):
        """The log is read from `next_id` on."""
        self.note(f"comes back, next {next_id}, unacknowledged {unacknowledged}")
        self.quiet_at = self.clock.ms
        if self.options.ack != "none":
            for number in [number for number in self.wanted if number < next_id]:  # nobody was told of its publication
                self.lost.add(number)
                self.set_due_after(self.add_doubtful(self.wanted.pop(number)), 0)
                self.entries[number].earliest = self.clock.ms
        self.hidden, self.hidden_end = max(0, unacknowledged - len(self.entries)), next_id
        self.want(next_id)

    def want(self, first_id):
        for event in self.not_delivered(first_id):
            if event.id in self.maybe_acknowledged or event.id in self.lost:
                self.possible[event.id] = event
            else:
                self.possible.pop(event.id, None)
                self.wanted[event.id] = event
        self.wanted = dict(sorted(self.wanted.items()))

    def not_delivered(self, first_id):
        return [event for event in self.model.kept(ALL, max(self.after, first_id - 1)) if self.accepts(event)
                and event.id not in self.entries and event.id not in self.finished and event.id not in self.seen]

    # Its filters

    def edit(self, filters, read_before, read_after):
        """Other filters are in force for what is not yet delivered. The log had been read for it up to these ids."""
        self.note(f"edit {read_before} {read_after} {[each.text for each in filters]}")
        self.versions.append(filters)
        self.edited_at = self.model.last_id
        self.unedited = set(self.consumers)
        for number in [number for number, event in self.wanted.items() if not self.accepts(event)]:
            self.possible[number] = self.wanted.pop(number)
        if not self.consumers:
            self.want(read_after)
        for event in self.not_delivered(read_before):
            if event.id not in self.wanted:
                self.possible[event.id] = event
        for entry in self.entries.values():
            if not self.accepts(entry.event):
                entry.may_be_gone = True
        if not self.consumers:
            del self.versions[:-1]

    def set_share(self, share):
        self.note(f"share {share}")
        self.options = self.options._replace(share=share)
        self.has_shared = self.has_shared or share

    # Its place

    def seek(self, after):
        """Nothing is on its way, or its consumers are about to leave. All after that id comes as if for the first
        time, and what was outstanding is forgotten."""
        self.note(f"seek {after}")
        self.dying.update(number for number, each in self.entries.items() if each.earliest <= self.clock.ms)
        self.gone += sum(not each.event.kept for each in self.entries.values())
        self.after = self.floor = after
        for each in (self.wanted, self.possible, self.entries, self.finished, self.excused, self.dead,
                     self.maybe_acknowledged, self.lost, self.seen, self.overtaken):
            each.clear()
        self.has_crashed = False
        self.hidden = 0
        for consumer in self.consumers:
            consumer.last_ids.clear()
        self.offer(self.model.kept(ALL, after))

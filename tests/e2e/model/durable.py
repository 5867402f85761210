"""What a durable subscription does, in plain Python: which events it must deliver, which again and when, and which never
more. Pure, as model.py: time is that of a clock that the test moves.

A daemon may lag behind, so what arrives is taken one by one, and what must not have come then raises Fault. `is_quiet()`
says that nothing more can be on its way, so that what follows is known exactly. Where the test goes on without waiting
for that, what was on its way may have been delivered or not."""
from collections import deque
from typing import NamedTuple, Optional

from model import ALL, Fault

NEVER = float("inf")
BACKOFF_MS = 300_000  # at most, of what was delivered too often and has no dead-letter stream
HISTORY = 40  # lines of it are told of one that is at fault
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

    def selects(self, stream):
        return any(each in (ALL, stream) or (each.endswith(".*") and stream.startswith(each[:-1]))
                   for each in self.streams)

    def body(self, filters):
        """Of a PUT."""
        return {"streams": list(self.streams), "filters": [each.text for each in filters], "ack": self.ack,
                "ack_wait": f"{self.ack_wait_ms}ms", "max_deliver": self.max_deliver, "prefetch": self.prefetch,
                **({"dead_letter": self.dead_letter} if self.dead_letter else {})}


class Entry:
    """An event that was delivered and not acknowledged, or may have been."""
    __slots__ = ("event", "deliveries", "held_by", "earliest", "latest", "expires", "reasons", "is_exact", "is_sure", "may_be_gone")

    def __init__(self, event):
        self.event = event
        self.deliveries = 0  # the number of the last one that was seen
        self.held_by = None  # "stream" or "next", until it is due
        self.earliest = self.latest = 0  # ms, when it is due
        self.expires = 0  # ms, at the latest; what is delivered too often is due later
        self.reasons = set()  # that a dead letter may give
        self.is_exact = True  # no delivery was missed
        self.is_sure = True  # it is outstanding, whatever else
        self.may_be_gone = False  # acknowledged, or no longer wanted


class Durable:
    unseen_streams = ("dead",)  # whose events the test gets to know after the daemon has delivered them

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
        self.excused = {}  # finished while they may have been on their way: id -> the last id then
        self.dead = set()
        self.dying = set()  # acknowledged while they may have been on their way to the dead letters
        self.maybe_acknowledged = set()  # without having been seen
        self.gone = 0  # that many were outstanding and are gone; a reset may not have come yet
        self.lost = set()  # ids that may have been delivered to one who left without reading them
        self.consumer = None
        self.quiet_at = clock.ms  # the last time at which nothing was on its way
        self.has_crashed = False
        self.seen = set()
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
                is_late = event.stream in self.unseen_streams and self.options.ack == "none"
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
                f"consumer: {self.consumer}, finished {len(self.finished)} {list(self.finished.items())[-8:]}; "
                f"last: {'; '.join(self.history)}")

    def note(self, what):
        self.history.append(f"{self.clock.ms} {what}")

    def is_spent(self, entry):
        return bool(self.options.dead_letter) and 0 < self.options.max_deliver <= entry.deliveries

    def is_certain(self, entry):
        """It is outstanding now."""
        return entry.is_sure and not entry.may_be_gone and (
            self.clock.ms < entry.earliest or (entry.event.kept and not self.is_spent(entry)))

    def has_room(self):
        """More can be delivered for the first time."""
        return len(self.entries) < self.options.prefetch

    def may_have_room(self):
        return self.options.ack == "none" or sum(map(self.is_certain, self.entries.values())) < self.options.prefetch

    def must_die(self, entry):
        return (self.is_spent(entry) and entry.is_exact and entry.is_sure and not entry.may_be_gone and entry.event.kept
                and entry.latest <= self.clock.ms)

    def must_come_again(self, entry):
        return (entry.latest <= self.clock.ms and not entry.may_be_gone and entry.event.kept
                and not (self.is_spent(entry) and entry.is_exact))

    def due(self):
        """The ids that must come, or be dead letters."""
        ids = [number for number, each in self.entries.items() if self.must_die(each)]
        if self.consumer is not None:
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
        return min((number for number, each in self.entries.items() if not self.must_come_again(each) and not (
            each.held_by is not None and self.clock.ms < each.earliest)), default=NEVER)

    def is_quiet(self):
        if self.due():
            return False
        if self.consumer is None:
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

    def knows(self, number):
        return any(number in each for each in (self.entries, self.wanted, self.possible, self.excused, self.dying, self.dead))

    # What arrives

    def take_event(self, message, holder):
        """`holder`: whether a "stream" or "next" brings it."""
        number, deliveries = message["id"], message.get("deliveries", 1)
        event = self.model.events.get(number)
        if event is None:
            self.fail(f"event {number} was never published")
        if (message["stream"], message["change"], message["item"]["title"]) != (
                event.stream, event.change, event.item.title):
            self.fail(f"event {number} is not what was published: {message}")
        if message.get("redelivered", False) != (deliveries > 1):
            self.fail(f"event {number} has the wrong mark: {message}")
        self.unexcuse(event)
        self.note(f"event {number} {deliveries}")
        if number in self.finished:
            if number not in self.excused:
                self.fail(f"event {number}, delivery {deliveries}, came though {self.finished[number]}")
            return
        if not any(self.accepts(event, filters) for filters in self.versions):
            self.fail(f"event {number} came, and no filter accepts it: {message}")
        if number in self.seen and deliveries < 2:
            self.fail(f"event {number} came again, without a mark")
        was_wanted = number not in self.possible
        entry = self.entries.get(number)
        if entry is None:
            self.check_first(event, deliveries)
            entry = Entry(event)
            entry.is_exact = number in self.wanted
            self.entries[number] = entry
        else:
            self.check_again(entry, deliveries)
        self.wanted.pop(number, None)
        self.possible.pop(number, None)
        if self.single is not None:
            self.floor = max(self.floor, number)
        self.seen.add(number)
        self.note_delivery(entry, deliveries, holder)
        if event.stream in self.unseen_streams or not was_wanted:
            entry.earliest = 0  # it may have been on its way when nothing was known to be

    def unexcuse(self, event):
        """What is sent later arrives later: no version, and no redelivery, older than an event is on its way."""
        if event.id in self.seen or event.stream in self.unseen_streams:
            return
        if event.id > self.edited_at:
            del self.versions[:-1]
        for number in [number for number, fence in self.excused.items() if fence < event.id]:
            del self.excused[number]

    def check_first(self, event, deliveries):
        number = event.id
        if number not in self.wanted and number not in self.possible:
            self.fail(f"event {number} must not come here")
        if deliveries > (2 if self.has_crashed else 1) and (
                number not in self.lost and event.stream not in self.unseen_streams):
            self.fail(f"event {number} came first as delivery {deliveries}")
        for earlier in self.wanted.values():
            if earlier.id >= number:
                break
            if earlier.stream == event.stream and earlier.kept:
                self.fail(f"event {number} came, and {earlier.id} before it is missing")
        if not self.may_have_room():
            self.fail(f"event {number} came beyond what may be outstanding")

    def check_again(self, entry, deliveries):
        number = entry.event.id
        if entry.is_exact and deliveries != entry.deliveries + 1 or deliveries <= entry.deliveries:
            self.fail(f"event {number} came as delivery {deliveries} after {entry.deliveries}")
        if self.clock.ms < entry.earliest:
            self.fail(f"event {number} came again before {entry.earliest} ms")
        if entry.is_exact and self.is_spent(entry):
            self.fail(f"event {number} came again, and should be a dead letter")

    def note_delivery(self, entry, deliveries, holder):
        entry.deliveries = deliveries
        if self.options.ack == "none":
            del self.entries[entry.event.id]
            self.finished[entry.event.id] = "nobody acknowledges"
            return
        entry.held_by = holder
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
            self.excused[number] = self.model.last_id
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
            if entry is None and (self.consumer is None or number in self.wanted and not self.has_room()):
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
        on_their_way = [] if self.is_quiet() else [number for number in (*self.wanted, *self.possible) if number <= limit]
        if n is not None and not least <= n <= most + len(on_their_way):
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
        self.consumer = consumer

    def leave(self, is_lossy, is_sudden=False):
        """Its consumer is gone. `is_lossy`: with what was on its way; `is_sudden`: and more may have been by now."""
        self.note(f"{self.consumer} leaves, {is_lossy=}, {self.is_quiet()=}")
        if is_lossy:
            self.lost.update(self.possible)
        is_lossy = is_lossy and not self.is_quiet() or is_sudden
        wait_ms = self.options.ack_wait_ms if self.consumer == "next" else 0
        self.consumer = None
        for entry in self.entries.values():
            if entry.held_by == "stream" and self.clock.ms < entry.earliest:
                entry.held_by = None
                entry.reasons = {LEFT}
                self.set_due_after(entry, 0)
            elif entry.held_by == "stream":
                entry.held_by = None
                entry.reasons.add(LEFT)
        if is_lossy:
            self.doubt(wait_ms)
        del self.versions[:-1]
        self.excused.clear()
        self.quiet_at = self.clock.ms

    def doubt(self, wait_ms):
        """What was on its way may have been delivered, or not; then it is due after so long at the latest."""
        now = self.clock.ms
        for entry in self.entries.values():
            if entry.earliest <= now:
                entry.is_exact = False
                self.set_due(entry, max(now + wait_ms, entry.expires if entry.held_by == "next" else 0))
                entry.earliest = now
        self.lost.update(self.wanted)
        for number, event in list(self.wanted.items()):
            if self.options.ack == "none" or not event.kept:
                self.possible[number] = event  # gone, or its reset is
                continue
            entry = self.entries[number] = Entry(event)
            entry.is_exact = entry.is_sure = False
            self.set_due(entry, now + wait_ms)
            entry.earliest = now
        self.wanted.clear()

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
            self.finished.clear()

    def come_back(self, next_id):
        """The log is read from `next_id` on."""
        self.note(f"comes back, next {next_id}")
        self.quiet_at = self.clock.ms
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
        """Other filters are in force for what is not yet delivered. The log had been read for it as far as these ids."""
        self.note(f"edit {read_before} {read_after} {[each.text for each in filters]}")
        self.versions.append(filters)
        self.edited_at = self.model.last_id
        for number in [number for number, event in self.wanted.items() if not self.accepts(event)]:
            self.possible[number] = self.wanted.pop(number)
        if self.consumer is None:
            self.want(read_after)
        for event in self.not_delivered(read_before):
            if event.id not in self.wanted:
                self.possible[event.id] = event
        for entry in self.entries.values():
            if not self.accepts(entry.event):
                entry.may_be_gone = True
        if self.consumer is None:
            del self.versions[:-1]

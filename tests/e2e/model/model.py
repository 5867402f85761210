"""What a broker does, in plain Python: streams that tell new and changed items from known ones, a log that retains some
of their events, and readers, each of which must get certain events and resets. Pure: no sockets, no clock, no
randomness.

A test does the same to the model and to a daemon. The daemon may lag behind, so a Reader takes what arrives one by one,
and raises Fault for what must not have come then."""
import copy
from collections import deque
from typing import Callable, NamedTuple, Optional

ALL = "*"  # the stream that stands for all


class Fault(AssertionError):
    """The daemon did what the model does not."""


class Item(NamedTuple):
    guid: str
    title: str
    category: str
    price: Optional[int]
    summary: str = ""


class Place:
    """Of an item in a published document."""
    __slots__ = ("item", "is_event", "is_erased")

    def __init__(self, item):
        self.item = item
        self.is_event = self.is_erased = False


class Event:
    __slots__ = ("id", "stream", "item", "feed_title", "ends", "place", "behind", "change", "kept", "erased", "time")

    def __init__(self, stream, item, feed_title, ends, change, place=None, behind=()):
        self.id = 0  # until it is appended
        self.stream = stream
        self.item = item
        self.feed_title = feed_title
        self.ends = ends  # its document
        self.place, self.behind = place, behind  # its own in the document, and those that follow
        self.change = change
        self.kept = True
        self.erased = False
        self.time = None  # as the daemon says it, once somebody got the event

    @property
    def is_last(self):
        return self.ends or bool(self.behind) and all(place.is_erased for place in self.behind)


class Filter(NamedTuple):
    text: str
    holds: Callable[[Event], bool]
    looks_at_siblings: bool = False


class Publication(NamedTuple):
    new: int
    updated: int
    unchanged: int
    events: list
    places: list


class Stream:
    def __init__(self, dropped_id=0):
        self.items = {}  # the latest by guid
        self.kept = deque()  # events, erased ones, too
        self.documents = []  # lists of places
        self.events_max = 0  # no limit
        self.keeps_documents = False  # whole: conditions on siblings can be decided in a replay
        self.dropped_id = dropped_id  # of the newest event that is no longer kept


class Start(NamedTuple):
    """Where a reader begins, live if nothing is given."""
    after: Optional[int] = None  # an id
    from_first: bool = False
    reset: Optional[str] = None  # the reason, if one must come first whatever is kept
    may_reset: bool = False  # one may come first, as for what a stream that is gone has lost


class Model:
    def __init__(self, epoch):
        self.begin(epoch)

    def begin(self, epoch):
        """A broker that has just started, without a store."""
        self.epoch = epoch
        self.last_id = 0
        self.streams = {}
        self.events = {}  # all that there ever were, by id
        self.readers = []  # those that are connected
        self.deleted = {}  # stream -> dropped_id at its end
        # The log forgets the streams that are gone. What they lost may be told to readers of others.
        self.forgotten_id = 0
        self.is_restored = False  # from a backup: its events are older than its epoch

    def copy(self):
        """As a backup has it, which nobody reads."""
        readers, self.readers = self.readers, []
        made = copy.deepcopy(self)
        self.readers = readers
        return made

    def restore(self, epoch, last_id):
        self.epoch, self.last_id, self.is_restored = epoch, last_id, True

    def stream(self, name):
        if name not in self.streams:
            self.streams[name] = Stream(self.deleted.get(name, 0))
        return self.streams[name]

    def look_up(self, name, feed_title, items):
        """What a document with these items would append. Their guids differ from each other."""
        known = self.streams[name].items if name in self.streams else {}
        events, new, updated = [], 0, 0
        places = [Place(item) for item in items]
        for index, item in enumerate(items):
            if known.get(item.guid) == item:
                continue
            change = "updated" if item.guid in known else "new"
            new += change == "new"
            updated += change == "updated"
            places[index].is_event = True
            events.append(Event(name, item, feed_title, index == len(items) - 1, change, places[index],
                                places[index + 1:]))
        return Publication(new, updated, len(items) - len(events), events, places)

    def publish(self, name, publication, first_id):
        """The daemon has appended the publication. Its events have consecutive ids."""
        stream = self.stream(name)
        if not publication.events:
            return
        if first_id <= self.last_id:
            raise Fault(f"id {first_id} was given after {self.last_id}")
        for number, event in enumerate(publication.events, first_id):
            event.id = number
            self.events[number] = event
            stream.items[event.item.guid] = event.item
            stream.kept.append(event)
        stream.documents.append(publication.places)
        self.last_id = number
        for reader in self.readers:
            reader.offer(publication.events)
        self._enforce(stream)

    def retain(self, name, events_max):
        stream = self.stream(name)
        stream.events_max = events_max
        self._enforce(stream)

    def _enforce(self, stream):
        while stream.events_max and len(stream.kept) > stream.events_max:
            self._drop_oldest(stream)

    @staticmethod
    def _drop_oldest(stream):
        event = stream.kept.popleft()
        event.kept = False
        stream.dropped_id = event.id

    def learn(self, name, first_id):
        """The daemon says that it keeps nothing older, for a reason that the model does not know (bytes, age)."""
        stream = self.stream(name)
        while stream.kept and stream.kept[0].id < first_id:
            self._drop_oldest(stream)

    def purge(self, name, before):
        """Returns how many events go."""
        stream = self.streams[name]
        count = len(stream.kept)
        while stream.kept and stream.kept[0].id < before:
            self._drop_oldest(stream)
        return count - len(stream.kept)

    def erase(self, event):
        """It is not told of again, except that it may be on its way. Where its item stands beside others it is gone."""
        event.erased = True
        for places in self.streams[event.stream].documents:
            for place in places:
                if place.item == event.item and not place.is_event:
                    place.is_erased = True
        event.place.is_erased, event.place.is_event = True, False
        for reader in self.readers:
            reader.excused.add(event.id)

    def delete(self, name):
        stream = self.streams.pop(name)
        while stream.kept:
            self._drop_oldest(stream)
        self.deleted[name] = stream.dropped_id
        self.forgotten_id = max(self.forgotten_id, stream.dropped_id)

    def kept(self, name, after=0):
        """The events of the stream that are kept and newer than that id, in order."""
        streams = self.streams.values() if name == ALL else [self.streams[name]] if name in self.streams else []
        return sorted((event for stream in streams for event in stream.kept if event.id > after and not event.erased),
                      key=lambda e: e.id)

    def dropped_id(self, name):
        """Of the newest event of the stream that is no longer kept; 0: there is none."""
        if name == ALL:
            return max([self.forgotten_id, *(stream.dropped_id for stream in self.streams.values())])
        return self.streams[name].dropped_id if name in self.streams else self.deleted.get(name, 0)

    def since(self, name, time):
        """Where a reader of what came at that time or later starts. None if that can't be told."""
        if self.is_restored or any(event.time is None for event in self.events.values()):
            return None
        later = [event.id for event in self.kept(name) if event.time >= time]
        gone = [event for event in self.events.values() if not event.kept and event.time >= time]
        is_due = any(name in (ALL, event.stream) for event in gone)
        return Start(after=(later[0] if later else self.last_id + 1) - 1, reset="retention" if is_due else None,
                     may_reset=bool(gone))


class Reader:
    """What one connection must get: events that its filters accept, in the order of each stream, none twice and none
    missing, unless they were dropped, and a reset has said so."""

    def __init__(self, model, stream, filters, start):
        self.model = model
        self.stream = stream
        self.filters = filters
        self.reset_due = start.reset
        self.reset_allowed = start.may_reset
        self.begun_at = model.last_id
        self.place = self.begun_at  # everything up to it has come, or can't come any more
        self.pending = deque()
        self.is_replay = start != Start()
        if self.is_replay:
            knows_place = start.after is not None and start.reset not in ("epoch", "unknown")
            after = start.after if knows_place else 0
            if knows_place and after < model.dropped_id(stream):
                self.reset_due = "retention"
            self.place = model.dropped_id(stream) if start.from_first and stream != ALL else after
            self.pending.extend(event for event in model.kept(stream, after) if self._accepts(event))
        self.excused = set()  # pending events that may be missing
        self.received = []  # ids
        model.readers.append(self)

    def fall_behind(self):
        """It may not have read for so long that the daemon reads the log for it."""
        self.is_replay = True

    def leave(self):
        if self in self.model.readers:
            self.model.readers.remove(self)

    def _accepts(self, event):
        return any(each.holds(event) for each in self.filters)

    def offer(self, events):
        if self.stream in (ALL, events[0].stream):
            self.pending.extend(event for event in events if self._accepts(event))

    def is_settled(self):
        return not self.reset_due and all(event.id in self.excused for event in self.pending)

    def describe(self):
        missing = [event.id for event in self.pending if event.id not in self.excused]
        return (f"{self.stream} {[each.text for each in self.filters]} begun at {self.begun_at}, "
                f"{'replay' if self.is_replay else 'live'}, at {self.place}, "
                f"dropped up to {self.model.dropped_id(self.stream)} and {self.model.forgotten_id}, "
                f"waits for {len(missing)} events {missing[:5]}, reset due: {self.reset_due}, "
                f"got {len(self.received)} {self.received[-5:]}")

    def _fail(self, what):
        raise Fault(f"{what}; {self.describe()}")

    def take_event(self, message):
        number = message["id"]
        if self.reset_due:
            self._fail(f"event {number} came before the reset")
        event = self._take_pending(number)
        expected = (event.stream, event.change, event.item.title)
        if (message["stream"], message["change"], message["item"]["title"]) != expected:
            self._fail(f"event {number} is not what was published: {message}")
        event.time = message["time"]
        self.received.append(number)

    def _take_pending(self, number):
        """The event, the next one of its stream."""
        event = self.model.events.get(number)
        for index, earlier in enumerate(self.pending):
            if earlier is event:
                del self.pending[index]
                return event
            if event is not None and earlier.stream == event.stream and earlier.id not in self.excused:
                self._fail(f"event {number} came, and those before it are missing")
        self._fail(f"event {number} must not come here")

    def may_reset(self):
        """Of a stream, what is kept is newer than what was dropped. Of all streams it may not be, so drops may be told
        until they have been passed."""
        dropped = max(self.model.dropped_id(self.stream), self.model.forgotten_id)
        return self.reset_due is not None or self.reset_allowed or dropped > self.place

    def take_reset(self, reset):
        if not self.may_reset():
            self._fail(f"nothing was dropped, but this came: {reset}")
        if self.reset_due and reset["reason"] != self.reset_due:
            self._fail(f"the reset's reason should be {self.reset_due}: {reset}")
        if reset["stream"] != self.stream or reset["epoch"] != self.model.epoch:
            self._fail(f"another stream or epoch: {reset}")
        if reset["oldest_id"] > self.model.last_id + 1 or any(
                event.id < reset["oldest_id"] for event in self.model.kept(self.stream)):
            self._fail(f"an older event is kept: {reset}")
        self.reset_due, self.reset_allowed = None, False
        self.excused.update(event.id for event in self.pending if not event.kept)
        if self.stream != ALL:  # what has been dropped since may be told by another
            self.place = max(self.place, reset["oldest_id"] - 1)

    def take_gap(self, gap):
        """Only a replay of items that were kept alone leaves conditions on their siblings undecided."""
        undecided = self.filters[gap["filter"]]
        stream = self.model.streams.get(gap["stream"])
        if (gap["reason"] != "context" or not undecided.looks_at_siblings or not self.is_replay
                or (stream and stream.keeps_documents)):
            self._fail(f"this gap must not come here: {gap}")
        self.excused.update(event.id for event in self.pending if event.id <= gap["last_id"] and
                            event.stream == gap["stream"] and event.id >= gap["first_id"])

    def take_id(self, number):
        """The id of a block: everything up to it has been decided, and comes no more."""
        if number > self.model.last_id:
            self._fail(f"id {number} is of no event yet")
        if self.reset_due:
            return
        while self.pending and self.pending[0].id <= number:
            if self.pending[0].id not in self.excused:
                self._fail(f"id {number} came, and events before it are missing")
            self.pending.popleft()
        self.place = max(self.place, number)

"""The same steps with a store on disk: restarts and kills lose nothing that was accepted, and what was not answered is
there as a whole or not at all."""
import contextlib
import json
import shutil
import signal
import socket
import tempfile
import time
from pathlib import Path

from client import TIMEOUT_S, EventStream, head
from driver import STREAMS, Driver, Subscriber, document
from model import ALL, Fault, Filter, Start


# Of what a world stores, some 20 MiB of text at most, so much that retention alone decides; and far less than it writes.
STORE_MIB = 16


class StoredDriver(Driver):
    def __init__(self, seed, options=(), learns=False):
        self.folder = tempfile.TemporaryDirectory()
        store = ("store.kind=rocksdb", f"store.path={Path(self.folder.name) / 'store'}", f"store.bytes={STORE_MIB}MiB")
        super().__init__(seed, (*store, *options), learns)
        self.steps = tuple(step for step in self.steps if step[1] != self.restart)
        self.steps += ((4, self.restart), (6, self.kill), (6, self.kill_while_publishing),
                       (6, self.kill_while_erasing), (3, self.back_up), (3, self.restore))
        self.backup = None  # its folder, and the model then

    def close(self):
        super().close()
        self.folder.cleanup()

    # Events beyond a stream's retention are dropped soon, not at once as the model does.

    def await_retention(self, name):
        give_up = time.monotonic() + TIMEOUT_S
        while (stream := self.model.streams.get(name)) is not None and not self.learns:
            retained = self.request(200, "GET", f"/v1/streams/{name}")["retained"]
            if retained["events"] == len(stream.kept):
                return
            if retained["events"] < len(stream.kept) or time.monotonic() > give_up:
                raise Fault(f"{name} retains {retained}, and should {len(stream.kept)}")

    def publish(self, name=None, n=None, summary_bytes=60):
        name = name or self.chance.choice(STREAMS)
        super().publish(name, n, summary_bytes)
        if self.model.stream(name).events_max:
            self.await_retention(name)

    def change_retention(self, name=None, events_max=None):
        name = name or self.chance.choice(STREAMS)
        super().change_retention(name, events_max)
        self.await_retention(name)

    # The daemon ends, and comes back

    def end(self, sign):
        for subscriber in (*self.subscribers, self.witness):
            subscriber.disconnect()
        self.http.close()
        status = self.daemon.stop(sign)
        if status != (-sign if sign == signal.SIGKILL else 0):
            raise Fault(f"the daemon ended with {status}: {self.daemon.log}")
        self.daemon.process.stderr.close()

    def read_place(self):
        """The epoch, and the number up to which all has been decided."""
        probe = EventStream(self.daemon.port, [("stream", ALL), ("filter", "false()")])
        while not any("id" in block for block in probe.blocks):
            probe.wait()
            probe.pump()
        epoch, _, number = next(block["id"] for block in probe.take() if "id" in block).partition("-")
        probe.close()
        return epoch, int(number)

    def come_back(self):
        """`Model.last_id`: no id is given twice, so that of the last event is below the next one."""
        self.start_daemon()
        epoch, number = self.read_place()
        if epoch != self.model.epoch or number < self.model.last_id:
            raise Fault(f"after {self.model.epoch}-{self.model.last_id} it goes on with {epoch}-{number}")
        return number

    def meet_again(self, last_id):
        self.model.last_id = last_id
        for name in self.model.streams:
            self.await_retention(name)
        after = int(self.witness.last_id.partition("-")[2])
        witness = Subscriber(ALL, self.witness.filters, self.learn)
        witness.last_id, self.witness = self.witness.last_id, witness
        self.connect(witness, Start(after=after), last_event_id=witness.last_id)

    def check_disk(self):
        """What the files take is bounded, whatever has been published, dropped, erased, backed up and put back."""
        def bytes_on_disk():
            total = 0
            for path in (Path(self.folder.name) / "store").rglob("*"):
                with contextlib.suppress(FileNotFoundError):  # a compaction has removed it
                    total += path.stat().st_blocks * 512 if path.is_file() else 0
            return total

        give_up = time.monotonic() + TIMEOUT_S
        while (used := bytes_on_disk()) > STORE_MIB << 20:
            if time.monotonic() > give_up:
                raise Fault(f"the store takes {used} bytes, and may take {STORE_MIB} MiB")
            time.sleep(0.05)

    def restart(self):
        self.check_metrics()
        self.check_disk()
        self.end(signal.SIGTERM)
        self.meet_again(self.come_back())

    def kill(self):
        self.end(signal.SIGKILL)
        self.meet_again(self.come_back())

    def back_up(self):
        name = f"copy-{self.model.last_id}-{self.counts['back_up']}"
        for stream in self.model.streams:
            self.await_retention(stream)
        reply = self.request(201, "POST", "/v1/store/backup", json.dumps({"path": name}))
        if reply["epoch"] != self.model.epoch or reply["last_id"] > self.model.last_id:
            raise Fault(f"a backup of {self.model.epoch}-{self.model.last_id}: {reply}")
        if self.backup is not None:
            shutil.rmtree(self.backup[0])
        self.backup = (reply["path"], self.model.copy())

    def restore(self):
        """The store is lost, and the backup takes its place, in a new epoch."""
        if self.backup is None:
            return
        folder, model = self.backup
        self.end(self.chance.choice((signal.SIGTERM, signal.SIGKILL)))
        store = Path(self.folder.name) / "store"
        shutil.rmtree(store)
        shutil.copytree(folder, store)
        self.start_daemon()
        epoch, number = self.read_place()
        if epoch == self.model.epoch or epoch == model.epoch or number < model.last_id:
            raise Fault(f"a backup of {model.epoch}-{model.last_id} goes on with {epoch}-{number}")
        self.model = model.copy()
        self.model.restore(epoch, number)
        for name in self.model.streams:
            self.await_retention(name)
        witness = Subscriber(ALL, self.witness.filters, self.learn)
        witness.last_id, self.witness = self.witness.last_id, witness
        self.connect(witness, Start(reset="epoch"), last_event_id=witness.last_id)

    def kill_while_publishing(self):
        """Nobody knows whether the document was accepted: it is there as a whole or not at all, and published again it
        is unchanged or new."""
        name = self.chance.choice(STREAMS)
        items = self.items(name, self.chance.choice((1, 2, 5, 20)), 5_000)
        feed_title = f"Feed {self.chance.randrange(3)}"
        expected = self.model.look_up(name, feed_title, items)
        if not expected.events:
            return
        body = document(feed_title, items).encode()
        connection = socket.create_connection(("127.0.0.1", self.daemon.port), TIMEOUT_S)
        connection.sendall(head("POST", f"/v1/events?stream={name}", (
            ("Content-Type", "application/rss+xml"), ("Content-Length", len(body)))) + body)
        time.sleep(self.chance.random() ** 3 * 0.02)
        self.end(signal.SIGKILL)
        connection.close()
        last_id = self.come_back()
        self.learn_unanswered(name, expected)
        self.meet_again(last_id)
        again = self.model.look_up(name, feed_title, items)
        reply = self.request(202, "POST", "/v1/events", body.decode(), content_type="application/rss+xml", stream=name)
        numbers = [reply[each] for each in ("new", "updated", "unchanged")]
        if numbers != [again.new, again.updated, again.unchanged]:
            raise Fault(f"{again} was answered by {reply}")
        if again.events:
            self.model.publish(name, again, reply["first_id"])
            if self.model.stream(name).events_max:
                self.await_retention(name)

    def kill_while_erasing(self):
        """Nobody knows whether the event was erased: it is there or not, and can be erased again to be sure."""
        event = self.event_to_erase()
        if event is None or not event.kept or event.erased:
            return
        path = f"/v1/streams/{event.stream}/events/{event.id}"
        connection = socket.create_connection(("127.0.0.1", self.daemon.port), TIMEOUT_S)
        connection.sendall(head("DELETE", path))
        time.sleep(self.chance.random() ** 3 * 0.05)
        answer = b""
        connection.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            answer = connection.recv(65536)
        self.end(signal.SIGKILL)
        connection.close()
        last_id = self.come_back()
        is_there = any(each["id"] == event.id for each in self.stored_after(event.stream, event.id - 1))
        if is_there and answer:
            raise Fault(f"the event {event.id} is back, after {answer}")
        what = "still there" if is_there else "erased with an answer" if answer else "erased without an answer"
        self.counts[what] = self.counts.get(what, 0) + 1
        status, reply = self.http.request("DELETE", path)
        if status != 204 and (is_there or status != 404):
            raise Fault(f"after an erasure that was cut short {status}: {reply}")
        self.model.erase(event)
        self.meet_again(last_id)

    def learn_unanswered(self, name, expected):
        """Whether a publication was stored."""
        found = self.stored_after(name, self.model.last_id)
        if not found:
            return
        self.counts["stored without an answer"] = self.counts.get("stored without an answer", 0) + 1
        titles = [message["item"]["title"] for message in found]
        wanted = [event.item.title for event in expected.events]
        least = min(len(wanted), self.model.stream(name).events_max or len(wanted))  # that retention leaves
        if len(titles) < least or titles != wanted[-len(titles):]:
            raise Fault(f"of the document with {wanted} these are there: {titles}")
        self.model.publish(name, expected, found[-1]["id"] - len(wanted) + 1)

    def stored_after(self, name, last_id):
        """The events of the stream with higher ids that the daemon has kept."""
        events = EventStream(self.daemon.port, [("stream", name), ("filter", "true()"), ("after", last_id),
                                                ("until", "now")])
        while not events.ended:
            events.wait()
            events.pump()
        found = [json.loads(block["data"]) for block in events.take()
                 if "data" in block and block.get("event", "message") == "message"]
        events.close()
        return found

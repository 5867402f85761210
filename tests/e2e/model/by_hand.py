"""The broker in a test program (broker_by_hand.cpp): its clock moves when it is told to, and it ends where it is told
to."""
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from sluice_process import Sluiced  # noqa: E402

EXIT_STATUS = 9  # of a process that ended at a point
# On the log's thread: before a group is written, once it is as durable as configured, and once everybody was told. On
# that of an acknowledgement: before it is in force, and before it is answered.
POINTS = ("store.write", "store.written", "store.told", "ack.begin", "ack.stored")


class ByHand(Sluiced):
    def __init__(self, *options):
        super().__init__(*options, program=os.environ["BROKER_BY_HAND"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer == "ok\n", f"{line!r} was answered by {answer!r}: {self.log}"

    def advance(self, ms):
        self.say(f"advance {ms}")

    def exit_at(self, point, times):
        """The process ends when the point has been reached so many times from now on."""
        self.say(f"exit at {point} {times}")

    def end(self):
        status = super().end()
        self.process.stdin.close()
        self.process.stdout.close()
        return status

"""Examples in the project's Markdown, run as typed: README.md's tour, pages that continue it, and the reference of the
HTTP interface.

In a ```console block a line that starts with "$ " is a command, and the lines after it are its expected output. In
others, ```python and ```javascript, the whole block is the program, and the block ```output behind it is what it prints.
"background" behind the language means that it keeps running: a separate terminal."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

from client_process import end_session, output_of
from sluice_process import TIMEOUT_S, Sluiced, eventually, report_crash

# What browsers have and not every Node.js: enough of it for an example, and it does not connect again, so that the
# program ends with the broker.
EVENT_SOURCE = """
globalThis.EventSource = class extends EventTarget {
  constructor(url) {
    super();
    this.read(url).finally(() => this.dispatchEvent(new MessageEvent("error", { data: undefined })));
  }
  async read(url) {
    let rest = "";
    for await (const bytes of (await fetch(url)).body.pipeThrough(new TextDecoderStream())) {
      const events = (rest + bytes).split("\\n\\n");
      rest = events.pop();
      for (const event of events) {
        const field = (name) => [...event.matchAll(new RegExp(`^${name}: ?(.*)$`, "gm"))].map(([, value]) => value);
        const message = new MessageEvent(field("event")[0] ?? "message", { data: field("data").join("\\n") });
        if (field("data").length === 0) continue;
        this.dispatchEvent(message);
        if (message.type === "message") this.onmessage?.(message);
      }
    }
  }
};
"""

# For each language the program that runs it, and what stands before an example's text.
RUNNERS = {
    "console": (["bash", "-c"], ""),
    "python": ([sys.executable, "-c"], ""),
    "javascript": (["node", "--input-type=module", "-e"], EVENT_SOURCE),
}
NOT_RUN = ("", "text", "json", "output")


@dataclass
class Example:
    language: str
    is_background: bool
    text: str  # a command, or a program
    expected: str


def examples_in(markdown):
    """Yields the examples of a document, or of a part of it."""
    blocks = re.findall(r"^```(\w*) ?(\w*)\n(.*?)^```$", markdown, re.M | re.S)
    for (language, mark, text), behind in zip(blocks, [*blocks[1:], ("", "", "")]):
        assert language in RUNNERS or language in NOT_RUN, f"a block of {language!r}: {text}"
        if language == "console":
            for command, expected in re.findall(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", text, re.M):
                yield Example(language, mark == "background", command, expected)
        elif language in RUNNERS:
            assert behind[0] == "output", f"no block of output behind {text}"
            yield Example(language, mark == "background", text, behind[2])


def pattern(expected):
    """A regular expression for expected output. Columns may be wider or narrower."""
    text = re.escape(expected.strip()).replace("…", ".*")
    text = re.sub(r"(\\ ){2,}", "  +", text)
    return re.compile(text, re.S)


def environment(folder, port):
    """What the commands see of ours: no proxies, and no settings of curl's."""
    outside = ("CURL_HOME", "XDG_CONFIG_HOME", "CURL_CA_BUNDLE")
    kept = {name: value for name, value in os.environ.items()
            if not name.lower().endswith("_proxy") and name not in outside}
    return {**kept, "HOME": str(folder), "SLUICE_SERVER": f"http://127.0.0.1:{port}"}


class Examples:
    """Examples of a document, run in order in a folder that looks like the project after ./dev run, with a fresh broker
    that has these options. What they print is compared with `expected`, in which "…" stands for anything. Those in the
    background keep running, and their output is compared at the end. Only the port differs from what is typed."""

    def __init__(self, root, binaries, *options):
        self.folder = Path(tempfile.mkdtemp(prefix="sluice-examples-"))
        (self.folder / "build").mkdir()
        (self.folder / "build" / "bin").symlink_to(binaries)
        (self.folder / "docker").symlink_to(root / "docker")
        self.failures = []
        self.background = []
        os.environ["SLUICED"] = "build/bin/sluiced"
        self.broker = Sluiced(*options, cwd=self.folder)
        self.environment = environment(self.folder, self.broker.port)

    def start(self, example):
        program, text = RUNNERS[example.language]
        text += example.text.replace("127.0.0.1:8080", f"127.0.0.1:{self.broker.port}")
        return subprocess.Popen([*program, text], cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, start_new_session=True)

    def wait_for_subscribers(self, count):
        """Waits until the broker reports the background subscriptions, and they are in place: nothing may be published
        before that. Each is in place before one that comes later, which leaves again."""
        self.wait_for_status(count)
        with self.broker.subscribe():
            pass
        self.wait_for_status(count)

    def wait_for_status(self, count):
        eventually(lambda: self.broker.status()["subscribers"] == count, f"{count} subscribers")

    def check(self, example, printed):
        if "sluice: subscribed to " not in example.expected:
            printed = re.sub(r"^sluice: subscribed to .*\n", "", printed, flags=re.M)
        if not pattern(example.expected).fullmatch(printed.strip()):
            self.failures.append(f"{example.text}\nexpected:\n{example.expected}\nprinted:\n{printed}")

    def run(self, examples):
        for example in examples:
            print("$", example.text)
            process = self.start(example)
            if example.is_background:
                self.background.append((example, process))
                self.wait_for_subscribers(len(self.background))
            else:
                self.check(example, output_of(process)[0])

    @staticmethod
    def output_until_the_end(process):
        """What a background command prints. A subscriber waits for the broker's return: Ctrl-C ends it once it has said
        that the connection is lost, and so has printed all that it got."""
        printed = ""
        too_late = threading.Timer(TIMEOUT_S, end_session, [process])
        too_late.start()
        for line in process.stdout:
            printed += line
            if "connecting again" in line:
                os.killpg(process.pid, signal.SIGINT)
        too_late.cancel()
        report_crash(process.wait(), process.args)
        return printed

    def end(self):
        """Stops the broker, which delivers all events and closes its connections, and then what waits for it."""
        try:
            if (status := self.broker.stop()) != 0:
                self.failures.append(f"the broker ended with status {status}: {self.broker.log}")
            for example, process in self.background:
                printed = self.output_until_the_end(process)
                printed = re.sub(r"^sluice: .*\n", "", printed, flags=re.M)  # what it says about its connection
                self.check(example, printed)
        finally:
            for _, process in self.background:
                end_session(process)
                process.stdout.close()
            self.broker.process.stderr.close()
            shutil.rmtree(self.folder)

"""The client, sluice, as a process: run to its end, running beside the test, or on a terminal."""
import fcntl
import os
import pty
import queue
import re
import select
import signal
import subprocess
import termios
import threading

from sluice_process import TIMEOUT_S, report_crash

OUTSIDE = ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "NO_COLOR",
           "CURL_CA_BUNDLE", "SLUICE_SERVER", "SLUICE_CACERT", "SLUICE_CERT", "SLUICE_KEY",
           "SLUICE_PASSWORD", "SLUICE_TOKEN", "SLUICE_ALLOW_PLAINTEXT", "SLUICE_USERS_FILE", "NETRC")


def environment(**more):
    """That of the test without what changes the client, and with `more`."""
    return {**{name: value for name, value in os.environ.items() if name not in OUTSIDE}, "TERM": "xterm", **more}


def status_of(process):
    """The exit status of a process that ends in time. One that does not is killed, and that is a failure."""
    try:
        status = process.wait(2 * TIMEOUT_S)  # draining has a limit of its own
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise
    report_crash(status, process.args)
    return status


def sluice(*arguments, env=None, **more):
    """Runs a command to its end."""
    done = subprocess.run([os.environ["SLUICE"], *arguments], text=True, timeout=TIMEOUT_S,
                          env=environment(**(env or {})),
                          **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more})
    report_crash(done.returncode, done.args)
    return done


def output_of(process):
    """Standard output and standard error of a process that ends in time, both "" if they are no pipes. `process` is the
    leader of a session, if it has children that may outlive it."""
    try:
        out, err = process.communicate(timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        end_session(process)
        raise
    report_crash(process.returncode, process.args)
    return out or "", err or ""


def end_session(process):
    """Kills a process that nobody has waited for, with all of its group if it is the leader of a session."""
    if process.returncode is not None:
        return
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:  # it is no leader
        process.kill()
    process.wait()


def written_on(terminal):
    """What is written on a terminal whose other end is this descriptor, piece by piece until that end is closed."""
    while select.select([terminal], [], [], TIMEOUT_S)[0]:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # EIO: the other end is closed
            return
        if not piece:
            return
        yield piece
    raise AssertionError(f"nothing was written on the terminal for {TIMEOUT_S} s")


def on_a_terminal(*arguments, env=None, until=None):
    """Runs a command on a terminal of its own. Returns exit status and all that it wrote there, without the carriage
    returns that the terminal adds. Calls until(text so far) while it writes."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([os.environ["SLUICE"], *arguments], stdin=theirs, stdout=theirs, stderr=theirs,
                               env=environment(**(env or {})))
    os.close(theirs)
    written = b""
    try:
        for piece in written_on(ours):
            written += piece
            if until:
                until(written.decode(errors="replace"))
        return status_of(process), written.decode().replace("\r\n", "\n")
    finally:
        os.close(ours)
        process.kill()
        process.wait()


def asked(*arguments, typed, env=None, **more):
    """Runs a command that asks on its terminal, which has (prompt, keys) in turn. Returns exit status and all that the
    terminal shows."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([os.environ["SLUICE"], *arguments], stdin=theirs, stdout=theirs, stderr=theirs,
                               env=environment(**(env or {})), start_new_session=True,
                               preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0), **more)
    os.close(theirs)
    shown, left = "", list(typed)
    try:
        for piece in written_on(ours):
            shown += piece.decode()
            if left and shown.endswith(left[0][0]):
                os.write(ours, left.pop(0)[1])
        return status_of(process), shown.replace("\r\n", "\n")
    finally:
        os.close(ours)
        process.kill()
        process.wait()


class Client:
    """A command that runs beside the test, such as subscribe. As a context manager, interrupts it at the end."""

    def __init__(self, *arguments, env=None, **more):
        self.process = subprocess.Popen([os.environ["SLUICE"], *arguments], text=True,
                                        env=environment(**(env or {})),
                                        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more})
        self._lines = {}
        for stream in ("stdout", "stderr"):
            if getattr(self.process, stream) is not None:
                self._lines[stream] = queue.Queue()
                threading.Thread(target=self._read, args=(stream,), daemon=True).start()

    def _read(self, stream):
        with getattr(self.process, stream) as lines:
            for line in lines:
                self._lines[stream].put(line.rstrip("\n"))
        self._lines[stream].put(None)

    def line(self, stream="stdout"):
        """The next line; None at the end."""
        return self._lines[stream].get(timeout=TIMEOUT_S)

    def wait_for(self, pattern, stream="stderr"):
        """The next line in which the regular expression is found."""
        while (line := self.line(stream)) is not None:
            if re.search(pattern, line):
                return line
        raise AssertionError(f"sluice ended without saying {pattern!r}")

    def ended(self):
        return status_of(self.process)

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self.ended()

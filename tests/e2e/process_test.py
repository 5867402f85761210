#!/usr/bin/env python3
"""The daemon as a process: start, log, signals, exit status."""
import contextlib
import ctypes
import json
import os
import re
import resource
import select
import signal
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path

from client_process import status_of
from sluice_process import TIMEOUT_S, Sluiced, eventually, item, limit, rss, run_to_end

PATIENT_END = ("--set", "shutdown.drain_timeout=60s")
IN_MEMORY = ("--set", "store.kind=memory")


class HeldUpThread:
    """Stops one thread of a process, as a debugger does, until the process ends."""

    SEIZE, INTERRUPT, ANY_THREAD = 0x4206, 0x4207, 0x40000000

    def __init__(self, process, name):
        tasks = Path(f"/proc/{process}/task")
        self.id = next(int(task.name) for task in tasks.iterdir() if (task / "comm").read_text().strip() == name)

    def __enter__(self):
        ptrace = ctypes.CDLL(None, use_errno=True).ptrace
        for request in (self.SEIZE, self.INTERRUPT):
            if ptrace(request, self.id, None, None) != 0:
                raise unittest.SkipTest(f"no ptrace here: {os.strerror(ctypes.get_errno())}")
        os.waitpid(self.id, self.ANY_THREAD)
        return self

    def has_ended(self):
        thread, status = os.waitpid(self.id, self.ANY_THREAD | os.WNOHANG)
        return thread == self.id and (os.WIFSIGNALED(status) or os.WIFEXITED(status))

    def __exit__(self, *failure):
        pass


def listening_port(process):
    """The port on which a process listens, without its log; None: it does not, or not yet."""
    sockets = set()
    for link in Path(f"/proc/{process}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            sockets.add(os.readlink(link))
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets:
            return int(fields[1].split(":")[1], 16)
    return None


class Process(unittest.TestCase):
    def started(self, *arguments, **more):
        """A daemon that is started without the help of Sluiced; it does not outlive its test."""
        process = subprocess.Popen([os.environ["SLUICED"], "--set", "http.port=0", *IN_MEMORY, *PATIENT_END,
                                    *arguments], **more)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def assert_healthy(self, port, host="127.0.0.1"):
        with socket.create_connection((host, port), timeout=TIMEOUT_S) as connection:
            connection.sendall(b"GET /healthz HTTP/1.0\r\n\r\n")
            self.assertTrue(connection.recv(100).startswith(b"HTTP/1.1 200 "))

    def last_words(self, daemon, message):
        """The daemon's last log entry, if it has this message. At its end the daemon writes its log for a fraction of a
        second only, and a busy machine may need longer: then None."""
        # A thread sanitizer logs last: it reports that the threads were not joined.
        last = [entry for entry in daemon.log if isinstance(entry, dict)][-1]
        if last["message"] == message:
            return last
        self.assertRegex(last["message"], "^(ready|draining|drain timeout, (events not matched|connections cut))$")
        return None

    def test_version_help_and_defaults(self):
        status, output, _ = run_to_end("--version")
        self.assertEqual((status, output.split()[0]), (0, "sluiced"))
        status, output, _ = run_to_end("--help")
        self.assertEqual(status, 0)
        self.assertIn("--check-config", output)
        status, output, _ = run_to_end("--print-defaults")
        self.assertEqual(status, 0)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "defaults.yaml"
            path.write_text(output)
            self.assertEqual(run_to_end("--config", str(path), "--check-config"), (0, "configuration is valid\n", ""))

    def drained(self, sign):
        """The last words of a daemon that gets this signal and has a subscriber to 500 events."""
        with Sluiced() as daemon, daemon.subscribe() as subscriber:
            idle = daemon.connect()
            idle.connect()
            items = [item(f"t{i}") for i in range(500)]
            self.assertEqual(daemon.publish(rss(*items))[0], 202)
            daemon.process.send_signal(sign)
            self.assertEqual(subscriber.titles(500), [f"t{i}" for i in range(500)])
            self.assertIsNone(subscriber.next())
            self.assertEqual(daemon.end(), 0)
            idle.close()
            return self.last_words(daemon, "stopped")

    def test_sigterm_drains_and_exits_with_0(self):
        for sign in (signal.SIGTERM, signal.SIGINT):
            stopped = eventually(lambda: self.drained(sign), "last words")
            self.assertEqual((stopped["deliveries"], stopped["events_lost"]), (500, 0))

    def test_sigterm_with_a_subscriber_that_never_reads(self):
        """Its connection is cut, and the process ends with 0. A process that is not done after another second ends with
        1, and a busy machine may need longer: then it is tried again."""

        def ended_by_itself():
            with Sluiced("shutdown.drain_timeout=1ms") as daemon:
                sleeper = daemon.subscribe()
                for i in range(20):
                    daemon.publish(rss(item(f"t{i}", description="x" * 500_000)))
                status = daemon.stop()
                sleeper.close()
            self.assertIn(status, (0, 1))
            return status == 0

        eventually(ended_by_itself, "exit status 0")

    def test_sigterm_soon_after_the_first_changes_nothing(self):
        """As `timeout` sends it: to the process and to its group."""
        with Sluiced() as daemon, daemon.subscribe() as subscriber:
            self.assertEqual(daemon.publish(rss(item("a")))[0], 202)
            daemon.process.send_signal(signal.SIGTERM)
            daemon.process.send_signal(signal.SIGTERM)
            self.assertEqual(subscriber.titles(1), ["a"])
            self.assertEqual(daemon.end(), 0)

    def test_another_sigterm_or_sigint_ends_the_process_at_once(self):
        for sign in (signal.SIGTERM, signal.SIGINT):
            with Sluiced(*PATIENT_END[1:]) as daemon, daemon.subscribe():  # a subscriber that never reads
                for i in range(20):
                    daemon.publish(rss(item(f"t{i}", description="x" * 500_000)))
                daemon.process.send_signal(signal.SIGTERM)
                daemon.wait_for_log("draining")

                def ended():
                    daemon.process.send_signal(sign)
                    return daemon.process.poll() is not None

                eventually(ended, "the end of the process")
                self.assertEqual(daemon.end(), -sign)

    def test_sighup_changes_no_options(self):
        with Sluiced() as daemon, daemon.subscribe() as subscriber:
            daemon.process.send_signal(signal.SIGHUP)
            daemon.wait_for_log("SIGHUP: certificates and users are read again; options need a restart")
            self.assertEqual(daemon.publish(rss(item("a")))[0], 202)
            self.assertEqual(subscriber.titles(1), ["a"])

    def test_signals_without_a_meaning_change_nothing_and_are_logged(self):
        named = {signal.SIGUSR1: "SIGUSR1", signal.SIGUSR2: "SIGUSR2", signal.SIGALRM: "SIGALRM",
                 signal.SIGIO: "SIG(IO|POLL)", signal.SIGRTMIN: r"signal \d+", signal.SIGRTMAX: r"signal \d+"}
        with Sluiced() as daemon, daemon.subscribe() as subscriber:
            for number, name in named.items():
                daemon.process.send_signal(number)
                logged = daemon.wait_for_log("signal ignored: it has no meaning here")
                self.assertRegex(logged["signal"], f"^{name}$")
            for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGVTALRM, signal.SIGPROF, signal.SIGCHLD,
                           signal.SIGWINCH, signal.SIGURG):
                daemon.process.send_signal(number)
            self.assertEqual(daemon.publish(rss(item("a")))[0], 202)
            self.assertEqual(subscriber.titles(1), ["a"])

    def test_a_configuration_that_is_not_a_file_is_refused_at_once_unless_it_is_a_pipe_with_a_writer(self):
        sluiced = os.environ["SLUICED"]
        with tempfile.TemporaryDirectory() as folder:
            fifo = f"{folder}/fifo"
            os.mkfifo(fifo)
            for path, reason in ((fifo, "is a pipe to which no program writes"), (folder, "is a directory"),
                                 ("/dev/zero", "is a device; expected a file or a pipe")):
                self.assertEqual(run_to_end("--config", path, "--check-config"), (2, "", f"{path}: {reason}\n"))
            good, bad = "http: {port: 0}", "http: {pork: 0}"
            for typed in ("{0} --check-config --config <(echo '{1}')", "echo '{1}' | {0} --check-config -c /dev/stdin"):
                for text, status in ((good, 0), (bad, 2)):
                    with self.subTest(typed, text=text):
                        done = subprocess.run(["bash", "-c", typed.format(sluiced, text)], timeout=TIMEOUT_S,
                                              capture_output=True, check=False)
                        self.assertEqual(done.returncode, status, done.stderr)

    def ended_with_a_thread_held_up(self):
        """The last words of a daemon that gets SIGTERM while its only thread for connections does nothing."""
        daemon = Sluiced("io.threads=1", "shutdown.drain_timeout=1ms")
        self.addCleanup(daemon.process.stderr.close)
        self.addCleanup(daemon.kill)
        self.assertEqual(daemon.request("GET", "/healthz")[0], 200)
        with HeldUpThread(daemon.process.pid, "sluiced io") as thread:
            daemon.process.send_signal(signal.SIGTERM)
            eventually(thread.has_ended, "the end of the process")
            self.assertEqual(daemon.stop(), 1)
        last = self.last_words(daemon, "drain timeout, the process ends with work unfinished")
        return last and last["stage"]

    def test_sigterm_ends_the_process_whatever_is_running(self):
        eventually(lambda: self.ended_with_a_thread_held_up() in ("ending connections", "stopping I/O threads"),
                   "last words that name the stage")

    def test_the_port_is_told_at_every_log_level(self):
        for level in ("error", "off"):
            with Sluiced(f"log.level={level}") as daemon:  # waits for the line
                self.assertEqual(daemon.request("GET", "/healthz")[0], 200)

    def test_an_ipv6_address_on_the_command_line(self):
        try:
            socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        except OSError:
            self.skipTest("no IPv6 here")
        with Sluiced("http.address=::", "http.allow_plaintext=true") as daemon:
            self.assert_healthy(daemon.port, "::1")

    def test_descriptors_that_are_closed_at_the_start(self):
        """A connection must not get the descriptor that standard error is written to."""
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "log"
            with open(log, "wb") as file:
                process = subprocess.Popen(
                    ["sh", "-c", 'exec "$0" "$@" 0<&- 1>&-', os.environ["SLUICED"], "--set", "http.port=0",
                     *IN_MEMORY, *PATIENT_END], stderr=file)
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
            port = eventually(lambda: re.search(r"listening .*port=(\d+)\n", log.read_text()), "the port in the log")
            for number in (0, 1):
                self.assertEqual(os.readlink(f"/proc/{process.pid}/fd/{number}"), "/dev/null")
            self.assert_healthy(int(port[1]))
            process.terminate()
            self.assertEqual(status_of(process), 0)

    def test_standard_error_that_is_closed_at_the_start(self):
        process = subprocess.Popen(
            ["sh", "-c", 'exec "$0" "$@" 2>&-', os.environ["SLUICED"], "--set", "http.port=0",
             *IN_MEMORY, *PATIENT_END])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        port = eventually(lambda: listening_port(process.pid), "a listening socket")
        self.assert_healthy(port)
        self.assertEqual(os.readlink(f"/proc/{process.pid}/fd/2"), "/dev/null")
        process.terminate()
        self.assertEqual(status_of(process), 0)

    def test_nobody_waits_for_a_log_that_nobody_reads(self):
        log, into_log = os.pipe()
        self.addCleanup(os.close, log)
        self.addCleanup(os.close, into_log)
        process = self.started("--set", "delivery.queue_events=1", stderr=into_log)
        line = b""
        while not (port := re.search(rb"listening .*port=(\d+)\n", line)):
            self.assertTrue(select.select([log], [], [], TIMEOUT_S)[0], line)
            line += os.read(log, 1000)
        # A separate open file description: the daemon's must stay blocking.
        filler = os.open(f"/proc/self/fd/{into_log}", os.O_WRONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, filler)
        filling = b"." * 4096
        with self.assertRaises(BlockingIOError):
            while True:
                os.write(filler, filling)
        for _ in range(20):
            process.send_signal(signal.SIGHUP)
            self.assert_healthy(int(port[1]))
        process.terminate()
        self.assertEqual(status_of(process), 0)

    def test_too_few_threads_end_the_start(self):
        if os.geteuid() != 0:
            self.skipTest("only root can become a user with no other processes")
        user = 20_000 + os.getpid() % 40_000  # the limit is on all of a user's threads, so nobody else may be that one
        failed = told = 0
        for threads in range(4, 24):  # this many threads may run before creation fails
            try:
                process = self.started("--set", "shutdown.drain_timeout=5s", user=user, stderr=subprocess.PIPE,
                                       text=True, preexec_fn=limit(resource.RLIMIT_NPROC, threads))
            except PermissionError:
                self.skipTest("the daemon is in a folder of root's own")
            with process.stderr as log:
                text = line = ""
                while " ready " not in text and (line := log.readline()):  # threads are started until then
                    text += line
                if line:
                    process.terminate()
                    self.assertEqual(status_of(process), 0)
                    break
            self.assertEqual(status_of(process), 1)
            if text:  # the log is written for half a second only
                self.assertIn("a thread", text)
                told += 1
            failed += 1
        self.assertGreater(failed, 1)
        self.assertGreater(told, 0)

    def test_idle_connections_make_room_where_descriptors_are_few(self):
        few = 256
        with Sluiced(preexec_fn=limit(resource.RLIMIT_NOFILE, few)) as daemon:
            told = next(entry for entry in daemon.log if entry["message"].startswith("fewer connections than"))
            self.assertLess(told["connections"], few)
            self.assertNotIn("warn", [entry["level"] for entry in daemon.log])
            for _ in range(2 * few):
                idle = socket.create_connection(("127.0.0.1", daemon.port), timeout=TIMEOUT_S)
                self.addCleanup(idle.close)
            # They end of themselves after an hour: http.idle_timeout.
            self.assertEqual(daemon.request("GET", "/healthz")[0], 200)
            eventually(lambda: daemon.status()["counters"]["connections_displaced"] > 0, "displaced connections")

    def test_without_descriptors_clients_are_told(self):
        if b"__sanitizer_" in Path(os.environ["SLUICED"]).read_bytes():
            self.skipTest("a sanitizer needs descriptors of its own")
        with Sluiced() as daemon, contextlib.ExitStack() as subscribers:
            pid = daemon.process.pid
            taken = None
            while taken is None:  # subscribers fill the gaps; they do not make room for others
                subscribers.enter_context(daemon.subscribe())
                taken = self.descriptors_without_gaps(pid)
            most = resource.prlimit(pid, resource.RLIMIT_NOFILE)[1]
            before = resource.prlimit(pid, resource.RLIMIT_NOFILE, (taken, most))
            for _ in range(3):
                with socket.create_connection(("127.0.0.1", daemon.port), timeout=TIMEOUT_S) as connection:
                    self.assertTrue(connection.recv(100).startswith(b"HTTP/1.1 503 "))
            resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
            self.assert_healthy(daemon.port)

    @staticmethod
    def descriptors_without_gaps(pid):
        numbers = {int(name) for name in os.listdir(f"/proc/{pid}/fd")}
        return len(numbers) if numbers == set(range(len(numbers))) else None

    def test_deep_filters_with_a_small_stack_limit(self):
        depth = 190
        filters = ["not(" * depth + "a" + ")" * depth, "boolean(a" + "[b" * depth + "]" * depth + ")"]
        document = "<a>" * 250 + "x" + "</a>" * 250
        with Sluiced("limits.filter_depth=200", preexec_fn=limit(resource.RLIMIT_STACK, 128 << 10)) as daemon:
            for text in filters:
                trial = {"filter": text, "document": document, "content_type": "application/xml"}
                status = daemon.request("POST", "/v1/match", json.dumps(trial), {"Content-Type": "application/json"})[0]
                self.assertEqual(status, 200)
            with daemon.subscribe(filters, stream="s"):
                self.assertEqual(daemon.publish(document, "application/xml", stream="s")[0], 202)

    def test_a_body_that_trickles_is_cut_off(self):
        with Sluiced("http.body_rate=1MiB") as daemon:  # otherwise it may take an hour: http.request_timeout
            with socket.create_connection(("127.0.0.1", daemon.port), timeout=TIMEOUT_S) as connection:
                connection.sendall(b"POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n<rss>")
                self.assertTrue(connection.recv(100).startswith(b"HTTP/1.1 408 "))
            eventually(lambda: daemon.status()["counters"]["requests_refused"]["timed_out"] == 1, "a request that timed out")

    def test_health_and_readiness(self):
        with Sluiced() as daemon:
            self.assertEqual(daemon.request("GET", "/healthz")[::2], (200, b"ok\n"))
            self.assertEqual(daemon.request("GET", "/readyz")[::2], (200, b"ready\n"))
            self.assertLessEqual({d["state"] for d in daemon.status()["engine"]["devices"].values()}, {"not used yet"})

    def test_a_file_sets_options(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "sluice.yaml"
            path.write_text("matcher:\n  backend: naive\n  threads: 3\nstreams:\n  w: {event_path: //obs}\n")
            with Sluiced(config=path) as daemon, daemon.subscribe(["@id='2'"], stream="w") as subscriber:
                daemon.publish("<d><x><obs id='1'/></x><obs id='2'/></d>", "application/xml", stream="w")
                self.assertEqual(subscriber.next_json()["values"], {"@id": ["2"]})
                self.assertEqual(daemon.status()["backend"], "naive")

    def test_every_backend_matches_where_there_may_be_no_gpu_and_no_driver(self):
        # Enough filters that a GPU would be tried.
        room = ("limits.filters_per_connection=15000", "http.header_bytes=1MiB")
        filters = [f"category='{i}'" for i in range(5000)]
        for backend in ("cpu", "cuda", "auto"):
            with self.subTest(backend), Sluiced(f"matcher.backend={backend}", *room) as daemon:
                with daemon.subscribe(filters) as subscriber:
                    self.assertEqual(daemon.publish(rss(item("a", "x"), item("b", "4999"), item("c", "0")))[0], 202)
                    self.assertEqual(subscriber.titles(2), ["b", "c"])
                    status = eventually(lambda: (now := daemon.status())["engine"]["reason"] and now, "a reason")
                    self.assertEqual(status["backend"], backend)
                    engine = status["engine"]
                    self.assertGreater(len(engine["reason"]), 20)
                    self.assertEqual((engine["rematched_batches"], engine["background_failures"]), (0, 0))
                    used = [device for device in engine["devices"].values() if device["state"] == "ready" and device["segments"]]
                    if backend == "cpu" or not used:
                        self.assertTrue(engine["reason"].startswith("the CPU matches"), engine)
                        self.assertEqual(sum(device["batches"] for device in engine["devices"].values()), 0)


if __name__ == "__main__":
    unittest.main()

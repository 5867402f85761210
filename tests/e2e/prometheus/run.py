#!/usr/bin/env python3
"""A real Prometheus scrapes a daemon under load with the rules of docker/. The expression of each panel of the
dashboard must give data, that of each alert must be valid, and one alert fires. Needs prometheus and promtool (Debian's package
prometheus), and some 30 s; ./dev test --long runs it."""
import argparse
import contextlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from sluice_process import Sluiced, eventually, item, rss  # noqa: E402

DOCKER = Path(__file__).resolve().parents[3] / "docker"
SCRAPES = 20  # that the queries are about, a second apart
# Metrics whose panels may be empty.
WITHOUT_DATA = {
    "sluice_gpu_": "there may be no GPU",
    "sluice_operator_batches_total": "counts only where a GPU may decide",
    "sluice_operator_device_texts_total": "there may be no GPU",
    "sluice_operator_unreadable_total": "every text could be read",
    "sluice_engine_faults_total": "no GPU failed",
}
FIRES = "SluiceDocumentsRefused"
MAY_FIRE = {FIRES, "SluiceGaps", "SluiceSlowConsumers", "SluiceDeliverySlow", "SluiceStoreSlow", "SluiceMemoryRefusals",
            "SluiceConsumerAway"}


def promtool(*arguments, **more):
    done = subprocess.run(["promtool", *map(str, arguments)], capture_output=True, **more)
    output = (done.stdout + done.stderr).decode()
    if done.returncode != 0:
        sys.exit(f"promtool {' '.join(map(str, arguments))} ended with {done.returncode}:\n{output}")
    print(f"promtool {' '.join(map(str, arguments[:2]))}: accepted")


class Load:
    """Publishers, subscribers and replays until stop(). They publish faster than the costly filters can be decided, so
    that some documents find no room in the queue."""

    def __init__(self, daemon):
        self.daemon = daemon
        self.stopping = threading.Event()
        self.faults = []
        chance = random.Random(7)
        digits = "".join(chance.choices("0123456789", k=4_800))
        self.letters = "".join(chance.choices("abcdefghij", k=300_000))
        self.slow = daemon.subscribe([f"approx-contains(text, '{digits[at:at + 300]}', 200)"
                                      for at in range(0, 4_800, 300)], stream="costly")
        assert daemon.request("PUT", "/v1/subscriptions/away", '{"streams": ["s0"]}')[0] == 201
        self.cheap = daemon.subscribe(("category = 'news'", "contains(title, '7')", "count(../item) > 1"), stream="*")
        self.threads = [threading.Thread(target=self.guarded, args=(work,))
                        for work in (self.read, self.publish, self.publish_costly, self.publish_costly, self.replay)]
        for thread in self.threads:
            thread.start()

    def guarded(self, work):
        try:
            work()
        except Exception as fault:  # noqa: BLE001  reported by stop()
            if not self.stopping.is_set():
                self.faults.append(fault)

    def read(self):
        while not self.stopping.is_set() and self.cheap.next() is not None:
            pass

    def publish(self):
        n = 0
        while not self.stopping.wait(0.01):
            n += 1
            self.daemon.publish(rss(item(f"{n}"), item(f"{n // 10}", "sport")), stream=f"s{n % 7}")
            if n % 10 == 0:
                self.daemon.publish("<", stream="s0")

    def publish_costly(self):
        n = 0
        while not self.stopping.is_set():
            n += 1
            self.daemon.publish(rss(item(f"{threading.get_ident()}", text=f"{n} {self.letters}")), stream="costly")

    def replay(self):
        while not self.stopping.wait(0.2):
            with self.daemon.subscribe(stream="s1", **{"from": "first", "until": "now"}) as subscriber:
                while subscriber.next() is not None:
                    pass

    def stop(self):
        self.stopping.set()
        self.daemon.publish(rss(item("the end")))  # for read()
        self.slow.close()
        for thread in self.threads:
            thread.join()
        self.cheap.close()
        assert not self.faults, self.faults


@contextlib.contextmanager
def prometheus(port, folder):
    """A Prometheus with docker's configuration, but quicker. Yields its address."""
    config = (DOCKER / "prometheus.yml").read_text()
    config, times = re.subn(r"(scrape|evaluation)_interval: 15s", r"\1_interval: 1s", config)
    config, targets = re.subn(r"sluice:8080", f"127.0.0.1:{port}", config)
    assert (times, targets) == (2, 1), config
    (folder / "prometheus.yml").write_text(config)
    (folder / "alerts.yml").write_text(re.sub(r"(?m)^( +for): .*", r"\1: 1s", (DOCKER / "alerts.yml").read_text()))
    process = subprocess.Popen(["prometheus", f"--config.file={folder}/prometheus.yml",
                                f"--storage.tsdb.path={folder}/data", "--web.listen-address=127.0.0.1:0"],
                               stderr=subprocess.PIPE, text=True, cwd=folder)
    try:
        said = []
        address = None
        for line in process.stderr:
            said.append(line)
            if found := re.search(r'msg="Listening on" address=(\S+)', line):
                address = found[1]
            if "ready to receive web requests" in line:
                break
        assert address, "".join(said)
        threading.Thread(target=process.stderr.read, daemon=True).start()
        yield address
    finally:
        process.terminate()
        process.wait()


def asked(address, path, **parameters):
    query = urllib.parse.urlencode(parameters)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"http://{address}/api/v1/{path}?{query}", timeout=60) as reply:
            return json.load(reply)["data"]
    except urllib.error.HTTPError as error:
        raise AssertionError(f"{parameters}: {error.read().decode()}") from None


def panels():
    """Title and expression of each target of the dashboard."""
    for panel in json.loads((DOCKER / "grafana" / "dashboard.json").read_text())["panels"]:
        for target in panel.get("targets", ()):
            yield panel["title"], target["expr"].replace("$instance", ".*").replace("$__rate_interval", "10s")


def check_panels(address):
    empty = {}
    for title, expression in panels():
        samples = asked(address, "query", query=expression)["result"]
        numbers = [sample for sample in samples if sample["value"][1] != "NaN"]
        if numbers:
            continue
        reason = next((why for name, why in WITHOUT_DATA.items() if name in expression), None)
        assert reason, f"no data for the panel {title!r}: {expression}"
        empty[expression] = reason
    count = len(list(panels()))
    print(f"dashboard: {count - len(empty)} of {count} expressions give data")
    for expression, reason in empty.items():
        print(f"  without: {expression} ({reason})")


def check_alerts(address):
    rules = [rule for group in asked(address, "rules")["groups"] for rule in group["rules"]]
    for rule in rules:
        assert rule["health"] == "ok", rule
        asked(address, "query", query=rule["query"])

    def names():
        alerts = asked(address, "alerts")["alerts"]
        return {alert["labels"]["alertname"] for alert in alerts if alert["state"] == "firing"}

    eventually(lambda: FIRES in names(), f"{FIRES} to fire")
    firing = names()
    print(f"alerts: {len(rules)} evaluated; firing: {', '.join(sorted(firing))}")
    assert firing <= MAY_FIRE, firing - MAY_FIRE


def scrapes(address):
    samples = asked(address, "query", query='count_over_time(up{job="sluice"}[1h])')["result"]
    return samples and int(samples[0]["value"][1]) >= SCRAPES


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sluiced", help="the daemon (default: $SLUICED)")
    options = parser.parse_args()
    if options.sluiced:
        os.environ["SLUICED"] = options.sluiced
    missing = [name for name in ("prometheus", "promtool") if not shutil.which(name)]
    if missing:
        sys.exit(f"not installed: {', '.join(missing)} (Debian's package prometheus)")
    begin = time.monotonic()
    promtool("check", "rules", DOCKER / "alerts.yml")
    promtool("test", "rules", DOCKER / "alerts_test.yml")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store = ("store.kind=rocksdb", f"store.path={folder / 'store'}")
        room = ("publish.wait=1ms", "matcher.queue_events=1")
        with Sluiced(*store, *room) as daemon, prometheus(daemon.port, folder) as address:
            promtool("check", "config", folder / "prometheus.yml")
            load = Load(daemon)
            try:
                eventually(lambda: scrapes(address), f"{SCRAPES} scrapes")
                body = daemon.request("GET", "/metrics", headers={"Accept": "text/plain"})[2]
                promtool("check", "metrics", input=body)
                check_panels(address)
                check_alerts(address)
            finally:
                load.stop()
    print(f"{time.monotonic() - begin:.1f} s")


if __name__ == "__main__":
    main()

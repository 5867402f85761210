#!/usr/bin/env python3
"""The trace context of a publication: what subscribers get of it, live, replayed and after a restart."""
import json
import tempfile
import unittest
from pathlib import Path

from client_process import Client, sluice
from sluice_process import Sluiced, item, rss

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
OTHER = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"


def cloud_event(number, **more):
    return {"specversion": "1.0", "id": str(number), "source": "/s", "type": "t", **more}


def trace_of(event):
    return event.get("traceparent"), event.get("tracestate")


class Trace(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def publish(self, daemon, document, content_type="application/json", stream="s", headers=()):
        """`headers` may repeat names, unlike those of Sluiced.request."""
        connection = daemon.connect()
        body = document.encode() if isinstance(document, str) else json.dumps(document).encode()
        connection.putrequest("POST", f"/v1/events?stream={stream}")
        for name, value in (("Content-Type", content_type), ("Content-Length", str(len(body))), *headers):
            connection.putheader(name, value)
        connection.endheaders(body)
        reply = connection.getresponse()
        self.assertEqual(reply.status, 202, reply.read())
        reply.read()
        connection.close()

    def replayed(self, daemon, n, stream="s"):
        with daemon.subscribe(stream=stream, **{"from": "first"}) as subscriber:
            return [subscriber.next_event()["data"] for _ in range(n)]

    def test_live_replayed_and_after_a_restart(self):
        options = ("store.kind=rocksdb", f"store.path={self.folder / 'store'}")
        traced = (("traceparent", PARENT), ("tracestate", "a=1 , b=2"), ("TraceState", "c=3"))
        with Sluiced(*options) as daemon:
            with daemon.subscribe(stream="s") as subscriber:
                self.publish(daemon, rss(*(item(str(i)) for i in range(5))), "application/rss+xml", headers=traced)
                # A document of which only the new item is kept.
                self.publish(daemon, rss(*(item(str(i)) for i in range(6))), "application/rss+xml",
                             headers=(("traceparent", OTHER),))
                self.publish(daemon, {"n": 1})
                live = [subscriber.next_event()["data"] for _ in range(7)]
            traces = [trace_of(json.loads(event)) for event in live]
            self.assertEqual(traces, [(PARENT, "a=1,b=2,c=3")] * 5 + [(OTHER, None), (None, None)])
            self.assertEqual(self.replayed(daemon, 7), live)
        with Sluiced(*options) as again:
            self.assertEqual(self.replayed(again, 7), live)

    def test_a_malformed_context_is_ignored(self):
        cases = [((("traceparent", value), ("tracestate", "a=1")), (None, None))
                 for value in ("", "x", PARENT.upper(), PARENT + "-0", PARENT[:-1], "ff" + PARENT[2:], "\u00ff" * 55,
                               PARENT.replace("b7ad6b7169203331", "0" * 16))]
        cases += [((("traceparent", PARENT), ("traceparent", OTHER)), (None, None)),
                  ((("tracestate", "a=1"),), (None, None)),
                  ((("traceparent", PARENT), ("tracestate", "a=1;2,")), (PARENT, "a=1;2")),
                  ((("traceparent", PARENT), ("tracestate", "A=1")), (PARENT, None)),
                  ((("traceparent", "cc" + PARENT[2:] + "-more"),), ("cc" + PARENT[2:] + "-more", None))]
        with Sluiced() as daemon, daemon.subscribe(stream="s") as subscriber:
            for headers, expected in cases:
                with self.subTest(headers):
                    self.publish(daemon, {}, headers=headers)
                    self.assertEqual(trace_of(subscriber.next_json()), expected)

    def test_a_cloud_event_has_its_own(self):
        of_request = (("traceparent", PARENT), ("tracestate", "r=1"))
        batch = [cloud_event(1, traceparent=OTHER, tracestate="o=1"), cloud_event(2),
                 cloud_event(3, traceparent="junk"), cloud_event(4, traceparent=OTHER)]
        with Sluiced() as daemon:
            with daemon.subscribe(stream="s") as subscriber:
                self.publish(daemon, batch, "application/cloudevents-batch+json", headers=of_request)
                self.publish(daemon, batch[0] | {"id": "5"}, "application/cloudevents+json", headers=of_request)
                binary = [(f"ce-{name}", value) for name, value in cloud_event(6, traceparent=OTHER).items()]
                self.publish(daemon, {"a": 1}, headers=(*of_request, *binary))
                live = [subscriber.next_event()["data"] for _ in range(6)]
            self.assertEqual([trace_of(json.loads(event)) for event in live],
                             [(OTHER, "o=1"), (PARENT, "r=1"), (PARENT, "r=1"), (OTHER, None), (OTHER, "o=1"),
                              (OTHER, None)])
            self.assertEqual(self.replayed(daemon, 6), live)

    def test_a_trace_makes_no_update(self):
        with Sluiced() as daemon, daemon.subscribe(stream="s") as subscriber:
            for parent in (PARENT, OTHER):
                self.publish(daemon, rss(item("a")), "application/rss+xml", headers=(("traceparent", parent),))
            self.publish(daemon, rss(item("b")), "application/rss+xml")
            self.assertEqual(subscriber.titles(2), ["a", "b"])

    def test_the_client_passes_on_that_of_its_environment(self):
        path = self.folder / "one.json"
        path.write_text('{"title": "x"}')
        cases = [((), {}, (None, None)),
                 ((), {"TRACEPARENT": PARENT, "TRACESTATE": "a=1"}, (PARENT, "a=1")),
                 ((), {"TRACEPARENT": "junk\r\nX-A: b", "TRACESTATE": "a=1"}, (None, None)),
                 ((), {"TRACEPARENT": PARENT, "TRACESTATE": "a=\r\nX-A: b"}, (PARENT, None)),
                 (("--traceparent", OTHER), {"TRACEPARENT": PARENT, "TRACESTATE": "a=1"}, (OTHER, None))]
        with Sluiced() as daemon:
            url = ("--server", f"http://127.0.0.1:{daemon.port}", "--stream", "s")
            text = self.enterContext(Client("subscribe", *url, "--count", str(len(cases)), "true()"))
            as_json = self.enterContext(Client("subscribe", *url, "--count", str(len(cases)), "--json", "true()"))
            daemon.wait_for_subscriptions(2)
            for arguments, environment, expected in cases:
                with self.subTest(arguments=arguments, environment=environment):
                    done = sluice("publish", *url, *arguments, str(path), env=environment)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    self.assertEqual(trace_of(json.loads(as_json.line())), expected)
                    self.assertNotIn(PARENT, text.line())
            done = sluice("publish", *url, "--traceparent", PARENT.upper(), str(path))
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("not a W3C traceparent", done.stderr)


if __name__ == "__main__":
    unittest.main()

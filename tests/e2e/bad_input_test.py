#!/usr/bin/env python3
"""Bad input: each gets a clear error, and nothing else is affected."""
import json
import tempfile
import unittest
from pathlib import Path

from sluice_process import Sluiced, eventually, item, raw_reply, rss, run_to_end


class BadRequests(unittest.TestCase):
    def setUp(self):
        self.daemon = self.enterContext(Sluiced("delivery.queue_events=2000", "delivery.slow_consumer=disconnect",
                                                  "delivery.close_timeout=1ms"))
        self.witness = self.enterContext(self.daemon.subscribe())

    def tearDown(self):
        """In every case a good document still arrives, with nothing before it."""
        self.daemon.publish(rss(item("good")))
        self.assertEqual(self.witness.titles(1), ["good"])

    def refused(self, expected_status, document, content_type="application/rss+xml", **parameters):
        status, headers, problem = self.daemon.publish(document, content_type, **parameters)
        self.assertEqual(status, expected_status, problem)
        self.assertEqual(headers["Content-Type"], "application/problem+json")
        self.assertEqual(problem["status"], expected_status)
        return problem

    def test_truncated_xml(self):
        problem = self.refused(400, rss(item("a"))[:-20])
        self.assertEqual(problem["type"], "urn:sluice:problem:document")
        self.assertEqual(problem["line"], 1)
        self.assertGreater(problem["offset"], 50)

    def test_deep_xml(self):
        problem = self.refused(413, "<a>" * 100_000 + "</a>" * 100_000)
        self.assertIn("256", problem["detail"])

    def test_entity_expansion(self):
        document = ("<!DOCTYPE a [<!ENTITY b 'x'><!ENTITY c '&b;&b;'>]><rss><channel><item><title>&c;</title>"
                    "</item></channel></rss>")
        self.refused(400, document, repair="strict")
        self.assertEqual(self.daemon.publish(document)[0], 202)
        self.assertEqual(self.witness.titles(1), ["&c;"])

    def test_a_document_that_is_not_well_formed(self):
        broken = '<rss version=2.0><channel>' + item("R&D") + '<item><title>torn'
        self.refused(400, broken, repair="strict")
        status, _, reply = self.daemon.publish(broken)
        self.assertEqual(status, 202)
        self.assertEqual((reply["new"], reply["repaired"]), (1, 4))
        self.assertEqual([repair["kind"] for repair in reply["repairs"]], ["attribute", "ampersand", "cut-off"])
        self.assertEqual(self.witness.titles(1), ["R&D"])

    def test_what_is_no_feed(self):
        for document in ("<html><body><h1>502</h1><hr></body></html>", "<Error><Code>AccessDenied</Code></Error>",
                         "<opml version='2.0'><body><outline/></body></opml>", '{"error":"not found"}'):
            self.refused(422, document)

    def test_an_empty_feed(self):
        status, _, reply = self.daemon.publish("<rss version='2.0'/>")
        self.assertEqual((status, reply["received"], reply["new"]), (202, 0, 0))

    def test_a_gigabyte_announced(self):
        line, body = raw_reply(self.daemon.port, b"POST /v1/events HTTP/1.1\r\nHost: localhost\r\n"
                                                 b"Content-Type: application/rss+xml\r\n"
                                                 b"Content-Length: 1073741824\r\n\r\n<rss>")
        self.assertEqual(line, "HTTP/1.1 413 Content Too Large")
        self.assertIn("16777216", json.loads(body)["detail"])

    def test_a_header_field_of_64_kib(self):
        for field in (b"X: " + b"a" * 65_536, b"a" * 65_536 + b": x"):
            line, _ = raw_reply(self.daemon.port, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + field + b"\r\n\r\n")
            self.assertEqual(line, "HTTP/1.1 431 Request Header Fields Too Large")

    def test_a_chunk_trailer_of_64_kib(self):
        line, _ = raw_reply(self.daemon.port, b"POST /v1/events HTTP/1.1\r\nHost: localhost\r\n"
                                              b"Transfer-Encoding: chunked\r\n\r\n0\r\nX: " + b"a" * 65_536 +
                                              b"\r\n\r\n")
        self.assertEqual(line, "HTTP/1.1 431 Request Header Fields Too Large")

    def test_a_page_of_another_origin(self):
        headers = {"Content-Type": "text/plain", "Origin": "https://evil.example"}
        self.assertEqual(self.daemon.request("POST", "/v1/events", rss(item("evil")), headers)[0], 403)
        self.assertEqual(self.daemon.request("GET", "/v1/status", headers={"Host": "evil.example"})[0], 421)
        self.assertEqual(self.daemon.request("GET", "/v1/status", headers={"Host": "localhost"})[0], 200)

    def test_wrong_content_type(self):
        self.refused(415, rss(item("a")), "image/png")

    def test_invalid_utf8(self):
        document = rss(item("a")).encode().replace(b"<title>a", b"<title>\xc3\x28")
        problem = self.refused(400, document, repair="strict")
        self.assertIn("line", problem)

    def test_an_encoding_whose_name_is_no_text(self):
        document = b"<?xml version='1.0' encoding='ut\xc3f-8'?>" + rss(item("a")).encode()
        status, _, reply = self.daemon.publish(document, stream="encodings")
        self.assertEqual(status, 202, reply)
        self.assertEqual(reply["repairs"][0]["reason"],
                         "the encoding \"ut\ufffdf-8\" is not known; the document is read as windows-1252")
        self.refused(400, document, repair="strict")

    def test_an_error_page_in_place_of_a_table(self):
        self.refused(422, "<html>\n<body>\n<h1>404</h1>\n", "text/csv")

    def test_not_a_document(self):
        self.refused(400, "")
        self.refused(400, "hello")
        self.refused(400, "{\"version\": ", "application/feed+json")

    def bad_filter(self, text):
        status, _, problem = self.daemon.request(
            "POST", "/v1/match", json.dumps({"filter": text, "document": rss()}), {"Content-Type": "application/json"})
        self.assertEqual(status, 400, problem)
        self.assertEqual(problem["type"], "urn:sluice:problem:filter")
        return problem

    def test_filter_with_a_missing_bracket(self):
        problem = self.bad_filter("//item[category='x'")
        self.assertEqual((problem["line"], problem["column"]), (1, 20))
        self.assertEqual(problem["excerpt"].splitlines()[1].index("^"), 19)
        self.assertIn("]", problem["detail"])

    def test_filter_whose_normal_form_explodes(self):
        text = " and ".join(f"(a='{i}' or b='{i}')" for i in range(20))
        self.assertIn("256", self.bad_filter(text)["detail"])

    def test_filter_nested_too_deep(self):
        self.bad_filter("(" * 10_000 + "a" + ")" * 10_000)

    def test_a_subscriber_that_never_reads(self):
        """It is disconnected; the witness reads everything, and publishers are not delayed."""
        sleeper = self.daemon.subscribe()
        text = "x" * 20_000
        n = 0
        while self.daemon.status()["counters"]["slow_consumers"] == 0:
            self.assertLess(n, 10_000)
            for _ in range(50):
                self.assertEqual(self.daemon.publish(rss(item(f"t{n}", description=text)))[0], 202)
                self.assertEqual(self.witness.titles(1), [f"t{n}"])
                n += 1
        entry = self.daemon.wait_for_log("subscriber disconnected")
        self.assertEqual((entry["reason"], "peer" in entry), ("slow consumer", True))
        eventually(lambda: self.daemon.status()["subscribers"] == 1, "one subscriber left")
        sleeper.close()


class BadStart(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def config(self, text):
        path = self.folder / "sluice.yaml"
        path.write_text(text)
        return str(path)

    def test_unknown_key(self):
        path = self.config("http:\n  prot: 8080\n")
        for check in ([], ["--check-config"]):
            status, _, error = run_to_end("--config", path, *check)
            self.assertEqual(status, 2)
            self.assertEqual(error, f'{path}:2:3: unknown option "prot" in "http"; did you mean "port"?\n')

    def test_every_fault_is_told(self):
        path = self.config("http: {port: x}\nlog: {level: loud}\n")
        self.assertEqual(len(run_to_end("--config", path)[2].splitlines()), 2)

    def test_bad_event_path(self):
        path = self.config("streams:\n  w:\n    event_path: //a[\n")
        status, _, error = run_to_end("--config", path, "--check-config")
        self.assertEqual(status, 2)
        self.assertEqual(error, f"{path}:3:17: streams.w.event_path: at character 5: expected a path, a value or '(', "
                                "but the path ends here\n")

    def test_unreadable_file(self):
        status, _, error = run_to_end("--config", str(self.folder / "missing.yaml"))
        self.assertEqual(status, 2)
        self.assertIn("cannot be read: No such file or directory", error)
        status, _, error = run_to_end("--config", str(self.folder))
        self.assertEqual(status, 2)
        self.assertIn("is a directory", error)

    def test_port_in_use(self):
        with Sluiced() as first:
            status, _, error = run_to_end("--set", f"http.port={first.port}")
            self.assertEqual(status, 1)
            self.assertIn(f"cannot listen on 127.0.0.1 port {first.port}", error)
            self.assertTrue(error.endswith(": Address already in use; --set http.port= chooses another port\n"), error)

    def test_bad_command_line(self):
        self.assertEqual(run_to_end("--bogus")[0], 2)
        self.assertEqual(run_to_end("--set", "http.port")[0], 2)


if __name__ == "__main__":
    unittest.main()

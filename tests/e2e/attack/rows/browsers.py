"""What a web page can make its reader's browser do to a broker on the reader's machine."""
import json

from rows import row

DOCUMENT = "<r><a/></r>"


@row()
def cross_origin(attack):
    """Pages of other origins that publish, subscribe and match; a DNS name bound to loopback; preflights."""
    port = attack.port
    foreign = ("http://evil.example", "https://evil.example", "null", f"http://evil.example:{port}",
               "http://localhost.evil.example", f"http://127.0.0.1.evil.example:{port}", "file://", "garbage")
    hosts = ("evil.example", f"evil.example:{port}", "localhost.evil.example", "127.0.0.1.evil.example",
             "localhost@evil.example", "192.0.2.1")
    own = ("localhost", f"localhost:{port}", "127.0.0.1", f"127.0.0.1:{port}", f"[::1]:{port}", "LOCALHOST")
    attack.under_way()
    while attack.goes_on():
        for origin in foreign:
            for method, target, body in (("POST", "/v1/events?stream=forged", DOCUMENT), ("GET", "/v1/status", None),
                                         ("POST", "/v1/match", "{}"), ("GET", "/v1/events?filter=%28", None)):
                headers = {"Origin": origin, "Content-Type": "text/plain", "Host": f"localhost:{port}"}
                reply = attack.note(attack.request(method, target, body, headers))
                attack.expect(reply, (403,), f"{method} {target} with Origin: {origin}")
            reply = attack.request("OPTIONS", "/v1/events", None, {
                "Origin": origin, "Access-Control-Request-Method": "POST", "Host": f"localhost:{port}"})
            attack.check("access-control-allow-origin" not in reply.headers, f"a preflight of {origin} was granted")
        for host in hosts:
            reply = attack.note(attack.request("POST", "/v1/events?stream=forged", DOCUMENT, {"Host": host}))
            attack.expect(reply, (400, 403, 421), f"Host: {host}")
        reply = attack.note(attack.request("POST", "http://evil.example/v1/events?stream=forged", DOCUMENT))
        attack.expect(reply, (400, 403, 421), "an absolute target of another host")
        for host in own:
            reply = attack.request("POST", "/v1/events?stream=own", DOCUMENT, {"Host": host})
            attack.expect(reply, (202,), f"Host: {host}")
        reply = attack.request("POST", "/v1/events?stream=own", DOCUMENT,
                               {"Host": f"localhost:{port}", "Origin": f"http://localhost:{port}"})
        attack.expect(reply, (202,), "the broker's own origin")
    streams = json.loads(attack.request("GET", "/v1/status").body)["streams"]
    attack.check("forged" not in streams, "a page of another origin has published")


@row()
def requests_without_origin(attack):
    """Pages of other sites that subscribe by <img>, <script>, <iframe> and links: browsers send no Origin with these."""
    host = f"localhost:{attack.port}"
    embedded = [("no-cors", "image"), ("no-cors", "script"), ("no-cors", "style"), ("no-cors", "empty"),
                ("navigate", "iframe"), ("navigate", "embed"), ("navigate", "object")]
    attack.under_way()
    while attack.goes_on():
        for site in ("cross-site", "same-site"):
            for mode, destination in (*embedded, ("navigate", "document")):
                headers = {"Host": host, "Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": destination}
                reply = attack.note(attack.request("GET", "/v1/events?filter=true()", None, headers))
                attack.expect(reply, (403,), f"a subscription by {headers}")
                reply = attack.request("GET", "/v1/status", None, headers)
                followed = destination == "document"
                attack.expect(reply, (200,) if followed else (403,), f"/v1/status by {headers}")
        for site in ("same-origin", "none"):
            reply = attack.request("GET", "/v1/status", None, {"Host": host, "Sec-Fetch-Site": site,
                                                               "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"})
            attack.expect(reply, (200,), f"/v1/status with Sec-Fetch-Site: {site}")


@row()
def forged_events(attack):
    """Items containing carriage returns and event-stream syntax, which must not become separate events."""
    forgery = "\r\rid: 666\rdata: {\"forged\":1}\r\revent: error\rdata: x\r\r"
    document = f"<r><a><t>{forgery}</t></a><a t='{forgery}'/><a>&#13;&#13;data: 666&#10;&#10;data: 666\u2028</a></r>"
    streams = [attack.subscribe(f"stream=attack&format={form}") for form in ("json", "xml")]
    attack.under_way()
    while attack.goes_on():
        reply = attack.publish(document, "attack&deduplicate=false")
        if reply.status != 202:
            continue
        published = json.loads(reply.body)
        for stream in streams:
            for number in range(published["first_id"], published["last_id"] + 1):
                event = stream.data_event()
                attack.check(event is not None and not any(b"\r" in line.encode() for line in event), f"{event}")
                attack.check(event[0].endswith(f"-{number}"), f"event {number} begins with {event[0]}")
                attack.check("event: error" not in event, f"a forged event was delivered: {event}")

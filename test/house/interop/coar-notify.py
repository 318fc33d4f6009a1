"""The library coarnotify as a service with an inbox, which announces reviews: one line for each thing that happens."""
import json, sys, threading, uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from coarnotify.client import COARNotifyClient
from coarnotify.patterns import AnnounceReview
from coarnotify.server import COARNotifyReceipt, COARNotifyServer, COARNotifyServerError, COARNotifyServiceBinding

port, service = int(sys.argv[1]), sys.argv[2]


def say(**what):
    print(json.dumps(what), flush=True)


class Binding(COARNotifyServiceBinding):
    def notification_received(self, notification):
        say(event="received", pattern=type(notification).__name__, told=notification.to_jsonld())
        return COARNotifyReceipt(COARNotifyReceipt.CREATED, f"{service}/inbox/1")


class Inbox(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        try:
            receipt = COARNotifyServer(Binding()).receive(body)
            self.send_response(receipt.status)
            self.send_header("Location", receipt.location)
        except Exception as error:
            say(event="refused", reason=repr(getattr(error, "errors", error)))
            self.send_response(400)
        self.end_headers()

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", port), Inbox)
threading.Thread(target=server.serve_forever, daemon=True).start()
say(event="listens")
for line in sys.stdin:
    bridge, item = line.split()
    announcement = AnnounceReview({
        "@context": ["https://www.w3.org/ns/activitystreams", "https://coar-notify.net"],
        "id": f"urn:uuid:{uuid.uuid4()}",
        "type": ["Announce", "coar-notify:ReviewAction"],
        "inReplyTo": f"urn:uuid:{uuid.uuid4()}",
        "actor": {"id": service, "name": "Reviews", "type": "Service"},
        "origin": {"id": service, "inbox": f"{service}/inbox", "type": "Service"},
        "target": {"id": bridge, "inbox": f"{bridge}/inbox", "type": "Service"},
        "context": {"id": item, "type": ["Page", "sorg:AboutPage"]},
        "object": {"id": f"{service}/review/1", "type": ["Page", "sorg:Review"]},
    })
    try:
        answer = COARNotifyClient().send(announcement)
        say(event="sent", action=answer.action, location=answer.location)
    except Exception as error:
        say(event="not sent", reason=repr(getattr(error, "errors", error)))

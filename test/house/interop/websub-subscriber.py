"""Flask-WebSub as somebody who follows a channel over TLS, with a secret: one line for each thing that happens to it."""
import json, sys, threading
from flask import Flask, request
from werkzeug.serving import make_server
from flask_websub.subscriber import (
    Subscriber, SQLite3SubscriberStorage, SQLite3TempSubscriberStorage, discover)

topic, folder, cert, key = sys.argv[1:5]
app = Flask(__name__)
app.config["PREFERRED_URL_SCHEME"] = "https"
server = make_server("127.0.0.1", 0, app, threaded=True, ssl_context=(cert, key))
app.config["SERVER_NAME"] = f"127.0.0.1:{server.server_port}"
subscriber = Subscriber(
    SQLite3SubscriberStorage(f"{folder}/subscriber.db"), SQLite3TempSubscriberStorage(f"{folder}/temp.db"))
app.register_blueprint(subscriber.build_blueprint("/callbacks"))


def say(**what):
    print(json.dumps(what), flush=True)


@subscriber.add_success_handler
def confirmed(topic_url, callback_id, mode):
    say(event=mode, topic=topic_url)


@subscriber.add_error_handler
def failed(topic_url, callback_id, reason):
    say(event="error", topic=topic_url, reason=reason)


@subscriber.add_listener
def told(topic_url, callback_id, body):
    # The library calls this for what is signed as it should be, and for nothing else.
    say(event="told", topic=topic_url, body=body.decode(), signature=request.headers["X-Hub-Signature"])


threading.Thread(target=server.serve_forever, daemon=True).start()
with app.app_context():
    found = discover(topic)
    say(event="discovered", **found)
    callback = subscriber.subscribe(**found)
    for line in sys.stdin:
        if line.strip() == "leave":
            subscriber.unsubscribe(callback)

"""Flask-WebSub as a hub that a Source pings: one line for each that subscribes."""
import json, sys
from celery import Celery
from flask import Flask
from flask_websub.hub import Hub, SQLite3HubStorage

port, folder, cert, key = sys.argv[1:5]
app = Flask(__name__)
app.config["PUBLISH_SUPPORTED"] = True
hub = Hub(SQLite3HubStorage(f"{folder}/hub.db"), Celery(task_always_eager=True), REQUEST_TIMEOUT=30)
app.register_blueprint(hub.build_blueprint("/hub"))


@hub.register_validator
def asked(callback_url, topic_url, lease_seconds, secret, hook_data):
    print(json.dumps({"event": "asked", "topic": topic_url, "hasSecret": bool(secret)}), flush=True)


class Storage(SQLite3HubStorage):
    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        print(json.dumps({"event": "confirmed", "topic": key[0]}), flush=True)


hub.storage = Storage(f"{folder}/hub.db")
app.run("127.0.0.1", int(port), threaded=True, ssl_context=(cert, key))

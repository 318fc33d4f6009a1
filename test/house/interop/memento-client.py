"""memento_client, asked what our tests want to know: `memento-client.py` reads calls as JSON, one a line, and
answers each with a line: what the client made of it, or the error it raised.

    ["get_memento_info", "http://…", "2026-11-21T13:30:00Z"]     the datetime may be null
"""

import json
import sys
from datetime import datetime

from memento_client import MementoClient

ISO = "%Y-%m-%dT%H:%M:%SZ"


def told(value):
    """Datetimes as we write them."""
    if isinstance(value, datetime):
        return value.strftime(ISO)
    if isinstance(value, dict):
        return {key: told(inner) for key, inner in value.items()}
    return value


def call(name, uri, at=None):
    # Its own default would be an aggregator on the network; what is not native is to fail.
    client = MementoClient(timegate_uri="http://127.0.0.1:9/no-aggregator/")
    moment = None if at is None else datetime.strptime(at, ISO)
    if name == "get_memento_info":
        return client.get_memento_info(uri, moment)
    if name == "get_native_timegate_uri":
        return client.get_native_timegate_uri(uri, moment)
    if name == "get_original_uri":
        return client.get_original_uri(uri)
    if name == "is_timegate":
        http = None if moment is None else MementoClient.convert_to_http_datetime(moment)
        return MementoClient.is_timegate(uri, http)
    if name == "is_memento":
        return MementoClient.is_memento(uri)
    raise ValueError(name)


for line in sys.stdin:
    try:
        answer = {"answer": told(call(*json.loads(line)))}
    except Exception as error:  # noqa: BLE001 - whatever it is, the test wants to see it
        answer = {"error": "{}: {}".format(type(error).__name__, error)}
    print(json.dumps(answer), flush=True)

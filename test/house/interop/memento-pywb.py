"""pywb with our server as a remote archive, as its configuration calls that:

    index: {type: memento, timegate_url: …/timegate/{url}, timemap_url: …/timemap/link/{url}, replay_url: …}

Reads questions as JSON, one a line, `["http://…", "20261121133000"]` (null: everything), and answers with what its
index then holds: timestamp, relation, and whether the address it would load is the one it was told.
"""

import json
import sys
import warnings

warnings.simplefilter("ignore")

from pywb.utils.wbexception import NotFoundException  # noqa: E402
from pywb.warcserver.index.indexsource import MementoIndexSource  # noqa: E402

base = sys.argv[1]
source = MementoIndexSource(
    base + "/timegate/{url}", base + "/timemap/link/{url}", base + "/memento/{timestamp}/{url}"
)

for line in sys.stdin:
    url, closest = json.loads(line)
    params = {"url": url} if closest is None else {"url": url, "closest": closest}
    try:
        found = [
            [entry["timestamp"], entry["mem_rel"], entry["load_url"] == entry["memento_url"]]
            for entry in source.load_index(params)
        ]
    except NotFoundException:
        found = None
    print(json.dumps(found), flush=True)

"""Reads a DSpace as a user of dspace-rest-client does and says what it took: dspace-peer.py URL ITEMS plain|embeds

plain: each item of the search, its bundles, and the bitstreams of each bundle, by the functions for them.
embeds: the search with everything that we read embedded, too; what a list embeds beyond its first 20 is not read.
Nothing is stored in either case.
"""
import json, resource, sys, time
from itertools import islice

from dspace_rest_client.client import DSpaceClient

url, wanted, way = sys.argv[1], int(sys.argv[2]), sys.argv[3]
everything = [
    "owningCollection",
    "mappedCollections",
    "accessStatus",
    "bundles/bitstreams/format",
    "bundles/bitstreams/accessStatus",
]
client = DSpaceClient(api_endpoint=url)


def bitstreams(item):
    if way == "plain":
        for bundle in client.get_bundles(parent=item):
            yield from client.get_bitstreams(bundle=bundle)
    else:
        for bundle in item.embedded["bundles"]["_embedded"]["bundles"]:
            yield from bundle["_embedded"]["bitstreams"]["_embedded"]["bitstreams"]


started = time.monotonic()
identifiers = set()
files = 0
embeds = everything if way == "embeds" else None
for item in islice(client.search_objects_iter(dso_type="item", embeds=embeds), wanted):
    identifiers.add(item.uuid)
    files += sum(1 for _ in bitstreams(item))
print(json.dumps({
    "items": len(identifiers),
    "bitstreams": files,
    "seconds": round(time.monotonic() - started, 3),
    "peakRssMB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
}))

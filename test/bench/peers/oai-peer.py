"""Harvests oai_dc with a peer and says what it took: oai-peer.py sickle|scythe URL"""
import json, resource, sys, time

peer, url = sys.argv[1:3]
started = time.monotonic()
identifiers = set()
if peer == "sickle":
    from sickle import Sickle

    records = Sickle(url).ListRecords(metadataPrefix="oai_dc")
else:
    from oaipmh_scythe import Scythe

    records = Scythe(url).list_records(metadata_prefix="oai_dc")
for record in records:
    identifiers.add(record.header.identifier)
print(json.dumps({
    "records": len(identifiers),
    "seconds": round(time.monotonic() - started, 3),
    "peakRssMB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
}))

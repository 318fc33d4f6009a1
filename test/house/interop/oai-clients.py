"""Harvests an OAI-PMH endpoint with somebody else's client: prints each header as JSON, and the responseDate of Identify."""

import json
import sys

client, url, arguments = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])


def tell(header):
    return [header.identifier, header.datestamp, bool(header.deleted), header.setSpecs]


if client == "sickle":
    from sickle import Sickle

    method = arguments.pop("method", "GET")
    peer = Sickle(url, http_method=method)
    names = {"from": "from", "until": "until", "set": "set"}
    given = {names[name]: value for name, value in arguments.items()}
    name = peer.Identify().repositoryName
    sets = [one.setSpec for one in peer.ListSets()]
    records = [tell(one.header) for one in peer.ListRecords(metadataPrefix="oai_dc", **given)]
    headers = [tell(one) for one in peer.ListIdentifiers(metadataPrefix="oai_dc", **given)]
else:
    from oaipmh_scythe import Scythe

    method = arguments.pop("method", "GET")
    names = {"from": "from_", "until": "until", "set": "set_"}
    given = {names[name]: value for name, value in arguments.items()}
    with Scythe(url, http_method=method) as peer:
        name = peer.identify().repositoryName
        sets = [one.setSpec for one in peer.list_sets()]
        records = [tell(one.header) for one in peer.list_records(metadata_prefix="oai_dc", **given)]
        headers = [tell(one) for one in peer.list_identifiers(metadata_prefix="oai_dc", **given)]

print(json.dumps({"name": name, "sets": sets, "records": records, "headers": headers}))

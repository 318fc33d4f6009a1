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
elif client == "pyoai":
    from datetime import datetime

    from oaipmh.client import Client
    from oaipmh.metadata import MetadataRegistry, oai_dc_reader

    registry = MetadataRegistry()
    registry.registerReader("oai_dc", oai_dc_reader)
    peer = Client(url, registry, force_http_get=arguments.pop("method", "GET") == "GET")
    peer.updateGranularity()
    given = {
        {"from": "from_"}.get(name, name): value if name == "set" else datetime.strptime(value, "%Y-%m-%dT%H:%M:%SZ")
        for name, value in arguments.items()
    }

    def told(header):
        stamp = header.datestamp().strftime("%Y-%m-%dT%H:%M:%SZ")
        return [header.identifier(), stamp, header.isDeleted(), [str(one) for one in header.setSpec()]]

    name = peer.identify().repositoryName()
    sets = [spec for spec, _, _ in peer.listSets()]
    records = [told(header) for header, _, _ in peer.listRecords(metadataPrefix="oai_dc", **given)]
    headers = [told(header) for header in peer.listIdentifiers(metadataPrefix="oai_dc", **given)]
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

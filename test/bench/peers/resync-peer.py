"""Writes a Resource List of COUNT entries (hash, length, type, lastmod; no links) with the library resync 2.0.1."""
import json
import resource
import sys
import tempfile
import time

from resync.mapper import Mapper
from resync.resource import Resource
from resync.resource_list import ResourceList

count = int(sys.argv[1])
with tempfile.TemporaryDirectory() as directory:
    started = time.time()
    entries = ResourceList(allow_multifile=True)
    entries.mapper = Mapper(['http://example.org/', directory + '/'])
    for index in range(count):
        entries.add(Resource(
            uri='http://example.org/bench/items/oai:bench:%09d/oai_dc.xml' % index,
            lastmod='2026-11-21T00:00:00Z',
            length=1900,
            sha256='%064x' % index,
            mime_type='application/xml',
        ))
    entries.write(directory + '/resourcelist.xml')
    seconds = time.time() - started
    print(json.dumps({
        'name': 'resync 2.0.1, without links',
        'entries': count,
        'seconds': round(seconds, 2),
        'entriesPerSecond': round(count / seconds),
        'maxRssMegabytes': resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }))

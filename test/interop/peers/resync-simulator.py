"""The Source of resync-simulator 1.1.0, changed by lines on standard input: its own course of random events ends with an
error in Python 3.11. Each line is answered by what there is now: a JSON object of MD5 by name."""

import json
import sys

from simulator.changememory import DynamicChangeList
from simulator.http import HTTPInterface
from simulator.source import DynamicResourceListBuilder, Source

port = int(sys.argv[1])
config = {
    'name': 'ResourceSync Simulator',
    'number_of_resources': 40,
    'change_delay': 1,
    'event_types': ['create', 'update', 'delete'],
    'average_payload': 1000,
    'max_events': -1,
    'stats_interval': 1000,
}
source = Source(config, 'http://127.0.0.1:%d' % port, port)
source.add_resource_list_builder(DynamicResourceListBuilder(source, {
    'class': 'DynamicResourceListBuilder', 'uri_path': 'resourcelist.xml'}))
source.add_changememory(DynamicChangeList(source, {
    'class': 'DynamicChangeList', 'uri_path': 'changelist.xml', 'max_changes': int(sys.argv[2])}))
source.bootstrap()
interface = HTTPInterface(source)
interface.daemon = True
interface.start()

for line in sys.stdin:
    verb, _, name = line.strip().partition(' ')
    if verb == 'create':
        source._create_resource()
    elif verb == 'update':
        source._update_resource(name)
    elif verb == 'delete':
        source._delete_resource(name)
    print(json.dumps({name: source.resource(name).md5 for name in source._repository}), flush=True)

"""Answers OAI-PMH with pyoai, from records in memory, and prints its port: oai-provider-peer.py RECORDS"""
import cgi, datetime, http.server, sys, urllib.parse

# Its server still looks for it where Python had it before 3.8.
cgi.parse_qs = urllib.parse.parse_qs

from oaipmh import common, metadata, server

count = int(sys.argv[1])
base = datetime.datetime(2026, 1, 1)
words = "repository archive harvest metadata record bitstream collection journal thesis faculty index page".split()


def sentence(seed, length):
    state = seed * 2654435761
    text = []
    for index in range(length):
        state = (state * 1103515245 + 12345) & 0xFFFFFFFF
        text.append(f"{words[state % len(words)]}{state % 97}")
    return " ".join(text)


def record(index):
    kept = index % 10000
    header = common.Header(None, f"oai:bench.example.org:{index}", base, [f"faculty:{index % 50}", f"type:{index % 7}"], False)
    return header, described[kept], None


described = [
    common.Metadata(None, {
        "title": [sentence(index, 10)],
        "creator": [f"Author, {index % 997}"],
        "subject": [sentence(index + 1, 4)],
        "description": [sentence(index + 2, 92)],
        "date": ["2020-01-01"],
        "type": ["article"],
        "identifier": [f"https://bench.example.org/record/{index}"],
    })
    for index in range(min(count, 10000))
]


class Provider:
    def identify(self):
        return common.Identify("Bench", "http://127.0.0.1/oai", "2.0", ["a@example.org"], base, "persistent", "YYYY-MM-DDThh:mm:ssZ", ["identity"])

    def listRecords(self, metadataPrefix=None, set=None, from_=None, until=None, cursor=0, batch_size=100):
        return [record(index) for index in range(cursor, min(count, cursor + batch_size))]

    def listIdentifiers(self, metadataPrefix=None, set=None, from_=None, until=None, cursor=0, batch_size=100):
        return [record(index)[0] for index in range(cursor, min(count, cursor + batch_size))]


registry = metadata.MetadataRegistry()
registry.registerWriter("oai_dc", server.oai_dc_writer)
provider = server.BatchingServer(Provider(), metadata_registry=registry, resumption_batch_size=100)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        query = urllib.parse.urlparse(self.path).query
        body = provider.handleRequest(dict(urllib.parse.parse_qsl(query)))
        self.send_response(200)
        self.send_header("content-type", "text/xml; charset=utf-8")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


listening = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print(listening.server_address[1], flush=True)
listening.serve_forever()

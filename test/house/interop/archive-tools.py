"""What warcio and ocfl-py make of what a test wrote: `archive-tools.py warc FILE…` or `archive-tools.py ocfl ROOT`, as JSON."""
import json
import sys


def read_warcs(files):
    from warcio.archiveiterator import ArchiveIterator

    records = []
    for file in files:
        with open(file, 'rb') as stream:
            records_of_file = ArchiveIterator(stream, check_digests=True)
            for record in records_of_file:
                headers = record.rec_headers
                payload = record.content_stream().read()
                records.append({
                    'type': record.rec_type,
                    'uri': headers.get_header('WARC-Target-URI'),
                    'id': headers.get_header('WARC-Record-ID'),
                    'refersTo': headers.get_header('WARC-Refers-To'),
                    'payload': payload.decode('utf-8'),
                    'status': record.http_headers.get_statuscode() if record.http_headers else None,
                    'digests': record.digest_checker.passed,
                    'problems': record.digest_checker.problems,
                    'offset': records_of_file.get_record_offset(),
                    'length': records_of_file.get_record_length(),
                })
    return records


def validate_root(root):
    import io
    from contextlib import redirect_stdout

    from ocfl import StorageRoot

    talk = io.StringIO()
    with redirect_stdout(talk):
        passed = StorageRoot(root=root).validate()
    return {'passed': bool(passed), 'talk': talk.getvalue()}


kind, *rest = sys.argv[1:]
print(json.dumps(read_warcs(rest) if kind == 'warc' else validate_root(rest[0])))

"""Reads a WARC file by its standard alone, with nothing of Holdfast's, and prints its records as JSON lines.

It is strict: what the standard asks for and is not there ends it. Python's standard library is all it needs.
"""
import base64, gzip, hashlib, io, json, re, sys, zlib
from urllib.parse import urlsplit

REQUIRED = {'warc-record-id', 'content-length', 'warc-date', 'warc-type'}
TYPES = {'warcinfo', 'response', 'resource', 'request', 'metadata', 'revisit', 'conversion', 'continuation'}
DATE = re.compile(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z')
ID = re.compile(r'<urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}>')


def fail(reason):
    sys.exit(f'not a WARC file: {reason}')


def members(data):
    """Every gzip member by itself."""
    while data:
        inflate = zlib.decompressobj(16 + zlib.MAX_WBITS)
        plain = inflate.decompress(data)
        if not inflate.eof:
            fail('a gzip member is cut off')
        data = inflate.unused_data
        yield plain


def read_record(stream):
    version = stream.readline()
    if version != b'WARC/1.1\r\n':
        fail(f'a record begins with {version[:40]!r}')
    fields = {}
    while (line := stream.readline()) != b'\r\n':
        if not line.endswith(b'\r\n') or b':' not in line:
            fail(f'a field is {line[:80]!r}')
        name, value = line.decode('utf-8').split(':', 1)
        if name.lower() in fields:
            fail(f'{name} twice')
        fields[name.lower()] = value.strip()
    if missing := REQUIRED - fields.keys():
        fail(f'no {missing}')
    block = stream.read(int(fields['content-length']))
    if len(block) != int(fields['content-length']) or stream.read(4) != b'\r\n\r\n':
        fail('a block has another length than its Content-Length')
    return fields, block


def check_digest(name, digest, data):
    algorithm, _, value = digest.partition(':')
    if base64.b32encode(hashlib.new(algorithm, data).digest()).decode() != value:
        fail(f'{name} is not that of its bytes')


def check(fields, block, ids):
    kind = fields['warc-type']
    if kind not in TYPES or not DATE.fullmatch(fields['warc-date']) or not ID.fullmatch(fields['warc-record-id']):
        fail(f'a bad type, date or id: {fields}')
    if fields['warc-record-id'] in ids:
        fail('an id twice')
    if kind != 'warcinfo' and not urlsplit(fields['warc-target-uri']).scheme:
        fail('no target')
    for reference in ('warc-refers-to', 'warc-warcinfo-id', 'warc-concurrent-to'):
        if reference in fields and fields[reference] not in ids:
            fail(f'{reference} leads nowhere')
    payload = block
    http = None
    if fields['content-type'].startswith('application/http'):
        head, gap, payload = block.partition(b'\r\n\r\n')
        status, *lines = head.decode('latin-1').split('\r\n')
        if not gap or not re.fullmatch(r'HTTP/1\.[01] \d{3} .*', status):
            fail(f'an HTTP message begins with {status!r}')
        http = {'status': int(status.split(' ')[1])}
        http['headers'] = {name.lower(): value.strip() for name, value in (line.split(':', 1) for line in lines)}
        if int(http['headers']['content-length']) != len(payload):
            fail('an HTTP message has another length than it says')
    if 'warc-block-digest' in fields:
        check_digest('WARC-Block-Digest', fields['warc-block-digest'], block)
    if 'warc-payload-digest' in fields:
        check_digest('WARC-Payload-Digest', fields['warc-payload-digest'], payload)
    return http, payload


def main(path):
    with open(path, 'rb') as file:
        data = file.read()
    ids = set()
    for piece in members(data) if data[:2] == b'\x1f\x8b' else [data]:
        stream = io.BytesIO(piece)
        count = 0
        while stream.tell() < len(piece):
            fields, block = read_record(stream)
            http, payload = check(fields, block, ids)
            ids.add(fields['warc-record-id'])
            count += 1
            print(json.dumps({'fields': fields, 'http': http, 'payload': base64.b64encode(payload).decode()}))
        if data[:2] == b'\x1f\x8b' and count != 1:
            fail(f'{count} records in one gzip member')


main(sys.argv[1])

import { inflateSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findFiles } from '../../../adapters/oai-pmh/files/index.ts';
import { readSignposts } from '../../../src/core/signposting/landing-page-links.ts';
import { parseLinkField } from '../../../src/core/signposting/link-field.ts';
import { pageNames } from '../../../src/core/signposting/page-names.ts';
import { sampleFormats } from '../../../src/demo/provider/formats.ts';
import { createRecords } from '../../../src/demo/records/records.ts';
import { createSampleRepository, type SampleRepository } from '../../../src/demo/sample-repository.ts';

let now = new Date('2026-11-21T12:00:00Z');
const clock = { now: () => now, sleep: async () => {} };
let repository: SampleRepository;
let url: string;
const at = (path: string) => new URL(path, url).href;
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(at(path), { headers, method });
const bytes = async (path: string) => Buffer.from(await (await get(path)).arrayBuffer());

beforeEach(async () => {
  now = new Date('2026-11-21T12:00:00Z');
  repository = createSampleRepository({ clock, seed: 7 });
  url = (await repository.listen()).url;
});

afterEach(() => repository.close());

/** Every payload of a format, by the number of its record. */
async function payloads(prefix: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  let query = `verb=ListRecords&metadataPrefix=${prefix}`;
  for (;;) {
    const page = await (await fetch(`${url}?${query}`)).text();
    for (const [record] of page.matchAll(/<record>.*?<\/record>/gs)) {
      const identifier = /<identifier>([^<]*)/.exec(record)?.[1] ?? '';
      found.set(identifier, /<metadata>(.*)<\/metadata>/s.exec(record)?.[1] ?? '');
    }
    const token = /<resumptionToken[^>]*>([^<]+)</.exec(page)?.[1];
    if (token === undefined) return found;
    query = `verb=ListRecords&resumptionToken=${token}`;
  }
}

const filesIn = (payload: string | undefined) => [
  ...new Set((payload ?? '').match(/http:\/\/127\.0\.0\.1:\d+\/files\/[^<"]+/g)),
];

describe('The files of the sample repository', () => {
  test('are named by every format alike, and are there as the metadata say', async () => {
    const jpcoar = await payloads('jpcoar_2.0');
    const others = [await payloads('oai_dc'), await payloads('mods')];
    const counts = { withFiles: 0, withSeveral: 0, without: 0 };
    const statuses = new Map<number, string[]>();
    for (const [identifier, payload] of jpcoar) {
      if (payload === '') continue;
      const files = filesIn(payload);
      for (const other of others) expect(filesIn(other.get(identifier)), identifier).toEqual(files);
      if (files.length === 0) counts.without += 1;
      else counts.withFiles += 1;
      if (files.length > 1) counts.withSeveral += 1;
      for (const file of files) {
        const { status, headers } = await get(file, {}, 'HEAD');
        statuses.set(status, [...(statuses.get(status) ?? []), identifier]);
        if (status === 200)
          expect(payload).toContain(`<jpcoar:mimeType>${headers.get('content-type')?.split(';')[0]}<`);
      }
    }
    expect(counts.without).toBeGreaterThan(20);
    expect(counts.withSeveral).toBeGreaterThan(20);
    expect(counts.withFiles).toBeGreaterThan(200);
    expect([...statuses.keys()].sort()).toEqual([200, 401, 403]);
    expect(statuses.get(401)).toHaveLength(1);
    expect(statuses.get(403)).toHaveLength(1);
    expect(jpcoar.get(statuses.get(401)?.[0] ?? '')).toContain('access_right/c_16ec"');
    const embargoed = jpcoar.get(statuses.get(403)?.[0] ?? '');
    expect(embargoed).toContain('access_right/c_f1cf"');
    expect(embargoed).toContain('<datacite:date dateType="Available">2036-04-01<');
    expect(jpcoar.get('oai:sample.example.org:journal/bulletin/1006')).toMatch(/<jpcoar:extent>\d+\.\d KB</);
  });

  test.each(sampleFormats.map((format) => [format.prefix, format] as const))(
    'are found by our own extractor of %s, all of them and no others',
    (_, { namespace, write }) => {
      for (const record of createRecords().filter(({ deleted }) => !deleted)) {
        const payload = write(record, url);
        const { files } = findFiles(namespace, payload) ?? { files: [] };
        expect(files.map((file) => file.url)).toEqual(filesIn(payload));
        const [first] = record.files;
        if (files.length > 0 && first?.access === 'restricted') expect(files[0]?.access).toBe('restricted');
        if (files.length > 0 && first?.access === 'embargoed') expect(files[0]?.access).toBe('embargoed');
      }
    },
  );

  test('state in Dublin Core who may read them', async () => {
    const records = await payloads('oai_dc');
    const rights = (word: string) =>
      [...records.values()].filter((text) => text.includes(`semantics/${word}<`));
    expect(rights('restrictedAccess')).toHaveLength(1);
    expect(rights('embargoedAccess')).toEqual([expect.stringContaining('embargoEnd/2036-04-01<')]);
    expect(rights('openAccess').length).toBeGreaterThan(200);
  });

  test('open when the embargo is over', async () => {
    expect((await get('/files/1014/fulltext.pdf')).status).toBe(403);
    now = new Date('2036-04-01T00:00:00Z');
    expect((await get('/files/1014/fulltext.pdf')).status).toBe(200);
    const login = await get('/files/1008/fulltext.pdf');
    expect([login.status, login.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('Basic'),
    ]);
  });

  test('are the same bytes each time, and different ones for each record', async () => {
    const twin = createSampleRepository({ clock, seed: 7 });
    const { url: other } = await twin.listen();
    const seen = new Set<string>();
    for (const path of [
      '/files/1000/fulltext.pdf',
      '/files/1002/fulltext.pdf',
      '/files/1004/plate%201.png',
    ]) {
      const here = await bytes(path);
      const there = Buffer.from(await (await fetch(new URL(path, other))).arrayBuffer());
      expect(here.equals(there)).toBe(true);
      seen.add(here.toString('latin1'));
    }
    expect(seen.size).toBe(3);
    await twin.close();
  });

  test('are served as a good server does', async () => {
    const path = '/files/1000/fulltext.pdf';
    const whole = await bytes(path);
    const head = await get(path, {}, 'HEAD');
    const etag = head.headers.get('etag') ?? '';
    const modified = head.headers.get('last-modified') ?? '';
    expect(head.headers.get('content-length')).toBe(String(whole.byteLength));
    expect(modified).toBe('Mon, 01 Apr 2019 09:00:00 GMT');
    expect((await get(path, { 'if-none-match': `"x", W/${etag}` })).status).toBe(304);
    expect((await get(path, { 'if-none-match': '"x"', 'if-modified-since': modified })).status).toBe(200);
    expect((await get(path, { 'if-modified-since': modified }, 'HEAD')).status).toBe(304);
    const part = async (range: string, more = {}) => {
      const response = await get(path, { range, ...more });
      const body = Buffer.from(await response.arrayBuffer());
      return [response.status, response.headers.get('content-range'), body.toString('latin1')];
    };
    const length = whole.byteLength;
    const text = whole.toString('latin1');
    expect(await part('bytes=0-8')).toEqual([206, `bytes 0-8/${length}`, '%PDF-1.7\n']);
    expect(await part('bytes=-6')).toEqual([206, `bytes ${length - 6}-${length - 1}/${length}`, '%%EOF\n']);
    expect(await part(`bytes=${length - 1}-`, { 'if-range': etag })).toEqual([206, expect.anything(), '\n']);
    expect(await part('bytes=5-', { 'if-range': '"x"' })).toEqual([200, null, text]);
    expect(await part('bytes=0-1,4-5')).toEqual([200, null, text]);
    expect((await get(path, { range: `bytes=${length}-` })).status).toBe(416);
    expect((await get(path, {}, 'POST')).status).toBe(405);
    for (const gone of [
      '/files/1000/other.pdf',
      '/files/1000/%ff',
      '/files/9999/fulltext.pdf',
      '/files/1000',
      '/x',
    ]) {
      expect((await get(gone)).status, gone).toBe(404);
    }
    // The twelfth record was withdrawn.
    for (const withdrawn of ['/files/1011/fulltext.pdf', '/records/1011', '/records/1011/linkset.json']) {
      expect((await get(withdrawn)).status, withdrawn).toBe(410);
    }
  });
});

describe('The formats of the files', () => {
  test('PDF: every offset of the cross-reference table leads to its object, every stream is as long as it says', async () => {
    for (const path of [
      '/files/1000/fulltext.pdf',
      '/files/1001/%E6%9C%AC%E6%96%87.pdf',
      '/files/1003/thesis.pdf',
    ]) {
      const text = (await bytes(path)).toString('latin1');
      const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(text)?.[1]);
      const rows = text.slice(start).match(/^\d{10} 00000 n $/gm) ?? [];
      expect(text.slice(start)).toMatch(new RegExp(`^xref\\n0 ${rows.length + 1}\\n`));
      for (const [index, row] of rows.entries()) {
        expect(text.slice(Number(row.slice(0, 10)))).toMatch(new RegExp(`^${index + 1} 0 obj\\n`));
      }
      for (const [, length, content] of text.matchAll(/<< \/Length (\d+) >>\nstream\n(.*?)\nendstream/gs)) {
        expect(content).toHaveLength(Number(length));
      }
    }
  });

  test('PNG: three chunks, and as many pixels as the header says', async () => {
    const image = await bytes('/files/1004/plate%201.png');
    expect(image.subarray(1, 4).toString()).toBe('PNG');
    const [width, height] = [image.readUInt32BE(16), image.readUInt32BE(20)];
    const length = image.readUInt32BE(33);
    const pixels = inflateSync(image.subarray(41, 41 + length));
    expect(pixels.byteLength).toBe(height * (1 + 3 * width));
    expect(image.subarray(-8, -4).toString()).toBe('IEND');
  });

  test('JPEG: from its first marker to its last, without another in the scan', async () => {
    const image = await bytes('/files/1004/plate-2.jpg');
    expect(image.subarray(0, 4).toString('hex')).toBe('ffd8ffe0');
    expect(image.subarray(-2).toString('hex')).toBe('ffd9');
    const scan = image.subarray(image.indexOf(Buffer.from('ffda', 'hex')) + 14, -2);
    for (const [index, byte] of scan.entries()) if (byte === 0xff) expect(scan[index + 1]).toBe(0);
  });

  test('CSV: as many fields in every line', async () => {
    const text = (await bytes('/files/1006/observations.csv')).toString();
    const lines = text.split('\r\n').slice(0, -1);
    expect(lines.length).toBeGreaterThan(60);
    for (const line of lines) expect(line.replace(/"[^"]*"/g, '').split(',')).toHaveLength(4);
  });
});

describe('The landing pages', () => {
  const signposts = async (path: string) => {
    const { headers } = await get(path, {}, 'HEAD');
    const links = parseLinkField(headers.get('link') ?? '', at(path));
    return readSignposts(links, pageNames([at(path)]));
  };

  test('lead to their files', async () => {
    const { files, citeAs } = await signposts('/records/1006');
    expect(files).toMatchObject([
      { url: at('/files/1006/fulltext.pdf'), mediaType: 'application/pdf', name: 'fulltext.pdf' },
      { url: at('/files/1006/observations.csv'), mediaType: 'text/csv' },
    ]);
    expect(citeAs).toEqual([at('/records/1006')]);
    expect(await (await get('/records/1006')).text()).toContain('<link rel="item" href="http');
  });

  test('are now and then the only place that names them, and many by a link set alone', async () => {
    const records = await payloads('jpcoar_2.0');
    const album = [...records].find(([identifier]) => identifier.endsWith('/1020'))?.[1];
    expect(album).toContain(at('/records/1020'));
    expect(filesIn(album)).toEqual([]);
    const { files, linksets } = await signposts('/records/1020');
    expect([files, linksets]).toEqual([[], [at('/records/1020/linkset.json')]]);
    const { linkset } = JSON.parse(await (await get('/records/1020/linkset.json')).text());
    expect(linkset[0].item).toHaveLength(12);
    for (const { href } of linkset[0].item) expect((await get(href, {}, 'HEAD')).status).toBe(200);
  });
});

describe('The edits of the sample repository', () => {
  test('add, replace and remove files, with another datestamp', async () => {
    const before = await payloads('jpcoar_2.0');
    const bytesBefore = new Map<string, string>();
    for (const payload of before.values()) {
      for (const file of filesIn(payload)) {
        bytesBefore.set(file, (await get(file, {}, 'HEAD')).headers.get('etag') ?? '');
      }
    }
    now = new Date('2026-11-21T13:00:00Z');
    const edits = Array.from({ length: 60 }, () => repository.edit());
    const last = new Map(edits.map((edit) => [edit.identifier, edit]));
    const after = await payloads('jpcoar_2.0');
    const changes = new Set<string>();
    for (const { kind, identifier, file } of last.values()) {
      if (file === undefined || kind !== 'edited') continue;
      changes.add(file.change);
      const linkIn = (records: ReadonlyMap<string, string>) =>
        filesIn(records.get(identifier)).find((link) => link.endsWith(`/${encodeURIComponent(file.name)}`));
      const link = linkIn(after);
      if (file.change === 'removed') {
        expect(link).toBeUndefined();
        const former = linkIn(before);
        if (former !== undefined) expect((await get(former)).status).toBe(404);
      } else if (link !== undefined) {
        const { headers } = await get(link, {}, 'HEAD');
        expect(headers.get('last-modified')).toBe('Sat, 21 Nov 2026 13:00:00 GMT');
        expect(headers.get('etag')).not.toBe(bytesBefore.get(link));
      }
    }
    expect(changes).toEqual(new Set(['added', 'replaced', 'removed']));
  });

  test('leave the bytes of a file alone while they correct a title', async () => {
    const etag = async (path: string) => (await get(path, {}, 'HEAD')).headers.get('etag');
    const files = new Map<string, string>();
    const tags = new Map<string, string | null>();
    for (const [identifier, payload] of await payloads('jpcoar_2.0')) {
      const [file] = filesIn(payload);
      if (file === undefined) continue;
      files.set(identifier, file);
      tags.set(identifier, await etag(file));
    }
    now = new Date('2026-11-21T13:00:00Z');
    const edits = Array.from({ length: 40 }, () => repository.edit());
    const touched = new Set(
      edits.flatMap((edit) => (edit.file || edit.kind !== 'edited' ? [edit.identifier] : [])),
    );
    const corrected = edits.filter(({ identifier }) => files.has(identifier) && !touched.has(identifier));
    expect(corrected.length).toBeGreaterThan(2);
    for (const { identifier } of corrected) {
      expect(await etag(files.get(identifier) ?? '')).toBe(tags.get(identifier));
    }
  });
});

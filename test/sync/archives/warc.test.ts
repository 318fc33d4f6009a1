import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CopyDatabase } from '../../../src/sync/state/copy-database.ts';
import { HeldResources } from '../../../src/sync/state/held-resources.ts';
import { searchKey } from '../../../src/sync/warc/cdxj.ts';
import { Sha1 } from '../../../src/sync/warc/warc-record.ts';
import { WarcSink } from '../../../src/sync/warc/warc-sink.ts';
import { archiveTool, archiveTools } from '../../house/interop/archive-tools.ts';
import { ChangingSource } from '../../house/sync/changing-source.ts';
import { Copy } from '../../house/sync/copy.ts';

let source: ChangingSource;
let copy: Copy;

beforeEach(async () => {
  source = await ChangingSource.open();
  copy = new Copy(source);
});
afterEach(async () => {
  copy.end();
  await source.close();
});

const sync = () => copy.sync({ sink: 'warc', maximumDeletions: 100 });
const filesIn = (folder: string) => readdirSync(join(copy.directory, folder)).sort();
const warcs = () => filesIn('archive').map((name) => join(copy.directory, 'archive', name));

/** What each line of an index points to, read from where it says. */
function indexed() {
  return filesIn('indexes').flatMap((name) => {
    const lines = readFileSync(join(copy.directory, 'indexes', name), 'utf8')
      .trim()
      .split('\n');
    expect(lines).toEqual([...lines].sort());
    return lines.map((line) => {
      const [key = '', time = ''] = line.split(' ', 2);
      const facts = JSON.parse(line.slice(key.length + time.length + 2));
      const [offset, length] = [Number(facts.offset), Number(facts.length)];
      const bytes = readFileSync(join(copy.directory, 'archive', facts.filename));
      const text = gunzipSync(bytes.subarray(offset, offset + length)).toString();
      return { key, time, ...facts, text } as Record<string, string>;
    });
  });
}

/** A history with everything that there is: created, updated, the same again, deleted, large. */
async function history(): Promise<void> {
  source.put('/a.txt', 'first');
  source.put('/b.txt', 'gone soon');
  source.put('/large', 'x'.repeat(600_000));
  source.list();
  expect(await sync()).toMatchObject({ isComplete: true, copied: { created: 3 } });
  source.put('/a.txt', 'second');
  source.remove('/b.txt');
  await sync();
  // Its time is another one, its bytes are those of before: the Source does not say so.
  source.facts = ['lastmod'];
  source.put('/a.txt', 'second');
  source.interferences.set('/a.txt', (response) => {
    response.writeHead(200, { 'content-type': 'text/plain', 'x-token': 'kept' }).end('second');
    return true;
  });
  expect(await sync()).toMatchObject({ copied: { updated: 0, confirmed: 1 } });
}

describe('a copy as WARC', () => {
  it('has a record for each content, each where the index says', async () => {
    await history();
    const found = indexed();
    expect(found.map(({ url, mime }) => [new URL(url ?? '').pathname, mime])).toEqual([
      ['/a.txt', 'text/plain'],
      ['/b.txt', 'text/plain'],
      ['/large', 'text/plain'],
      ['/a.txt', 'text/plain'],
      ['/a.txt', 'warc/revisit'],
    ]);
    const [first, , large, second, again] = found;
    expect(first?.text).toMatch(/^WARC\/1\.1\r\nWARC-Type: response\r\n/);
    expect(first?.text).toMatch(/\r\n\r\nfirst\r\n\r\n$/);
    expect(large?.text?.length).toBeGreaterThan(600_000);
    const id = /WARC-Record-ID: (<.*>)/.exec(second?.text ?? '')?.[1];
    expect(again?.text).toContain(`WARC-Refers-To: ${id}`);
    expect(again?.digest).toBe(second?.digest);
    expect(warcs().every((file) => file.endsWith('.warc.gz'))).toBe(true);
  });

  it.skipIf(archiveTools === undefined)('is read by warcio, every digest right', async () => {
    await history();
    const records = archiveTool('warc', ...warcs()) as readonly Record<string, unknown>[];
    expect(records.flatMap(({ problems }) => problems)).toEqual([]);
    expect(records.map(({ type }) => type)).toEqual([
      ...['warcinfo', 'response', 'response', 'response'],
      ...['warcinfo', 'response', 'metadata', 'warcinfo', 'revisit'],
    ]);
    const payloads = records.filter(({ type }) => type === 'response').map(({ payload }) => payload);
    expect(payloads).toEqual(['first', 'gone soon', 'x'.repeat(600_000), 'second']);
    expect(records.find(({ type }) => type === 'metadata')).toMatchObject({
      uri: `${source.origin}/b.txt`,
      payload: expect.stringMatching(/^deleted: 2026-11-01T/),
    });
    const places = new Set(records.map(({ offset, length }) => `${offset} ${length}`));
    for (const { offset, length } of indexed()) expect(places).toContain(`${offset} ${length}`);
    // The command of warcio that checks files.
    for (const file of warcs())
      execFileSync(join(dirname(archiveTools ?? ''), 'warcio'), ['check', file], { stdio: 'pipe' });
  });

  it('begins another file where one is full, and cuts off what a kill left', async () => {
    const database = CopyDatabase.open(copy.directory);
    const held = new HeldResources(database);
    const deps = { directory: copy.directory, database, now: () => source.now, software: 'test' };
    const sink = new WarcSink({ ...deps, limits: { octets: 1_000_000, records: 3 } });
    const put = async (name: string, to = sink) => {
      const content = { sha256: `sha-256:${name}`, otherHashes: [], length: 4, file: undefined };
      const loc = `${source.origin}/${name}`;
      const at = source.now;
      const resource = { loc, asOf: at, modifiedAt: at, type: undefined, fetchedAt: at, wasGone: false };
      return to.put(
        { ...resource, answer: undefined },
        { ...content, bytes: Buffer.from('1234') },
        undefined,
      );
    };
    const paths = await Promise.all(['1', '2', '3', '4', '5'].map((name) => put(name)));
    expect(new Set(paths.map(({ path }) => path.replace(/#.*/, ''))).size).toBe(3);
    expect(held.count()).toBe(0);
    database.flush();
    const [open] = filesIn('archive').filter((name) => name.endsWith('.open'));
    appendFileSync(join(copy.directory, 'archive', open ?? ''), 'half a record');
    // As after a kill: the file was not finished, and something was on its way.
    const later = new WarcSink(deps);
    await put('6', later);
    await later.close();
    database.close();
    expect(filesIn('archive').filter((name) => name.endsWith('.open'))).toEqual([]);
    expect(indexed().map(({ text }) => text?.slice(-8))).toEqual(Array(6).fill('1234\r\n\r\n'));
    expect(existsSync(join(copy.directory, 'archive', open?.replace(/\.open$/, '') ?? ''))).toBe(true);
  });
});

it.each([
  ['https://www.Example.org/A/b/?b=2&a=1', 'org,example)/a/b?a=1&b=2'],
  ['http://repo.example.org:8080/', 'org,example,repo:8080)/'],
  ['http://127.0.0.1:80/x', '127.0.0.1)/x'],
])('the key of %s in an index is %s', (uri, key) => {
  expect(searchKey(uri)).toBe(key);
});

it('digests are SHA-1 in base32', () => {
  // Of nothing, as every web archive has it.
  expect(new Sha1().digest()).toBe('sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ');
});

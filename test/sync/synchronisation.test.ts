import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BridgeError, describeError } from '../../src/core/errors.ts';
import { everything } from '../../src/sync/choice/selection.ts';
import { type CopiedChange, NotTaken } from '../../src/sync/sinks/copied-change.ts';
import { CopyDatabase } from '../../src/sync/state/copy-database.ts';
import { ChangingSource } from '../house/sync/changing-source.ts';
import { Copy, filesBelow } from '../house/sync/copy.ts';

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

/** A copy that is the same as its Source. */
async function begin(names: readonly string[] = ['/a', '/b/c', '/b/d']): Promise<void> {
  for (const name of names) source.put(name, `this is ${name}`);
  source.list();
  await copy.sync();
  expect(copy.contents()).toEqual(source.contents());
  source.takeAsked();
}

describe('a first copy', () => {
  it('has everything, each file with the time of its resource, and says how it came to it', async () => {
    source.put('/a', 'A');
    source.put('/b/c', 'C');
    source.list();
    const report = await copy.sync();
    expect(report).toMatchObject({
      set: `${source.origin}/cap.xml`,
      ways: [{ way: 'baseline', why: 'there is no complete copy yet' }],
      copied: { created: 2, updated: 0, failed: 0 },
      held: 2,
      left: 0,
      isComplete: true,
    });
    expect(report.cursor).toBe('2026-11-01T00:00:03Z');
    expect(copy.contents()).toEqual({ a: 'A', 'b/c': 'C' });
    expect(statSync(copy.path('a')).mtimeMs).toBe(Date.parse('2026-11-01T00:00:01Z'));
  });

  it('has what the list says where the changes since then cannot be read, and says so', async () => {
    source.put('/a', 'A');
    source.list();
    source.put('/a', 'A again');
    source.interferences.set('/cl.xml', (response) => {
      response.writeHead(500).end();
      return true;
    });
    const report = await copy.sync();
    expect(report).toMatchObject({ copied: { created: 1 }, isComplete: false });
    expect(report.notes).toEqual([
      expect.stringMatching(/^the changes since \S+ could not be read: .* 500$/),
    ]);
    source.interferences.clear();
    expect(await copy.sync()).toMatchObject({ ways: [{ way: 'incremental' }], isComplete: true });
    expect(copy.contents()).toEqual({ a: 'A again' });
  });

  it('has what changed after the list was made', async () => {
    source.put('/a', 'A');
    source.put('/gone', 'soon');
    source.list();
    source.put('/a', 'A again');
    source.put('/b', 'B');
    source.remove('/gone');
    await copy.sync();
    expect(copy.contents()).toEqual({ a: 'A again', b: 'B' });
  });

  it('reads an index, and goes on where a run was stopped', async () => {
    source.partSize = 4;
    for (let number = 0; number < 10; number += 1) source.put(`/${number}`, `${number}`);
    source.list();
    const stop = new AbortController();
    const tell = async () => stop.abort();
    const stopped = await copy.sync({ transfers: 1 }, { stop: stop.signal, telling: { tell, atOnce: 1 } });
    expect(stopped).toMatchObject({ isStopped: true, isComplete: false, held: 1, left: 9 });
    source.takeAsked();
    expect(await copy.sync()).toMatchObject({ isComplete: true, held: 10 });
    expect(source.takeAsked()).toHaveLength(9);
    expect(copy.contents()).toEqual(source.contents());
  });

  it('takes what lies in the directory already and is as stated, and nothing else', async () => {
    source.put('/same', 'same');
    source.put('/timed', 'timed');
    source.put('/other', 'other');
    source.list();
    mkdirSync(copy.directory, { recursive: true });
    writeFileSync(copy.path('same'), 'same');
    writeFileSync(copy.path('other'), 'mine!');
    writeFileSync(copy.path('own'), 'of somebody else');
    expect(await copy.sync()).toMatchObject({ copied: { created: 2, confirmed: 1 } });
    expect(source.takeAsked().sort()).toEqual(['/other', '/timed']);
    expect(copy.contents()).toEqual({ ...source.contents(), own: 'of somebody else' });
  });

  it('comes from a dump where that is cheaper, except what has changed since', async () => {
    source.offers = ['resourcelist', 'changelist', 'resourcedump'];
    for (let number = 0; number < 20; number += 1) source.put(`/${number}`, `${number}`);
    source.list();
    source.put('/7', 'changed');
    source.remove('/8');
    const report = await copy.sync();
    expect(report).toMatchObject({ packages: 1, isComplete: true, copied: { created: 19 } });
    expect(source.takeAsked()).toEqual(['/7']);
    expect(copy.contents()).toEqual(source.contents());
  });

  it('comes one by one where the package is of no use', async () => {
    source.offers = ['resourcelist', 'changelist', 'resourcedump'];
    for (let number = 0; number < 12; number += 1) source.put(`/${number}`, `${number}`);
    source.list();
    source.interferences.set('/rd-1.zip', (response) => {
      response.writeHead(200).end('this is no ZIP');
      return true;
    });
    const report = await copy.sync();
    expect(report.notes).toEqual([expect.stringContaining('a package was of no use')]);
    expect(copy.contents()).toEqual(source.contents());
  });
});

describe('a copy that follows', () => {
  it('asks for what changed, and for nothing else', async () => {
    await begin();
    source.put('/a', 'A, new');
    source.put('/n', 'N');
    source.remove('/b/c');
    const report = await copy.sync();
    expect(report).toMatchObject({
      ways: [{ way: 'incremental' }],
      copied: { created: 1, updated: 1, deleted: 1 },
      isComplete: true,
    });
    expect(source.takeAsked().sort()).toEqual(['/a', '/n']);
    expect(copy.contents()).toEqual(source.contents());
    expect(await copy.sync()).toMatchObject({ copied: { requests: 0 }, isComplete: true });
    expect(source.takeAsked()).toEqual([]);
  });

  it('comes to the same whatever happened in between, in whatever order it is told', async () => {
    await begin();
    source.remove('/a');
    source.put('/a', 'A is back');
    source.put('/x', 'X');
    source.remove('/x');
    source.put('/b/c', 'C');
    source.rewrite = (path, text) => {
      if (path !== '/cl.xml') return text;
      const entries = [...text.matchAll(/<url>.*<\/url>\n/g)].map(([entry]) => entry);
      return text.replace(entries.join(''), entries.reverse().join(''));
    };
    expect(await copy.sync()).toMatchObject({ isComplete: true });
    expect(copy.contents()).toEqual(source.contents());
  });

  it('compares everything where changes are missing, and says so', async () => {
    await begin();
    source.put('/a', 'unseen');
    source.remove('/b/d');
    source.forget();
    source.put('/n', 'N');
    source.list();
    const report = await copy.sync();
    expect(report.ways.map(({ way }) => way)).toEqual(['incremental', 'audit']);
    expect(report.ways[1]?.why).toMatch(
      /^the Source tells of changes up to \S+, and what comes next begins at/,
    );
    expect(copy.contents()).toEqual(source.contents());
    // The list is younger than the gap: from there on nothing is missing.
    expect(report).toMatchObject({ notes: [], isComplete: true });
    source.put('/n', 'N again');
    expect(await copy.sync()).toMatchObject({ ways: [{ way: 'incremental' }], notes: [], isComplete: true });
    expect(copy.contents()).toEqual(source.contents());
  });

  it('says that changes may be missing where not everything could be compared', async () => {
    source.partSize = 2;
    await begin();
    source.forget();
    source.put('/n', 'N');
    source.list();
    source.rewrite = (path, text) => (/\/rl-\d/.test(path) ? text.slice(0, -20) : text);
    const { notes, isComplete } = await copy.sync();
    expect(notes).toContainEqual(expect.stringContaining('changes may be missing'));
    expect(isComplete).toBe(false);
  });

  it('a list that is older than what is known takes nothing back', async () => {
    await begin();
    source.put('/a', 'A, new');
    source.put('/n', 'N');
    source.remove('/b/c');
    await copy.sync();
    source.takeAsked();
    expect(await copy.sync({ way: 'audit' })).toMatchObject({ isComplete: true, copied: { deleted: 0 } });
    expect(source.takeAsked()).toEqual([]);
    expect(copy.contents()).toEqual(source.contents());
  });

  it('one that only has lists is compared, but not where the list is the same', async () => {
    source.offers = ['resourcelist'];
    await begin();
    source.asked.splice(0);
    await copy.sync();
    source.put('/n', 'N');
    source.remove('/a');
    source.list();
    expect(await copy.sync()).toMatchObject({ ways: [{ way: 'audit' }], isComplete: true });
    expect(copy.contents()).toEqual(source.contents());
  });

  it('is told nothing of bytes: the server says whether they are the same', async () => {
    source.offers = ['resourcelist'];
    source.facts = [];
    await begin();
    source.put('/a', 'changed');
    source.list();
    expect(await copy.sync()).toMatchObject({ copied: { updated: 1, confirmed: 2 }, isComplete: true });
    expect(copy.contents()).toEqual(source.contents());
  });
});

describe('what goes wrong', () => {
  it('a resource that fails does not hold up the others, nor the cursor, and is tried again', async () => {
    await begin();
    source.put('/bad', 'bad');
    source.put('/good', 'good');
    source.interferences.set('/bad', (response) => {
      response.writeHead(500).end('no');
      return true;
    });
    const report = await copy.sync();
    expect(report).toMatchObject({ left: 1, isComplete: false, cursor: source.now });
    expect(report.failures).toMatchObject([{ loc: `${source.origin}/bad`, reason: 'it answers 500' }]);
    expect(readFileSync(copy.path('good'), 'utf8')).toBe('good');
    source.interferences.clear();
    expect(await copy.sync()).toMatchObject({ left: 0, isComplete: true });
    expect(copy.contents()).toEqual(source.contents());
  });

  it('what could not be fetched and is listed no more is given up', async () => {
    source.put('/gone', 'soon');
    source.put('/a', 'A');
    source.list();
    source.remove('/gone');
    source.forget();
    expect(await copy.sync()).toMatchObject({ left: 1, isComplete: false });
    source.list();
    expect(await copy.sync()).toMatchObject({ left: 0, failures: [] });
    expect(copy.contents()).toEqual(source.contents());
  });

  it('content that is not what was stated is not believed: what is held stays', async () => {
    await begin();
    source.put('/a', 'the new one');
    source.interferences.set('/a', (response) => {
      response.writeHead(200, { 'last-modified': 'Sun, 01 Nov 2026 00:00:00 GMT' }).end('damaged');
      return true;
    });
    const report = await copy.sync();
    expect(report.failures[0]?.reason).toMatch(/does not have the hash md5:/);
    expect(readFileSync(copy.path('a'), 'utf8')).toBe('this is /a');
    expect(source.takeAsked()).toEqual(['/a', '/a']);
  });

  it('content that has changed since is taken, and confirmed by the next list without a request', async () => {
    await begin();
    source.put('/a', 'second');
    const written = await (await fetch(`${source.origin}/cl.xml`)).text();
    source.rewrite = (path, text) => (path === '/cl.xml' ? written : text);
    source.put('/a', 'third');
    await copy.sync();
    expect(readFileSync(copy.path('a'), 'utf8')).toBe('third');
    source.rewrite = (_, text) => text;
    source.takeAsked();
    expect(await copy.sync()).toMatchObject({ isComplete: true });
    expect(source.takeAsked()).toEqual([]);
  });

  it('a list that ends early is no reason to delete anything', async () => {
    source.partSize = 2;
    await begin(['/a', '/b', '/c', '/d']);
    source.remove('/a');
    source.list();
    source.rewrite = (path, text) => (path === '/rl-1.xml' ? text.slice(0, -20) : text);
    source.offers = ['resourcelist'];
    const report = await copy.sync();
    expect(report.notes).toEqual([expect.stringContaining('was not read to its end')]);
    expect(Object.keys(copy.contents())).toEqual(['a', 'b', 'c', 'd']);
    source.rewrite = (_, text) => text;
    await copy.sync();
    expect(copy.contents()).toEqual(source.contents());
  });

  it('a download that breaks goes on where it ended, in the same run and in the next', async () => {
    const text = 'x'.repeat(2_000_000);
    source.put('/large', text);
    source.list();
    let breaks = 7;
    source.interferences.set('/large', (response, headers, body) => {
      if (breaks === 0) return false;
      breaks -= 1;
      const start = Number(/\d+/.exec(headers.range ?? '0')?.[0]);
      const etag = '"one"';
      const facts = {
        etag,
        'content-length': body.length - start,
        'content-range': `bytes ${start}-/${body.length}`,
      };
      response.writeHead(start > 0 ? 206 : 200, facts);
      response.write(body.subarray(start, start + 300_000), () => setTimeout(() => response.destroy(), 20));
      return true;
    });
    const first = await copy.sync();
    expect(first).toMatchObject({ left: 1 });
    // The tag of the whole is another one: what lies here is no part of it, and it begins anew.
    breaks = 0;
    expect(await copy.sync()).toMatchObject({ isComplete: true });
    expect(copy.contents()).toEqual({ large: text });
  });

  it('of a broken download only the rest is asked for', async () => {
    const text = `${'y'.repeat(700_000)}end`;
    source.put('/large', text);
    source.list();
    const ranges: (string | undefined)[] = [];
    source.interferences.set('/large', (response, headers, body) => {
      ranges.push(headers.range);
      if (ranges.length > 1) return false;
      const etag = `"${createHash('md5').update(body).digest('hex')}"`;
      response.writeHead(200, { etag, 'content-length': body.length });
      response.write(body.subarray(0, 400_000), () => setTimeout(() => response.destroy(), 50));
      return true;
    });
    expect(await copy.sync()).toMatchObject({ isComplete: true });
    expect(ranges[0]).toBeUndefined();
    expect(ranges[1]).toMatch(/^bytes=[1-9]\d+-$/);
    expect(copy.contents()).toEqual({ large: text });
  });

  it('more deletions than are likely wait for somebody to allow them', async () => {
    const names = Array.from({ length: 60 }, (_, number) => `/${number}`);
    await begin(names);
    for (const name of names.slice(0, 21)) source.remove(name);
    const report = await copy.sync();
    expect(report).toMatchObject({ heldBack: { count: 21, limit: 20 }, isComplete: false });
    expect(Object.keys(copy.contents())).toHaveLength(60);
    // They still wait, though the changes were read.
    expect(await copy.sync()).toMatchObject({ heldBack: { count: 21, limit: 20 } });
    // One of them is there again after all.
    source.put('/3', 'back');
    expect(await copy.sync({ maximumDeletions: 20 })).toMatchObject({
      isComplete: true,
      copied: { deleted: 20 },
    });
    expect(copy.contents()).toEqual(source.contents());
  });

  it.each([
    ['the Capability List', '/cap.xml', '/'],
    ['the list itself', '/rl.xml', '/rl.xml'],
  ])('a web page in place of %s is told, and nothing else is taken for it', async (_, path, address) => {
    // What robots.txt names is another list: with it, all would be gone.
    source.offers = ['resourcelist'];
    if (path === '/rl.xml') source.rewrite = (_path, text) => text.replace(/<rs:ln rel="up"[^>]*>/, '');
    for (const name of ['/a', '/b']) source.put(name, name);
    source.list();
    const options = { address: new URL(address, source.origin) };
    const before = await copy.sync(options);
    expect(before).toMatchObject({ held: 2 });
    source.interferences.set(path, (response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><p>Please log in<br>');
      return true;
    });
    const elsewhere = `User-agent: *\nSitemap: ${source.origin}/other.xml\n`;
    source.interferences.set('/robots.txt', (response) => Boolean(response.end(elsewhere)));
    const other = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>`;
    source.interferences.set('/other.xml', (response) => Boolean(response.end(other)));
    await expect(copy.sync(options)).rejects.toMatchObject({
      code: 'upstream-html',
      message: expect.stringMatching(/\.xml answers with a web page.* nothing was changed\. Try again/),
    });
    expect(copy.contents()).toEqual(source.contents());
    source.interferences.clear();
    expect(await copy.sync(options)).toMatchObject({ cursor: before.cursor, isComplete: true });
  });

  it('a Source that cannot be read at all is an error, and changes nothing', async () => {
    await begin();
    source.interferences.set('/cl.xml', (response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>Please log in</body></html>');
      return true;
    });
    await expect(copy.sync()).rejects.toMatchObject({ code: 'upstream-html' });
    expect(copy.contents()).toEqual(source.contents());
  });
});

describe('what is asked for', () => {
  it('a dry run says what would be done, and leaves no trace', async () => {
    source.put('/a', 'A');
    source.list();
    expect(await copy.sync({ isDryRun: true })).toMatchObject({
      isDryRun: true,
      due: { count: 1, octets: 1 },
      ways: [{ way: 'baseline' }],
    });
    expect(filesBelow(copy.directory)).toEqual({});
    await copy.sync();
    source.put('/a', 'B');
    source.remove('/none');
    source.takeAsked();
    expect(await copy.sync({ isDryRun: true })).toMatchObject({ due: { count: 1 } });
    expect(source.takeAsked()).toEqual([]);
    expect(await copy.sync()).toMatchObject({ copied: { updated: 1 } });
  });

  it('other resources than before: an audit brings what is new, and deletes nothing that was not to go', async () => {
    source.put('/a.pdf', 'A', { type: 'application/pdf' });
    source.put('/a.xml', 'X', { type: 'application/xml' });
    source.list();
    const selection = { ...everything, types: ['application/xml'] };
    await copy.sync({ selection });
    expect(copy.contents()).toEqual({ 'a.xml': 'X' });
    const pdf = { ...everything, types: ['application/pdf'] };
    expect(await copy.sync({ selection: pdf })).toMatchObject({ ways: [{ way: 'audit' }] });
    expect(copy.contents()).toEqual({ 'a.pdf': 'A', 'a.xml': 'X' });
    expect(await copy.sync({ selection: pdf })).toMatchObject({ ways: [{ way: 'incremental' }] });
    await copy.sync({ selection: pdf, way: 'audit', dropsExcluded: true });
    expect(copy.contents()).toEqual({ 'a.pdf': 'A' });
  });

  it('the backup has what was replaced and deleted', async () => {
    await begin();
    source.put('/a', 'A, new');
    source.remove('/b/c');
    await copy.sync({ backup: `${copy.directory}-backup` });
    expect(filesBelow(`${copy.directory}-backup`)).toEqual({ a: 'this is /a', 'b/c': 'this is /b/c' });
    rmSync(`${copy.directory}-backup`, { recursive: true });
  });

  it('who wants to know is told once, and again until it was taken', async () => {
    source.put('/a', 'A');
    source.put('/b', 'B');
    source.list();
    const told: CopiedChange[] = [];
    let refuses = true;
    const tell = async (change: CopiedChange) => {
      if (refuses && change.path === 'b') throw new NotTaken('not now');
      told.push(change);
    };
    expect(await copy.sync({}, { telling: { tell, atOnce: 1 } })).toMatchObject({
      left: 1,
      isComplete: false,
    });
    refuses = false;
    expect(await copy.sync({}, { telling: { tell, atOnce: 1 } })).toMatchObject({ isComplete: true });
    source.remove('/a');
    await copy.sync({}, { telling: { tell, atOnce: 1 } });
    await copy.sync({}, { telling: { tell, atOnce: 1 } });
    expect(told.map(({ op, path }) => `${op} ${path}`)).toEqual(['created a', 'updated b', 'deleted a']);
    expect(told[0]).toMatchObject({ loc: `${source.origin}/a`, length: 1, type: 'text/plain' });
  });

  it('a directory is the copy of one Source, and of one process at a time', async () => {
    await begin();
    const other = await ChangingSource.open();
    await expect(copy.sync({ address: new URL(other.origin) })).rejects.toMatchObject({ code: 'usage' });
    await other.close();
    const database = CopyDatabase.open(copy.directory);
    const busy: unknown = await copy.sync().catch((error: unknown) => error);
    expect(busy).toMatchObject({ code: 'copy-busy' });
    // The hint is of the directory, and not of a source; and no word of the database.
    expect(describeError(busy)).toMatch(/^\S+ is being synchronised by process \d+ on \S+$/);
    expect((busy as BridgeError).advice).toContain('Wait until that process has ended, or end it');
    database.close();
    await copy.sync();
  });

  it('resources at other hosts are left alone, unless they are allowed', async () => {
    source.put('/a', 'A');
    source.list();
    source.rewrite = (path, text) =>
      path === '/rl.xml'
        ? text.replace(`${source.origin}/a`, `${source.origin.replace('127.0.0.1', 'localhost')}/a`)
        : text;
    source.forget();
    expect(await copy.sync()).toMatchObject({ read: { foreign: 1 }, copied: { requests: 0 } });
    expect(await copy.sync({ hosts: ['localhost'] })).toMatchObject({ read: { foreign: 0 }, held: 1 });
  });

  it('a file and a folder of one name, and names that differ by case, all have their place', async () => {
    source.put('/x', 'file');
    source.put('/x/y', 'below');
    source.put('/X/y', 'other case');
    source.put('/x/', 'slash');
    source.put('/q?a=1&b=2', 'query');
    source.list();
    expect(await copy.sync()).toMatchObject({ isComplete: true, held: 5 });
    const texts = Object.values(copy.contents()).sort();
    expect(texts).toEqual(['below', 'file', 'other case', 'query', 'slash']);
    expect(copy.contents()).toMatchObject({
      'x/~self': 'file',
      'x/~index': 'slash',
      'q%3Fa=1%26b=2': 'query',
    });
    source.remove('/x');
    source.remove('/x/y');
    await copy.sync();
    expect(Object.values(copy.contents()).sort()).toEqual(['other case', 'query', 'slash']);
  });
});

describe('after a crash', () => {
  it('what lies in the directory and was forgotten is not fetched again', async () => {
    await begin(['/a', '/b', '/c']);
    // As if the last transaction had never been: what it said of two resources is lost.
    const database = CopyDatabase.open(copy.directory);
    database.write("delete from held where path in ('b', 'c')");
    database.write("delete from setting where name = 'cursor'");
    database.close();
    expect(await copy.sync()).toMatchObject({
      isComplete: true,
      held: 3,
      copied: { confirmed: 2, requests: 0 },
    });
    expect(source.takeAsked()).toEqual([]);
  });

  it('what was on its way is removed where nobody can go on with it', async () => {
    await begin();
    const parts = join(copy.directory, '.rsbridge', 'parts');
    writeFileSync(join(parts, 'new-1-1'), 'half');
    await copy.sync();
    expect(() => statSync(join(parts, 'new-1-1'))).toThrow();
  });

  it('a time that was changed by hand is of no consequence', async () => {
    await begin();
    utimesSync(copy.path('a'), 1, 1);
    expect(await copy.sync({ way: 'audit' })).toMatchObject({ copied: { requests: 0 } });
  });
});

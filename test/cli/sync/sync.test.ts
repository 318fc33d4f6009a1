import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { runMain } from '../../house/cli/run-main.ts';
import { capabilityList, WrittenSource } from '../../house/resourcesync/written-source.ts';
import { type SampleService, startSampleService } from '../../house/server/sample-service.ts';
import { ChangingSource, type Interference } from '../../house/sync/changing-source.ts';
import { filesBelow } from '../../house/sync/copy.ts';

let directory: string;
const run = (...args: string[]) => runMain(directory, ['sync', ...args], { PATH: process.env.PATH ?? '' });
const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-sync-'));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

describe('rsbridge sync, of a Source that a test changes', () => {
  let source: ChangingSource;

  beforeEach(async () => {
    source = await ChangingSource.open();
    source.put('/a.xml', '<a/>', { type: 'application/xml' });
    source.put('/b.pdf', 'B', { type: 'application/pdf' });
    source.list();
  });
  afterEach(() => source.close());
  const map = () => `--map=${source.origin}=.`;

  test('copies, says what it did, and does nothing the next time', async () => {
    const first = await run(source.origin, 'copy', map());
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toBe(
      `synchronised ${source.origin}/cap.xml into copy\n` +
        '  baseline: there is no complete copy yet\n' +
        '  4 entries read, 0 as held\n' +
        '  2 created, 0 updated, 0 deleted, 0 failed, 1 kB\n' +
        '  the copy has 2 resources, and knows of every change up to 2026-11-01T00:00:03Z\n',
    );
    expect(filesBelow(join(directory, 'copy'))).toEqual({ 'a.xml': '<a/>', 'b.pdf': 'B' });
    const second = await run(source.origin, 'copy');
    expect(second.code).toBe(0);
    expect(second.stdout).toContain('incremental: there is a copy as of 2026-11-01T00:00:03Z');
    expect(second.stdout).toContain('0 created, 0 updated, 0 deleted, 0 failed');
  });

  test('ends where its host wants to be left alone for long, and goes on the next time', async () => {
    const busy = (seconds: number): Interference => {
      return (response) => {
        response.writeHead(503, { 'retry-after': String(seconds) }).end();
        return true;
      };
    };
    source.interferences.set('/a.xml', busy(7200));
    const first = await run(source.origin, 'copy', map(), '--transfers', '1');
    expect(first.code).toBe(4);
    expect(first.stderr).toMatch(
      / is left alone until .*\(503 from server.*\): this run ends, the next one goes on/,
    );
    source.interferences.clear();
    expect(await run(source.origin, 'copy')).toMatchObject({ code: 0 });
    expect(filesBelow(join(directory, 'copy'))).toEqual({ 'a.xml': '<a/>', 'b.pdf': 'B' });
    source.interferences.set('/cap.xml', busy(7200));
    const unread = await run(source.origin, 'copy');
    expect(unread.code).toBe(3);
    expect(unread.stderr).toContain('[upstream-busy]');
    source.interferences.clear();
    // Ctrl-C while it waits for less.
    source.put('/a.xml', '<a>2</a>', { type: 'application/xml' });
    source.interferences.set('/a.xml', busy(120));
    const stop = new AbortController();
    const begun = performance.now();
    const env = { PATH: process.env.PATH ?? '' };
    const waiting = runMain(directory, ['sync', source.origin, 'copy'], env, { stop: stop.signal });
    await vi.waitFor(() => expect(source.asked.filter((path) => path === '/a.xml')).toHaveLength(3), 20_000);
    stop.abort();
    expect((await waiting).code).toBe(130);
    expect(performance.now() - begun).toBeLessThan(15_000);
    source.interferences.clear();
    expect(await run(source.origin, 'copy')).toMatchObject({ code: 0 });
    expect(filesBelow(join(directory, 'copy'))['a.xml']).toBe('<a>2</a>');
  });

  test('without --map a copy has a folder for the host', async () => {
    await run(source.origin, 'copy');
    const { host } = new URL(source.origin);
    expect(Object.keys(filesBelow(join(directory, 'copy')))).toContain(`${host.replace(':', '%3A')}/a.xml`);
  });

  test('the places of resync-sync are understood, in one directory', async () => {
    source.put('/deep/c.txt', 'C');
    const pairs = [`${source.origin}=copy`, `${source.origin}/deep/=copy/inside`];
    expect((await run(...pairs, '--json')).code).toBe(0);
    expect(Object.keys(filesBelow(join(directory, 'copy')))).toEqual(['a.xml', 'b.pdf', 'inside/c.txt']);
    expect((await run(...pairs, '--incremental', '--json')).code).toBe(0);
    const { code, stderr } = await run(`${source.origin}=other`, `${source.origin}/deep/=elsewhere`);
    expect(code).toBe(2);
    expect(stderr).toContain('the directory of the first pair');
  });

  test('--sink none tells of changes, and fetches nothing', async () => {
    const { code, stdout } = await run(source.origin, 'copy', '--sink', 'none', '--ndjson');
    expect(code).toBe(0);
    expect(linesOf(stdout).map(({ loc }) => loc)).toEqual([
      `${source.origin}/a.xml`,
      `${source.origin}/b.pdf`,
    ]);
    expect(linesOf(stdout)[0]).toMatchObject({ op: 'created', length: 4, hash: expect.any(String) });
    expect(source.takeAsked()).toEqual([]);
    expect(filesBelow(join(directory, 'copy'))).toEqual({});
    source.put('/b.pdf', 'B2', { type: 'application/pdf' });
    source.remove('/a.xml');
    const later = linesOf((await run(source.origin, 'copy', '--ndjson')).stdout);
    expect(later.map(({ op, loc }) => [op, loc])).toEqual([
      ['updated', `${source.origin}/b.pdf`],
      ['deleted', `${source.origin}/a.xml`],
    ]);
    const other = await run(source.origin, 'copy', '--sink', 'directory');
    expect(other.stderr).toContain('was begun with --sink none');
    expect(other.code).toBe(2);
  });

  test('a Source that has archives alone cannot be read, whatever is typed', async () => {
    const archives = await WrittenSource.open();
    const lists = { 'resourcelist-archive': '/rla.xml', 'changelist-archive': '/cla.xml' };
    archives.put('/cap.xml', capabilityList(archives.origin, lists));
    const { code, stderr } = await run(`${archives.origin}/cap.xml`, 'copy');
    await archives.close();
    expect(stderr).toContain('no list that can be followed (archives of lists are not read)');
    expect(code).toBe(3);
  });

  test('the token of a private Source is sent to its host, and to no other', async () => {
    const asked: (string | undefined)[] = [];
    const listen = (other: ChangingSource) =>
      other.interferences.set('/a.xml', (_, headers) => {
        asked.push(headers.authorization);
        return false;
      });
    const other = await ChangingSource.open();
    other.put('/a.xml', '<a/>', { type: 'application/xml' });
    listen(source);
    listen(other);
    source.put('/c.xml', '<c/>', {
      more: `<rs:ln rel="duplicate" href="${other.origin}/a.xml" pri="1"/>`,
    });
    source.list();
    writeFileSync(join(directory, 'token'), 'let-us-in\n');
    const { code } = await run(source.origin, 'copy', '--access-token-file', 'token');
    expect(code).toBe(0);
    expect(asked.sort()).toEqual(['Bearer let-us-in', undefined]);
    await other.close();
    const missing = await run(source.origin, 'copy', '--access-token-file', 'none');
    expect(missing.stderr).toContain('--access-token-file none cannot be read');
  });

  test('--dry-run says what would be done, and makes no directory', async () => {
    const { code, stdout } = await run(source.origin, 'copy', '--dry-run');
    expect(code).toBe(0);
    expect(stdout).toContain('would synchronise');
    expect(stdout).toContain('to fetch: 2 resources (1 kB); to delete: 0');
    expect(existsSync(join(directory, 'copy'))).toBe(false);
  });

  test('--ndjson has a line for each change, --json the summary', async () => {
    const { stdout, stderr } = await run(source.origin, 'copy', '--ndjson', map());
    const lines = linesOf(stdout);
    expect(lines).toHaveLength(2);
    expect(lines.find(({ path }) => path === 'a.xml')).toEqual({
      op: 'created',
      loc: `${source.origin}/a.xml`,
      path: 'a.xml',
      datetime: '2026-11-01T00:00:03Z',
      lastmod: '2026-11-01T00:00:01Z',
      type: 'application/xml',
      hash: expect.stringMatching(/^sha-256:[0-9a-f]{64}$/),
      length: 4,
      links: [],
    });
    expect(stderr).toContain('2 created');
    source.remove('/b.pdf');
    const { stdout: json } = await run(source.origin, 'copy', '--json');
    expect(linesOf(json)).toMatchObject([{ summary: { copied: { deleted: 1 }, isComplete: true, held: 1 } }]);
  });

  test('--exec runs for each change, and is asked again where it fails', async () => {
    source.put("/it's%20$(touch%20injected).txt", 'quoted');
    const log = join(directory, 'log');
    const write = `printf '%s %s\\n' "$RSBRIDGE_OP" "$RSBRIDGE_PATH" >> "${log}"`;
    const failing = await run(
      source.origin,
      'copy',
      map(),
      '--exec',
      `case "$RSBRIDGE_PATH" in a*) exit 3;; esac; ${write}`,
    );
    expect(failing.code).toBe(4);
    expect(failing.stdout).toContain('a.xml: --exec ended with exit code 3');
    expect((await run(source.origin, 'copy', '--exec', write)).code).toBe(0);
    const lines = readFileSync(log, 'utf8').trim().split('\n').sort();
    expect(lines).toEqual(['created b.pdf', "created it's%20$(touch%20injected).txt", 'updated a.xml']);
    expect(existsSync(join(directory, 'copy', 'injected'))).toBe(false);
  });

  test('--only is kept until it is said otherwise, --delete-excluded deletes what it leaves out', async () => {
    await run(source.origin, 'copy', map(), '--only', 'type:application/xml');
    expect(Object.keys(filesBelow(join(directory, 'copy')))).toEqual(['a.xml']);
    await run(source.origin, 'copy', '--audit');
    expect(Object.keys(filesBelow(join(directory, 'copy')))).toEqual(['a.xml']);
    await run(source.origin, 'copy', '--only', 'all');
    expect(Object.keys(filesBelow(join(directory, 'copy')))).toEqual(['a.xml', 'b.pdf']);
    await run(source.origin, 'copy', '--only', 'type:application/pdf', '--delete-excluded');
    expect(Object.keys(filesBelow(join(directory, 'copy')))).toEqual(['b.pdf']);
  });

  test('deletions that are too many are held back, with exit code 4 and what allows them', async () => {
    await run(source.origin, 'copy', map());
    source.remove('/a.xml');
    const held = await run(source.origin, 'copy', '--max-delete', '0');
    expect(held.code).toBe(4);
    expect(held.stdout).toContain(
      '1 resource is to be deleted, more than 0: nothing was; --max-delete 1 allows it',
    );
    const { code } = await run(source.origin, 'copy', '--max-delete', '1', '--backup-dir', 'old');
    expect(code).toBe(0);
    expect(filesBelow(join(directory, 'old'))).toEqual({ 'a.xml': '<a/>' });
  });

  test('what is wrong with a Source and was read all the same is said once', async () => {
    source.rewrite = (path, text) =>
      path === '/rl.xml'
        ? text.replace('capability="resourcelist" ', '').replaceAll('Z</lastmod>', '</lastmod>')
        : text;
    const { code, stdout } = await run(source.origin, 'copy', map());
    expect(code).toBe(0);
    expect(stdout).toContain('~ RS-GEN-03');
    expect(stdout).toMatch(/~ RS-TIME-01 .* without a zone: it is taken as UTC \(2 times\)/);
  });

  test.each([
    [['--map', 'copy'], /--map copy: give BASE=FOLDER/],
    [['--map', 'https://a.example/=../up'], /give BASE=FOLDER/],
    [['--only', 'pdf'], /--only pdf: give metadata/],
    [['--incremental', '--audit'], /cannot be used with/],
    [['--incremental'], /no copy yet whose changes could be followed/],
    [['--set', 'other'], /none of its 1 sets is called other/],
    [['--watch', '--dry-run'], /--watch cannot be used with --dry-run/],
    [['more'], /more is one directory too many/],
  ])('%j is refused, and says what to type', async (args, message) => {
    const { code, stderr } = await run(source.origin, 'copy', ...args);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  test('where nothing is, it says where it looked', async () => {
    source.rewrite = () => '<html/>';
    const { code, stderr } = await run(source.origin, 'copy');
    expect(code).toBe(3);
    expect(stderr).toContain(`no ResourceSync was found at ${source.origin}/: looked at`);
    expect(stderr).toContain('/robots.txt');
  });

  test('what is in the way here is told in words, and what is missing with how far the copy knows', async () => {
    mkdirSync(join(directory, 'copy', 'b.pdf'), { recursive: true });
    const { code, stdout } = await run(source.origin, 'copy', map());
    expect(code).toBe(4);
    expect(stdout).toMatch(
      /! in the copy: \S+\/b\.pdf is a folder, and a file of the copy has to be there; move it away \(1 resource\)\n/,
    );
    expect(stdout).toMatch(
      /the copy has 1 resource, and knows of every change up to \S+; 1 resource is missing or not up to date\n$/,
    );
    writeFileSync(join(directory, 'file'), '');
    const other = await run(source.origin, 'file');
    expect(other.stderr).toMatch(
      /file is a file, and a folder of the copy has to be there; .*\n.* \[storage\]/,
    );
  });

  test('--audit looks at the files, and says what it found', async () => {
    await run(source.origin, 'copy', map());
    rmSync(join(directory, 'copy', 'a.xml'));
    writeFileSync(join(directory, 'copy', 'b.pdf'), '?');
    const told = await run(source.origin, 'copy', '--audit', '--dry-run');
    expect(told.stdout).toContain('  2 files looked at, 1 altered and 1 missing here: to be mended\n');
    const mended = await run(source.origin, 'copy', '--audit');
    expect(mended).toMatchObject({ code: 0, stdout: expect.stringContaining('1 missing here: mended\n') });
    expect(filesBelow(join(directory, 'copy'))).toEqual({ 'a.xml': '<a/>', 'b.pdf': 'B' });
    const again = await run(source.origin, 'copy', '--audit');
    expect(again.stdout).toContain('  2 files looked at, none of them altered or missing here\n');
    await run(source.origin, 'other', '--sink', 'none');
    const other = await run(source.origin, 'other', '--audit');
    expect(other.stdout).toContain('files are looked at only with --sink directory');
  });

  const answers = (path: string, status: number) =>
    source.interferences.set(path, (response) => Boolean(response.writeHead(status).end()));

  test.each([
    [
      401,
      [],
      /\/private asks for a login or a token \(it answers 401\): give the token with --access-token-file/,
    ],
    [403, [], /\/private is not open to everybody \(it answers 403\)/],
    [401, ['--access-token-file', 'token'], /\/private refuses the token that was sent \(it answers 401\)/],
    [403, ['--access-token-file', 'token'], /\/private refuses the token that was sent \(it answers 403\)/],
    [
      404,
      [],
      /there is nothing at http:[^ ]*\/private \(it answers 404\); [^ ]* has this set, .*:\n {2}http:.*\/cap\.xml/,
    ],
  ])(
    'an address that answers %i (%j) is told, and the one set of its host is not copied',
    async (status, more, told) => {
      writeFileSync(join(directory, 'token'), 'let-us-in\n');
      answers('/private', status);
      const { code, stderr } = await run(`${source.origin}/private`, 'copy', ...more);
      expect(code).toBe(3);
      expect(stderr).toMatch(told);
      expect(stderr).not.toContain('let-us-in');
      expect(filesBelow(join(directory, 'copy'))).toEqual({});
      const named = await run(`${source.origin}/private`, 'named', '--set', `${source.origin}/cap.xml`);
      expect(named.code).toBe(0);
    },
  );

  test('a set that is private now is not looked for elsewhere', async () => {
    await run(source.origin, 'copy', map());
    answers('/cap.xml', 401);
    const { code, stderr } = await run(source.origin, 'copy');
    expect(code).toBe(3);
    expect(stderr).toContain(`${source.origin}/cap.xml asks for a login or a token (it answers 401)`);
    expect(Object.keys(filesBelow(join(directory, 'copy')))).toEqual(['a.xml', 'b.pdf']);
  });

  test('an address without a scheme, whose server speaks http, is told which to write', async () => {
    const { code, stderr } = await run(new URL(source.origin).host, 'copy');
    expect(code).toBe(3);
    expect(stderr).toContain('the server does not speak https there');
    expect(stderr).toContain('write http:// in place of https://');
    expect(stderr).not.toContain('SSL routines');
  });

  test('a host that is private as a whole asks for its token', async () => {
    for (const path of ['/', '/.well-known/resourcesync', '/robots.txt']) answers(path, 401);
    const { code, stderr } = await run(source.origin, 'copy');
    expect(code).toBe(3);
    expect(stderr).toContain('asks for a login or a token');
  });
});

describe('rsbridge sync, of a bridge', () => {
  let service: SampleService;

  beforeAll(async () => {
    service = await startSampleService('', { files: { mode: 'none' }, dumps: ['all', 'metadata'] });
  });
  afterAll(() => service?.close());

  /** Every resource that its list names, as it is served now. */
  async function served(set: string): Promise<Readonly<Record<string, string>>> {
    const list = await (await fetch(`${service.base}/${set}/resourcelist.xml`)).text();
    const changes = await (await fetch(`${service.base}/${set}/changelist.xml`)).text();
    const locs = new Set([...`${list}${changes}`.matchAll(/<url><loc>([^<]*)/g)].map(([, loc = '']) => loc));
    const found: Record<string, string> = {};
    const left = [...locs];
    const ask = async () => {
      for (let loc = left.pop(); loc !== undefined; loc = left.pop()) {
        const response = await fetch(loc);
        const text = await response.text();
        if (response.ok) found[loc.slice(service.base.length + 1)] = text;
      }
    };
    await Promise.all([ask(), ask(), ask(), ask()]);
    return found;
  }

  test('a copy equals what is served, by its dump and by its lists, and follows each change', async () => {
    const copy = join(directory, 'copy');
    const byDump = await run(`${service.base}/sample`, 'copy', `--map=${service.base}=.`, '--json');
    expect(byDump.code).toBe(0);
    expect(plain(filesBelow(copy))).toEqual(plain(await served('sample')));
    const [{ summary }] = linesOf(byDump.stdout);
    expect(summary).toMatchObject({ isComplete: true, notes: [], remarks: [], ways: [{ way: 'baseline' }] });
    for (let round = 0; round < 2; round += 1) {
      await service.edit(6);
      // The Change List follows what is served.
      await vi.waitFor(async () => {
        const { code, stdout } = await run(`${service.base}/sample`, 'copy', '--json');
        expect(code).toBe(0);
        expect(linesOf(stdout)).toMatchObject([{ summary: { ways: [{ way: 'incremental' }], notes: [] } }]);
        expect(plain(filesBelow(copy))).toEqual(plain(await served('sample')));
      }, 60_000);
    }
    const audit = await run(`${service.base}/sample`, 'copy', '--audit', '--json');
    expect(linesOf(audit.stdout)).toMatchObject([{ summary: { copied: { requests: 0 }, isComplete: true } }]);
  });

  test('a host with several sets is asked for one', async () => {
    const { code, stderr } = await run(service.base, 'copy');
    expect(code).toBe(2);
    expect(stderr).toContain('has several sets; name one with --set');
    expect(stderr).toContain(`${service.base}/sample/metadata/capabilitylist.xml`);
    const named = await run(service.base, 'copy', '--set', 'metadata', '--only', 'metadata', '--json');
    expect(named.code).toBe(0);
  });
});

/** Names as they are in a copy (what no file system has is escaped), each with the hash of its text. */
function plain(files: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(files)
    .map(([path, text]) => `${path.replaceAll(':', '%3A')} ${createHash('md5').update(text).digest('hex')}`)
    .sort();
}

import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { toStatic } from '../../../src/cli/export/export-pages.ts';
import { exitCodes } from '../../../src/cli/terminal/exit-codes.ts';
import { createSampleRepository, type SampleRepository } from '../../../src/demo/sample-repository.ts';
import { lockPublication } from '../../../src/publish/disk/publication-lock.ts';
import { createReader } from '../../../src/server/words/reader.ts';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { rsbridge } from '../../house/cli/processes.ts';
import { runMain } from '../../house/cli/run-main.ts';
import { migratedPostgres, migratedSqlite } from '../../house/store/databases.ts';

const baseUrl = 'https://repo.example.org/rs';
const records = /^\.rsbridge-export/;

describe.each(['sqlite', 'pg'] as const)('rsbridge export on %s', (kind) => {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-export-'));
  const target = join(directory, 'www');
  let repository: SampleRepository;
  let made: Awaited<ReturnType<typeof migratedPostgres>>;

  beforeAll(async () => {
    repository = createSampleRepository({ clock: systemClock, records: 40 });
    const { url } = await repository.listen(0);
    made = kind === 'sqlite' ? migratedSqlite() : await migratedPostgres();
    const sources = { sample: { url, overlapSeconds: 5, files: { mode: 'mirror' } } };
    // A list closes at the end of its slot, which is a change, too: not at a full hour in the middle of a test.
    const publish = { changeListMinutes: 1440 };
    const config = { baseUrl, database: made.config, directory: 'data', publish, sources };
    writeFileSync(join(directory, 'rsbridge.yaml'), stringify(config));
    await ok('harvest');
  });

  afterAll(async () => {
    await repository.close();
    await made.drop();
    rmSync(directory, { recursive: true, force: true });
  });

  const run = (...args: string[]) => runMain(directory, args);

  async function ok(...args: string[]) {
    const result = await run(...args);
    expect(result, result.stderr).toMatchObject({ code: 0 });
    return result;
  }

  const exported = async (...args: string[]) => JSON.parse((await ok('export', ...args, '--json')).stdout);

  async function edits(count: number): Promise<void> {
    for (let edit = 0; edit < count; edit += 1) repository.edit();
    await ok('harvest');
  }

  /** Every file but the records of the export itself. */
  function files(root: string): Map<string, { ino: number; mtimeMs: number; digest: string }> {
    const found = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const paths = found.map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
    return new Map(
      paths
        .filter((path) => !records.test(path))
        .sort()
        .map((path) => {
          const { ino, mtimeMs } = lstatSync(join(root, path));
          const digest = createHash('sha256')
            .update(readFileSync(join(root, path)))
            .digest('hex');
          return [path, { ino, mtimeMs, digest }];
        }),
    );
  }

  const contents = (root: string) => [...files(root)].map(([path, { digest }]) => [path, digest]);

  /** What a reader of the lists in a directory comes to, and whether its files say the same. */
  function expectConsistent(root: string): number {
    const xml = (path: string) => readFileSync(join(root, path), 'utf8');
    const state = new Map<string, { hash: string; lastmod: string }>();
    for (const list of ['sample/resourcelist.xml', 'sample/changelist.xml']) {
      for (const [entry] of xml(list).matchAll(/<url>.*?<\/url>/gs)) {
        const find = (pattern: RegExp) => pattern.exec(entry)?.[1] ?? '';
        const path = find(/<loc>([^<]+)/).slice(baseUrl.length + 1);
        if (find(/change="(\w+)"/) === 'deleted') state.delete(path);
        else state.set(path, { hash: find(/hash="sha-256:(\w+)"/), lastmod: find(/<lastmod>([^<]+)/) });
      }
    }
    const there = [...files(root)].filter(([path]) =>
      /^sample\/items\/[^/]+\/(?:[^/]+\.xml|files\/.*)$/.test(path),
    );
    const stated = [...state].map(([path, { hash, lastmod }]) => [path, hash, Date.parse(lastmod)]).sort();
    expect(there.map(([path, { digest, mtimeMs }]) => [path, digest, mtimeMs]).sort()).toEqual(stated);
    return state.size;
  }

  test('nothing published, nothing written', async () => {
    const config = stringify({
      baseUrl,
      directory: 'none',
      sources: { other: { url: 'http://127.0.0.1:1/oai' } },
    });
    writeFileSync(join(directory, 'other.yaml'), config);
    expect(await run('export', 'nowhere', '--config', 'other.yaml')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('nothing is published yet'),
    });
    expect(existsSync(join(directory, 'nowhere'))).toBe(false);
  });

  test('everything, then nothing, then only what changed', async () => {
    await ok('publish', '--lists-only');
    const preview = await exported(target, '--dry-run');
    expect(preview).toMatchObject({ dryRun: true, left: 0 });
    expect(preview.resources).toBeGreaterThan(140);
    expect(existsSync(target)).toBe(false);
    const first = await exported(target);
    expect(first).toMatchObject({ resources: preview.resources, removed: 0, missing: 0, left: 0 });
    const before = files(target);
    expect(first.written).toBe(before.size);
    expect(expectConsistent(target)).toBe(first.resources);
    const list = 'sample/resourcelist.xml';
    expect(
      gunzipSync(readFileSync(join(target, `${list}.gz`))).equals(readFileSync(join(target, list))),
    ).toBe(true);

    for (const args of [[], ['--full']]) {
      const { documents, resources } = first;
      const nothing = { written: 0, removed: 0, bytes: 0, unchanged: documents + resources };
      expect(await exported(target, ...args)).toMatchObject(nothing);
      expect(files(target)).toEqual(before);
    }

    await edits(10);
    const second = await exported(target);
    const after = files(target);
    const touched = [...after].filter(([path, { ino }]) => before.get(path)?.ino !== ino);
    const gone = [...before.keys()].filter((path) => !after.has(path));
    expect(touched).toHaveLength(second.written);
    expect(gone).toHaveLength(second.removed);
    // 10 edits of records in three formats, an item's page with each; lists of two sets.
    expect(second.written).toBeLessThan(10 * 4 + 60);
    expect(gone.length).toBeGreaterThan(0);
    expectConsistent(target);
    const emptied = readdirSync(join(target, 'sample/items')).filter(
      (item) => readdirSync(join(target, 'sample/items', item)).length === 0,
    );
    expect(emptied).toEqual([]);
  });

  test('an export that grew is the export that is made anew', async () => {
    await edits(10);
    await exported(target);
    await exported(join(directory, 'anew'));
    expect(contents(join(directory, 'anew'))).toEqual(
      contents(target).filter(([path]) => existsSync(join(directory, 'anew', path ?? ''))),
    );
    // A collection that lost its last item, and lists that were replaced, may stay a while; resources never.
    const more = contents(target).filter(([path]) => !existsSync(join(directory, 'anew', path ?? '')));
    expect(more.filter(([path]) => path?.includes('/items/'))).toEqual([]);
  });

  test('while another process publishes: the resources are as the published lists say', async () => {
    await edits(15);
    const places = ['', 'sample', 'sample/metadata'].map((set) => join(directory, 'data/publication', set));
    const locks = await Promise.all(places.map((place) => lockPublication(place)));
    const { stderr } = await ok('export', target);
    expect(stderr).toContain('another process is publishing it');
    expectConsistent(target);
    const later = join(directory, 'later');
    await ok('export', later);
    expectConsistent(later);
    await Promise.all(locks.map((lock) => lock.release()));
    await ok('export', target);
    await ok('export', later);
    expectConsistent(target);
    expectConsistent(later);
  });

  test('killed at any moment: the next run completes it', { timeout: 600_000 }, async () => {
    const broken = join(directory, 'killed');
    for (const share of [0.02, 0.9, 0.98]) {
      const { child, finished } = rsbridge(['export', broken], directory);
      const enough = share * readdirSync(join(target, 'sample/items')).length;
      const count = () =>
        existsSync(join(broken, 'sample/items')) ? readdirSync(join(broken, 'sample/items')).length : -1;
      while (child.exitCode === null && count() < enough) await setTimeout(5);
      child.kill('SIGKILL');
      await finished;
      if (share === 0.9) await edits(10);
      // No list before what it lists.
      if (existsSync(join(broken, 'sample/capabilitylist.xml'))) expectConsistent(broken);
    }
    await ok('export', broken);
    expectConsistent(broken);
    expect(readdirSync(join(broken, '.rsbridge-export'))).toEqual([]);
    await ok('export', target);
    await ok('export', target);
    expect(contents(broken)).toEqual(contents(target));
  });

  test('a lost or damaged memory: everything is compared, what is not ours stays', async () => {
    const [[damaged = ''] = []] = contents(target).filter(([path]) => path?.endsWith('oai_dc.xml'));
    writeFileSync(join(target, 'favicon.ico'), 'theirs');
    mkdirSync(join(target, 'news'));
    writeFileSync(join(target, 'news/index.html'), 'theirs');
    mkdirSync(join(target, 'sample/items/oai:gone'));
    writeFileSync(join(target, 'sample/items/oai:gone/oai_dc.xml'), '<old/>');
    writeFileSync(join(target, 'sample/changelist/20200101T000000Z.xml'), '<old/>');
    writeFileSync(join(target, damaged), '<other/>');
    writeFileSync(join(target, '.rsbridge-export.json'), '{"version":1,');
    expect(await exported(target)).toMatchObject({ written: 1, removed: 2 });
    expect(existsSync(join(target, 'sample/items/oai:gone'))).toBe(false);
    expect(readFileSync(join(target, 'favicon.ico'), 'utf8')).toBe('theirs');
    expect(readFileSync(join(target, 'news/index.html'), 'utf8')).toBe('theirs');
    expectConsistent(target);
  });

  test('a directory that is not an export is refused', async () => {
    const foreign = join(directory, 'foreign');
    mkdirSync(foreign);
    writeFileSync(join(foreign, 'thesis.docx'), 'years of work');
    for (const place of [foreign, join(foreign, 'thesis.docx'), join(directory, 'data/www'), directory]) {
      expect(await run('export', place), place).toMatchObject({ code: 2, stdout: '' });
    }
    expect((await run('export', foreign)).stderr).toContain('name a new or empty directory');
    expect(readdirSync(foreign)).toEqual(['thesis.docx']);
  });

  test('two at once: the second is told to wait', async () => {
    const lock = await lockPublication(join(target, '.rsbridge-export'));
    expect(await run('export', target)).toMatchObject({ code: 5 });
    await lock.release();
    await ok('export', target);
  });

  test('symbolic links and a forged memory lead nowhere', async () => {
    const outside = join(directory, 'outside');
    mkdirSync(join(outside, 'items'), { recursive: true });
    writeFileSync(join(outside, 'precious.xml'), 'precious');
    const hostile = join(directory, 'hostile');
    await ok('export', hostile);

    rmSync(join(hostile, 'sample/capabilitylist.xml'));
    symlinkSync(join(outside, 'precious.xml'), join(hostile, 'sample/capabilitylist.xml'));
    await ok('export', hostile);
    expect(lstatSync(join(hostile, 'sample/capabilitylist.xml')).isFile()).toBe(true);

    const file = join(hostile, '.rsbridge-export.json');
    const state = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...state, retired: ['../outside/precious.xml'] }));
    expect(await run('export', hostile)).toMatchObject({ code: 6 });
    writeFileSync(file, JSON.stringify(state));

    rmSync(join(hostile, 'sample/items'), { recursive: true });
    symlinkSync(join(outside, 'items'), join(hostile, 'sample/items'));
    expect(await run('export', hostile, '--full')).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('a symbolic link is not followed'),
    });
    expect(readdirSync(outside).sort()).toEqual(['items', 'precious.xml']);
    expect(readFileSync(join(outside, 'precious.xml'), 'utf8')).toBe('precious');
    expect(readdirSync(join(outside, 'items'))).toEqual([]);
  });

  test('a content that is damaged is missing, said so, and exported once it is whole again', async () => {
    const database = openDatabase(made.config);
    const row = await database.reader('resource').whereNull('deleted_at').first('path', 'hash');
    const blob = await database.reader('blob').where({ hash: row.hash }).first();
    const place = join(directory, 'damaged');
    await database
      .writer('blob')
      .where({ hash: row.hash })
      .update({ data: Buffer.from('rotten') });
    const report = await run('export', place, '--json');
    expect(report).toMatchObject({ code: 0, stderr: expect.stringContaining(row.path) });
    const { missing, resources } = JSON.parse(report.stdout);
    expect(missing).toBeGreaterThan(0);
    expect(existsSync(join(place, row.path))).toBe(false);
    await database.writer('blob').where({ hash: row.hash }).update({ data: blob.data });
    expect(await exported(place)).toMatchObject({ missing: 0, resources: resources + missing });
    expect(existsSync(join(place, row.path))).toBe(true);
    await database.close();
  });

  test('lists that are replaced stay for one more run', async () => {
    const file = join(target, '.rsbridge-export.json');
    const state = JSON.parse(readFileSync(file, 'utf8'));
    const old = 'sample/resourcelist/20200101T000000Z/0001.xml';
    mkdirSync(join(target, old, '..'), { recursive: true });
    for (const name of [old, `${old}.gz`]) writeFileSync(join(target, name), '<urlset/>');
    writeFileSync(file, JSON.stringify({ ...state, documents: { ...state.documents, [old]: '"old"' } }));
    expect(await exported(target)).toMatchObject({ written: 0, removed: 0 });
    expect(existsSync(join(target, old))).toBe(true);
    expect(await exported(target)).toMatchObject({ written: 0, removed: 2 });
    expect(existsSync(join(target, 'sample/resourcelist'))).toBe(false);
  });

  test('packages that held what is withdrawn go with the next run', async () => {
    const packages = () =>
      [...files(target).keys()].filter((path) => /resourcedump.*(?:zip|manifest\.xml)$/.test(path));
    const before = packages();
    expect(before.length).toBeGreaterThan(1);
    const [item = ''] = readdirSync(join(target, 'sample/items'));
    await ok('withdraw', `${baseUrl}/sample/items/${item}`);
    await exported(target);
    expect(packages().length).toBe(before.length);
    expect(packages().filter((path) => before.includes(path))).toEqual([]);
  });
});

describe('rsbridge export of files that are not mirrored', () => {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-export-modes-'));
  const target = join(directory, 'www');
  let repository: SampleRepository;
  let url: string;

  beforeAll(async () => {
    repository = createSampleRepository({ clock: systemClock, records: 40 });
    ({ url } = await repository.listen(0));
  });

  afterAll(async () => {
    await repository.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function run(...args: string[]) {
    const result = await runMain(directory, args);
    expect(result, result.stderr).toMatchObject({ code: 0 });
    return result;
  }

  async function harvestAndExport(mode: string) {
    const source = {
      url,
      overlapSeconds: 5,
      files: { mode },
      mirrors: [{ url: 'https://copy.example.org' }],
      dumps: ['all', 'metadata'],
    };
    writeFileSync(
      join(directory, 'rsbridge.yaml'),
      stringify({ baseUrl, directory: 'data', sources: { sample: source } }),
    );
    await run('harvest', '--full');
    const { stdout, stderr } = await run('export', target, '--json');
    return { report: JSON.parse(stdout), stderr };
  }

  const list = () => readFileSync(join(target, 'sample/resourcelist.xml'), 'utf8');
  const listed = () => [...list().matchAll(/<loc>([^<]+)/g)].map(([, loc = '']) => loc);
  const exportedFiles = () =>
    readdirSync(join(target, 'sample/items'), { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.includes('/files/'),
    );

  test('files that the bridge passes on stay with it: they are counted, said once, and no fault', async () => {
    const { report, stderr } = await harvestAndExport('proxy');
    const files = listed().filter((loc) => loc.includes('/files/'));
    expect(files.length).toBeGreaterThan(20);
    expect(report).toMatchObject({
      left: files.length,
      missing: 0,
      resources: listed().length - files.length,
    });
    expect(stderr.match(/an export cannot contain/g)).toHaveLength(1);
    expect(stderr).toContain(`${files.length} files`);
    expect(stderr).not.toContain('not exported');
    expect(exportedFiles()).toEqual([]);
    const sentence = 'no dumps of sample, though they are configured: its files are not kept here';
    expect((await run('status')).stdout).toContain(sentence);
    expect(await runMain(directory, ['check'])).toMatchObject({
      code: exitCodes.needsAttention,
      stdout: expect.stringContaining(`FAIL  dumps of sample: ${sentence}`),
    });
    // The bridge has them at the same addresses as the export would.
    expect(list()).toContain('rel="duplicate" href="https://copy.example.org/sample/items/');
  });

  test('mirrored, they are in the export; passed on again, they are taken out of it', async () => {
    const { report, stderr } = await harvestAndExport('mirror');
    expect(report).toMatchObject({ left: 0, missing: 0, resources: listed().length });
    expect(stderr).not.toContain('an export cannot contain');
    expect((await run('status')).stdout).not.toContain('no dumps');
    expect(existsSync(join(target, 'sample/resourcedump.xml'))).toBe(true);
    expect(exportedFiles().sort()).toEqual(
      listed()
        .flatMap((loc) => (loc.includes('/files/') ? loc.split('/items/')[1] : undefined) ?? [])
        .sort(),
    );
    expect((await harvestAndExport('proxy')).report).toMatchObject({ missing: 0 });
    expect(exportedFiles()).toEqual([]);
  });

  test('linked to, they are at their own addresses: nothing is left, and nothing is a duplicate of them', async () => {
    const { report, stderr } = await harvestAndExport('link');
    const { origin } = new URL(url);
    const linked = listed().filter((loc) => loc.startsWith(`${origin}/files/`));
    expect(linked.length).toBeGreaterThan(20);
    expect(report).toMatchObject({ left: 0, missing: 0, resources: listed().length - linked.length });
    expect(stderr).not.toContain('an export cannot contain');
    const entries = [...list().matchAll(/<url>.*?<\/url>/gs)].map(([entry]) => entry);
    for (const entry of entries) {
      const isFile = entry.includes(`<loc>${origin}/`);
      expect(entry.includes('rel="duplicate"'), entry).toBe(!isFile);
    }
    expect(list()).not.toContain(`copy.example.org/${origin}`);
    expect(exportedFiles()).toEqual([]);
  });
});

describe('a page as a file', () => {
  const time =
    '<time datetime="2026-11-21T04:38:00Z">3 minutes ago</time> <span class="soft">2026-11-21 04:38 UTC</span>';

  test.each([
    [
      `<dl><dt>Changed upstream</dt><dd>${time}</dd><dt>In</dt><dd>x</dd></dl>`,
      '<dl><dt>In</dt><dd>x</dd></dl>',
    ],
    [time, '<time datetime="2026-11-21T04:38:00Z">2026-11-21 04:38 UTC</time>'],
    [
      `<p><a rel="next" href="${baseUrl}/a/collections/b?after=c">Next 100</a></p>`,
      '<p class="soft">There are more; all of them are in the Resource List of the source.</p>',
    ],
    [
      `<a href="${baseUrl}/a/about?format=json">as <b>JSON</b></a>, <a href="${baseUrl}/timemap/link/x">history</a>`,
      'as <b>JSON</b>, history',
    ],
    [
      `<a class="mono" href="${baseUrl}/a/about">a</a> <a href="https://elsewhere.example/?x=1">b</a>`,
      undefined,
    ],
  ])('%s', (page, expected = page) => {
    expect(toStatic(page, baseUrl, createReader('en'))).toBe(expected);
  });
});

import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { resourceSets } from '../../../src/core/resource-set.ts';
import { listResources } from '../../../src/store/reading/listing.ts';
import { completePass, findSource } from '../../../src/store/sources/sources.ts';
import { runMain } from '../../house/cli/run-main.ts';
import { payload, storing } from '../../house/server/stored-items.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const baseUrl = 'https://repo.example.org/rs';
const deletion = { deleted: true, speaksFor: { formats: ['oai_dc'], files: undefined } };
const days = ['2026-01-02', '2026-01-03', '2026-01-04', '2026-01-05'].map((day) => `${day}T00:00:00Z`);

describeOnBoth('rsbridge export --at', (open) => {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-export-at-'));
  /** What was listed at the end of each day: paths and hashes. */
  const listed = new Map<string, ReadonlyMap<string, string>>();

  beforeAll(async () => {
    const { config: database, database: opened } = open();
    const sources = {
      kyushu: { url: 'http://127.0.0.1:1/oai', sets: { theses: { collections: ['theses'] } } },
      osaka: { url: 'http://127.0.0.1:2/oai' },
    };
    writeFileSync(
      join(directory, 'rsbridge.yaml'),
      stringify({ baseUrl, database, directory: 'data', sources }),
    );
    const store = storing(opened);
    const numbers = Array.from({ length: 30 }, (_, number) => number);
    const item = (number: number, text: string) => ({
      identifier: `oai:x:${number}`,
      collections: number % 3 === 0 ? ['theses'] : [],
      metadata: [payload(text), payload(`mods ${text}`, 'mods')],
    });
    await store('2026-01-01T00:00:00Z', ...numbers.map((number) => item(number, 'first')));
    const id = (await findSource(opened.reader, 'kyushu'))?.id ?? 0;
    await completePass(opened.writer, id, { asOf: undefined, fullAt: undefined, selection: '{}' });
    for (const [day, at] of days.entries()) {
      const changed = numbers.filter((number) => number % 4 === day);
      await store(at, ...changed.map((number) => item(number, `of ${at}`)));
      await store(at, { identifier: `oai:x:${20 + day}`, ...deletion });
      if (day > 0) await store(at, item(20 + day - 1, 'again'));
      const found = new Map<string, string>();
      const [set] = resourceSets('kyushu');
      if (!set) throw new Error('a source has a set');
      for await (const page of listResources(opened.reader, set)) {
        for (const { path, hash = '' } of page) found.set(path, hash);
      }
      listed.set(at, found);
    }
  });

  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const run = (...args: string[]) => runMain(directory, args);

  async function exported(...args: string[]) {
    const { code, stdout, stderr } = await run('export', ...args, '--json');
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout);
  }

  const files = (root: string) =>
    readdirSync(join(directory, root), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith('.rsbridge-export'))
      .map((entry) => join(entry.parentPath, entry.name).slice(join(directory, root).length + 1))
      .sort();

  test('what was deleted since is left out where its past is not handed out; the list names it', async () => {
    const [at = ''] = days;
    const config = join(directory, 'rsbridge.yaml');
    const before = readFileSync(config, 'utf8');
    writeFileSync(
      config,
      before.replace('kyushu:\n', 'kyushu:\n    mementos: { ofDeleted: false }\n    files: { mode: none }\n'),
    );
    try {
      const report = await exported('withheld', '--at', at);
      // The last of those that were deleted has not come back.
      expect(report).toMatchObject({ withheld: 1, missing: 0, resources: (listed.get(at)?.size ?? 0) - 1 });
      const gone = 'kyushu/items/oai:x:23/oai_dc.xml';
      expect(text('withheld', 'kyushu/resourcelist.xml')).toContain(`<loc>${baseUrl}/${gone}</loc>`);
      expect(files('withheld')).not.toContain(gone);
      expect((await run('export', 'withheld', '--at', at)).stderr).toContain(
        '1 resource of that time was deleted',
      );
    } finally {
      writeFileSync(config, before);
    }
  });

  test('what a repository keeps from everybody by now is not laid out, with its past', async () => {
    const [at] = days;
    const gone = 'kyushu/items/oai:x:23/oai_dc.xml';
    const mark = (at: string | null) =>
      open().database.writer('resource').where({ path: gone }).update({ withdrawn_at: at, refused_at: at });
    expect(await exported('shown', '--at', at ?? '')).toMatchObject({ withheld: 0 });
    expect(files('shown')).toContain(gone);
    await mark('2026-11-29T10:00:00Z');
    try {
      expect(await exported('shown', '--at', at ?? '')).toMatchObject({ withheld: 1, missing: 0 });
      expect(files('shown')).not.toContain(gone);
    } finally {
      await mark(null);
    }
  });

  const text = (root: string, path: string) => readFileSync(join(directory, root, path), 'utf8');

  const state = (root: string) =>
    files(root).map((path) => {
      const { ino, mtimeMs } = lstatSync(join(directory, root, path));
      return [path, ino, mtimeMs, text(root, path)];
    });

  test.each(days)('everything as it was at %s: lists and files agree', async (at) => {
    const root = `then-${at.slice(0, 10)}`;
    const report = await exported(root, '--at', at);
    const expected = listed.get(at) ?? new Map();
    expect(report).toMatchObject({ at, resources: expected.size, missing: 0, left: 0, removed: 0 });
    expect(report.absent).toEqual([{ name: 'osaka' }]);
    const list = text(root, 'kyushu/resourcelist.xml');
    expect(list).toContain(`capability="resourcelist" at="${at}"`);
    const entries = [...list.matchAll(/<url><loc>([^<]+)<\/loc>.*?hash="([^"]+)"/gs)];
    const inList = entries.map(([, loc = '', hash = '']) => [loc.slice(baseUrl.length + 1), hash]);
    expect(inList.sort()).toEqual([...expected].sort());
    const inFiles = files(root)
      .filter((path) => path.includes('/items/'))
      .map((path) => [path, `sha-256:${createHash('sha256').update(text(root, path)).digest('hex')}`]);
    expect(inFiles).toEqual([...expected].sort());
    const theses = [
      ...text(root, 'kyushu/sets/theses/resourcelist.xml').matchAll(/<loc>[^<]*oai:x:(\d+)\//g),
    ];
    expect(theses.length).toBeGreaterThan(0);
    expect(theses.every(([, number]) => Number(number) % 3 === 0)).toBe(true);
  });

  test('a Capability List has the Resource List alone, and everything that is linked to is there', async () => {
    const root = 'linked';
    await exported(root, '--at', '2026-01-04');
    for (const path of ['kyushu/capabilitylist.xml', 'kyushu/metadata/lists/capabilitylist.xml']) {
      const capabilities = [...text(root, path).matchAll(/capability="(\w+)"/g)].map(([, name]) => name);
      expect(capabilities).toEqual(['capabilitylist', 'resourcelist']);
    }
    expect(files(root).filter((path) => /change|dump/.test(path))).toEqual([]);
    const documents = files(root).filter(
      (path) => /\.xml$|resourcesync$/.test(path) && !path.includes('/items/'),
    );
    for (const path of documents) {
      expect(gunzipSync(readFileSync(join(directory, root, `${path}.gz`))).toString()).toBe(text(root, path));
      const links = [
        ...text(root, path).matchAll(/<loc>([^<]+)|rel="(?:describedby|up|index)" href="([^"]+)/g),
      ];
      for (const [, loc, href] of links) {
        const target = (loc ?? href ?? '').slice(baseUrl.length + 1);
        const file = join(directory, root, target);
        expect(existsSync(file) && lstatSync(file).isFile() ? file : join(file, 'index.html')).toSatisfy(
          existsSync,
        );
      }
    }
    expect(text(root, 'about/index.html')).toContain('2026-01-04T00:00:00Z');
    expect(existsSync(join(directory, 'data/publication'))).toBe(false);
  });

  test('a second run finds nothing to do; a dry run writes nothing', async () => {
    const at = ['--at', 'Sat, 03 Jan 2026 00:00:00 GMT'];
    const preview = await exported('twice', ...at, '--dry-run');
    expect(existsSync(join(directory, 'twice'))).toBe(false);
    const first = await exported('twice', ...at);
    expect(first).toMatchObject({ written: preview.written, resources: preview.resources });
    const before = state('twice');
    for (const more of [[], ['--full']]) {
      expect(await exported('twice', ...at, ...more)).toMatchObject({ written: 0, removed: 0 });
    }
    expect(state('twice')).toEqual(before);
  });

  test('what is damaged in it is mended, what does not belong is taken out, what is not ours stays', async () => {
    const at = ['--at', '20260103000000'];
    await exported('mended', ...at);
    const before = state('mended').map(([path, , , content]) => [path, content]);
    const place = join(directory, 'mended');
    const [item = ''] = files('mended').filter((path) => path.includes('/items/'));
    writeFileSync(join(place, item), '<other/>');
    writeFileSync(join(place, 'kyushu/changelist.xml'), '<old/>');
    writeFileSync(join(place, 'favicon.ico'), 'theirs');
    expect(await exported('mended', ...at)).toMatchObject({ written: 1, removed: 1 });
    rmSync(join(place, 'favicon.ico'));
    expect(state('mended').map(([path, , , content]) => [path, content])).toEqual(before);
  });

  test('times do not mix in one directory', async () => {
    await exported('mixed', '--at', '2026-01-03');
    await run('publish');
    await exported('now');
    const [then, now] = [state('mixed'), state('now')];
    for (const args of [
      ['mixed', '--at', '2026-01-04'],
      ['mixed'],
      ['mixed', '--at', '2026-01-04', '--dry-run'],
      ['now', '--at', '2026-01-03'],
    ]) {
      const { code, stderr } = await run('export', ...args);
      expect(code, args.join(' ')).toBe(2);
      expect(stderr).toContain('[export-refused]');
      expect(stderr).toContain('name a new or empty directory');
    }
    expect([state('mixed'), state('now')]).toEqual([then, now]);
    writeFileSync(join(directory, 'mixed/.rsbridge-export.json'), '');
    expect(await run('export', 'mixed', '--at', '2026-01-03')).toMatchObject({ code: 2 });
  });

  test('before the first complete pass, and before it is over, there is nothing to lay out', async () => {
    const early = await run('export', 'early', '--at', '2025-12-31');
    expect(early).toMatchObject({ code: 2, stdout: '' });
    expect(early.stderr).toContain('kyushu since 2026-01-01T00:00:00Z, osaka never');
    expect(early.stderr).toContain('[no-memento]');
    expect(await run('export', 'early', '--at', '2999-01-01')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not over yet'),
    });
    expect(existsSync(join(directory, 'early'))).toBe(false);
  });

  test('what can be had no longer is missing, and said so', async () => {
    const { database } = open();
    const [at = ''] = days;
    const { hash } = await database
      .reader('version')
      .where({ gone: 0 })
      .where((then) => then.where({ at }).orWhere({ at: '', lastmod: at }))
      .first('hash');
    const blob = await database.reader('blob').where({ hash }).first();
    await database.writer('blob').where({ hash }).delete();
    try {
      const { code, stdout, stderr } = await run('export', 'lost', '--at', at, '--json');
      expect(code).toBe(0);
      expect(JSON.parse(stdout).missing).toBeGreaterThan(0);
      expect(stderr).toContain('listed, but not exported');
      expect(stderr).toContain('osaka is left out');
    } finally {
      await database.writer('blob').insert(blob);
    }
    expect(await exported('lost', '--at', at)).toMatchObject({ missing: 0 });
  });
});

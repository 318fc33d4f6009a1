import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { pathsIn } from '../../../src/bridge/withdrawals/find-target.ts';
import { main } from '../../../src/cli/main.ts';
import { itemPath, metadataPath } from '../../../src/core/uris.ts';
import { runMain } from '../../house/cli/run-main.ts';
import { payload, storing } from '../../house/server/stored-items.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const baseUrl = 'https://repo.example.org/rs';
const identifier = 'oai:x:1';
const path = metadataPath('kyushu', identifier, 'oai_dc');
const uri = `${baseUrl}/${path}`;
const hostile = 'a\u001b[31mb\u009b2Jc\u202ed';

const body = (...titles: string[]) => titles.map((title) => `<title>${title}</title>`).join('');
const deletion = { deleted: true, speaksFor: { formats: ['oai_dc'], files: undefined } };

describeOnBoth('rsbridge history', (open) => {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-history-'));

  beforeAll(async () => {
    const { config: database, database: opened } = open();
    const sources = {
      kyushu: { url: 'http://127.0.0.1:1/oai' },
      osaka: { url: 'http://127.0.0.1:2/oai' },
    };
    writeFileSync(
      join(directory, 'rsbridge.yaml'),
      stringify({ baseUrl, database, directory: 'data', sources }),
    );
    const store = storing(opened);
    await store('2026-01-01T00:00:00Z', {
      identifier,
      metadata: [payload(body('one')), payload(body('mods'), 'mods')],
    });
    await store('2026-01-05T00:00:00Z', {
      identifier: 'oai:x:2',
      metadata: [payload(body('now'))],
      versions: [
        { number: 1, createdAt: '2019-05-01T00:00:00Z', metadata: [payload(body('before'))], files: [] },
      ],
    });
    await store('2026-02-01T00:00:00Z', { identifier, metadata: [payload(body('two'))] });
    await store('2026-03-01T00:00:00Z', { identifier, ...deletion });
    await store('2026-04-01T00:00:00Z', {
      identifier,
      metadata: [payload(body('two', hostile.replace('\u001b', '')))],
    });
    await storing(opened, 'osaka')('2026-01-01T00:00:00Z', {
      identifier: 'oai:x:2',
      metadata: [payload(body('other'))],
    });
  });

  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const history = (...args: string[]) => runMain(directory, ['history', ...args]);

  async function lines(...args: string[]) {
    const { code, stdout, stderr } = await history(...args, '--json');
    expect(code, stderr).toBe(0);
    return stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  }

  test('lists the versions, when there was none, and what changed last', async () => {
    const { code, stdout, stderr } = await history(uri);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const rows = stdout.split('\n');
    expect(rows.slice(0, 2)).toEqual([uri, 'oai_dc of oai:x:1 (kyushu)']);
    expect(rows[2]).toMatch(
      /^ {2}1 {2}2026-01-01T00:00:00Z {2}2026-02-01T00:00:00Z +\d+ {2}application\/xml {2}sha-256:[0-9a-f]{12} {2}seen here +https/,
    );
    expect(rows[2]).toContain(`${baseUrl}/memento/20260101000000/${uri}`);
    expect(rows[4]).toMatch(/^ {2}- {2}2026-03-01T00:00:00Z {2}2026-04-01T00:00:00Z +deleted$/);
    expect(rows[5]).toMatch(/^ {2}3 {2}2026-04-01T00:00:00Z {2}now/);
    expect(stdout).toContain('From version 2 (2026-02-01T00:00:00Z) to version 3 (2026-04-01T00:00:00Z):');
    expect(stdout).toContain('  + title "');
  });

  test('what an upstream wrote never reaches a terminal as a command', async () => {
    for (const args of [[uri], [uri, '--json']]) {
      const { stdout } = await history(...args);
      expect(stdout).toContain('\\u009b2J');
      expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202a-\u202e]/u);
    }
  });

  test('--json has everything: the resource, versions, deletions and the difference', async () => {
    const [resource, ...rest] = await lines(uri);
    expect(resource.resource).toEqual({
      ...{ uri, source: 'kyushu', identifier, kind: 'metadata', format: 'oai_dc' },
      timegate: `${baseUrl}/timegate/${uri}`,
      timemap: `${baseUrl}/timemap/link/${uri}`,
    });
    expect(rest.map((line) => Object.keys(line)[0])).toEqual([
      'version',
      'version',
      'deleted',
      'version',
      'difference',
    ]);
    expect(rest[0].version).toMatchObject({
      ...{ number: 1, from: '2026-01-01T00:00:00Z', until: '2026-02-01T00:00:00Z' },
      ...{ origin: 'journal', state: 'kept', storedAt: '2026-01-01T00:00:00Z' },
      memento: `${baseUrl}/memento/20260101000000/${uri}`,
    });
    expect(rest[4].difference).toMatchObject({ from: 2, to: 3, language: 'xml', count: 1 });
  });

  test.each([
    ['1..2', 1, 2],
    ['3..1', 3, 1],
    ['2026-01-15..2026-04-02', 1, 3],
    ['20260101000000..2', 1, 2],
  ])('--diff %s picks two versions', async (range, from, to) => {
    const found = await lines(uri, '--diff', range);
    expect(found.at(-1).difference).toMatchObject({ from, to, count: from + to === 3 ? 1 : 3 });
    expect((await lines(uri, '--no-diff')).at(-1)).not.toHaveProperty('difference');
  });

  test.each([
    ['1', 2, 'A..B'],
    ['1..9', 2, 'they are 1 to 3'],
    ['1..soon', 2, 'neither'],
    ['1..2026-03-15', 2, 'there was no version at 2026-03-15T00:00:00Z'],
  ])('--diff %s is refused', async (range, code, message) => {
    expect(await history(uri, '--diff', range)).toMatchObject({
      code,
      stdout: '',
      stderr: expect.stringContaining(message),
    });
  });

  test.each([
    ['2026-01-01T00:00:00Z', 'one'],
    ['2026-01-31', 'one'],
    ['20260201000000', 'two'],
    ['Sun, 15 Feb 2026 00:00:00 GMT', 'two'],
    ['2030-01-01', 'two'],
  ])('--at %s prints exactly the bytes of then', async (at, title) => {
    const chunks: Buffer[] = [];
    const stdout = new Writable({
      write(chunk, _encoding, done) {
        chunks.push(Buffer.from(chunk));
        done();
      },
    });
    const never = new AbortController().signal;
    const io = { env: {}, cwd: directory, stop: never, abort: never, stderr: new Writable(), stdout };
    expect(await main(['history', uri, '--at', at], io)).toBe(0);
    const text = Buffer.concat(chunks).toString();
    expect(text.startsWith(`<dc xmlns="urn:dc"><title>${title}</title>`)).toBe(true);
    expect(text.endsWith('</dc>')).toBe(true);
  });

  test.each([
    ['2025-12-31', 'nothing is known of it before 2026-01-01T00:00:00Z'],
    ['2026-03-01T00:00:00Z', 'it was deleted from 2026-03-01T00:00:00Z until 2026-04-01T00:00:00Z'],
    ['yesterday', 'give a date or time'],
  ])('--at %s is an error that says why', async (at, message) => {
    const outcome = await history(uri, '--at', at);
    expect(outcome).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
  });

  test('the upstream’s own history comes first', async () => {
    const found = await lines(`${baseUrl}/${metadataPath('kyushu', 'oai:x:2', 'oai_dc')}`);
    expect(found[1].version).toMatchObject({
      ...{ number: 1, from: '2019-05-01T00:00:00Z', until: '2026-01-05T00:00:00Z', origin: 'upstream' },
      state: 'kept',
    });
    expect(found.at(-1).difference.changes).toEqual([
      { kind: 'changed', path: 'title', before: 'before', after: 'now' },
    ]);
  });

  test('what retention gave up keeps its number, and can be had no longer', async () => {
    const { database } = open();
    const versions = () => database.writer('version').where({ lastmod: '2026-02-01T00:00:00Z' });
    await versions().update({ dropped_at: '2026-05-01T00:00:00Z' });
    try {
      const { stdout } = await history(uri);
      expect(stdout).toMatch(/ {2}2 {2}2026-02-01T00:00:00Z.*given up at 2026-05-01T00:00:00Z/);
      expect(stdout).toContain('From version 1 (');
      expect(await history(uri, '--at', '2026-02-15')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('version 2 was given up at 2026-05-01T00:00:00Z'),
      });
      expect((await history(uri, '--diff', '1..2')).stdout).toContain(
        'No more can be said: version 2 was given up',
      );
    } finally {
      await versions().update({ dropped_at: null });
    }
  });

  test('a damaged version is listed, and the difference says that it is damaged', async () => {
    const { database } = open();
    const version = await database.reader('version').where({ lastmod: '2026-02-01T00:00:00Z' }).first('hash');
    const blob = await database.reader('blob').where({ hash: version.hash }).first('data');
    const store = (data: Buffer) => database.writer('blob').where({ hash: version.hash }).update({ data });
    await store(Buffer.from('rotten'));
    try {
      const { code, stdout } = await history(uri);
      expect(code).toBe(6);
      expect(stdout).toContain('2026-02-01T00:00:00Z');
      expect(stdout).toContain('version 2 is damaged');
      expect(stdout).toContain('rsbridge check --blobs');
      expect(await history(uri, '--at', '2026-02-15')).toMatchObject({ code: 6, stdout: '' });
      expect((await history(uri, '--at', '2026-01-15')).code).toBe(0);
    } finally {
      await store(blob.data);
    }
  });

  test('of a file that was deleted no addresses are given: its past is not handed out', async () => {
    const store = storing(open().database, 'many');
    await store('2026-05-01T00:00:00Z', { identifier: 'oai:x:9', metadata: [payload('<a/>')] });
    const path = metadataPath('many', 'oai:x:9', 'oai_dc');
    const row = () => open().database.writer('resource').where({ path });
    await row().update({ kind: 'file', deleted_at: '2026-05-02T00:00:00Z' });
    try {
      const { stdout } = await history(path);
      expect(stdout).toContain('and all its versions with it');
      expect(stdout).not.toContain('/memento/');
      const [{ resource }] = await lines(path);
      expect(resource.withheld).toContain('2026-05-02');
      expect(resource.timegate).toBeUndefined();
    } finally {
      await row().update({ kind: 'metadata', deleted_at: null });
    }
  });

  test('of very many versions the last are shown, and the first with --all', async () => {
    const store = storing(open().database, 'many');
    const minute = (number: number) =>
      `2026-06-01T${String(Math.floor(number / 60)).padStart(2, '0')}:${String(number % 60).padStart(2, '0')}:00Z`;
    for (let number = 0; number < 120; number += 1) {
      await store(minute(number), { identifier: 'oai:x:3', metadata: [payload(body(`n ${number}`))] });
    }
    const target = metadataPath('many', 'oai:x:3', 'oai_dc');
    const { stdout } = await history(target);
    expect(stdout).toContain('… 20 earlier ones (--all)');
    expect(stdout.split('\n').filter((line) => line.includes('/memento/'))).toHaveLength(100);
    expect((await history(target, '--all')).stdout).toMatch(/\n {4}1 {2}2026-06-01T00:00:00Z/);
    expect(await lines(target, '--no-diff')).toHaveLength(121);
  });

  test('of a file that is not kept there is where it is, and nothing to print', async () => {
    const url = 'https://files.example/a.pdf';
    const file = { url, name: 'a.pdf', sequence: 1, mediaType: 'application/pdf', length: 5 };
    const { database } = open();
    const [item] = await database.writer('item').select('id', 'source_id').where({ identifier }).limit(1);
    const [resource] = await database
      .writer('resource')
      .insert({
        ...{ source_id: item.source_id, item_id: item.id, path: url, kind: 'file', format: 'file' },
        ...{ lastmod: '2026-01-01T00:00:00Z', media_type: file.mediaType, length: 5, upstream_url: url },
        ...{ links: '[]', last_seq: 1, version_count: 1 },
      })
      .returning('id');
    for (const [seq, month] of [
      [1, '01'],
      [2, '02'],
    ] as const) {
      const at = `2026-${month}-01T00:00:00Z`;
      await database.writer('version').insert({
        source_id: item.source_id,
        ...{ resource_id: resource.id, seq, at, lastmod: at, media_type: file.mediaType, length: 4 + seq },
        upstream_url: url,
      });
    }
    try {
      const found = await lines(url);
      expect(found.slice(1).map(({ version }) => version?.state)).toEqual(['lost', 'elsewhere']);
      expect(found[2].version).toMatchObject({ elsewhere: url });
      expect((await history(url)).stdout).toContain('its bytes were not kept');
      expect((await history(url, '--diff', '1..2')).stdout).toMatch(
        /~ length: 5 -> 6\n.*not kept.*at https:\/\/files/,
      );
      for (const [at, message] of [
        ['2026-01-15', 'were not kept'],
        ['2026-02-15', `not here but at ${url}`],
      ] as const) {
        expect(await history(url, '--at', at)).toMatchObject({
          code: 2,
          stderr: expect.stringContaining(message),
        });
      }
    } finally {
      await database.writer('version').where({ resource_id: resource.id }).delete();
      await database.writer('resource').where({ id: resource.id }).delete();
    }
  });

  test('an item lists its resources, by its page or by what the repository calls it', async () => {
    for (const text of [`${baseUrl}/${itemPath('kyushu', identifier)}`, identifier]) {
      const { code, stdout } = await history(text);
      expect(code).toBe(0);
      expect(stdout).toContain(`${identifier} (kyushu) is an item: 2 resources`);
      expect(stdout).toContain(uri);
      expect(stdout).toContain('rsbridge history https://');
    }
    expect(await history(identifier, '--at', '2026-01-15')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(uri),
    });
    expect(await history('oai:x:2')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/several sources.*kyushu\/items\/oai:x:2.*osaka\/items\/oai:x:2/),
    });
  });

  test.each([
    ['https://elsewhere.example/x', 'neither below https://repo.example.org/rs'],
    [
      'kyushu/items/oai:x:1/oai_cd.xml',
      `of this item there are ${baseUrl}/kyushu/items/oai:x:1/mods.xml, ${uri}`,
    ],
    ['tokyo/items/oai:x:1/oai_dc.xml', 'there is no source called tokyo'],
    ['kyushu/resourcelist.xml', 'is a document'],
    ['oai:x:\u001b[2J', 'no item or resource is named oai:x:\\u001b[2J'],
    ['', 'sources: kyushu, osaka'],
    ['%00', 'sources: kyushu, osaka'],
  ])('%j is nothing, and what is near is named', async (text, message) => {
    const { code, stdout, stderr } = await history(text);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('\u001b');
  });

  test('status --at says what a source held', async () => {
    const { stdout } = await runMain(directory, ['status', '--at', '2026-03-15', '--json']);
    const [kyushu, osaka] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(kyushu).toMatchObject({ name: 'kyushu', at: '2026-03-15T00:00:00Z', resources: 2, items: 2 });
    expect(kyushu.changes.created).toBeGreaterThan(0);
    expect(osaka).toMatchObject({ resources: 1, items: 1, changes: { created: 0, updated: 0, deleted: 0 } });
    expect(await runMain(directory, ['status', '--at', '2999-01-01'])).toMatchObject({ code: 2 });
  });
});

test.each([
  uri,
  `<${uri}>`,
  ` ${uri}#top`,
  `${uri}?format=json`,
  `${uri}/`,
  uri.replace('https://', 'http://'),
  uri.replace('https://', 'https:/'),
  uri.replace('repo.example.org', 'REPO.example.org'),
  uri.replace('oai:x:1', 'oai%3Ax%3A1'),
  path,
  `/${path}`,
  `/rs/${path}`,
  `${baseUrl}/timegate/${uri}`,
  `${baseUrl}/timemap/link/${uri}`,
  `${baseUrl}/timemap/json/2/${uri}`,
  `${baseUrl}/memento/20260101000000/${uri}`,
  `${baseUrl}/memento/20260101000000/${uri.replace('https://', 'https:/')}`,
])('%s means the resource', (text) => {
  expect(pathsIn(text, baseUrl)).toContain(path);
});

test('what is not ours stays as it is', () => {
  const file = 'https://elsewhere.example/a?x=1';
  expect(pathsIn(file, baseUrl)[0]).toBe(file);
  expect(pathsIn(`${baseUrl}/timegate/${file}`, baseUrl)[0]).toBe(file);
  expect(pathsIn('https://repo.example.org/rsx/a', baseUrl)).toEqual(['https://repo.example.org/rsx/a']);
});

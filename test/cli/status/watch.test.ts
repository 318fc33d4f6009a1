import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { main } from '../../../src/cli/main.ts';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { formats, identity, list, provide, record } from '../../house/adapters/scripted-provider.ts';
import { runMain } from '../../house/cli/run-main.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let directory: string;
let there: readonly string[];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-watch-'));
  there = ['oai:a:1'];
  const provider = await provide((query) => {
    if (query.get('verb') === 'Identify') return identity();
    return query.get('verb') === 'ListMetadataFormats' ? formats : list(there.map((id) => record(id)));
  });
  const repo = { url: provider.url, files: { mode: 'none' } };
  writeFileSync(join(directory, 'rsbridge.yaml'), JSON.stringify({ sources: { repo } }));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const status = async () => (await runMain(directory, ['status'])).stdout;
const json = async () => JSON.parse((await runMain(directory, ['status', '--json'])).stdout);

test('status tells how old the last success is, when the next run is, and whether all is published', async () => {
  expect(await status()).toContain('never complete so far\n  no run is planned; nothing is published yet\n');
  await runMain(directory, ['harvest']);
  await runMain(directory, ['publish']);
  expect(await status()).toMatch(
    /last success \S+Z \((?:just now|1 minute ago)\)\n {2}no run is planned; everything is published\n/,
  );
  expect(await json()).toMatchObject({ lagSeconds: 0, ageSeconds: expect.any(Number) });
  there = ['oai:a:1', 'oai:a:2'];
  await runMain(directory, ['harvest', '--full']);
  expect(await status()).toMatch(/; changes since \S+Z \([^)]+\) are not in all lists yet\n/);
  const database = openDatabase({ client: 'sqlite', file: join(directory, 'data', 'rsbridge.db') });
  const soon = Date.now() + 3 * 3_600_000 + 30_000;
  await database
    .writer('due')
    .insert({ source: 'repo', kind: 'harvest', schedule: '0 3 * * *', due_at: soon });
  expect(await status()).toMatch(/ {2}next run \S+Z \(in 3 hours\); /);
  await database.writer('due').update({ due_at: Date.now() - 660_000 });
  await database.close();
  expect(await status()).toMatch(
    / {2}the run of \S+Z \(11 minutes ago\) waits: rsbridge serve does not run, /,
  );
});

test('after a backup was put back onto an empty disk nothing is published, and that is said', async () => {
  await runMain(directory, ['harvest']);
  expect(await status()).toContain('; not published yet: repo, repo/metadata (`rsbridge publish`, or');
  await runMain(directory, ['publish']);
  await runMain(directory, ['backup', 'copy.db']);
  rmSync(join(directory, 'data'), { recursive: true });
  const { code, stderr } = await runMain(directory, ['restore', 'copy.db']);
  expect(code, stderr).toBe(0);
  expect(await status()).toContain('; not published yet: repo, repo/metadata (`rsbridge publish`, or');
  const { lagSeconds, unpublished } = await json();
  expect([lagSeconds, unpublished]).toEqual([undefined, ['repo', 'repo/metadata']]);
  const findings = (await runMain(directory, ['doctor'])).stdout;
  expect(findings).toContain(
    'WARN  published: not published yet: repo, repo/metadata\n      mend: rsbridge publish (',
  );
  // What was put back is a backup that is known.
  expect(findings).toMatch(/ok {4}backup: the latest is of \S+Z \(/);
  await runMain(directory, ['publish']);
  expect(await status()).toContain('; everything is published\n');
  expect((await runMain(directory, ['doctor'])).stdout).toContain('ok    published: each source');
});

test('a source that has nothing waits for its publication until its empty list is there', async () => {
  there = [];
  await runMain(directory, ['harvest']);
  expect(await status()).toContain('; not published yet: repo, repo/metadata');
  const { stdout, stderr } = await runMain(directory, ['publish']);
  expect(stdout).toContain('http://localhost:8080/repo/capabilitylist.xml');
  expect(stderr).not.toContain('nothing to publish');
  expect(await status()).toContain('; everything is published\n');
  expect((await runMain(directory, ['doctor'])).stdout).not.toContain('not published yet');
});

/** `status --watch 1`, ended after so many looks. */
async function watched(
  looks: number,
  screen: object,
  ...args: string[]
): Promise<{ code: number; text: string[] }> {
  const stop = new AbortController();
  const text: string[] = [];
  const stdout = Object.assign(
    new Writable({
      write(chunk, _encoding, done) {
        text.push(String(chunk));
        if (text.length >= looks) stop.abort();
        done();
      },
    }),
    screen,
  );
  const stderr = new Writable({ write: (_chunk, _encoding, done) => done() });
  const io = { stdout, stderr, env: {}, cwd: directory, stop: stop.signal, abort: stop.signal };
  return { code: await main(['status', '--watch', '1', ...args], io), text };
}

test('--watch prints blocks where nobody looks on, until it is ended', async () => {
  const { code, text } = await watched(2, {});
  expect(code).toBe(0);
  expect(text[0]).toMatch(/^\S+Z, every 1 s; Ctrl-C ends it\nrepo \(/);
  expect(text[1]).toMatch(/^\n\S+Z, every 1 s; Ctrl-C ends it\nrepo \(/);
});

test('--watch draws over what was there on a terminal, and no more than fits', async () => {
  const { text } = await watched(2, { isTTY: true, columns: 40, rows: 5 });
  for (const drawn of text) {
    expect(drawn.startsWith('\u001b[H\u001b[2J')).toBe(true);
    const lines = drawn.slice(7).trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(4);
    expect(lines.at(-1)).toMatch(/^… \d+ more lines$/);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(40);
  }
});

test('--watch --json prints the objects alone', async () => {
  const { text } = await watched(2, { isTTY: true }, '--json');
  for (const line of text) expect(JSON.parse(line)).toMatchObject({ name: 'repo' });
});

test('what is wrong with the first look ends it', async () => {
  const { code, text } = await watched(1, {}, '--config', 'nowhere.yaml');
  expect([code, text]).toEqual([2, []]);
});

import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSampleRepository, type SampleRepository } from '../../src/demo/sample-repository.ts';
import { openDatabase } from '../../src/store/engine/database.ts';
import { readJournals } from '../../src/store/sources/journal.ts';
import { rsbridge } from '../house/cli/processes.ts';
import { runMain } from '../house/cli/run-main.ts';

let directory: string;
let repository: SampleRepository;
const data = () => join(directory, 'data');
const file = () => join(data(), 'rsbridge.db');
const run = (...args: string[]) => runMain(directory, args);

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-storage-'));
  repository = createSampleRepository({ clock: { now: () => new Date() } as never, records: 60 });
  const { url } = await repository.listen(0);
  writeFileSync(
    join(directory, 'rsbridge.yaml'),
    `sources:\n  sample: { url: "${url}", formats: [oai_dc], files: { mode: none }, dumps: [] }\n`,
  );
});

afterEach(async () => {
  await repository.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Every page but the first ones is overwritten: wherever one looks, there is damage. */
function damage(): void {
  const handle = openSync(file(), 'r+');
  const { size } = statSync(file());
  for (let at = 8 * 4096; at + 4096 <= size; at += 4096)
    writeSync(handle, Buffer.alloc(4096, 0x5a), 0, 4096, at);
}

describe('a damaged database', () => {
  test('is said in a sentence by whatever meets it, and found by check', async () => {
    expect(await run('harvest')).toMatchObject({ code: 0 });
    damage();
    const check = await run('check');
    expect(check).toMatchObject({ code: 6, stdout: expect.stringContaining('damaged') });
    expect(check.stdout).toContain('[storage]');
    for (const command of [['harvest', '--full'], ['publish'], ['backup', 'copy.db']]) {
      const outcome = await run(...command);
      expect(outcome, command.join(' ')).toMatchObject({ code: 6 });
      expect(outcome.stderr).toContain('[storage]');
      expect(outcome.stderr).not.toMatch(/\n\s+at /);
    }
  });
});

describe('an older database', () => {
  test('is noticed by check; publish and what harvests go on under another name', async () => {
    expect(await run('harvest')).toMatchObject({ code: 0 });
    expect(await run('publish')).toMatchObject({ code: 0 });
    expect(await run('check')).toMatchObject({ code: 0 });
    const database = openDatabase({ client: 'sqlite', file: file() });
    const before = (await readJournals(database.reader)).get('sample');
    // As a copy of an hour ago has it.
    const seq = (before?.seq ?? 0) - 3;
    await database.writer('change').where('seq', '>', seq).delete();
    await database.writer('moment').update({ seq });
    await database.writer('source').update({ journal_seq: seq });
    await database.close();
    expect(await run('check')).toMatchObject({
      code: 4,
      stdout: expect.stringContaining('older than what is published of sample'),
    });
    expect(await run('publish')).toMatchObject({ code: 0 });
    expect(await run('check')).toMatchObject({ code: 0 });
    const again = openDatabase({ client: 'sqlite', file: file() });
    const after = (await readJournals(again.reader)).get('sample');
    await again.close();
    expect(after?.seq).toBe(seq);
    expect(after?.id).not.toBe(before?.id);
  });
});

describe('a set across sources in an older database', () => {
  test('goes on under another name, and its lists miss nothing that came since', async () => {
    const config = join(directory, 'rsbridge.yaml');
    writeFileSync(config, `sets: { all: {} }\n${readFileSync(config, 'utf8')}`);
    // In processes of their own: what one has read stays open in it for a while.
    const commands = async (...typed: string[]) => {
      for (const command of typed)
        expect(await rsbridge(command.split(' '), directory).finished, command).toMatchObject({ code: 0 });
    };
    const edit = (count: number) => {
      const edits = Array.from({ length: count }, () => repository.edit({ mayRemove: false }));
      return edits.map(({ identifier }) => identifier.replaceAll('/', '~2F'));
    };
    await commands('harvest', 'publish', 'backup old.db');
    const edited = edit(6);
    await commands('harvest', 'publish');
    await commands('backup before.db');
    await commands('restore old.db');
    edited.push(...edit(9));
    await commands('harvest', 'publish');
    const [before, after] = [await journals(join(directory, 'before.db')), await journals(file())];
    expect(after.get('sets/all')?.id).not.toBe(before.get('sets/all')?.id);
    expect(await run('check')).toMatchObject({ code: 0 });
    await commands('export www');
    const entries = (path: string) =>
      [
        ...readFileSync(join(directory, 'www', path), 'utf8').matchAll(/<loc>([^<]+)<\/loc><lastmod>[^<]+/g),
      ].map(([entry]) => entry);
    const own = entries('sample/changelist.xml').filter((entry) =>
      edited.some((id) => entry.includes(`/${id}/`)),
    );
    expect(own.length).toBeGreaterThan(5);
    expect(entries('all/changelist.xml')).toEqual(expect.arrayContaining(own));
  });

  const journals = async (of: string) => {
    const database = openDatabase({ client: 'sqlite', file: of });
    try {
      return await readJournals(database.reader);
    } finally {
      await database.close();
    }
  };
});

const isRoot = process.getuid?.() === 0;

describe.runIf(isRoot)('a directory of somebody else', () => {
  test('is said at once, whatever is asked for', async () => {
    mkdirSync(data());
    chownSync(data(), 1, 1);
    chmodSync(data(), 0o700);
    chmodSync(directory, 0o755);
    process.seteuid?.(65_534);
    try {
      const commands = [
        ['check'],
        ['status'],
        ['harvest'],
        ['publish'],
        ['serve', '--port', '0'],
        ['backup', 'x.db'],
      ];
      commands.push(['demo', '--port', '0', '--data', 'data/demo'], ['export', 'data/www']);
      for (const command of commands) {
        const outcome = await run(...command);
        expect(outcome, command.join(' ')).toMatchObject({ code: 6 });
        expect(outcome.stdout + outcome.stderr).toMatch(/this user/);
        expect(outcome.stderr).not.toMatch(/\n\s+at /);
      }
    } finally {
      process.seteuid?.(0);
    }
  });
});

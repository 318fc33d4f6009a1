import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { migrate } from '../../../src/store/schema/migrate.ts';
import { readJournals } from '../../../src/store/sources/journal.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { runMain } from '../../house/cli/run-main.ts';

const now = '2026-11-22T10:00:00Z';
let directory: string;
let file: string;
let open: Database | undefined;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-backup-'));
  file = join(directory, 'data', 'rsbridge.db');
  writeFileSync(join(directory, 'rsbridge.yaml'), 'sources: {}\n');
  open = openDatabase({ client: 'sqlite', file });
  await migrate(open);
  await ensureSource(open, 'kyoto', now);
});

afterEach(async () => {
  await open?.close();
  rmSync(directory, { recursive: true, force: true });
});

const run = (...args: string[]) => runMain(directory, args);

async function close(): Promise<void> {
  await open?.close();
  open = undefined;
}

/** Statements of this process hold the file until they are collected; of one that has ended there is nothing left. */
async function collected(): Promise<void> {
  setFlagsFromString('--expose-gc');
  for (let turn = 0; turn < 5; turn += 1) {
    runInNewContext('gc')();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function names(path: string): Promise<string[]> {
  const database = openDatabase({ client: 'sqlite', file: path });
  try {
    return [...(await readJournals(database.reader)).keys()].sort();
  } finally {
    await database.close();
  }
}

describe('rsbridge backup', () => {
  test('is one file, of one moment, while others write', async () => {
    if (!open) throw new Error('closed');
    await open.transaction(async (trx) => {
      await trx('source').insert({ name: 'unfinished', journal_at: now });
      const outcome = await run('backup', 'copy.db', '--json');
      expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
      expect(JSON.parse(outcome.stdout)).toMatchObject({ sources: 1, resources: 0, changes: 0 });
    });
    expect(readdirSync(directory).sort()).toEqual(['copy.db', 'data', 'rsbridge.yaml']);
    expect(await names(join(directory, 'copy.db'))).toEqual(['kyoto']);
  });

  test('does not overwrite unasked, nor leave half a file', async () => {
    writeFileSync(join(directory, 'mine'), 'something else');
    const unmounted = await run('backup', 'not-mounted/copy.db');
    expect(unmounted).toMatchObject({ code: 2, stderr: expect.stringContaining('there is no directory') });
    expect(existsSync(join(directory, 'not-mounted'))).toBe(false);
    expect(await run('backup', 'mine')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('exists already'),
    });
    expect(statSync(join(directory, 'mine')).size).toBe(14);
    expect(await run('backup', 'data/rsbridge.db', '--force')).toMatchObject({ code: 2 });
    expect(await run('backup', 'data', '--force')).toMatchObject({ code: 2 });
    expect(await run('backup', 'mine', '--force')).toMatchObject({ code: 0 });
    expect(await names(join(directory, 'mine'))).toEqual(['kyoto']);
  });

  test.each([
    ['rsbridge.yaml/b.db', 'is a file, not a directory; name a file in a directory'],
    ['/proc/b.db', 'no file can be made in this directory; name a file'],
  ])(
    'that cannot be written (%s) is refused in a sentence, before anything is copied',
    async (place, sentence) => {
      const { code, stdout, stderr } = await run('backup', place);
      expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
      expect(stderr).toMatch(/^rsbridge: no backup can be written into .+\n.+\[storage\]\n$/);
      expect(stderr).toContain(sentence);
    },
  );

  test('that failed is told by doctor until there is one, with what to type', async () => {
    await close();
    writeFileSync(join(directory, 'nightly.db'), 'of last night');
    const backups = async () => {
      const { stdout } = await run('doctor', '--json');
      const all = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      return all.filter(({ check }) => check === 'backup');
    };
    expect(await backups()).toMatchObject([
      { severity: 'warning', mend: expect.stringMatching(/^rsbridge backup FILE/) },
    ]);
    expect(await run('backup', 'nightly.db')).toMatchObject({ code: 2 });
    expect(await backups()).toMatchObject([
      {
        severity: 'warning',
        message: expect.stringMatching(
          /nightly\.db could not be made at \S+Z \(just now\): .*exists already$/,
        ),
        mend: expect.stringMatching(/^rsbridge backup \S+nightly\.db --force/),
      },
    ]);
    expect(await run('backup', 'nightly.db', '--force')).toMatchObject({ code: 0 });
    expect(await backups()).toMatchObject([
      { severity: 'ok', message: expect.stringMatching(/^the latest is of/) },
    ]);
  });

  test('of PostgreSQL is made by its own tools, and the password is not said', async () => {
    const url = new URL(inject('postgresUrl'));
    url.username = 'somebody';
    url.password = 'secret-word';
    writeFileSync(join(directory, 'pg.yaml'), `database: { client: pg, url: "${url.href}" }\nsources: {}\n`);
    const outcome = await run('backup', 'copy.db', '--config', 'pg.yaml');
    expect(outcome).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('pg_dump --format=custom --file=copy.db'),
    });
    expect(outcome.stdout + outcome.stderr).not.toContain('secret-word');
  });
});

describe('rsbridge restore', () => {
  test('brings the backup back, keeps what was there, and begins journals of another name', async () => {
    if (!open) throw new Error('closed');
    const before = await readJournals(open.reader);
    expect(await run('backup', 'copy.db')).toMatchObject({ code: 0 });
    await ensureSource(open, 'nara', now);
    await close();
    await collected();
    const outcome = await run('restore', 'copy.db');
    expect(outcome, outcome.stderr).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('rsbridge publish'),
    });
    expect(await names(file)).toEqual(['kyoto']);
    const kept = readdirSync(join(directory, 'data')).find((name) => name.includes('.replaced-')) ?? '';
    expect(await names(join(directory, 'data', kept))).toEqual(['kyoto', 'nara']);
    open = openDatabase({ client: 'sqlite', file });
    const after = await readJournals(open.reader);
    expect(after.get('kyoto')).toMatchObject({ seq: before.get('kyoto')?.seq });
    expect(after.get('kyoto')?.id).not.toBe(before.get('kyoto')?.id);
  });

  test('of a file that does not exist says so, and what else could have been meant', async () => {
    const { code, stderr } = await run('restore', 'nowhere.db');
    expect(code).toBe(2);
    expect(stderr).toContain(
      `there is no backup ${join(directory, 'nowhere.db')}, and no item or resource is named nowhere.db`,
    );
    expect(stderr).toContain('for `rsbridge restore`, also the path of a backup. [unknown-resource]');
  });

  test('is refused while the database is open', async () => {
    await open?.reader('source').select('name');
    expect(await run('backup', 'copy.db')).toMatchObject({ code: 0 });
    expect(await run('restore', 'copy.db')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('stop it first'),
    });
    expect(readdirSync(join(directory, 'data')).filter((name) => /replaced|tmp/.test(name))).toEqual([]);
  });

  test('takes the place of a damaged database, not of a sound one with a damaged backup', async () => {
    await run('backup', 'copy.db');
    await close();
    await collected();
    copyFileSync(join(directory, 'copy.db'), join(directory, 'half.db'));
    truncateSync(join(directory, 'half.db'), statSync(join(directory, 'half.db')).size - 8192);
    expect(await run('restore', 'half.db')).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('damaged'),
    });
    expect(await names(file)).toEqual(['kyoto']);
    expect(await run('restore', 'rsbridge.yaml')).toMatchObject({ code: 2 });
    writeFileSync(file, 'this is no database '.repeat(1000));
    expect(await run('restore', 'copy.db')).toMatchObject({ code: 0 });
    expect(await names(file)).toEqual(['kyoto']);
    expect(existsSync(`${file}-wal`) ? statSync(`${file}-wal`).size : 0).toBe(0);
  });
});

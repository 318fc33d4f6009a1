import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkIntegrity } from '../../../src/store/backup/integrity.ts';
import {
  copySqlite,
  inspectSqlite,
  isSqliteFile,
  replaceSqlite,
} from '../../../src/store/backup/sqlite-copy.ts';
import { openSqliteFile } from '../../../src/store/drivers/sqlite-driver.ts';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { listOtherAskers } from '../../../src/store/hosts/askers.ts';
import { readHostNews, restHost, wantHost } from '../../../src/store/hosts/host-news.ts';
import { takeSlot } from '../../../src/store/hosts/host-slots.ts';
import { listProcesses } from '../../../src/store/presence/processes.ts';
import { acquireLease } from '../../../src/store/runs/leases.ts';
import { placeMigrated } from '../../house/store/databases.ts';
import { ToldSource } from '../../house/store/told-source.ts';

const now = '2026-11-22T10:00:00Z';
let directory: string;
let database: Database;
let source: ToldSource;
const at = (name: string) => join(directory, name);

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-copy-'));
  database = openDatabase({ client: 'sqlite', file: placeMigrated(at('live.db')) });
  source = await ToldSource.open(database, 'kyoto');
  await source.tell({ 1: { formats: { oai_dc: '1', mods: '1' } }, 2: {} });
});
afterEach(async () => {
  await database.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Closed, and its file with it: the SQLite of Node 20 has that open as long as there are statements in memory. */
async function closeFile(): Promise<void> {
  await database.close();
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const isOpen = () => {
    collect();
    return openFiles().includes(at('live.db'));
  };
  await expect.poll(isOpen).toBe(false);
}

/** As far as this system says which this process has open. */
function openFiles(): readonly string[] {
  const place = '/proc/self/fd';
  const targetOf = (descriptor: string) => {
    try {
      return [readlinkSync(join(place, descriptor))];
    } catch {
      return [];
    }
  };
  return existsSync(place) ? readdirSync(place).flatMap(targetOf) : [];
}

/** Pages in the middle of the file that are not what SQLite wrote. */
function damage(file: string): void {
  const bytes = readFileSync(file);
  bytes.fill(0xa5, 4096 * 2, bytes.length - 4096);
  writeFileSync(file, bytes);
}

/** A row that SQLite can read, but would not have let anybody write. */
function addFault(file: string): void {
  const opened = openSqliteFile(file);
  opened.exec("create table note (text text check (text <> 'x'))");
  opened.exec('pragma ignore_check_constraints = on');
  opened.exec("insert into note values ('x'), ('y')");
  opened.close();
}

describe('a copy of an SQLite database', () => {
  test('is whole, of one moment, and named only then', async () => {
    const facts = await copySqlite(at('live.db'), at('copy.db'));
    expect(facts).toMatchObject({ sources: 1, resources: 3, changes: 3 });
    expect(facts).toEqual(await inspectSqlite(at('copy.db')));
    expect(facts.bytes).toBe(readFileSync(at('copy.db')).length);
    await expect(copySqlite(at('nothing.db'), at('other.db'))).rejects.toMatchObject({
      code: 'storage',
      message: `there is no database ${at('nothing.db')}`,
    });
    // The journal says more than the source knows of.
    await database.writer('source').update({ journal_seq: 2 });
    await expect(copySqlite(at('live.db'), at('other.db'))).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringContaining('the journal of kyoto has a gap'),
    });
    expect(readdirSync(directory).filter((name) => /other|tmp/.test(name))).toEqual([]);
  });

  test('that is something else, or damaged, is refused', async () => {
    await copySqlite(at('live.db'), at('copy.db'));
    writeFileSync(at('text'), 'SQLite format 3\n'.repeat(9));
    writeFileSync(at('short'), 'SQLite form');
    const are = await Promise.all(
      ['copy.db', 'text', 'short', 'nothing', '.'].map((name) => isSqliteFile(at(name))),
    );
    expect(are).toEqual([true, false, false, false, false]);
    const other = openDatabase({ client: 'sqlite', file: at('other.db') });
    await other.writer.raw('create table note (text)');
    await other.close();
    await expect(inspectSqlite(at('other.db'))).rejects.toMatchObject({ code: 'backup-refused' });
    await copySqlite(at('live.db'), at('faulty.db'));
    addFault(at('faulty.db'));
    await expect(inspectSqlite(at('faulty.db'))).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringMatching(/faulty\.db is damaged: CHECK constraint failed in note/),
    });
    damage(at('copy.db'));
    const before = readFileSync(at('live.db'));
    await closeFile();
    await expect(replaceSqlite(at('copy.db'), at('live.db'), now)).rejects.toThrow();
    expect(readFileSync(at('live.db')).equals(before) || existsSync(at('live.db'))).toBe(true);
    expect(
      readdirSync(directory).filter((name) => name.includes('replaced') || name.includes('tmp')),
    ).toEqual([]);
  });

  test('takes the place of the database, which is kept beside it, and tells another story from there on', async () => {
    await copySqlite(at('live.db'), at('copy.db'));
    const journal = await database.reader('source').first('journal_id');
    await source.tell({ 3: {} });
    await closeFile();
    const { facts, kept } = await replaceSqlite(at('copy.db'), at('live.db'), now);
    expect([facts.resources, kept]).toEqual([3, `${at('live.db')}.replaced-20261122T100000Z`]);
    expect(await inspectSqlite(kept ?? '')).toMatchObject({ resources: 4 });
    expect(await inspectSqlite(at('live.db'))).toMatchObject({ resources: 3 });
    database = openDatabase({ client: 'sqlite', file: at('live.db') });
    expect((await database.reader('source').first('journal_id')).journal_id).not.toBe(journal.journal_id);
    const nowhere = await replaceSqlite(at('copy.db'), at('new.db'), now);
    expect(nowhere.kept).toBeUndefined();
    expect(await isSqliteFile(at('new.db'))).toBe(true);
  });

  test('that takes its place waits for none of the processes that were at work when it was made', async () => {
    const [there, later] = ['elsewhere 1/4711/a', Date.now() + 60_000];
    const { writer } = database;
    const sign = {
      holder: there,
      role: 'all',
      version: '1',
      started_at: now,
      seen: Date.now(),
      memory: 1,
      held_up: 0,
    };
    await writer('process').insert(sign);
    await writer('asker').insert({ holder: there, shares: 1, expires: later });
    await writer('host_slot').insert({ host: 'repo.example', n: 1, holder: there, expires: later });
    await restHost(database, 'rests.example', 60_000, 'asked');
    await wantHost(database, 'repo.example', there, 60_000);
    await acquireLease(database, 'kyoto', Date.now());
    await writer('source').update({ harvest_holder: there });
    await writer('due').insert({
      source: 'kyoto',
      kind: 'harvest',
      schedule: '',
      due_at: 1,
      holder: there,
      expires: later,
    });
    await copySqlite(at('live.db'), at('copy.db'));
    await replaceSqlite(at('copy.db'), at('new.db'), now);
    const restored = openDatabase({ client: 'sqlite', file: at('new.db') });
    try {
      expect(await listProcesses(restored.reader)).toEqual([]);
      expect(await listOtherAskers(restored, 'me')).toEqual([]);
      const slot = { host: 'repo.example', places: 1, holder: 'me', lifetimeMs: 1000 };
      expect(await takeSlot(restored, slot)).toEqual({ host: 'repo.example', n: 1 });
      expect(await readHostNews(restored)).toMatchObject([{ host: 'rests.example', wantedBy: undefined }]);
      expect(await restored.reader('due').pluck('holder')).toEqual([null]);
      await acquireLease(restored, 'kyoto', Date.now());
    } finally {
      await restored.close();
    }
  });

  test('leaves nothing of the log of the database that it replaces', async () => {
    await copySqlite(at('live.db'), at('copy.db'));
    await closeFile();
    damage(at('live.db'));
    truncateSync(at('live.db'), 5000);
    for (const suffix of ['-wal', '-shm']) writeFileSync(at(`live.db${suffix}`), 'of the old one');
    for (const suffix of ['-wal', '-shm']) writeFileSync(at(`gone.db${suffix}`), 'of one that is gone');
    await replaceSqlite(at('copy.db'), at('live.db'), now);
    await replaceSqlite(at('copy.db'), at('gone.db'), now);
    const left = readdirSync(directory).filter((name) => /live|gone/.test(name) && /-(wal|shm)$/.test(name));
    for (const name of left) expect(name).toMatch(/replaced-20261122T100000Z/);
    expect(await inspectSqlite(at('live.db'))).toMatchObject({ resources: 3 });
    expect(await inspectSqlite(at('gone.db'))).toMatchObject({ resources: 3 });
  });
});

describe('what SQLite cannot even open', () => {
  test('is kept with its log, which may have what it has not', async () => {
    await copySqlite(at('live.db'), at('copy.db'));
    mkdirSync(at('ruin.db'));
    const log = ['-wal', '-shm'];
    for (const suffix of log) writeFileSync(at(`ruin.db${suffix}`), `of a ruin: ${suffix}`);
    const { kept } = await replaceSqlite(at('copy.db'), at('ruin.db'), now);
    expect(kept).toBe(at('ruin.db.replaced-20261122T100000Z'));
    for (const suffix of log) expect(readFileSync(`${kept}${suffix}`, 'utf8')).toBe(`of a ruin: ${suffix}`);
    expect(readdirSync(directory).filter((name) => /^ruin.db-/.test(name))).toEqual([]);
    expect(await inspectSqlite(at('ruin.db'))).toMatchObject({ resources: 3 });
  });
});

describe('the integrity of an SQLite database', () => {
  test('is checked table by table, as long as there is time', async () => {
    expect(await checkIntegrity(database, 60_000)).toEqual({ faults: [], skipped: [] });
    const { faults, skipped } = await checkIntegrity(database, -1);
    expect(faults).toEqual([]);
    expect(skipped).toEqual(expect.arrayContaining(['change', 'resource', 'source']));
  });

  test('names the table with each fault that SQLite finds', async () => {
    addFault(at('live.db'));
    const { faults, skipped } = await checkIntegrity(database, 60_000);
    expect([faults, skipped]).toEqual([
      [expect.stringMatching(/^note: CHECK constraint failed in note/)],
      [],
    ]);
  });

  test('says which tables are damaged, and stops after a few', async () => {
    await copySqlite(at('live.db'), at('copy.db'));
    damage(at('copy.db'));
    const damaged = openDatabase({ client: 'sqlite', file: at('copy.db') });
    try {
      const { faults, skipped } = await checkIntegrity(damaged, 60_000);
      expect(faults.length).toBeGreaterThan(0);
      expect(faults.length).toBeLessThanOrEqual(5);
      for (const fault of faults) expect(fault).not.toMatch(/^$|: ok$/);
      expect(skipped).not.toContain(faults[0]?.split(':')[0]);
    } finally {
      await damaged.close();
    }
  });
});

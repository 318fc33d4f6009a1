import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CarriedOver, carryOver } from '../../../src/store/backup/carried-over.ts';
import { copySqlite, replaceSqlite } from '../../../src/store/backup/sqlite-copy.ts';
import { openSqliteFile, type SqliteDatabase } from '../../../src/store/drivers/sqlite-driver.ts';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { placeMigrated } from '../../house/store/databases.ts';
import { ToldSource } from '../../house/store/told-source.ts';

const now = '2026-11-22T10:00:00Z';
let directory: string;
const at = (name: string) => join(directory, name);

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-carried-'));
  const database = openDatabase({ client: 'sqlite', file: placeMigrated(at('live.db')) });
  const source = await ToldSource.open(database, 'kyoto');
  await source.tell({ 1: {}, 2: {} });
  await database.close();
  change('live.db', tokenOf(1, 'kept'), tokenOf(2, 'revoked'), fileOf('https://files.example.org/1.pdf'));
  await copySqlite(at('live.db'), at('copy.db'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function tokenOf(id: number, hash: string): string {
  return `insert into api_token (id, hash, name, scope, created_by, created_at) values (${id}, '${hash}', '${hash}', 'read', 'me', '${now}')`;
}

function fileOf(url: string): string {
  return `insert into remote_file (source_id, url, outcome) select id, '${url}', 'confirmed' from source`;
}

function inFile<Result>(name: string, work: (database: SqliteDatabase) => Result): Result {
  const database = openSqliteFile(at(name));
  try {
    return work(database);
  } finally {
    database.close();
  }
}

const change = (name: string, ...statements: string[]): void =>
  inFile(name, (database) => {
    for (const sql of statements) database.exec(sql);
  });
const read = (name: string, sql: string) =>
  inFile(name, (database) =>
    database
      .prepare(sql)
      .all()
      .map((row) => ({ ...row })),
  );
const tokens = () => read('copy.db', 'select hash from api_token order by id').map(({ hash }) => hash);
const carry = (from = 'live.db'): CarriedOver =>
  inFile(from, (live) => inFile('copy.db', (copy) => carryOver(live, copy, now)));

describe('what a backup takes over from the database that it replaces', () => {
  test('is what servers have refused since: it is withheld, and asked for before all else', () => {
    change('live.db', "update remote_file set outcome = 'refused', reason = 'asks for a login (401)'");
    expect(carry()).toEqual({ withdrawals: 0, refusals: 1, gone: 0, access: true, restored: [] });
    expect(read('copy.db', 'select outcome, reason, withheld_at, due_at from remote_file')).toEqual([
      {
        ...{ outcome: 'refused', reason: 'asks for a login (401)' },
        ...{ withheld_at: now, due_at: '1970-01-01T00:00:00Z' },
      },
    ]);
    expect(read('copy.db', 'select refusals_due from source')).toEqual([{ refusals_due: now }]);
    // Once more, there is nothing to do.
    expect(carry()).toMatchObject({ refusals: 0 });
  });

  test('is what was published at the backup and is not any more, until a harvest shows it again', () => {
    change('live.db', `update resource set deleted_at = '${now}' where path like '%/1/%'`);
    change('live.db', 'update source set journal_seq = journal_seq + 1');
    change('copy.db', "update source set selection = '{}'");
    const { gone } = carry();
    expect(gone).toBeGreaterThan(0);
    const withheld =
      'select path from resource where refused_at is not null and withdrawn_at = refused_at order by path';
    const deleted = 'select path from resource where deleted_at is not null order by path';
    expect(read('copy.db', withheld)).toEqual(read('live.db', deleted));
    // Its next harvest reads everything.
    expect(read('copy.db', 'select selection from source')).toEqual([{ selection: '' }]);
    expect(carry()).toMatchObject({ gone: 0 });
  });

  test('is who may come in, where it is an earlier state of it', () => {
    change('live.db', "delete from api_token where hash = 'revoked'", tokenOf(3, 'new'));
    expect(carry()).toMatchObject({ access: true });
    expect(tokens()).toEqual(['kept', 'new']);
  });

  test('is of another release what is the same in it', () => {
    change('live.db', "delete from api_token where hash = 'revoked'", tokenOf(3, 'new'));
    change('copy.db', 'alter table api_token drop column sets');
    expect(carry()).toMatchObject({ access: true });
    expect(tokens()).toEqual(['kept']);
  });

  test('is not who may come in at another installation', async () => {
    placeMigrated(at('other.db'));
    expect(carry('other.db')).toEqual({
      withdrawals: 0,
      refusals: 0,
      gone: 0,
      access: false,
      restored: [],
    });
    expect(tokens()).toEqual(['kept', 'revoked']);
  });

  test('is all or nothing', () => {
    change(
      'live.db',
      `insert into withdrawal (source, identifier, path, at) values ('kyoto', '1', '', '${now}')`,
      "delete from api_token where hash = 'revoked'",
    );
    change(
      'copy.db',
      "create trigger stop before delete on api_token begin select raise(abort, 'stop'); end",
    );
    expect(() => carry()).toThrow('stop');
    expect(read('copy.db', 'select * from withdrawal')).toEqual([]);
  });

  test('is nothing, and that is said, where it cannot be read', async () => {
    writeFileSync(at('ruin.db'), 'SQLite format 3\0 that it once was');
    expect(await replaceSqlite(at('copy.db'), at('ruin.db'), now)).toMatchObject({ carried: undefined });
  });
});

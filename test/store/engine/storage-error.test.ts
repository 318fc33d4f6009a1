import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { failure } from '../../../src/core/errors.ts';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';

let directory: string;
let database: Database;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-full-'));
  database = openDatabase({ client: 'sqlite', file: join(directory, 'rsbridge.db') });
  await database.writer.raw('create table note (text text)');
});
afterEach(async () => {
  await database.close();
  rmSync(directory, { recursive: true, force: true });
});

const caught = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => failure(error),
  );

describe('SQLite, of a statement without a transaction', () => {
  test('says that the disk is full by its code, and not that it is a defect', async () => {
    await database.writer.raw('pragma max_page_count = 3');
    const note = { text: 'x'.repeat(100_000) };
    const alone = await caught(Promise.resolve(database.writer('note').insert(note)));
    expect(alone).toEqual({
      code: 'disk-full',
      reason: expect.stringMatching(/^the disk of the database is full: insert into .* full$/),
    });
    const within = await caught(database.transaction((trx) => trx('note').insert(note)));
    expect(within, JSON.stringify(within)).toMatchObject({
      code: 'disk-full',
    });
  });

  test('leaves what is nobody else’s fault as it is', async () => {
    expect(await caught(Promise.resolve(database.writer('nothing').insert({ text: '' })))).toMatchObject({
      code: 'internal',
    });
  });
});

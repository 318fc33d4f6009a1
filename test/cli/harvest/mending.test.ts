import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { exitCodes } from '../../../src/cli/terminal/exit-codes.ts';
import { createSampleRepository } from '../../../src/demo/sample-repository.ts';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { contentFile } from '../../../src/store/payloads/content-files.ts';
import { runMain } from '../../house/cli/run-main.ts';
import { migratedPostgres, migratedSqlite } from '../../house/store/databases.ts';

// Each reads a whole mirror; on a busy machine that takes its time.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

describe.each(['sqlite', 'pg'] as const)('a mirror on %s', (kind) => {
  let directory: string;
  let made: Awaited<ReturnType<typeof migratedPostgres>>;
  let database: Database;
  const repository = createSampleRepository({ clock: systemClock, records: 30 });

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'rsbridge-mending-'));
    made = kind === 'sqlite' ? migratedSqlite() : await migratedPostgres();
    const { url } = await repository.listen(0);
    const sources = { sample: { url, files: { mode: 'mirror' } } };
    writeFileSync(
      join(directory, 'rsbridge.yaml'),
      stringify({ database: made.config, directory: 'data', sources }),
    );
    const { code, stderr } = await runMain(directory, ['harvest']);
    expect(code, stderr).toBe(0);
    database = openDatabase(made.config);
  });

  afterAll(async () => {
    await database.close();
    await made.drop();
    await repository.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const data = () => join(directory, 'data');

  interface MirroredFile {
    readonly hash: string;
    readonly file: string;
    readonly bytes: Buffer;
  }

  async function someFiles(count: number): Promise<readonly MirroredFile[]> {
    const rows: { content_hash: string }[] = await database
      .reader('remote_file')
      .whereNotNull('content_hash')
      .distinct('content_hash')
      .orderBy('content_hash')
      .limit(count);
    expect(rows).toHaveLength(count);
    return rows.map(({ content_hash: hash }) => {
      const file = contentFile(data(), hash);
      return { hash, file, bytes: readFileSync(file) };
    });
  }

  const flipped = (bytes: Buffer) =>
    Buffer.concat([Buffer.from([bytes.readUInt8(0) ^ 1]), bytes.subarray(1)]);

  /** What is wrong, and how it comes about. */
  const damages: [string, (file: string, bytes: Buffer, hash: string) => unknown][] = [
    ['missing', (file) => rmSync(file)],
    ['cut off', (file) => truncateSync(file, 3)],
    ['empty', (file) => truncateSync(file, 0)],
    ['longer', (file, bytes) => writeFileSync(file, Buffer.concat([bytes, bytes]))],
    ['as long, with a wrong byte', (file, bytes) => writeFileSync(file, flipped(bytes))],
    [
      'a directory with something in it',
      (file) => {
        rmSync(file);
        mkdirSync(file);
        writeFileSync(join(file, 'a'), 'a');
      },
    ],
    [
      'a link to itself',
      (file) => {
        rmSync(file);
        symlinkSync(file, file);
      },
    ],
    ['unknown to the database', (_file, _bytes, hash) => database.writer('blob').where({ hash }).delete()],
    [
      'another length in the database',
      (_file, _bytes, hash) => database.writer('blob').where({ hash }).update({ length: 3 }),
    ],
    [
      'damaged in the database',
      (_file, _bytes, hash) =>
        database
          .writer('blob')
          .where({ hash })
          .update({ coding: 'identity', data: Buffer.from('a') }),
    ],
  ];

  async function damageAll(how: typeof damages): Promise<readonly MirroredFile[]> {
    const files = await someFiles(how.length);
    for (const [index, { file, bytes, hash }] of files.entries()) await how[index]?.[1](file, bytes, hash);
    return files;
  }

  function areMended(files: readonly MirroredFile[]): readonly boolean[] {
    return files.map(({ file, bytes }) => existsSync(file) && readFileSync(file).equals(bytes));
  }

  test('is mended by a full harvest, however its files are damaged', async () => {
    const files = await damageAll(damages);
    const { code, stdout, stderr } = await runMain(directory, ['harvest', 'sample', '--full']);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain(
      `sample: ${damages.length} mirrored files are missing or damaged and will be downloaded again\n`,
    );
    expect(stdout).toMatch(/ downloaded .*: 0 created, 0 updated, 0 deleted$/m);
    expect(areMended(files)).toEqual(damages.map(() => true));
    const check = await runMain(directory, ['check', '--blobs']);
    expect(check.code, check.stdout).toBe(0);
  });

  test('is mended by any harvest after a check has found what is damaged and said what mends it', async () => {
    const onDisk = damages.slice(0, 7);
    const files = await damageAll(onDisk);
    const { code, stdout } = await runMain(directory, ['check', '--blobs']);
    expect(code).toBe(exitCodes.storage);
    for (const { hash, file } of files) {
      expect(stdout).toMatch(
        new RegExp(
          `^FAIL  payload ${hash}: .* It is downloaded again by: rsbridge harvest sample --full$`,
          'm',
        ),
      );
      // Nobody hands it out from now on.
      expect(existsSync(file)).toBe(false);
    }
    const { stdout: harvested } = await runMain(directory, ['harvest', 'sample']);
    expect(harvested).toMatch(/ downloaded .*: 0 created, 0 updated, 0 deleted$/m);
    expect(areMended(files)).toEqual(onDisk.map(() => true));
    await runMain(directory, ['harvest', 'sample']);
    expect(readdirSync(join(data(), 'blobs', 'damaged'))).toEqual([]);
  });

  test('says nothing where nothing is damaged, and a full harvest downloads nothing', async () => {
    const { stdout } = await runMain(directory, ['harvest', 'sample', '--full']);
    expect(stdout).not.toMatch(/damaged|downloaded/);
    expect((await runMain(directory, ['check', '--blobs'])).code).toBe(0);
  });

  test('has records mended by a full harvest as well', async () => {
    const records: { hash: string; data: Buffer }[] = await database
      .reader('blob')
      .whereNot({ coding: 'file' })
      .whereIn(
        'hash',
        database.reader('resource').whereNull('deleted_at').where({ kind: 'metadata' }).select('hash'),
      )
      .orderBy('hash')
      .limit(2);
    const [wrong, gone] = records;
    if (!wrong || !gone) throw new Error('the sample repository has records');
    await database
      .writer('blob')
      .where({ hash: wrong.hash })
      .update({ data: Buffer.from('rubbish') });
    await database.writer('blob').where({ hash: gone.hash }).delete();
    const before = await runMain(directory, ['check', '--blobs']);
    expect(before.code).toBe(exitCodes.storage);
    for (const { hash } of [wrong, gone])
      expect(before.stdout).toMatch(
        new RegExp(`^FAIL  payload ${hash}: .*rsbridge harvest sample --full$`, 'm'),
      );
    expect((await runMain(directory, ['harvest', 'sample', '--full'])).code).toBe(0);
    const after = await runMain(directory, ['check', '--blobs']);
    expect(after.code, after.stdout).toBe(0);
  });
});

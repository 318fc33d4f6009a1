import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { resourceSets } from '../../../src/core/resource-set.ts';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { listChanges, listResources } from '../../../src/store/reading/listing.ts';
import { checkSchema, migrate } from '../../../src/store/schema/migrate.ts';
import type { TakeoverProgress } from '../../../src/store/schema/takeover.ts';
import { scriptOf } from '../../house/process/script.ts';
import { fillOfBefore } from '../../house/store/before/of-before.ts';
import { sourcesOfBefore, stages } from '../../house/store/before/stages.ts';
import { takeOverInProcess } from '../../house/store/before/takeover.ts';
import { makePostgres, makeSqlite } from '../../house/store/databases.ts';
import { findHistory } from '../../house/store/one-history.ts';
import { readBlob } from '../../house/store/read-blob.ts';
import { columnsTold, told } from '../../house/store/rows-told.ts';

const records = 150;
const script = () => scriptOf(join(import.meta.dirname, '../../house/store/before/takeover-process.ts'));
const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function ofBefore(kind: 'sqlite' | 'pg', stage: string) {
  const { config, drop } = kind === 'sqlite' ? makeSqlite() : await makePostgres();
  cleanups.push(drop);
  const database = openDatabase(config);
  cleanups.push(() => database.close());
  await fillOfBefore(database, stage, records);
  return { config, database };
}

/** Lists, changes, the past of some resources, and the bytes that they had. */
async function documents(database: Database): Promise<unknown> {
  const said: unknown[] = [];
  for (const set of sourcesOfBefore.flatMap((source) => resourceSets(source))) {
    for await (const page of listResources(database.reader, set)) said.push(page);
    for await (const page of listChanges(database.reader, set, { afterSeq: 0 })) said.push(page);
  }
  for (let record = 5; record <= records; record += 5) {
    const source = record % 4 === 0 ? 'beta' : 'alpha';
    const history = await findHistory(
      database.reader,
      `${source}/items/oai:repo.example.org:${record}/oai_dc.xml`,
    );
    said.push(history);
    for (const { hash = '' } of record % 25 === 0 ? (history?.timeline.mementos ?? []) : [])
      said.push(Buffer.from((await readBlob(database.reader, hash)) ?? []).toString());
  }
  return said;
}

/** What a database of that schema did not have, or what a later migration said anew. */
const only = (stage: string) => (stage < '0005' ? { version: 'gone = 0' } : {});

describe.each(['sqlite', 'pg'] as const)('a database of before on %s', (kind) => {
  test.each(stages)('of %s is taken over, whoever is stopped on the way', async (stage) => {
    const { database } = await ofBefore(kind, stage);
    const columns = await columnsTold(database);
    const before = await told(database, columns);
    const progress: TakeoverProgress[] = [];
    for (const steps of [2, 3]) {
      let left = steps;
      const stopped = migrate(database, (step) => {
        progress.push(step);
        left -= 1;
        if (left === 0) throw new Error('stopped');
      });
      await expect(stopped).rejects.toThrow('stopped');
      await expect(checkSchema(database)).rejects.toMatchObject({
        code: 'database-unavailable',
        message: expect.stringContaining('taken over'),
      });
    }
    await migrate(database, (step) => progress.push(step));
    await checkSchema(database);
    expect(await told(database, columns, only(stage))).toEqual(before);
    expect(progress.at(-1)).toMatchObject({ done: progress.at(-1)?.total });
    // Once.
    await migrate(database, () => {
      throw new Error('there is nothing left to take over');
    });
  });

  test.each(['0001-the-house', '0025-shared-links', '0032-takeover'])(
    'of %s says the same when whoever takes it over is killed twice as when nobody is',
    async (stage) => {
      const whole = await ofBefore(kind, stage);
      const killed = await ofBefore(kind, stage);
      await migrate(whole.database);
      for (const steps of [3, 2]) {
        const run = await takeOverInProcess(script(), killed.config, (done) => done === steps);
        expect(run.isKilled).toBe(true);
      }
      await Promise.all([migrate(killed.database), migrate(killed.database)]);
      const said = await documents(killed.database);
      expect(JSON.stringify(said)).toContain('<dc:title>');
      // What is noise in one is not the same noise in the other.
      if (kind === 'pg') expect(said).toEqual(await documents(whole.database));
    },
  );

  test('is left alone while an earlier version is at work in it', async () => {
    const { database } = await ofBefore(kind, '0032-takeover');
    const holder = `another host/4711/x`;
    await database.writer('source').update({ lease_holder: holder, lease_expires: Date.now() + 60_000 });
    await expect(migrate(database)).rejects.toMatchObject({
      code: 'lease-held',
      message: expect.stringContaining('process 4711 '),
    });
    // What it asks for is still there.
    expect(await database.reader('version').first('resource_id')).toBeDefined();
    await database.writer('source').update({ lease_expires: 0 });
    await migrate(database);
    await checkSchema(database);
  });

  test('has nothing that a process of an earlier version could take for its own', async () => {
    const { database } = await ofBefore(kind, '0032-takeover');
    let steps = 0;
    const stopped = migrate(database, () => {
      steps += 1;
      if (steps === 2) throw new Error('stopped');
    });
    await expect(stopped).rejects.toThrow('stopped');
    // Not an empty table, in which nothing was ever published.
    await expect(database.reader('version').first('seq')).rejects.toThrow(/version/);
    await migrate(database);
    // Nobody harvests who does not find the lease.
    const lease = database.writer('source').where({ name: 'alpha' }).update({ lease_holder: 'me' });
    await expect(lease).rejects.toThrow(/lease_holder/);
  });
});

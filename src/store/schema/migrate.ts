import type { Knex } from 'knex';
import * as theHouse from '../../../migrations/0001-the-house.ts';
import * as linksBefore from '../../../migrations/0002-links-before.ts';
import * as filesAndLessons from '../../../migrations/0003-files-and-lessons.ts';
import * as priorVersions from '../../../migrations/0004-prior-versions.ts';
import * as time from '../../../migrations/0005-time.ts';
import * as retention from '../../../migrations/0006-retention.ts';
import * as refusedFiles from '../../../migrations/0007-refused-files.ts';
import * as withdrawals from '../../../migrations/0009-withdrawals.ts';
import * as removedSources from '../../../migrations/0010-removed-sources.ts';
import * as vanished from '../../../migrations/0014-vanished.ts';
import * as unreadable from '../../../migrations/0015-unreadable.ts';
import * as manySources from '../../../migrations/0018-many-sources.ts';
import * as quietLinks from '../../../migrations/0024-quiet-links.ts';
import * as sharedLinks from '../../../migrations/0025-shared-links.ts';
import * as seen from '../../../migrations/0030-seen.ts';
import * as linksOnce from '../../../migrations/0031-links-once.ts';
import * as takeover from '../../../migrations/0032-takeover.ts';
import * as keys from '../../../migrations/0033-keys.ts';
import * as edition from '../../../migrations/0040-edition.ts';
import * as keptSources from '../../../migrations/0041-kept-sources.ts';
import * as due from '../../../migrations/0042-due.ts';
import * as hosts from '../../../migrations/0043-hosts.ts';
import * as objects from '../../../migrations/0044-objects.ts';
import * as jointJournals from '../../../migrations/0045-joint-journals.ts';
import * as publishedPointers from '../../../migrations/0050-published-pointers.ts';
import * as descriptions from '../../../migrations/0051-descriptions.ts';
import * as admin from '../../../migrations/0053-admin.ts';
import * as asked from '../../../migrations/0054-asked.ts';
import * as drafts from '../../../migrations/0058-drafts.ts';
import * as presence from '../../../migrations/0059-presence.ts';
import * as contentIndexes from '../../../migrations/0060-content-indexes.ts';
import * as alerts from '../../../migrations/0061-alerts.ts';
import * as privateSources from '../../../migrations/0062-private-sources.ts';
import * as causes from '../../../migrations/0065-causes.ts';
import * as shareLinks from '../../../migrations/0067-share-links.ts';
import * as oaiRecords from '../../../migrations/0068-oai-records.ts';
import * as oaiHarvesters from '../../../migrations/0069-oai-harvesters.ts';
import * as privateItems from '../../../migrations/0070-private-items.ts';
import * as statedTotals from '../../../migrations/0072-stated-totals.ts';
import * as runsCompared from '../../../migrations/0073-runs-compared.ts';
import * as keptHeaders from '../../../migrations/0074-kept-headers.ts';
import * as oaiJoint from '../../../migrations/0077-oai-joint.ts';
import * as oaiOwnSets from '../../../migrations/0078-oai-own-sets.ts';
import * as statementsOfSources from '../../../migrations/0080-statements-of-sources.ts';
import * as push from '../../../migrations/0082-push.ts';
import * as notifications from '../../../migrations/0091-notifications.ts';
import * as followedTopics from '../../../migrations/0092-followed-topics.ts';
import * as renewedSubscriptions from '../../../migrations/0093-renewed-subscriptions.ts';
import * as fileTally from '../../../migrations/0094-file-tally.ts';
import * as jointBeginnings from '../../../migrations/0095-joint-beginnings.ts';
import * as privateParts from '../../../migrations/0096-private-parts.ts';
import * as refusedMetadata from '../../../migrations/0097-refused-metadata.ts';
import * as publishedItems from '../../../migrations/0098-published-items.ts';
import * as namesOfVersions from '../../../migrations/0099-names-of-versions.ts';
import * as formerItems from '../../../migrations/0100-former-items.ts';
import { BridgeError } from '../../core/errors.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { translate } from '../engine/storage-error.ts';
import { endFilling, fillTable } from './backfill.ts';
import { briefly, lockTimeoutMs } from './brief-locks.ts';
import { beginIndexes } from './large-indexes.ts';
import type { Migration } from './migration.ts';
import { refuseUnfinished, refuseWorkers, type TakeoverProgress, takeOver } from './takeover.ts';

/** Recorded without extension: the same in `src` and in `dist`. */
export const migrations: readonly Migration[] = [
  { name: '0001-the-house', up: theHouse.up },
  { name: '0002-links-before', up: linksBefore.up },
  { name: '0003-files-and-lessons', up: filesAndLessons.up },
  { name: '0004-prior-versions', up: priorVersions.up },
  { name: '0005-time', up: time.up },
  { name: '0006-retention', up: retention.up },
  { name: '0007-refused-files', up: refusedFiles.up },
  { name: '0009-withdrawals', up: withdrawals.up },
  { name: '0010-removed-sources', up: removedSources.up },
  { name: '0014-vanished', up: vanished.up },
  { name: '0015-unreadable', up: unreadable.up },
  { name: '0018-many-sources', up: manySources.up },
  { name: '0024-quiet-links', up: quietLinks.up },
  { name: '0025-shared-links', up: sharedLinks.up },
  { name: '0030-seen', up: seen.up },
  { name: '0031-links-once', up: linksOnce.up },
  { name: '0032-takeover', up: takeover.up },
  { name: '0033-keys', up: keys.up, takesOver: true },
  { name: '0040-edition', up: edition.up },
  { name: '0041-kept-sources', up: keptSources.up },
  { name: '0042-due', up: due.up, worksWith: '0041-kept-sources' },
  { name: '0043-hosts', up: hosts.up, worksWith: '0041-kept-sources' },
  { name: '0044-objects', up: objects.up, worksWith: '0041-kept-sources' },
  { name: '0045-joint-journals', up: jointJournals.up, worksWith: '0041-kept-sources' },
  { name: '0050-published-pointers', up: publishedPointers.up, worksWith: '0041-kept-sources' },
  { name: '0051-descriptions', up: descriptions.up, worksWith: '0041-kept-sources' },
  { name: '0053-admin', up: admin.up, worksWith: '0041-kept-sources' },
  { name: '0054-asked', up: asked.up, worksWith: '0041-kept-sources' },
  { name: '0058-drafts', up: drafts.up, worksWith: '0041-kept-sources' },
  { name: '0059-presence', up: presence.up, worksWith: '0041-kept-sources' },
  {
    name: '0060-content-indexes',
    up: contentIndexes.up,
    worksWith: '0041-kept-sources',
    indexes: contentIndexes.indexes,
  },
  { name: '0061-alerts', up: alerts.up, worksWith: '0041-kept-sources' },
  { name: '0062-private-sources', up: privateSources.up, worksWith: '0041-kept-sources' },
  { name: '0065-causes', up: causes.up, worksWith: '0041-kept-sources', fill: causes.fill },
  { name: '0067-share-links', up: shareLinks.up, worksWith: '0041-kept-sources' },
  { name: '0068-oai-records', up: oaiRecords.up, worksWith: '0041-kept-sources' },
  { name: '0069-oai-harvesters', up: oaiHarvesters.up, worksWith: '0041-kept-sources' },
  { name: '0070-private-items', up: privateItems.up, worksWith: '0041-kept-sources' },
  { name: '0072-stated-totals', up: statedTotals.up, worksWith: '0041-kept-sources' },
  { name: '0073-runs-compared', up: runsCompared.up, worksWith: '0041-kept-sources' },
  { name: '0074-kept-headers', up: keptHeaders.up, worksWith: '0041-kept-sources' },
  { name: '0077-oai-joint', up: oaiJoint.up, worksWith: '0041-kept-sources' },
  { name: '0078-oai-own-sets', up: oaiOwnSets.up, worksWith: '0041-kept-sources' },
  { name: '0080-statements-of-sources', up: statementsOfSources.up, worksWith: '0041-kept-sources' },
  { name: '0082-push', up: push.up, worksWith: '0041-kept-sources' },
  { name: '0091-notifications', up: notifications.up, worksWith: '0041-kept-sources' },
  { name: '0092-followed-topics', up: followedTopics.up, worksWith: '0041-kept-sources' },
  { name: '0093-renewed-subscriptions', up: renewedSubscriptions.up, worksWith: '0041-kept-sources' },
  // Who does not know it changes files without saying which: until he is gone all are counted.
  {
    name: '0094-file-tally',
    up: fileTally.up,
    worksWith: '0041-kept-sources',
    fill: fileTally.fill,
    fillsAlone: true,
  },
  { name: '0095-joint-beginnings', up: jointBeginnings.up, worksWith: '0041-kept-sources' },
  { name: '0096-private-parts', up: privateParts.up, worksWith: '0041-kept-sources' },
  { name: '0097-refused-metadata', up: refusedMetadata.up, worksWith: '0041-kept-sources' },
  // Who does not know it changes resources without counting items: what he leaves is counted once he is gone.
  {
    name: '0098-published-items',
    up: publishedItems.up,
    worksWith: '0041-kept-sources',
    fill: publishedItems.fill,
    fillsAlone: true,
  },
  { name: '0099-names-of-versions', up: namesOfVersions.up, worksWith: '0041-kept-sources' },
  { name: '0100-former-items', up: formerItems.up, worksWith: '0041-kept-sources' },
];

export const schemaTable = 'schema_migration';
const table = schemaTable;
const createTable = `create table if not exists ${table} (name text primary key, run_at text not null, works_with text)`;
/** Any number will do as long as every rsbridge uses the same. */
const advisoryLock = 7_089_9_017;

/** What is not as usual: in tests, other migrations than ours or less patience. */
export interface MigrateOptions {
  readonly list?: readonly Migration[];
  /** In milliseconds, on PostgreSQL. */
  readonly lockTimeout?: number;
  /** Told of what was done to a database that there was. */
  readonly onMigrated?: (names: readonly string[]) => void;
}

/**
 * Brings the database to this version's schema; nothing to do is success. Processes that start together wait
 * for one another, and nobody who works waits long for us: a table that is held is tried again, one migration is
 * committed before the next. What takes long of it is done in steps after that.
 * @throws BridgeError `database-newer` when a later version has been here that we cannot work beside, `lease-held` while
 * an earlier one is at work, `database-locked` when a table is held for minutes
 */
export async function migrate(
  database: Database,
  onProgress: (progress: TakeoverProgress) => void = () => undefined,
  { list = migrations, lockTimeout = lockTimeoutMs, onMigrated = () => undefined }: MigrateOptions = {},
): Promise<void> {
  const { client } = database;
  try {
    if (await isUpToDate(database.writer, list)) return;
    if (client === 'sqlite') await database.writer.raw(createTable);
    const done: string[] = [];
    let isNew = false;
    for (let isOver = false; !isOver; ) {
      const { waitsFor, ...found } = await briefly(() =>
        database.transaction((trx) => migrateSome(trx, client, list, lockTimeout)),
      );
      isOver = found.isOver;
      done.push(...found.done);
      isNew ||= found.isNew;
      await takeOver(database, onProgress);
      if (waitsFor !== undefined) await endFilling(database, list, waitsFor);
    }
    if (!isNew && done.length > 0) onMigrated(done);
  } catch (error) {
    throw translate(error);
  }
}

/** Only read: who has nothing to do waits for nobody who writes, and gets in where nothing may be written. */
async function isUpToDate(db: Queryable, list: readonly Migration[]): Promise<boolean> {
  if (!(await db.schema.hasTable(table))) return false;
  const rows = await readSchema(db);
  const done = new Set(rows.map(({ name }) => name));
  if (list.some(({ name }) => !done.has(name))) return false;
  refuseNewer(rows, list);
  return !(await db.schema.hasTable('takeover')) || (await db('takeover').first('position')) === undefined;
}

interface Some {
  /** Nothing is left to do but what is to be taken over. */
  readonly isOver: boolean;
  /** What was done. */
  readonly done: readonly string[];
  /** There was nothing yet. */
  readonly isNew: boolean;
  /** The migration whose rows have to be filled in before the next. */
  readonly waitsFor?: string | undefined;
}

async function migrateSome(
  trx: Knex.Transaction,
  client: Database['client'],
  list: readonly Migration[],
  lockTimeout: number,
): Promise<Some> {
  if (client === 'pg') {
    await trx.raw(`set local lock_timeout = ${lockTimeout}`);
    await trx.raw('select pg_advisory_xact_lock(?)', [advisoryLock]);
    await trx.raw(createTable);
  }
  // On SQLite the first statement takes the lock, because it writes: it waits, and what is read is what others left.
  await trx(table).where({ name: '' }).delete();
  if (!(await trx.schema.hasColumn(table, 'works_with')))
    await trx.raw(`alter table ${table} add column works_with text`);
  const rows = await readSchema(trx);
  const done = new Set(rows.map((row) => row.name));
  refuseNewer(rows, list);
  const open = list.filter(({ name }) => !done.has(name));
  if (done.size > 0 && open.some(({ takesOver }) => takesOver)) await refuseWorkers(trx);
  const some = { done: [] as string[], isNew: done.size === 0 };
  // Somebody else's takeover has to come to its end before what follows.
  if (done.has('0032-takeover') && (await trx('takeover').first('position')))
    return { ...some, isOver: false };
  for (const { name, up, takesOver, worksWith = null, fill, indexes, contracts } of open) {
    if (contracts !== undefined && (await isToBeFilled(trx, contracts)))
      return { ...some, isOver: false, waitsFor: contracts };
    await up(trx);
    await trx(table).insert({ name, run_at: new Date().toISOString(), works_with: worksWith });
    some.done.push(name);
    const isLeft = indexes ? await beginIndexes(trx, indexes) : fill !== undefined;
    if (isLeft) await trx.raw(fillTable).then(() => trx('backfill').insert({ name }));
    if (takesOver && (await trx('takeover').first('position'))) return { ...some, isOver: false };
    // Beside others who work, what is locked is given back as soon as it can be.
    if (done.has('0033-keys') && name !== open.at(-1)?.name) return { ...some, isOver: false };
  }
  return { ...some, isOver: true };
}

async function isToBeFilled(trx: Knex.Transaction, name: string): Promise<boolean> {
  await trx.raw(fillTable);
  return (await trx('backfill').where({ name, ended_at: null }).first('name')) !== undefined;
}

/** What was done to the schema. */
export interface SchemaRow {
  readonly name: string;
  /** Absent: a version of before did it. */
  readonly works_with?: string | null;
}

function readSchema(db: Queryable): Promise<readonly SchemaRow[]> {
  return db(table).select('*').orderBy('name');
}

/** @throws BridgeError `database-newer`, or `database-unavailable` when it was never set up, or not to the end */
export async function checkSchema(database: Database, list = migrations): Promise<void> {
  const exists = await database.reader.schema.hasTable(table);
  const rows = exists ? await readSchema(database.reader) : [];
  refuseNewer(rows, list);
  if (exists) await refuseUnfinished(database.reader);
  const done = new Set(rows.map(({ name }) => name));
  if (list.some(({ name }) => !done.has(name))) {
    throw new BridgeError('database-unavailable', 'the database has not been set up yet');
  }
}

/**
 * What a newer rsbridge did to the schema may be something that this one can work beside.
 * @throws BridgeError `database-newer` when it is not
 */
export function refuseNewer(rows: readonly SchemaRow[], list = migrations): void {
  const known = new Set(list.map((migration) => migration.name));
  const foreign = rows.filter(
    ({ name, works_with: oldest }) => !known.has(name) && !(oldest && known.has(oldest)),
  );
  if (foreign.length > 0) {
    const names = foreign.map(({ name }) => name).join(', ');
    throw new BridgeError(
      'database-newer',
      `the database was changed by a newer rsbridge (it knows ${names}); this one would harm it`,
    );
  }
}

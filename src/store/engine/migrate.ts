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
import { BridgeError } from '../../core/errors.ts';
import { type Database, translate } from './database.ts';
import { refuseUnfinished, refuseWorkers, type TakeoverProgress, takeOver } from './takeover.ts';

interface Migration {
  readonly name: string;
  readonly up: (knex: Knex) => Promise<void>;
  /** It leaves rows to be taken over, and those after it wait for them. */
  readonly takesOver?: boolean;
}

/** Recorded without extension: the same in `src` and in `dist`. */
const migrations: readonly Migration[] = [
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
];

export const schemaTable = 'schema_migration';
const table = schemaTable;
const createTable = `create table if not exists ${table} (name text primary key, run_at text not null)`;
/** Any number will do as long as every rsbridge uses the same. */
const advisoryLock = 7_089_9_017;

/**
 * Brings the database to this version's schema; nothing to do is success. Processes that start together wait
 * for one another. What takes long of it is done in steps after that.
 * @throws BridgeError `database-newer` when a later version has been here, `lease-held` while an earlier one is at work
 */
export async function migrate(
  database: Database,
  onProgress: (progress: TakeoverProgress) => void = () => undefined,
): Promise<void> {
  try {
    if (database.client === 'sqlite') await database.writer.raw(createTable);
    for (let isOver = false; !isOver; ) {
      isOver = await database.transaction((trx) => migrateSome(trx, database.client));
      await takeOver(database, onProgress);
    }
  } catch (error) {
    throw translate(error);
  }
}

/** @returns whether nothing is left to do but what is to be taken over */
async function migrateSome(trx: Knex.Transaction, client: Database['client']): Promise<boolean> {
  if (client === 'pg') {
    await trx.raw('select pg_advisory_xact_lock(?)', [advisoryLock]);
    await trx.raw(createTable);
  }
  // On SQLite the first statement takes the lock, because it writes: it waits, and what is read is what others left.
  await trx(table).where({ name: '' }).delete();
  const rows: { name: string }[] = await trx(table).select('name').orderBy('name');
  const done = new Set(rows.map((row) => row.name));
  refuseNewer(done);
  const open = migrations.filter(({ name }) => !done.has(name));
  if (done.size > 0 && open.some(({ takesOver }) => takesOver)) await refuseWorkers(trx);
  // Somebody else's takeover has to come to its end before what follows.
  if (done.has('0032-takeover') && (await trx('takeover').first('position'))) return false;
  for (const { name, up, takesOver } of open) {
    await up(trx);
    await trx(table).insert({ name, run_at: new Date().toISOString() });
    if (takesOver && (await trx('takeover').first('position'))) return false;
  }
  return true;
}

/** @throws BridgeError `database-newer`, or `database-unavailable` when it was never set up, or not to the end */
export async function checkSchema(database: Database): Promise<void> {
  const exists = await database.reader.schema.hasTable(table);
  const rows: { name: string }[] = exists ? await database.reader(table).select('name') : [];
  refuseNewer(new Set(rows.map((row) => row.name)));
  if (exists) await refuseUnfinished(database.reader);
  if (rows.length < migrations.length) {
    throw new BridgeError('database-unavailable', 'the database has not been set up yet');
  }
}

/** @throws BridgeError `database-newer` */
export function refuseNewer(done: ReadonlySet<string>): void {
  const known = new Set(migrations.map((migration) => migration.name));
  const foreign = [...done].filter((name) => !known.has(name));
  if (foreign.length > 0) {
    throw new BridgeError(
      'database-newer',
      `the database was changed by a newer rsbridge (it knows ${foreign.join(', ')}); this one would harm it`,
    );
  }
}

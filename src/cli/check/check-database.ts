import type { Bridge } from '../../bridge/bridge.ts';
import { findOlderJournals } from '../../bridge/older-database.ts';
import { countOf } from '../../core/count-of.ts';
import { describeError, isBridgeError } from '../../core/errors.ts';
import { checkIntegrity } from '../../store/backup/integrity.ts';
import { notWritable, translate, writableAdvice } from '../../store/engine/storage-error.ts';
import { exitCodeOf, exitCodes } from '../terminal/exit-codes.ts';
import type { Finding } from './finding.ts';

const integrityMs = 30_000;

/** Whether the database is sound, and no older than what was published from it. */
export async function* checkDatabase(bridge: Bridge): AsyncGenerator<Finding> {
  const { config, database } = bridge;
  if (await isReadOnly(database)) {
    const told = { exitCode: exitCodes.storage, mend: 'psql DATABASE -c "select pg_is_in_recovery()"' };
    const message = `${notWritable}. ${writableAdvice} [database-unavailable]`;
    yield { check: 'database', ok: false, message, ...told };
    return;
  }
  const { faults, skipped } = await checkIntegrity(database, integrityMs);
  if (faults.length > 0) {
    yield {
      check: 'database',
      ok: false,
      message: `the SQLite file ${config.database.client === 'sqlite' ? config.database.file : ''} is damaged: ${faults.join('; ')}. Stop what runs, and put a backup back: rsbridge restore FILE [storage]`,
      exitCode: exitCodes.storage,
      mend: 'rsbridge restore FILE',
    };
    return;
  }
  const rest =
    skipped.length === 0
      ? ''
      : `; not checked, for lack of time: ${skipped.join(', ')} (sqlite3 FILE 'pragma quick_check' checks all)`;
  const sound = config.database.client === 'sqlite' ? ', pages are sound' : '';
  yield {
    check: 'database',
    ok: true,
    message: `${config.database.client}, schema up to date${sound}${rest}`,
  };
  for (const { name, fault, behind = 0 } of await database.answers.lookAtReplicas()) {
    const ok = fault === undefined;
    const following = behind === 0 ? 'follows the primary' : `follows the primary, ${behind} octets behind`;
    yield {
      check: `replica ${name}`,
      ok,
      message: ok ? following : `${fault}; the primary answers in its place (database.replicaUrl)`,
      ...(ok
        ? {}
        : {
            exitCode: exitCodes.needsAttention,
            mend: 'psql REPLICA -c "select * from pg_stat_wal_receiver"',
          }),
    };
  }
  const older = await findOlderJournals(bridge, bridge.sets());
  if (older.length === 0) return;
  const named = older
    .slice(0, 5)
    .map(
      ({ source, journal, published }) =>
        `${source} (${countOf(published, 'change')} published, ${journal.seq} here)`,
    );
  const more = older.length > 5 ? ` and ${countOf(older.length - 5, 'more source')}` : '';
  yield {
    check: 'age of the database',
    ok: false,
    message: `it is older than what is published of ${named.join(', ')}${more}, as after a backup was put back. rsbridge publish writes all documents anew; then rsbridge harvest brings what is missing`,
    exitCode: exitCodes.needsAttention,
    mend: 'rsbridge publish && rsbridge harvest',
  };
}

async function isReadOnly({ client, writer }: Bridge['database']): Promise<boolean> {
  if (client === 'sqlite') return false;
  const { rows } = await writer.raw<{ rows: { transaction_read_only: string }[] }>(
    'show transaction_read_only',
  );
  return rows[0]?.transaction_read_only === 'on';
}

/** What cannot be looked at is a finding, too, where a person can do something about it. */
export function toFinding(thrown: unknown): Finding | undefined {
  const error = translate(thrown);
  if (!isBridgeError(error, 'storage')) return undefined;
  return {
    check: 'storage',
    ok: false,
    message: `${describeError(error)}. ${error.advice} [${error.code}]`,
    exitCode: exitCodeOf(error.code),
    mend: 'rsbridge check',
  };
}

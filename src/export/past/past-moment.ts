import { BridgeError } from '../../core/errors.ts';
import type { Database } from '../../store/engine/database.ts';
import { advanceJournal } from '../../store/sources/journal.ts';
import { momentAt, settledMoments } from '../../store/sources/moments.ts';

/** Where a source's journal stood at a moment. */
export interface PastSource {
  readonly name: string;
  /** `JournalState.id` */
  readonly journal: string;
  readonly seq: number;
}

/** A source of which nothing complete is known at that moment. */
export interface AbsentSource {
  readonly name: string;
  /** When its first complete pass ended; undefined: it has none. */
  readonly since: string | undefined;
}

export interface PastSources {
  readonly present: readonly PastSource[];
  readonly absent: readonly AbsentSource[];
}

/**
 * The state of each source at a moment that is over, so that it will be the same for ever.
 * @param now ISO
 * @throws BridgeError `no-memento` when none of them was complete then, `usage` for a moment that is not over
 */
export async function readPastSources(
  database: Database,
  names: readonly string[],
  at: string,
  now: string,
): Promise<PastSources> {
  if (at >= now) throw new BridgeError('usage', `${at} is not over yet: it is ${now}`);
  const present: PastSource[] = [];
  const absent: AbsentSource[] = [];
  for (const name of names) {
    const range = await rangeUpTo(database, name, at, now);
    const moment = range && (await momentAt(database.reader, range, at));
    if (range && moment) present.push({ name, journal: range.journal, seq: Number(moment.seq) });
    else absent.push({ name, since: range?.from });
  }
  if (present.length > 0) return { present, absent };
  const known = absent.map(
    ({ name, since }) => `${name} ${since === undefined ? 'never' : `since ${since}`}`,
  );
  throw new BridgeError(
    'no-memento',
    `at ${at} no source had been read completely; it was: ${known.join(', ') || 'there is no source'}`,
  );
}

async function rangeUpTo(database: Database, name: string, at: string, now: string) {
  const range = await settledMoments(database, name, now);
  if (!range || at < range.before) return range;
  // Nothing that is being stored just now may still be dated before.
  await advanceJournal(database, name, now);
  return settledMoments(database, name, now);
}

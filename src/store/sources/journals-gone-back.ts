import type { Database, Queryable } from '../engine/database.ts';
import { timelineOfPrimary } from '../engine/postgres-dialect.ts';
import { type JournalState, momentOf } from './journal.ts';

/** What the log says of it. */
export const lostChanges =
  'the database has lost changes that may have been published, as when a standby took its place: all documents are written anew';

/** The same of one set, once it is published anew. */
export const wentBack =
  'more was published than the database knows: the Change Lists begin after that, and whoever follows has to compare with the Resource List';

/**
 * The next harvest of a source reads everything: what its repository hid in the time that is lost has, for the most part, no date by
 * which another would hear of it.
 */
export async function compareEverything({ writer }: Database, source: string): Promise<void> {
  await writer('source').where({ name: source }).whereNotNull('selection').update({ selection: '' });
}

/**
 * Whether the change of a sequence is another one than was read: it is later than the journal was then. Of one that is not kept any more
 * nothing can be said.
 */
export async function isReused(
  db: Queryable,
  sourceId: number,
  { seq, at }: { readonly seq: number; readonly at?: string | undefined },
): Promise<boolean> {
  if (seq === 0 || at === undefined) return false;
  const moment = await momentOf(db, sourceId, seq);
  return moment !== undefined && moment > at;
}

/**
 * Whether journals are still those that were looked at before. A replica that takes the place of a primary may lack what that had not
 * sent yet, though it was read here, and published; its sequences are used once more, by other changes.
 */
export class JournalWatch {
  readonly #database: Database;
  #known: ReadonlyMap<string, JournalState> = new Map();
  #timeline: string | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** @returns those that have lost changes since the last call, as they were then */
  async look(journals: ReadonlyMap<string, JournalState>): Promise<readonly JournalState[]> {
    const { reader } = this.#database;
    const timeline = await this.#readTimeline();
    const isOther = this.#timeline !== undefined && timeline !== this.#timeline;
    const gone: JournalState[] = [];
    let isSourceGone = false;
    for (const [name, before] of this.#known) {
      const now = journals.get(name);
      if (now === undefined || now.id !== before.id) continue;
      if (
        now.seq >= before.seq &&
        !(isOther && before.sourceId > 0 && (await isReused(reader, before.sourceId, before)))
      )
        continue;
      gone.push(before);
      isSourceGone ||= before.sourceId > 0;
    }
    // What a set across sources has taken up of them is gone as well, and may have been taken up anew already.
    if (isOther && isSourceGone)
      for (const before of this.#known.values())
        if (before.sourceId < 0 && !gone.includes(before)) gone.push(before);
    [this.#known, this.#timeline] = [journals, timeline];
    return gone;
  }

  /** PostgreSQL begins another one whenever a replica becomes the primary. */
  async #readTimeline(): Promise<string | undefined> {
    if (this.#database.client === 'sqlite') return undefined;
    try {
      const { rows } = await this.#database.reader.raw<{ rows: { timeline: string }[] }>(
        `select ${timelineOfPrimary}`,
      );
      return rows[0]?.timeline;
    } catch {
      // Some that others run have no such function: there a shorter journal is all that can be seen.
      return undefined;
    }
  }
}

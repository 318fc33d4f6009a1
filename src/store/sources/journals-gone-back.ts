import type { Database } from '../engine/database.ts';
import type { JournalState } from './journal.ts';

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
    const timeline = await this.#readTimeline();
    const isOther = this.#timeline !== undefined && timeline !== this.#timeline;
    const gone: JournalState[] = [];
    let isSourceGone = false;
    for (const [name, before] of this.#known) {
      const now = journals.get(name);
      if (now === undefined || now.id !== before.id) continue;
      if (now.seq >= before.seq && !(isOther && before.sourceId > 0 && (await this.#isReused(before))))
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

  /** A change of this sequence that is later than the journal was then is another one. */
  async #isReused({ sourceId, seq, at }: JournalState): Promise<boolean> {
    if (seq === 0) return false;
    const row: { at: string } | undefined = await this.#database
      .reader('change')
      .where({ source_id: sourceId, seq })
      .first('at');
    return row !== undefined && row.at > at;
  }

  /** PostgreSQL begins another one whenever a replica becomes the primary. */
  async #readTimeline(): Promise<string | undefined> {
    if (this.#database.client === 'sqlite') return undefined;
    try {
      const { rows } = await this.#database.reader.raw<{ rows: { timeline: string }[] }>(
        'select left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline',
      );
      return rows[0]?.timeline;
    } catch {
      // Some that others run have no such function: there a shorter journal is all that can be seen.
      return undefined;
    }
  }
}

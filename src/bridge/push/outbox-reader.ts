import type { Database } from '../../store/engine/database.ts';
import { latestNotification, type Notification, nextNotification } from '../../store/push/notifications.ts';

const keptMs = 3000;
const mostKept = 64;

/** Notifications as many subscribers ask for them one after another: each is read once. */
export class OutboxReader {
  readonly #database: Pick<Database, 'reader'>;
  readonly #kept = new Map<
    string,
    { readonly at: number; readonly found: Promise<Notification | undefined> }
  >();

  constructor(database: Pick<Database, 'reader'>) {
    this.#database = database;
  }

  next(topicId: number, afterSeq: number): Promise<Notification | undefined> {
    return this.#read(`${topicId} ${afterSeq}`, () =>
      nextNotification(this.#database.reader, topicId, afterSeq),
    );
  }

  latest(topicId: number): Promise<Notification | undefined> {
    return latestNotification(this.#database.reader, topicId);
  }

  /** For a few seconds only: what was deleted since is not to be told much longer. */
  #read(key: string, read: () => Promise<Notification | undefined>): Promise<Notification | undefined> {
    const now = performance.now();
    for (const [one, { at }] of this.#kept) {
      if (now - at <= keptMs && this.#kept.size <= mostKept) break;
      this.#kept.delete(one);
    }
    const kept = this.#kept.get(key);
    if (kept) return kept.found;
    const found = read();
    this.#kept.set(key, { at: now, found });
    // What is not there now may be there a moment later.
    const forget = () => this.#kept.delete(key);
    found.then((notification) => notification ?? forget(), forget);
    return found;
  }
}

import type { Clock, Log } from '../../core/adapter.ts';
import { toIso } from '../../core/datetime.ts';
import { failure, isBridgeError } from '../../core/errors.ts';
import type { Database } from '../../store/engine/database.ts';
import { clearTrouble, noteTrouble } from '../../store/objects/publication-troubles.ts';

export interface TroubleSettings {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
}

/** Sets that cannot be published for the object storage: `status` says so until they can. */
export class SetTroubles {
  readonly #settings: TroubleSettings;
  /** Those of which it is known that they have none. */
  readonly #fine = new Set<string>();

  constructor(settings: TroubleSettings) {
    this.#settings = settings;
  }

  async note(path: string, error: unknown): Promise<void> {
    const { database, clock, log } = this.#settings;
    if (!isBridgeError(error)) return;
    const { code, message } = error;
    if (code !== 'objects-unavailable' && code !== 'objects-refused') return;
    this.#fine.delete(path);
    await noteTrouble(database, { path, code, message, at: toIso(clock.now()) }).catch((cause: unknown) =>
      log.warn({ ...failure(cause), err: cause, set: path }, 'why it is not published is not kept'),
    );
  }

  async isOver(path: string): Promise<void> {
    if (this.#fine.has(path)) return;
    await clearTrouble(this.#settings.database, path);
    this.#fine.add(path);
  }
}

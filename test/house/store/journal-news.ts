import { resourceSets } from '../../../src/core/resource-set.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { listChanges } from '../../../src/store/reading/listing.ts';

/** What the journal of a source says, each thing once. */
export class JournalNews {
  readonly #database: Database;
  readonly #source: string;
  #told = 0;

  constructor(database: Database, source: string) {
    this.#database = database;
    this.#source = source;
  }

  /** What it has not said before, sorted: `created x/oai_dc.xml`. */
  async read(): Promise<string[]> {
    const [set] = resourceSets(this.#source);
    if (!set) throw new Error('a source has a set');
    const lines: string[] = [];
    for await (const page of listChanges(this.#database.reader, set, { afterSeq: this.#told })) {
      for (const { change, path, seq } of page) {
        lines.push(`${change} ${path.replace(`${this.#source}/items/`, '')}`);
        this.#told = seq;
      }
    }
    return lines.sort();
  }
}

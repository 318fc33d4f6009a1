import type { CopyDatabase } from './copy-database.ts';
import type { DueResource, DueResources } from './due-resources.ts';

/** Settings of this name, with a number. */
const name = 'expected ';
const rows = 'name >= ? and name < ?';
// `!` comes behind the space.
const bounds = [name, 'expected!'] as const;

type Expected = Pick<DueResource, 'loc' | 'change' | 'asOf' | 'lastmod' | 'hashes' | 'length' | 'type'>;

/**
 * Resources without a row whose files are made many at a time. They are written down before the first of those files is
 * there, so that whatever a kill leaves in the copy is looked for (`recovery.ts`).
 */
export class ExpectedFiles {
  readonly #database: CopyDatabase;
  #count = 0;

  constructor(database: CopyDatabase) {
    this.#database = database;
  }

  /** @returns to be told when their files are in the state, or will not come */
  expect(resources: readonly DueResource[]): () => void {
    const expected: Expected[] = resources.map(({ loc, change, asOf, lastmod, hashes, length, type }) => ({
      ...{ loc, change, asOf, lastmod, hashes, length, type },
    }));
    this.#count += 1;
    const own = name + this.#count;
    this.#database.keep(own, JSON.stringify(expected));
    this.#database.flush();
    return () => this.#database.keep(own, undefined);
  }

  /** At the beginning of a run: those of one that was killed become due. */
  recall(due: DueResources): void {
    const left = this.#database.all<{ value: string }>(`select value from setting where ${rows}`, ...bounds);
    for (const { value } of left) {
      for (const { asOf, ...stated } of JSON.parse(value) as readonly Expected[])
        due.add({ ...stated, links: [] }, asOf);
    }
    if (left.length > 0) this.#database.write(`delete from setting where ${rows}`, ...bounds);
    this.#database.flush();
  }
}

import type { CopyDatabase } from './copy-database.ts';
import {
  type DueResource,
  type DueResources,
  PassingResource,
  type StatedResource,
} from './due-resources.ts';
import type { HeldResources } from './held-resources.ts';

/** Settings of this name, with a number. */
const name = 'expected ';
const rows = 'name >= ? and name < ?';
// `!` comes behind the space.
const bounds = [name, 'expected!'] as const;

/** Resources that were written down together. */
export interface ExpectedGroup {
  read(): readonly PassingResource[];
  /** Their files are in the state, or will not come. */
  forget(): void;
}

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

  /** They last from now on. @returns to be told when their files are in the state, or will not come */
  expect(resources: readonly PassingResource[]): () => void {
    const group = this.write(resources);
    this.#database.flush();
    return group.forget;
  }

  /** The same of what lasts when the database says so. */
  write(resources: readonly PassingResource[]): ExpectedGroup {
    this.#count += 1;
    const own = name + this.#count;
    this.#database.keep(own, JSON.stringify(resources));
    return {
      read: () => readExpected(this.#database.setting(own) ?? '[]'),
      forget: () => this.#database.keep(own, undefined),
    };
  }

  /** At the beginning of a run: those of one that was killed become due. */
  recall(due: DueResources, held: HeldResources): void {
    const sql = `select name, value from setting where ${rows} limit 1`;
    for (;;) {
      const left = this.#database.get<{ name: string; value: string }>(sql, ...bounds);
      if (left === undefined) break;
      for (const resource of readExpected(left.value)) if (isToCome(resource, held)) due.left(resource);
      this.#database.keep(left.name, undefined);
      this.#database.breathe();
    }
    this.#database.flush();
  }
}

/** Neither is it in the copy, nor known to be gone since. */
export function isToCome({ loc, asOf }: DueResource, held: HeldResources): boolean {
  const found = held.find(loc);
  return (found === undefined || found.asOf < asOf) && (held.goneSince(loc) ?? '') < asOf;
}

function readExpected(value: string): readonly PassingResource[] {
  const expected = JSON.parse(value) as readonly (StatedResource & Pick<DueResource, 'asOf'>)[];
  return expected.map((stated) => new PassingResource(stated, stated.asOf));
}

import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { ChangeEntry, ResourceEntry } from '../../../src/store/reading/listing.ts';
import type { House } from './house.ts';
import { publicView } from './public-view.ts';
import { keyOf, publishedView } from './published-view.ts';

const mets = '/mets.xml';

/** Another document of the same item. */
function ownInstead(path: string): string {
  return path.endsWith(mets) ? path.replace(mets, '/json.json') : path;
}

/** What is published is what everybody can reach, no more and no less; all of it is compared. */
export async function expectEquality(house: House): Promise<void> {
  const published = new Map(await publishedView(house));
  const visible = publicView(house.repository, house.name);
  // What comes from the OAI-PMH endpoint may be there or not yet, but not without the rest.
  for (const path of published.keys())
    if (path.endsWith(mets) && visible.has(ownInstead(path))) published.delete(path);
  expect({
    tooMuch: [...published.keys()].filter((path) => !visible.has(path)),
    tooLittle: [...visible.keys()].filter((path) => !published.has(path)),
  }).toEqual({ tooMuch: [], tooLittle: [] });
  for (const [path, shown] of visible) {
    if (!isDeepStrictEqual(published.get(path), shown))
      expect({ path, ...published.get(path) }).toEqual({ path, ...shown });
  }
}

/** The journal, told from its beginning, leads to what there is, and each change fits the one before it. */
export async function expectJournal(house: House): Promise<void> {
  const living = new Map<string, ChangeEntry>();
  const gone = new Set<string>();
  for (const entry of await house.journal()) {
    const { change, path, kind } = entry;
    // What had been deleted before loses its past when its item is refused: that is told once more, and not again.
    const losesPast = change === 'deleted' && kind === 'metadata' && gone.delete(path);
    if (!losesPast && living.has(path) === (change === 'created'))
      throw new Error(`${change} ${path} does not fit what was before`);
    if (change === 'deleted') {
      if (living.delete(path)) gone.add(path);
    } else {
      living.set(path, entry);
      gone.delete(path);
    }
  }
  const left = [...living.values()];
  // Links between records and files follow what is known of both, and are no news of either; nor is it news that more
  // becomes known of the same bytes.
  const state = ({ path, hash, length, lastmod, links }: ResourceEntry) => ({
    path,
    hash: living.get(path)?.hash === undefined ? undefined : hash,
    length: living.get(path)?.length === undefined ? undefined : length,
    lastmod,
    links: links.filter(({ rel }) => rel !== 'describes' && rel !== 'describedby'),
  });
  const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1);
  const told = left.map(state).sort(byPath);
  const there = (await house.resources()).map(state).sort(byPath);
  if (!isDeepStrictEqual(told, there)) expect(told).toEqual(there);
}

/**
 * Watches that nothing gets into the journal which was never public: what is created has to be reachable at that
 * moment, what is updated may have been hidden since.
 */
export class Watch {
  readonly #house: House;
  readonly #everPublic = new Set<string>();
  #atThisTime = new Set<string>();

  constructor(house: House) {
    this.#house = house;
  }

  /** To be called whenever something was edited, and when the clock has moved. */
  look(): void {
    // An index that lags may list a version that has just been replaced: that is no secret.
    const visible = publicView(this.#house.repository, this.#house.name, 'readable');
    for (const path of visible.keys()) {
      this.#everPublic.add(path);
      this.#atThisTime.add(path);
    }
  }

  /** A run begins: what is edited from now on, it may have read before or after. */
  begin(): void {
    this.#atThisTime = new Set();
    this.look();
  }

  async expectPromise(): Promise<void> {
    this.look();
    const unfair = (await this.#house.news()).filter((entry) => {
      const allowed = entry.change === 'created' ? this.#atThisTime : this.#everPublic;
      return entry.change !== 'deleted' && !allowed.has(ownInstead(keyOf(entry)));
    });
    expect(unfair.map((entry) => `${entry.seq}: ${entry.change} ${keyOf(entry)}`)).toEqual([]);
  }
}

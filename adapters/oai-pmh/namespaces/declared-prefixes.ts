import type { Namespaces } from './namespaces.ts';

/** Prefix and meaning; null where it had two. */
export type DeclaredUris = readonly (readonly [string, string | null])[];

/** Nobody needs more; what is beyond is not remembered. */
const mostPrefixes = 1000;

/**
 * What prefixes were declared to mean in one list so far, in scope anywhere: some servers declare them on the first page
 * or the first record only (quirk 85). A prefix that had two meanings has none.
 */
export class DeclaredPrefixes {
  readonly #uris = new Map<string, string | undefined>();
  #news = 0;

  constructor(known: DeclaredUris = []) {
    this.merge(known);
  }

  /** Grows with whatever was not known before. */
  get news(): number {
    return this.#news;
  }

  get entries(): DeclaredUris {
    return [...this.#uris].map(([prefix, uri]) => [prefix, uri ?? null]);
  }

  /** What another thread has seen of the same list. */
  merge(others: DeclaredUris): void {
    for (const [prefix, uri] of others) this.#add(prefix, uri ?? undefined);
  }

  /** Told of every tag, so it does nothing for those without declarations. */
  see(namespaces: Namespaces): void {
    for (const prefix in namespaces) {
      const uri = namespaces[prefix];
      if (prefix === '' || prefix === 'xml' || prefix === 'xmlns' || uri === undefined || uri === '')
        continue;
      this.#add(prefix, uri);
    }
  }

  get(prefix: string): string | undefined {
    return this.#uris.get(prefix);
  }

  #add(prefix: string, uri: string | undefined): void {
    const before = this.#uris.get(prefix);
    if (this.#uris.has(prefix)) {
      if (before === uri || before === undefined) return;
      this.#uris.set(prefix, undefined);
    } else if (this.#uris.size < mostPrefixes) this.#uris.set(prefix, uri);
    else return;
    this.#news += 1;
  }
}

const ofLists = new WeakMap<object, DeclaredPrefixes>();

/** @param list stands for it: the same for all of its pages and windows */
export function declaredIn(list: object): DeclaredPrefixes {
  const known = ofLists.get(list) ?? new DeclaredPrefixes();
  ofLists.set(list, known);
  return known;
}

import type { Namespaces } from './namespaces.ts';

/** Nobody needs more; what is beyond is not remembered. */
const mostPrefixes = 1000;

/**
 * What prefixes were declared to mean in one list so far, in scope anywhere: some servers declare them on the first page
 * or the first record only (quirk 85). A prefix that had two meanings has none.
 */
export class DeclaredPrefixes {
  readonly #uris = new Map<string, string | undefined>();

  /** Told of every tag, so it does nothing for those without declarations. */
  see(namespaces: Namespaces): void {
    for (const prefix in namespaces) {
      const uri = namespaces[prefix];
      if (prefix === '' || prefix === 'xml' || prefix === 'xmlns' || uri === undefined || uri === '')
        continue;
      if (this.#uris.has(prefix)) {
        if (this.#uris.get(prefix) !== uri) this.#uris.set(prefix, undefined);
      } else if (this.#uris.size < mostPrefixes) this.#uris.set(prefix, uri);
    }
  }

  get(prefix: string): string | undefined {
    return this.#uris.get(prefix);
  }
}

const ofLists = new WeakMap<object, DeclaredPrefixes>();

/** @param list stands for it: the same for all of its pages and windows */
export function declaredIn(list: object): DeclaredPrefixes {
  const known = ofLists.get(list) ?? new DeclaredPrefixes();
  ofLists.set(list, known);
  return known;
}

import type { Change, Version } from '../repository/repository.ts';
import type { SimulatorSettings } from '../settings.ts';
import type { Attributes, DraftEntry } from './draft.ts';

/** Where former states are: `/mementos/17/resources/4`. */
export const mementoFolder = '/mementos/';

/** What lists say of states of resources. */
export class EntryWriting {
  readonly #settings: SimulatorSettings;
  readonly #origin: string;

  constructor(settings: SimulatorSettings, origin: string) {
    this.#settings = settings;
    this.#origin = origin;
  }

  /** @param before attributes that come first */
  ofVersion(version: Version, before: Attributes = {}): DraftEntry {
    const { facts, mementos } = this.#settings;
    const { path, content, type, lastmod, more, number } = version;
    const has = (fact: (typeof facts)[number]) => facts.includes(fact);
    const href = `${this.#origin}${mementoFolder}${number}${path}`;
    const memento = { rel: 'memento', href, modified: lastmod };
    return {
      loc: this.#origin + path,
      lastmod: has('lastmod') ? lastmod : undefined,
      md: {
        ...before,
        hash: has('hash') ? `md5:${content.hash('md5')} sha-256:${content.hash('sha256')}` : undefined,
        length: has('length') ? String(content.length) : undefined,
        type: has('type') ? type : undefined,
      },
      links: mementos ? [memento] : [],
      more,
    };
  }

  ofChange({ path, kind, at, version }: Change, before: Attributes = {}): DraftEntry {
    const md = { change: kind, datetime: at, ...before };
    if (version !== undefined) return this.ofVersion(version, md);
    return { loc: this.#origin + path, lastmod: undefined, md, links: [], more: '' };
  }

  /** Of a document. */
  ofDocument(path: string, md: Attributes): DraftEntry {
    return { loc: this.#origin + path, lastmod: undefined, md, links: [], more: '' };
  }

  linkTo(rel: string, path: string): Attributes {
    return { rel, href: this.#origin + path };
  }
}

import { headersIn } from './oai-house.ts';

/** Whoever has lists that can be walked through. */
export interface Walked {
  walk(query: Readonly<Record<string, string>>, between?: () => Promise<void>): Promise<string[]>;
}

/**
 * A harvester that follows as the protocol has it: all pages of a list, and the next one `from` the `responseDate` of the
 * first page of the list before. It knows nothing but what it was told.
 */
export class Follower {
  readonly held = new Map<string, string>();
  readonly #query: Readonly<Record<string, string>>;
  #from: string | undefined;

  /** @param more arguments of its lists */
  constructor(more: Readonly<Record<string, string>> = {}) {
    this.#query = { verb: 'ListRecords', metadataPrefix: 'oai_dc', ...more };
  }

  async harvest(house: Walked, between: () => Promise<void>): Promise<void> {
    const from = this.#from;
    const pages = await house.walk(from === undefined ? this.#query : { ...this.#query, from }, between);
    this.#from = /<responseDate>([^<]+)</.exec(pages[0] ?? '')?.[1];
    for (const page of pages) {
      for (const record of page.split('<record>').slice(1)) {
        const [header = ''] = headersIn(record);
        const [identifier = '', , deleted] = header.split(' ');
        if (deleted) this.held.delete(identifier);
        else this.held.set(identifier, /<dc:title>([^<]*)</.exec(record)?.[1] ?? '');
      }
    }
  }
}

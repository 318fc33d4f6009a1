import { createHash } from 'node:crypto';
import { RestError, type RestService } from '../../../adapters/dspace/rest/rest-service.ts';
import type { SearchContext } from '../../../adapters/dspace/search/search.ts';
import type { AdapterSettings, Checkpoint, Page, SourceItem } from '../../../src/core/adapter.ts';
import { BridgeError } from '../../../src/core/errors.ts';
import { type ContextDouble, createContext } from './http-double.ts';
import type { SearchDouble } from './search-server.ts';

export const settings: AdapterSettings = {
  url: 'http://double.example/server/api',
  formats: ['oai_dc', 'json'],
  overlapSeconds: 600,
  requestsPerHost: 2,
  files: undefined,
};

/** The double without a network between. */
export function restOf(double: SearchDouble, date?: string): RestService {
  return {
    base: settings.url,
    root: {},
    date,
    async get(path, query, { signal }) {
      signal.throwIfAborted();
      await null;
      const { status, json, html } = double.answer(
        path,
        new URLSearchParams(query.map(([name, value]) => [name, value] as [string, string])),
      );
      if (html !== undefined) throw new BridgeError('upstream-html', 'a page for people');
      if (status === 504) throw new BridgeError('upstream-unreachable', 'double took longer than 60 seconds');
      if (status >= 400) throw new RestError(status, path, 'An exception has occurred');
      return json as Record<string, unknown>;
    },
    findByHandle: async () => undefined,
    headContent: async () => {
      throw new Error('not asked for');
    },
  };
}

export interface Script extends SearchContext {
  readonly context: ContextDouble;
}

export function scriptOf(rest: RestService, changes: Partial<AdapterSettings> = {}): Script {
  return {
    rest,
    settings: { ...settings, ...changes },
    context: createContext(),
    identifierOf: (handle, uuid) => (handle === undefined ? uuid : `oai:double.example:${handle}`),
    reader: { read: async (json) => ({ item: toItem(json) }) },
  };
}

function toItem(json: Readonly<Record<string, unknown>>): SourceItem {
  return {
    identifier: String(json.uuid),
    datestamp: undefined,
    collections: (json.collections as readonly string[] | undefined) ?? [],
    speaksFor: { formats: ['oai_dc'], files: undefined },
    deleted: false,
    metadata: [],
    files: [],
  };
}

/** What a sweep delivered. */
export interface Delivery {
  readonly identifiers: readonly string[];
  readonly problems: readonly Page['problems'][number][];
  readonly pages: readonly Page[];
  readonly checkpoint: Checkpoint | undefined;
}

/** Reads to the end, or so many pages. */
export async function collect(
  pages: AsyncIterable<Page>,
  most = Number.POSITIVE_INFINITY,
): Promise<Delivery> {
  const read: Page[] = [];
  for await (const page of pages) {
    read.push(page);
    if (read.length >= most) break;
  }
  return {
    identifiers: read.flatMap(({ items }) => items.map(({ identifier }) => identifier)),
    problems: read.flatMap(({ problems }) => problems),
    pages: read,
    checkpoint: read.at(-1)?.checkpoint,
  };
}

export function toUuid(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

let drawn = 0;

/** As if by chance, and the same in every run of a file: what goes well in most draws only would fail now and then. */
export function randomUuids(count: number): string[] {
  return Array.from({ length: count }, () => {
    drawn += 1;
    return toUuid(createHash('md5').update(`draw ${drawn}`).digest('hex'));
  });
}

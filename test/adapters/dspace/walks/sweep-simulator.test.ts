import { expect, test } from 'vitest';
import { CollectionTree } from '../../../../adapters/dspace/items/collection-tree.ts';
import { ItemReader } from '../../../../adapters/dspace/items/item-reader.ts';
import { openRestService } from '../../../../adapters/dspace/rest/rest-service.ts';
import type { SearchContext } from '../../../../adapters/dspace/search/search.ts';
import { listIdentifiers } from '../../../../adapters/dspace/walks/identifiers.ts';
import { sweep } from '../../../../adapters/dspace/walks/sweep.ts';
import { createContext } from '../../../house/adapters/http-double.ts';
import { collect, settings } from '../../../house/adapters/search-script.ts';
import { isOpen } from '../../../house/dspace/model.ts';
import type { Repository } from '../../../house/dspace/repository.ts';
import { type RestServer, startRestServer } from '../../../house/dspace/rest/rest-server.ts';
import { sampleRepository } from '../../../house/dspace/sample-repository.ts';
import type { Switches } from '../../../house/dspace/switches.ts';

const { signal } = new AbortController();

async function open(
  server: RestServer,
): Promise<SearchContext & { context: ReturnType<typeof createContext> }> {
  const context = createContext();
  const own = { ...settings, url: server.url };
  const rest = await openRestService(own, context, signal);
  const collections = new CollectionTree(rest, context);
  const identifierOf = (_: string | undefined, uuid: string) => uuid;
  const reader = new ItemReader({ rest, settings: own, context, identifierOf, collections });
  return { rest, reader, settings: own, context, identifierOf, collections };
}

function publicItems({ items }: Repository): string[] {
  return items
    .filter(
      ({ inArchive, withdrawn, discoverable, isLatest, read }) =>
        inArchive && !withdrawn && discoverable && isLatest && isOpen(read, Date.now()),
    )
    .map(({ uuid }) => uuid)
    .sort();
}

const repositories: readonly (readonly [string, Partial<Switches>])[] = [
  ['honest', {}],
  ['with a limit of 15 rows', { maxResults: 15 }],
  ['with results that move between pages', { drift: 3 }],
];

test.each(repositories)(
  'a whole repository, %s: what everybody finds there, each once',
  async (_, switches) => {
    const repository = sampleRepository({ items: 300 });
    const server = await startRestServer({ repository, switches });
    try {
      const search = await open(server);
      const { identifiers, problems } = await collect(sweep(search, { mode: 'full' }, signal));
      expect([...identifiers].sort()).toEqual(publicItems(repository));
      expect(problems).toEqual([]);
      expect(server.counts.search).toBeLessThan('maxResults' in switches ? 60 : 25);
      const entries: string[] = [];
      for await (const page of listIdentifiers(search, {}, signal)) {
        entries.push(...page.entries.map(({ identifier }) => identifier));
      }
      expect(entries.sort()).toEqual(publicItems(repository));
    } finally {
      await server.close();
    }
  },
);

test('pages that always lack something are doubtful', async () => {
  const repository = sampleRepository({ items: 300 });
  const server = await startRestServer({ repository, switches: { shortBy: 2 } });
  try {
    const { problems } = await collect(sweep(await open(server), { mode: 'full' }, signal));
    expect(problems.map(({ code }) => code)).toContain('list-doubtful');
  } finally {
    await server.close();
  }
});

test('nothing has changed: one search', async () => {
  const repository = sampleRepository({ items: 300 });
  const server = await startRestServer({ repository });
  try {
    const search = await open(server);
    const since = new Date(Date.now() + 3_600_000).toISOString();
    const { identifiers } = await collect(sweep(search, { mode: 'incremental', since }, signal));
    expect(identifiers).toEqual([]);
    expect(server.counts.search).toBe(1);
  } finally {
    await server.close();
  }
});

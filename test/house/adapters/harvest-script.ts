import { createAdapter } from '../../../adapters/index.ts';
import type { AdapterSettings, Page, PageRequest, SourceItem } from '../../../src/core/adapter.ts';
import { createContext } from './http-double.ts';
import { provide, repository, type Script } from './scripted-provider.ts';

const signal = new AbortController().signal;

/** Harvests a scripted repository to its end or into its error. */
export async function harvest(
  script: Script,
  request: PageRequest = { mode: 'full' },
  settings: Partial<AdapterSettings> = {},
  granularity?: string,
) {
  const provider = await provide(repository(script, granularity));
  const context = createContext();
  const adapter = createAdapter(
    'oai-pmh',
    { url: provider.url, overlapSeconds: 120, requestsPerHost: 1, files: undefined, ...settings },
    context,
  );
  const pages: Page[] = [];
  let error: unknown;
  try {
    for await (const page of adapter.pages(request, signal)) pages.push(page);
  } catch (thrown) {
    error = thrown;
  }
  return {
    pages,
    error,
    sleeps: context.sleeps,
    logged: context.logged,
    items: pages.flatMap(({ items }) => items),
    problems: pages.flatMap(({ problems }) => problems),
    requests: provider.requests.filter((url) => url.includes('ListRecords')),
  };
}

export const ids = (items: readonly SourceItem[]) => items.map(({ identifier }) => identifier);
export const token = (value: string, attributes = '') =>
  `<resumptionToken ${attributes}>${value}</resumptionToken>`;

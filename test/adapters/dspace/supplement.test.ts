import { afterEach, describe, expect, it } from 'vitest';
import { dspace } from '../../../adapters/dspace/adapter.ts';
import { oaiPmh } from '../../../adapters/oai-pmh/adapter.ts';
import type { Adapter, AdapterSettings, Checkpoint, Page, PageRequest } from '../../../src/core/adapter.ts';
import {
  identifierOf,
  itemAt,
  type SampleDspace,
  signal,
  startSample,
} from '../../house/adapters/sample-dspace.ts';
import type { RestServerOptions } from '../../house/dspace/rest/rest-server.ts';

const closing: SampleDspace[] = [];
const full: PageRequest = { mode: 'full' };

afterEach(async () => {
  await Promise.all(closing.splice(0).map(({ server }) => server.close()));
});

/** A DSpace of which METS comes by OAI-PMH. */
async function start(
  more: Partial<AdapterSettings> = {},
  options: Partial<RestServerOptions> = {},
): Promise<SampleDspace & { adapter: Adapter }> {
  const settings = { formats: ['json'], oaiFormats: ['mets'], ...more };
  const sample = await startSample(settings, { oai: true, oaiHost: 'oai.example.org', ...options });
  closing.push(sample);
  const { context } = sample;
  const oaiAt = (url: string) =>
    oaiPmh.create(
      { url, formats: ['mets'], overlapSeconds: 0, requestsPerHost: 1, files: undefined },
      context,
    );
  return { ...sample, adapter: dspace.create(sample.settings, { ...context, oaiAt }) };
}

async function pagesOf(adapter: Adapter, request = full): Promise<readonly Page[]> {
  const pages: Page[] = [];
  for await (const page of adapter.pages(request, signal)) pages.push(page);
  return pages;
}

function parts(pages: readonly Page[]): { own: Page[]; oai: Page[] } {
  const isOai = ({ items }: Page) => items.some(({ supplement }) => supplement === true);
  return { own: pages.filter((page) => !isOai(page)), oai: pages.filter(isOai) };
}

describe('formats of the OAI-PMH endpoint', () => {
  it('are said to be selected beside our own', async () => {
    const { adapter } = await start();
    const { formats } = await adapter.identify(signal);
    expect(formats.filter(({ selected }) => selected).map(({ name }) => name)).toEqual(['json', 'mets']);
    expect(formats.every(({ offered }) => offered)).toBe(true);
  });

  it('come behind our own pages, as more of the same items', async () => {
    const sample = await start();
    const { own, oai } = parts(await pagesOf(sample.adapter));
    const identifiers = sample.repository.items.map(identifierOf).sort();
    expect(own.flatMap(({ items }) => items.map(({ identifier }) => identifier)).sort()).toEqual(identifiers);
    expect(oai.flatMap(({ items }) => items.map(({ identifier }) => identifier)).sort()).toEqual(identifiers);
    for (const { items } of oai) {
      for (const item of items) {
        expect(item.speaksFor).toEqual({ formats: ['mets'], files: undefined });
        expect(item.metadata.map(({ format }) => format)).toEqual(['mets']);
      }
    }
  });

  it('are awaited as long as our own pages come', async () => {
    const { own, oai } = parts(await pagesOf((await start()).adapter));
    for (const page of own) expect(page.awaited).toEqual(['mets']);
    expect(oai.at(-1)?.awaited ?? []).toEqual([]);
    expect(oai.every(({ asOf }) => asOf === undefined)).toBe(true);
  });

  it('are taken up again where they were left', async () => {
    const { adapter, server } = await start();
    const pages = await pagesOf(adapter);
    const { own, oai } = parts(pages);
    const at = (page: Page | undefined): Checkpoint => page?.checkpoint ?? expect.fail('no checkpoint');
    const behindOwn = parts(await pagesOf(adapter, { ...full, checkpoint: at(own.at(-1)) }));
    expect(behindOwn.own.flatMap(({ items }) => items)).toEqual([]);
    expect(behindOwn.oai).toHaveLength(oai.length);
    server.resetCounts();
    const last = oai.findLast(({ checkpoint }) => checkpoint !== undefined);
    if (last !== undefined) await pagesOf(adapter, { ...full, checkpoint: at(last) });
    expect(server.counts.search).toBeUndefined();
  });

  it('find their items by handle where these go by UUID', async () => {
    const sample = await start({ identity: 'uuid' });
    const { oai } = parts(await pagesOf(sample.adapter));
    const uuids = sample.repository.items.map(({ uuid }) => uuid).sort();
    expect(oai.flatMap(({ items }) => items.map(({ identifier }) => identifier)).sort()).toEqual(uuids);
  });

  it('go with an item that is gone', async () => {
    const sample = await start();
    const item = itemAt(sample, 0);
    const identifier = identifierOf(item);
    sample.repository.delete(item);
    expect(await sample.adapter.item(identifier, signal)).toMatchObject({
      deleted: true,
      speaksFor: { formats: ['json', 'mets'] },
    });
  });

  it('stop the run when the endpoint is down, as everything else does', async () => {
    const { adapter, server } = await start();
    await adapter.identify(signal);
    server.fail({ when: ({ kind }) => kind === 'oai', reply: 500 });
    await expect(pagesOf(adapter)).rejects.toMatchObject({ code: 'upstream-status' });
  });

  it('cannot come from an endpoint that is not to be used', async () => {
    const { adapter } = await start({ oaiUrl: false });
    await expect(adapter.identify(signal)).rejects.toMatchObject({ code: 'config-invalid' });
  });
});

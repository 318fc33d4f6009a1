import { afterEach, describe, expect, it } from 'vitest';
import { dspace } from '../../../adapters/dspace/adapter.ts';
import type { SourceItem } from '../../../src/core/adapter.ts';
import {
  identifierOf,
  itemAt,
  type SampleDspace,
  signal,
  startSample,
} from '../../house/adapters/sample-dspace.ts';

const closing: SampleDspace[] = [];

afterEach(async () => {
  await Promise.all(closing.splice(0).map(({ server }) => server.close()));
});

async function start(...options: Parameters<typeof startSample>): Promise<SampleDspace> {
  const sample = await startSample(...options);
  closing.push(sample);
  return sample;
}

function ask({ settings, context }: SampleDspace, identifier: string): Promise<SourceItem | undefined> {
  return dspace.create(settings, context).item(identifier, signal);
}

/** In a word. */
async function fate(sample: SampleDspace, identifier: string): Promise<string> {
  const item = await ask(sample, identifier);
  if (item === undefined) return 'unknown';
  expect(item.identifier).toBe(identifier);
  if (item.deleted) {
    expect(item).toMatchObject({
      metadata: [],
      files: [],
      speaksFor: { files: { name: 'dspace', rank: 0 } },
    });
    expect(item.speaksFor.formats).toEqual(['oai_dc', 'dim', 'qdc', 'json']);
    return item.refused === true ? 'refused' : 'deleted';
  }
  expect(item.metadata).toHaveLength(4);
  return item.unlisted === true ? 'unlisted' : 'there';
}

describe('an item that a list left out', () => {
  it('is there, and in the search: the list was late', async () => {
    const sample = await start();
    expect(await fate(sample, identifierOf(itemAt(sample, 0)))).toBe('there');
  });

  it('is deleted: nothing is known of it', async () => {
    const sample = await start();
    const item = itemAt(sample, 0);
    sample.repository.delete(item);
    expect(await fate(sample, identifierOf(item))).toBe('unknown');
    expect(await fate(sample, item.uuid)).toBe('unknown');
  });

  it.each([
    [
      'withdrawn',
      ({ repository }: SampleDspace, item: ReturnType<typeof itemAt>) => repository.withdraw(item),
    ],
    [
      'private',
      ({ repository }: SampleDspace, item: ReturnType<typeof itemAt>) => repository.makePrivate(item),
    ],
    [
      'restricted',
      ({ repository }: SampleDspace, item: ReturnType<typeof itemAt>) => repository.restrict(item),
    ],
  ])('is %s', async (_what, change) => {
    const sample = await start();
    const item = itemAt(sample, 0);
    change(sample, item);
    expect(await fate(sample, identifierOf(item))).toBe('refused');
  });

  it.each([
    [
      'restricted',
      (sample: SampleDspace, item: ReturnType<typeof itemAt>) => sample.repository.restrict(item),
    ],
    [
      'private',
      (sample: SampleDspace, item: ReturnType<typeof itemAt>) => sample.repository.makePrivate(item),
    ],
    [
      'withdrawn',
      (sample: SampleDspace, item: ReturnType<typeof itemAt>) => sample.repository.withdraw(item),
    ],
    ['there', () => undefined],
  ])('is %s, and DSpace is not asked for its handle', async (what, change) => {
    const sample = await start();
    const item = itemAt(sample, 0);
    change(sample, item);
    sample.repository.commitIndex();
    const adapter = dspace.create(sample.settings, sample.context);
    const delivered = [`${sample.settings.url}/core/items/${item.uuid}`];
    const found = await adapter.item(identifierOf(item), signal, delivered);
    expect(found?.deleted).toBe(what !== 'there');
    expect(sample.server.requests.filter(({ kind }) => kind === 'pid')).toEqual([]);
  });

  it('has passed its handle on, and the search does not know yet', async () => {
    const sample = await start();
    const [old, other] = [itemAt(sample, 0), itemAt(sample, 1)];
    const adapter = dspace.create(sample.settings, sample.context);
    sample.repository.index.remove(old.uuid);
    // Whatever the store thinks where it came from: the handle counts.
    const delivered = [`${sample.settings.url}/core/items/${other.uuid}`];
    const found = await adapter.item(identifierOf(old), signal, delivered);
    expect(found).toMatchObject({ identifier: identifierOf(old), unlisted: true });
  });

  it('is restricted, where DSpace breaks on its handle', async () => {
    const sample = await start();
    const [hidden, open] = [itemAt(sample, 0), itemAt(sample, 1)];
    sample.repository.restrict(hidden);
    sample.repository.commitIndex();
    sample.server.fail({ when: ({ kind }) => kind === 'pid', reply: 500 });
    expect(await fate(sample, identifierOf(hidden))).toBe('refused');
    expect(await fate(sample, identifierOf(open))).toBe('there');
    sample.server.fail({ when: ({ kind }) => kind === 'search', reply: 500 });
    await expect(ask(sample, identifierOf(hidden))).rejects.toMatchObject({ code: 'upstream-status' });
  });

  it('is an older version', async () => {
    const sample = await start();
    const item = itemAt(sample, 0);
    const newer = sample.repository.newVersion(item);
    sample.repository.commitIndex();
    expect(await fate(sample, identifierOf(item))).toBe('deleted');
    expect(await fate(sample, identifierOf(newer))).toBe('there');
  });

  it('is an older version, the newer one of which is not for everybody', async () => {
    const sample = await start();
    const item = itemAt(sample, 0);
    sample.repository.restrict(sample.repository.newVersion(item));
    sample.repository.commitIndex();
    expect(['deleted', 'unlisted']).toContain(await fate(sample, identifierOf(item)));
  });

  it('has passed its handle on to a newer version', async () => {
    const { sampleRepository } = await import('../../house/dspace/sample-repository.ts');
    const repository = sampleRepository({ items: 3, mix: 'open', canonicalHandles: true });
    const sample = await start({}, { repository });
    const item = itemAt(sample, 0);
    const identifier = identifierOf(item);
    const newer = repository.newVersion(item);
    repository.commitIndex();
    expect(identifierOf(newer)).toBe(identifier);
    expect(await fate(sample, identifier)).toBe('there');
    expect(await fate(sample, identifierOf(item))).toBe('deleted');
  });

  it('is there, and nobody says why the search leaves it out', async () => {
    const sample = await start();
    const item = itemAt(sample, 0);
    sample.repository.index.remove(item.uuid);
    expect(await fate(sample, identifierOf(item))).toBe('unlisted');
  });

  it.each([
    ['no row', []],
    ['an empty row', [null]],
  ])(
    'is there, and the search counts it and shows %s: nobody can say what became of it',
    async (_what, objects) => {
      const sample = await start();
      const page = { size: 1, totalElements: 1, totalPages: 1, number: 0 };
      const body = JSON.stringify({ _embedded: { searchResult: { _embedded: { objects }, page } } });
      sample.server.fail({ when: ({ kind }) => kind === 'search', reply: 200, body });
      const [open, restricted] = [itemAt(sample, 0), itemAt(sample, 1)];
      await expect(ask(sample, identifierOf(open))).rejects.toMatchObject({
        code: 'upstream-protocol',
        message: expect.stringContaining('the search counts it and does not show it'),
      });
      sample.repository.restrict(restricted);
      expect(await fate(sample, identifierOf(restricted))).toBe('refused');
    },
  );

  it('is there, and the search cannot be asked for it', async () => {
    const sample = await start();
    sample.server.fail({ when: ({ kind }) => kind === 'search', reply: 'forbidden-html' });
    expect(await fate(sample, identifierOf(itemAt(sample, 0)))).toBe('unlisted');
  });

  it('is called otherwise now', async () => {
    const sample = await start({ identity: 'uuid' });
    const item = itemAt(sample, 0);
    expect(await fate(sample, item.uuid)).toBe('there');
    expect(await fate(sample, identifierOf(item))).toBe('deleted');
    expect(await fate(sample, 'something else')).toBe('unknown');
  });

  it('is not of the types that are wanted', async () => {
    const sample = await start({ entityTypes: ['Person'] });
    expect(await fate(sample, identifierOf(itemAt(sample, 0)))).toBe('deleted');
  });

  it.each([401, 403, 404] as const)('is not taken for gone when a proxy says so (%i)', async () => {
    const sample = await start();
    sample.server.fail({ when: ({ kind }) => kind === 'item', reply: 'forbidden-html' });
    await expect(ask(sample, identifierOf(itemAt(sample, 0)))).rejects.toMatchObject({
      code: 'upstream-html',
    });
  });

  it('is gone where DSpace says that it is (410)', async () => {
    const sample = await start();
    sample.server.fail({ when: ({ kind }) => kind === 'item', reply: 410 });
    expect(await fate(sample, identifierOf(itemAt(sample, 0)))).toBe('unknown');
  });

  it('is not taken for gone while the server is broken', async () => {
    const sample = await start();
    sample.server.fail({ when: ({ kind }) => kind === 'item', reply: 500 });
    await expect(ask(sample, identifierOf(itemAt(sample, 0)))).rejects.toMatchObject({ status: 500 });
  });
});

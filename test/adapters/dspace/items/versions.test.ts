import { afterEach, describe, expect, it } from 'vitest';
import { itemEmbeds } from '../../../../adapters/dspace/items/item-reader.ts';
import type { SourceItem } from '../../../../src/core/adapter.ts';
import {
  connectTo,
  itemAt,
  type SampleDspace,
  signal,
  startSample,
} from '../../../house/adapters/sample-dspace.ts';
import type { Item } from '../../../house/dspace/model.ts';

const closing: SampleDspace[] = [];
const login = { user: 'admin@example.org', password: 'secret of the admin' };

afterEach(async () => {
  await Promise.all(closing.splice(0).map(({ server }) => server.close()));
});

/** A repository in which the first item has three versions. */
async function start(more: Parameters<typeof startSample>[0] = {}) {
  const sample = await startSample(more);
  closing.push(sample);
  const { repository } = sample;
  const first = itemAt(sample, 0);
  const second = repository.newVersion(first, 'corrected');
  const third = repository.newVersion(second, 'again');
  repository.commitIndex();
  return { ...sample, first, second, third };
}

async function read(sample: SampleDspace, { uuid }: Item): Promise<SourceItem> {
  const { rest, reader } = await connectTo(sample);
  sample.server.resetCounts();
  const json = await rest.get(`/core/items/${uuid}`, itemEmbeds, { signal });
  if (json === undefined) expect.fail('no item');
  const result = await reader.read(json, signal);
  return 'item' in result ? result.item : expect.fail('not read');
}

function numbers({ versions }: SourceItem): readonly number[] | undefined {
  return versions?.map(({ number }) => number);
}

describe('what an item was before', () => {
  it('is every earlier version, oldest first, with its documents and files', async () => {
    const sample = await start();
    const { versions } = await read(sample, sample.third);
    expect(versions?.map(({ number, upstreamUrl }) => [number, upstreamUrl])).toEqual([
      [1, `https://repo.example.org/items/${sample.first.uuid}`],
      [2, `https://repo.example.org/items/${sample.second.uuid}`],
    ]);
    for (const version of versions ?? []) {
      expect(version.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      expect(version.metadata.map(({ format }) => format)).toContain('dim');
      expect(version.files).toHaveLength(1);
    }
  });

  it('costs no request where there is only one version, or none', async () => {
    const sample = await start();
    const alone = itemAt(sample, 2);
    sample.repository.delete(sample.repository.newVersion(alone));
    alone.inArchive = true;
    expect((await read(sample, alone)).versions).toBeUndefined();
    expect((await read(sample, itemAt(sample, 1))).versions).toBeUndefined();
    expect(sample.server.counts.version).toBeUndefined();
  });

  it('is no more than what everybody may read', async () => {
    const sample = await start();
    const { repository, first, second, third } = sample;
    expect(await read(sample, third)).not.toHaveProperty('hiddenVersions');
    repository.restrict(first);
    expect(numbers(await read(sample, third))).toEqual([2]);
    repository.withdraw(second);
    expect(numbers(await read(sample, third))).toEqual([]);
    // That they are there is known, so that nobody takes them for gone.
    expect((await read(sample, third)).hiddenVersions).toEqual([1, 2]);
    repository.reinstate(second);
    repository.makePrivate(second);
    expect(numbers(await read(sample, third))).toEqual([]);
  });

  it('is unknown where histories are hidden', async () => {
    const sample = await start();
    sample.server.switches.versions = 'hidden';
    expect((await read(sample, sample.third)).versions).toBeUndefined();
  });

  it('is known to a login where they are hidden, and is read as everybody', async () => {
    const sample = await start({ login });
    sample.server.switches.versions = 'hidden';
    sample.repository.restrict(sample.first);
    expect(numbers(await read(sample, sample.third))).toEqual([2]);
    const asAccount = sample.server.requests.filter(({ viewer }) => viewer !== undefined);
    expect(new Set(asAccount.map(({ kind }) => kind))).toEqual(new Set(['version']));
  });

  it('is not asked for again and again where versions are switched off', async () => {
    const sample = await start({ login });
    sample.server.switches.versions = 'off';
    const { rest, reader, versions } = await connectTo(sample);
    sample.server.resetCounts();
    for (const { uuid } of sample.repository.items) {
      const json = await rest.get(`/core/items/${uuid}`, itemEmbeds, { signal });
      expect(json && (await versions.readPrior(json, reader, signal))).toBeUndefined();
    }
    expect(sample.server.counts.version).toBe(3);
  });

  it('is unknown, and the item none the worse, where the history is broken', async () => {
    const sample = await start();
    sample.server.fail({ when: ({ kind }) => kind === 'version', reply: 500 });
    const item = await read(sample, sample.third);
    expect(item.versions).toBeUndefined();
    expect(item.metadata.length).toBeGreaterThan(0);
  });
});

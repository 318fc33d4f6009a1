import { expect, test } from 'vitest';
import type { SourceItem } from '../../../src/core/adapter.ts';
import { mapItem } from '../../../src/core/mapping/mapping.ts';
import { storePage } from '../../../src/store/pages/store-page.ts';
import { sampleItems } from '../../../src/store/reading/item-sample.ts';
import { acquireLease } from '../../../src/store/runs/leases.ts';
import { startRun } from '../../../src/store/runs/runs.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const now = '2026-11-21T10:00:00Z';

function item(number: number, deleted = false): SourceItem {
  const content = Buffer.from(`<dc>${number}</dc>`);
  return {
    identifier: `oai:a:${number}`,
    datestamp: now,
    collections: [],
    speaksFor: { formats: ['oai_dc', 'dim'], files: undefined },
    deleted,
    metadata: deleted ? [] : ['oai_dc', 'dim'].map((format) => ({ format, content })),
    files: [],
  };
}

describeOnBoth('a sample of the published items', (open) => {
  test('is spread over all of them, and leaves out those that are gone', async () => {
    const { database } = open();
    await ensureSource(database, 'repo', now);
    const lease = await acquireLease(database, 'repo', Date.parse(now));
    const pass = { sourceId: lease.sourceId, mode: 'full', selection: '{}', since: undefined } as const;
    const store = async (...items: readonly SourceItem[]) => {
      const run = await startRun(database.writer, { ...pass, startedAt: now });
      const page = { items: items.map((one) => mapItem('repo', one)), problems: [], checkpoint: undefined };
      await storePage(database, lease, run, page, { iso: now, milliseconds: Date.parse(now) });
    };
    const sample = async () =>
      (await sampleItems(database.reader, 'repo', 3)).map(({ identifier }) => identifier);
    expect(await sample()).toEqual([]);
    await store(item(0));
    expect(await sample()).toEqual(['oai:a:0']);
    await store(...Array.from({ length: 9 }, (_, number) => item(number + 1)));
    expect(await sample()).toEqual(['oai:a:0', 'oai:a:4', 'oai:a:9']);
    await store(item(9, true));
    expect(await sample()).toHaveLength(3);
    expect(await sample()).not.toContain('oai:a:9');
    expect(await sampleItems(database.reader, 'another', 3)).toEqual([]);
  });
});

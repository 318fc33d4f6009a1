import { beforeEach, expect, test } from 'vitest';
import type { SourceItem } from '../../../src/core/adapter.ts';
import { mapItem } from '../../../src/core/mapping/mapping.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { storePage } from '../../../src/store/pages/store-page.ts';
import {
  countUnseen,
  listUnseenItems,
  removeItem,
  type Swept,
  sweep,
} from '../../../src/store/pages/sweep.ts';
import { acquireLease, type Lease } from '../../../src/store/runs/leases.ts';
import { findRun, type Run, startRun } from '../../../src/store/runs/runs.ts';
import { countSource, ensureSource } from '../../../src/store/sources/sources.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const rules = { mode: 'proxy', perItem: 10, verify: false, landingPages: false } as const;
const now = { iso: '2026-11-21T10:00:00Z', milliseconds: Date.parse('2026-11-21T10:00:00Z') };
const { signal } = new AbortController();

let sources = 0;

describeOnBoth('sweep', (open) => {
  let database: Database;
  let source: string;
  let lease: Lease;
  let run: Run;

  async function pass(items: readonly SourceItem[]): Promise<void> {
    run = await startRun(database.writer, {
      sourceId: lease.sourceId,
      mode: 'full',
      selection: '{}',
      since: undefined,
      startedAt: now.iso,
    });
    const page = { problems: [], checkpoint: undefined, files: rules };
    for (const item of items)
      await storePage(database, lease, run, { ...page, items: [mapItem(source, item)] }, now);
  }

  const clear = (which: Swept) => sweep(database, lease, run.id, which, () => now, signal);

  async function living(): Promise<string[]> {
    const rows: { path: string }[] = await database
      .reader('resource')
      .where({ source_id: lease.sourceId })
      .whereNull('deleted_at')
      .orderBy('path')
      .select('path');
    return rows.map(({ path }) => path.replace(`${source}/items/`, ''));
  }

  const unsettled = async (): Promise<string[]> =>
    (
      await database.reader('item').where({ source_id: lease.sourceId, unsettled: 1 }).select('identifier')
    ).map(({ identifier }: { identifier: string }) => identifier);

  beforeEach(async () => {
    database = open().database;
    sources += 1;
    source = `swept-${sources}`;
    await ensureSource(database, source, now.iso);
    lease = await acquireLease(database, source, now.milliseconds);
    await pass([...both('1', 2), ...both('2', 1), ...both('3', 0)]);
  });

  test('files vanish with the last metadata of their item, and are no reason to delete or to hesitate', async () => {
    await pass([...both('2', 1), ...both('3', 0)]);
    expect(await countUnseen(database.reader, lease.sourceId, run.id)).toEqual({ unseen: 2, total: 6 });
    expect(await clear({})).toBe(4);
    expect(await living()).toEqual([
      '2/files/1-a.pdf',
      '2/mods.xml',
      '2/oai_dc.xml',
      '3/mods.xml',
      '3/oai_dc.xml',
    ]);
    expect(await unsettled()).toEqual([]);
    expect(await findRun(database.reader, run)).toMatchObject({ deleted: 4 });
    expect(await countSource(database.reader, lease.sourceId, now.iso)).toMatchObject({ resources: 5 });
    expect(await clear({})).toBe(0);
  });

  test('what is left of an item has links to follow: it is unsettled', async () => {
    await pass([item('1', 'mods', 2), ...both('2', 1), ...both('3', 0)]);
    expect(await clear({})).toBe(1);
    expect(await living()).toContain('1/files/2-a.pdf');
    expect(await unsettled()).toEqual(['1']);
  });

  test('only what was chosen goes, and nothing of it that was met', async () => {
    await pass([item('1', 'mods', 2)]);
    const [two, three, one] = await listUnseenItems(database.reader, lease.sourceId, run.id, 10).then(
      (found) => [...found].sort((a, b) => b.formats.length - a.formats.length),
    );
    expect(one).toMatchObject({ identifier: '1', formats: ['oai_dc'] });
    expect([two?.identifier, three?.identifier]).toEqual(['2', '3']);
    expect(await clear({ items: [one?.id ?? 0, two?.id ?? 0] })).toBe(4);
    expect(await living()).toEqual([
      '1/files/1-a.pdf',
      '1/files/2-a.pdf',
      '1/mods.xml',
      '3/mods.xml',
      '3/oai_dc.xml',
    ]);
    expect(await clear({ formatsOtherThan: ['mods'] })).toBe(1);
    expect(await living()).toContain('3/mods.xml');
  });

  test('those that were not met for the longest time come first', async () => {
    await pass([...both('1', 2)]);
    await pass([]);
    const found = await listUnseenItems(database.reader, lease.sourceId, run.id, 2);
    expect(found.map(({ identifier }) => identifier)).toEqual(['2', '3']);
  });

  test('one item goes with all that it has, and only by whoever holds the source, who keeps it', async () => {
    const later = { iso: '2026-11-21T10:00:50Z', milliseconds: now.milliseconds + 50_000 };
    expect(await removeItem(database, lease, run, '1', later)).toBe(4);
    expect(await removeItem(database, lease, run, '1', later)).toBe(0);
    expect(await removeItem(database, lease, run, 'nobody', later)).toBe(0);
    expect(await living()).toHaveLength(5);
    expect(await findRun(database.reader, run)).toMatchObject({ deleted: 4 });
    const acquire = (milliseconds: number) => acquireLease(database, source, milliseconds);
    await expect(acquire(later.milliseconds + 30_000)).rejects.toMatchObject({ code: 'lease-held' });
    await acquire(later.milliseconds + 60_000);
    await expect(removeItem(database, lease, run, '2', later)).rejects.toMatchObject({ code: 'lease-lost' });
    expect(await living()).toHaveLength(5);
  });
});

function both(identifier: string, files: number): SourceItem[] {
  return [item(identifier, 'mods', files), item(identifier, 'oai_dc', files)];
}

function item(identifier: string, format: string, files: number): SourceItem {
  return {
    identifier,
    datestamp: '2020-01-01T00:00:00Z',
    collections: [],
    speaksFor: { formats: [format], files: { name: 'mods', rank: 1 } },
    deleted: false,
    metadata: [{ format, content: Buffer.from(`<${format}>${identifier}</${format}>`) }],
    files: Array.from({ length: files }, (_, index) => ({
      url: `https://repo.example.org/${identifier}/${index + 1}/a.pdf`,
      name: 'a.pdf',
      sequence: index + 1,
    })),
  };
}

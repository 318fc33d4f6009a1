import type { SourceItem } from '../../../src/core/adapter.ts';
import { mapItem } from '../../../src/core/mapping/mapping.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { storePage } from '../../../src/store/pages/store-page.ts';
import { acquireLease, type Lease } from '../../../src/store/runs/leases.ts';
import { startRun } from '../../../src/store/runs/runs.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';

/** Stores items as a harvest of that moment would, with their versions and the journal. */
export type StoreAt = (iso: string, ...items: readonly Partial<SourceItem>[]) => Promise<void>;

export function storing(database: Database, source = 'kyushu'): StoreAt {
  let held: Lease | undefined;
  return async (iso, ...items) => {
    const now = { iso, milliseconds: Date.parse(iso) };
    await ensureSource(database, source, iso);
    held ??= await acquireLease(database, source, now.milliseconds);
    const { sourceId } = held;
    const began = { sourceId, mode: 'full', selection: '{}', since: undefined, startedAt: iso } as const;
    const run = await startRun(database.writer, began);
    const page = { items: items.map((item) => mapItem(source, whole(item))), problems: [], checkpoint: {} };
    await storePage(database, held, run, page, now);
  };
}

/** Who says that an item is deleted says so of every format. */
function whole(item: Partial<SourceItem>): SourceItem {
  const formats = item.deleted ? ['oai_dc', 'mods'] : (item.metadata ?? []).map(({ format }) => format);
  return {
    identifier: 'oai:x:1',
    datestamp: undefined,
    collections: [],
    speaksFor: { formats, files: undefined },
    deleted: false,
    metadata: [],
    files: [],
    ...item,
  };
}

/** One format of an item. */
export function payload(text: string, format = 'oai_dc'): SourceItem['metadata'][number] {
  return { format, content: Buffer.from(`<dc xmlns="urn:dc">${text}</dc>`) };
}

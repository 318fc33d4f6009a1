import { beforeEach, expect, test } from 'vitest';
import type { SourceItem } from '../../../src/core/adapter.ts';
import { mapItem } from '../../../src/core/mapping/mapping.ts';
import { patchRelation } from '../../../src/core/resource.ts';
import { type ResourceSet, resourceSets } from '../../../src/core/resource-set.ts';
import { applyXmlPatch } from '../../../src/core/xml/xml-patch.ts';
import { findPatch } from '../../../src/store/changes/patches.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { listPatchPaths } from '../../../src/store/history/resource-states.ts';
import { storePage } from '../../../src/store/pages/store-page.ts';
import {
  type ChangeEntry,
  listChanges,
  listResources,
  type ResourceEntry,
} from '../../../src/store/reading/listing.ts';
import { withLinks } from '../../../src/store/rows/link-forms.ts';
import { acquireLease, type Lease } from '../../../src/store/runs/leases.ts';
import { type Run, startRun } from '../../../src/store/runs/runs.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { readBlob } from '../../house/store/read-blob.ts';

let sources = 0;

describeOnBoth('patches', (open) => {
  let database: Database;
  let source: string;
  let lease: Lease;
  let run: Run;
  let hour = 0;

  async function store(items: readonly SourceItem[], patches = true): Promise<void> {
    hour += 1;
    const iso = `2026-11-21T${String(hour).padStart(2, '0')}:00:00Z`;
    const mapped = items.map((item) => mapItem(source, item));
    const page = { items: mapped, problems: [], checkpoint: undefined, patches };
    await storePage(database, lease, run, page, { iso, milliseconds: Date.parse(iso) });
    // The same item again belongs to the next run.
    await begin();
  }

  async function begin(): Promise<void> {
    run = await startRun(database.writer, {
      sourceId: lease.sourceId,
      mode: 'incremental',
      selection: '{}',
      since: undefined,
      startedAt: '2026-11-21T00:00:00Z',
    });
  }

  async function changes(set = whole()): Promise<ChangeEntry[]> {
    const entries: ChangeEntry[] = [];
    for await (const page of listChanges(database.reader, set, { afterSeq: 0 })) entries.push(...page);
    return entries;
  }

  async function resources(): Promise<ResourceEntry[]> {
    const entries: ResourceEntry[] = [];
    for await (const page of listResources(database.reader, whole())) entries.push(...page);
    return entries;
  }

  function whole(): ResourceSet {
    const [set] = resourceSets(source);
    if (!set) throw new Error('a source has a set');
    return set;
  }

  const patchOf = (entry: ChangeEntry | undefined) => entry?.links.find(({ rel }) => rel === patchRelation);
  const bytesOf = async (hash: string | undefined) =>
    (await readBlob(database.reader, hash ?? '')) ?? new Uint8Array();

  beforeEach(async () => {
    database = open().database;
    sources += 1;
    source = `patched-${sources}`;
    hour = 0;
    await ensureSource(database, source, '2026-11-21T00:00:00Z');
    lease = await acquireLease(database, source, Date.parse('2026-11-21T00:00:00Z'));
    await begin();
  });

  test('RS-LN-10, RS-LN-11: an update has a patch that makes its bytes of those before', async () => {
    await store([item('1', 'old'), item('2', 'stays')]);
    await store([item('1', 'new'), item('2', 'stays')]);
    const [first, , updated] = await changes();
    const link = patchOf(updated);
    expect(link).toMatchObject({ type: 'application/xml-patch+xml', length: expect.any(Number) });
    expect(link?.href).toBe(`${source}/patches/3-${link?.hash?.slice(8, 24)}.xml`);
    const [before, patch, after] = await Promise.all([first, link, updated].map((of) => bytesOf(of?.hash)));
    expect(patch?.byteLength).toBe(link?.length);
    expect(Buffer.from(applyXmlPatch(before ?? new Uint8Array(), patch ?? new Uint8Array()))).toEqual(
      Buffer.from(after ?? []),
    );
    expect(patchOf(first)).toBeUndefined();
  });

  test('only XML has them: not JSON, nor what was something else before', async () => {
    const json = (body: string) => {
      const content = Buffer.from(`{"body":"${body}","rest":"${'It stays as it is. '.repeat(20)}"}`);
      return { ...item('1', ''), metadata: [{ format: 'oai_dc', content, mediaType: 'application/json' }] };
    };
    await store([json('old')]);
    await store([json('new')]);
    const [created, updated] = await changes();
    expect(created?.path.endsWith('/oai_dc.json')).toBe(true);
    expect(updated).toMatchObject({ change: 'updated' });
    expect(patchOf(updated)).toBeUndefined();
  });

  test('RS-LN-12: a resource never has the link, so that what is harvested again changes nothing', async () => {
    await store([item('1', 'old')]);
    await store([item('1', 'new')]);
    await store([item('1', 'new')]);
    expect(await changes()).toHaveLength(2);
    const [resource] = await resources();
    expect(resource?.links.map(({ rel }) => rel)).toEqual(['canonical']);
    const rows: { links_before: string | null }[] = await database
      .reader('change')
      .select('links_before')
      .where({ source_id: lease.sourceId });
    expect(rows.map((row) => row.links_before)).toEqual([null, null]);
    await store([item('1', 'newer', ['a'])]);
    const last: { links_before: string; path: string }[] = await database
      .reader('change')
      .join('resource', 'resource.id', 'change.resource_id')
      .where({ 'change.source_id': lease.sourceId, seq: 3 })
      .select('links_before', 'path');
    const [before] = await withLinks(database.reader, last, ['links_before']);
    expect(before?.links_before).toContain('canonical');
    expect(before?.links_before).not.toContain(patchRelation);
  });

  test('all that a resource ever had are found, so that they can go with it', async () => {
    await store([item('1', 'old'), item('2', 'old')]);
    await store([item('1', 'new'), item('2', 'new')]);
    await store([item('1', 'newer')]);
    const made = (await changes()).flatMap((entry) =>
      entry.path.includes('1/') ? (patchOf(entry)?.href ?? []) : [],
    );
    expect(made).toHaveLength(2);
    const path = (await resources()).find((resource) => resource.path.includes('1/'))?.path ?? '';
    expect([...(await listPatchPaths(database.reader, source, [path]))].sort()).toEqual(made.sort());
  });

  test('only an update with new bytes has one: not a creation, a move, a deletion, or what came back', async () => {
    await store([item('1', 'old')]);
    await store([item('1', 'old', ['a'])]);
    await store([{ ...item('1', ''), deleted: true, metadata: [] }]);
    await store([item('1', 'new')]);
    const entries = await changes();
    expect(entries.map(({ change }) => change)).toEqual(['created', 'updated', 'deleted', 'created']);
    expect(entries.filter(patchOf)).toEqual([]);
  });

  test('what an update brings into a set has no version before in it', async () => {
    const set = { ...whole(), filter: { collections: ['a'] } };
    await store([item('1', 'old')]);
    await store([item('1', 'new', ['a'])]);
    await store([item('1', 'newer', ['a'])]);
    const [created, updated] = await changes(set);
    expect([created?.change, patchOf(created)]).toEqual(['created', undefined]);
    expect([updated?.change, patchOf(updated)?.rel]).toEqual(['updated', patchRelation]);
  });

  test.each(['off', 'damaged', 'missing', 'not XML'])(
    'there is none where it is %s, and the update is stored',
    async (how) => {
      await store([item('1', 'old')]);
      const [{ hash } = {}] = await changes();
      const blob = database.writer('blob').where({ hash: hash ?? '' });
      if (how === 'damaged') await blob.update({ data: Buffer.from('x'), coding: 'identity' });
      if (how === 'missing') await blob.delete();
      const next = item('1', how === 'not XML' ? '<' : 'new');
      await store([next], how !== 'off');
      const [, updated] = await changes();
      expect([updated?.change, patchOf(updated)]).toEqual(['updated', undefined]);
    },
  );

  test('only what the change itself names is found', async () => {
    await store([item('1', 'old'), item('2', 'other')]);
    await store([item('1', 'new')]);
    const link = patchOf((await changes())[2]);
    const path = link?.href ?? '';
    const find = (seq: number, at: string) => findPatch(database.reader, source, seq, at);
    expect(await find(3, path)).toMatchObject({
      path,
      hash: link?.hash,
      at: '2026-11-21T02:00:00Z',
      deletedAt: undefined,
    });
    expect(await find(1, path)).toBeUndefined();
    expect(await find(3, path.replace('.xml', '0.xml'))).toBeUndefined();
    expect(await findPatch(database.reader, 'nobody', 3, path)).toBeUndefined();
    await store([{ ...item('1', ''), deleted: true, metadata: [] }]);
    expect(await find(3, path)).toMatchObject({ deletedAt: '2026-11-21T03:00:00Z' });
  });
});

function item(name: string, body: string, collections: readonly string[] = []): SourceItem {
  const content = `<dc xmlns="urn:dc"><title>${body}</title><about>${'It stays as it is. '.repeat(20)}${name}</about></dc>`;
  return {
    identifier: `oai:x:${name}`,
    datestamp: '2020-01-01T00:00:00Z',
    collections,
    speaksFor: { formats: ['oai_dc'], files: undefined },
    deleted: false,
    metadata: [{ format: 'oai_dc', content: Buffer.from(content) }],
    files: [],
  };
}

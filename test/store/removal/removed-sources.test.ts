import { expect, test } from 'vitest';
import {
  deleteAll,
  isRemoved,
  listKnownSources,
  purgeSource,
} from '../../../src/store/removal/removed-sources.ts';
import { recordVanished } from '../../../src/store/runs/vanished.ts';
import { ensureSource, findSource } from '../../../src/store/sources/sources.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { ToldSource } from '../../house/store/told-source.ts';

const { signal } = new AbortController();

describeOnBoth('a source that is removed', (open) => {
  const stocked = async (name: string) => {
    const source = await ToldSource.open(open().database, name);
    const problem = { code: 'list-doubtful', message: 'm', identifier: undefined, format: 'x' } as const;
    await source.tell(
      {
        1: {
          formats: { oai_dc: 'of all', mods: `of ${name}` },
          files: ['https://x.example.org/1'],
          collections: ['a'],
        },
        2: {},
      },
      'full',
      [problem, { ...problem, code: 'record-quarantined', identifier: '7' }],
    );
    await source.tell({ 1: { formats: { mods: `new of ${name}` } } });
    const pass = await source.tell({ 1: {} }, 'full', [problem]);
    await recordVanished(source.database, source.lease, pass, source.moment());
    return source;
  };
  const hashesOf = (source: ToldSource) =>
    source.database.reader('released').where({ source_id: source.id }).orderBy('hash').pluck('hash');

  test('is deleted as its journal tells, over as many calls as it takes, and read anew should it come back', async () => {
    const source = await stocked('kyoto');
    const { database, lease } = source;
    const selected = { as_of: source.now, selection: '{}', last_full_at: source.now };
    await database.writer('source').where({ id: source.id }).update(selected);
    const many = Array.from({ length: 600 }, (_, at) => [`many-${at}`, {}]);
    await source.tell(Object.fromEntries(many));
    expect(await isRemoved(database.reader, 'kyoto')).toBe(false);
    const stop = new AbortController();
    const stopping = () => {
      stop.abort();
      return source.moment();
    };
    await expect(deleteAll(database, lease, stopping, stop.signal)).rejects.toThrow('abort');
    expect(await source.living()).toHaveLength(103);
    expect(await isRemoved(database.reader, 'kyoto')).toBe(false);
    await source.begin('full');
    expect(await deleteAll(database, lease, source.moment, signal)).toBe(103);
    expect(await source.living()).toEqual([]);
    const told = await database
      .reader('change')
      .where({ source_id: source.id, kind: 'deleted', at: source.now });
    expect(told).toHaveLength(103);
    expect(await isRemoved(database.reader, 'kyoto')).toBe(true);
    expect(await isRemoved(database.reader, 'ky\0oto')).toBe(false);
    expect(await isRemoved(database.reader, 'nowhere')).toBe(false);
    expect(await listKnownSources(database.reader)).toEqual([{ name: 'kyoto', removedAt: source.now }]);
    expect(await findSource(database.reader, 'kyoto')).toMatchObject({
      asOf: undefined,
      selection: undefined,
      lastFullAt: undefined,
    });
    await ensureSource(database, 'kyoto', source.now);
    expect(await isRemoved(database.reader, 'kyoto')).toBe(false);
    await source.tell({ 2: {} });
    expect(await source.living()).toEqual(['2/oai_dc.xml']);
  });

  test('leaves no row behind when it is purged, and gives up its bytes alone', async () => {
    const source = await stocked('nara');
    const { database, lease } = source;
    const other = await stocked('osaka');
    const [kept, former] = ['a', 'b'].map((digit) => `sha-256:${digit.repeat(64)}`);
    const file = { source_id: source.id, outcome: 'confirmed', failures: 0 };
    await database.writer('remote_file').where({ source_id: source.id }).delete();
    await database.writer('remote_file').insert([
      { ...file, url: 'https://x.example.org/1', content_hash: kept },
      { ...file, url: 'https://x.example.org/2', content_hash: null },
    ]);
    const [item] = await database.reader('item').where({ source_id: source.id }).pluck('id');
    const prior = { source_id: source.id, item_id: item, number: 1 };
    await database.writer('prior_version').insert({ ...prior, at: source.now });
    await database.writer('prior_representation').insert([
      { ...prior, kind: 'metadata', format: 'mods', sequence: 0, hash: former },
      { ...prior, kind: 'file', format: 'file', sequence: 1, hash: `sha-256:${'c'.repeat(64)}` },
    ]);
    const versions = await database
      .reader('version')
      .join('resource', 'resource.id', 'version.resource_id')
      .where('resource.source_id', source.id)
      .whereNotNull('version.hash')
      .pluck('version.hash');
    await database
      .writer('series')
      .insert({ source_id: source.id, name: 'items', day: '2026-11-21', value: 2 });
    await database.writer('run_settings').insert({ source_id: source.id, run_id: 1, settings: '[]' });
    await deleteAll(database, lease, source.moment, signal);
    const stop = AbortSignal.abort();
    await expect(purgeSource(database, lease, source.moment, stop)).rejects.toThrow('abort');
    const before = await counts(other);
    await purgeSource(database, lease, source.moment, signal);
    expect(await counts(source)).toEqual({});
    expect(await counts(other)).toEqual(before);
    expect(Object.keys(before)).toEqual(
      expect.arrayContaining(['change', 'collection', 'item', 'moment', 'resource', 'run', 'unread_part']),
    );
    expect(new Set(await hashesOf(source))).toEqual(new Set([...versions, kept, former]));
    expect((await listKnownSources(database.reader)).map(({ name }) => name)).not.toContain('nara');
    const lost = {
      problem: 'run',
      version: 'resource',
      item_collection: 'item',
      item_file: 'item',
      prior_version: 'item',
    };
    for (const [table, of] of Object.entries(lost)) {
      const orphans = await database
        .reader(table)
        .leftJoin(of, `${of}.id`, `${table}.${of}_id`)
        .whereNull(`${of}.id`);
      expect([table, orphans.length]).toEqual([table, 0]);
    }
  });

  /** Rows of a source, by the table. */
  async function counts({ database, id }: ToldSource): Promise<Record<string, number>> {
    const found: Record<string, number> = {};
    for (const table of [
      ...['change', 'collection', 'item', 'item_file', 'moment', 'remote_file', 'resource', 'run'],
      ...['unread_part', 'unreadable', 'vanished', 'file_tally', 'file_recount'],
    ]) {
      const rows = await database.reader(table).where({ source_id: id });
      if (rows.length > 0) found[table] = rows.length;
    }
    return found;
  }
});

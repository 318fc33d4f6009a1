import { beforeEach, expect, test } from 'vitest';
import type { Problem } from '../../../src/core/adapter.ts';
import { excuseUnlisted, findAbsent, storeListed } from '../../../src/store/pages/identifier-pass.ts';
import { countUnseen, listUnseenItemsAfter } from '../../../src/store/pages/sweep.ts';
import { findRun, type Run } from '../../../src/store/runs/runs.ts';
import { readSeen } from '../../../src/store/runs/seen.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { listProblems } from '../../house/store/told-problems.ts';
import { ToldSource } from '../../house/store/told-source.ts';

let names = 0;

describeOnBoth('a look through the list of identifiers', (open) => {
  let source: ToldSource;
  let run: Run<'identifiers'>;
  beforeEach(async () => {
    names += 1;
    source = await ToldSource.open(open().database, `listed-${names}`);
    await source.tell({
      1: { formats: { oai_dc: '1', mods: '1' } },
      2: {},
      3: { formats: { mods: '3' } },
      4: { formats: { mods: '4', ese: '4' } },
      5: {},
    });
    await source.tell({ 5: { deleted: true } });
    run = await source.begin('identifiers');
  });

  const list = (
    identifiers: readonly string[],
    problems: readonly Problem[] = [],
    checkpoint?: { token: string },
  ) =>
    storeListed(
      source.database,
      source.lease,
      run,
      { identifiers, entries: identifiers.length + 1, problems, checkpoint },
      source.moment(),
    );
  const unseen = async (): Promise<string[]> =>
    (await listUnseenItemsAfter(source.database.reader, source.id, run.id, 0, 10)).map(
      ({ identifier, formats }) => `${identifier} ${formats.join(' ')}`,
    );

  test('has met an item in all its formats, and goes on where it left off', async () => {
    const { reader } = source.database;
    expect(await unseen()).toEqual(['1 oai_dc mods', '2 oai_dc', '3 mods', '4 mods ese']);
    expect(await list(['1', '9'], [], { token: 'next' })).toEqual({ problems: 0, unidentified: 0 });
    await list([]);
    expect(await unseen()).toEqual(['2 oai_dc', '3 mods', '4 mods ese']);
    expect(await countUnseen(reader, source.id, run.id)).toEqual({ unseen: 4, total: 6 });
    expect(await findRun(reader, run)).toMatchObject({
      ...{ pages: 2, items: 4, created: 0, updated: 0, deleted: 0, unchanged: 0, problems: 0 },
      checkpoint: { token: 'next' },
    });
    // A harvest that began later and met it, has met it.
    const later = await source.tell({ 2: {} }, 'full');
    await list(['2']);
    const rows: { id: number; path: string }[] = await reader('resource').where({ source_id: source.id });
    const ids = rows.map(({ id }) => id);
    const met = async ({ id: runId }: { readonly id: number }) => {
      const seen = await readSeen(reader, source.id, runId, ids);
      return rows.flatMap(({ id, path }) => (seen.has(id) ? [path.slice(path.indexOf('/items/'))] : []));
    };
    expect(await met(later)).toEqual(['/items/2/oai_dc.xml']);
    expect(await met(run)).toEqual(['/items/1/oai_dc.xml', '/items/1/mods.xml']);
  });

  test('counts what it could not read as doubts', async () => {
    const doubt = {
      code: 'list-doubtful',
      message: 'cut off',
      identifier: undefined,
      format: 'oai_dc',
    } as const;
    const empty = { ...doubt, empty: true, format: 'marc21' };
    const quirk = { ...doubt, code: 'endpoint-quirk' } as const;
    expect(await list(['1'], [doubt, empty, quirk])).toEqual({ problems: 3, unidentified: 1 });
    const { reader } = source.database;
    expect(await findRun(reader, run)).toMatchObject({ problems: 3, unidentified: 1 });
    expect(await listProblems(reader, run.id, 9)).toHaveLength(3);
    expect(await reader('unread_part').where({ run_id: run.id })).toHaveLength(2);
  });

  test('says nothing of items that are published in none of the listed formats', async () => {
    await list(['2']);
    await excuseUnlisted(source.database, source.lease, run.id, ['oai_dc', 'ese'], source.moment());
    expect(await unseen()).toEqual(['1 oai_dc mods', '4 mods ese']);
  });

  test('finds the items of which nothing is published', async () => {
    const { reader } = source.database;
    expect(await findAbsent(reader, source.id, ['1', '5', '7', '3'])).toEqual(['5', '7']);
    expect(await findAbsent(reader, source.id, [])).toEqual([]);
    expect(await findAbsent(reader, source.id + 1000, ['1'])).toEqual(['1']);
  });
});

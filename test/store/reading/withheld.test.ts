import { beforeEach, expect, test } from 'vitest';
import { resourceSets } from '../../../src/core/resource-set.ts';
import {
  findGivenUp,
  findWithheld,
  holdsHeldBack,
  holdsWithheld,
  type PackedRange,
  ruleOf,
  wasWithheldSince,
  withdrawnState,
} from '../../../src/store/reading/withheld.ts';
import { enforceWithdrawals, withdraw } from '../../../src/store/removal/withdrawals.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { ToldSource } from '../../house/store/told-source.ts';

const past = { ofDeleted: true };
const nothingDeleted = { ofDeleted: false };
let names = 0;

describeOnBoth('what may not be handed out', (open) => {
  let source: ToldSource;
  const seq = async (): Promise<number> =>
    (await source.database.reader('source').where({ id: source.id }).first('journal_seq')).journal_seq;
  const pathOf = (place: string) => `${source.name}/items/${place}`;
  const since = (at: number, rule = past) => wasWithheldSince(source.database.reader, source.name, at, rule);
  const takeDown = async (identifier: string) => {
    source.now = source.now.replace('T10', 'T11');
    await withdraw(
      source.database,
      { source: source.name, identifier, path: undefined },
      undefined,
      source.now,
    );
    await enforceWithdrawals(source.database, source.lease, source.moment());
  };
  /** Of the set of everything and of that of metadata. */
  const holds = async (range: PackedRange, from: number, rule = past) => {
    const found: boolean[] = [];
    for (const set of resourceSets(source.name))
      found.push(await holdsWithheld(source.database.reader, set, range, from, rule));
    return found;
  };

  beforeEach(async () => {
    names += 1;
    source = await ToldSource.open(open().database, `withheld-${names}`);
    await source.tell({ 1: { files: ['https://repo.example.org/1'] }, 2: {}, 3: {} });
  });

  test('are deleted files and what was withdrawn; deleted metadata, where its past is not served', async () => {
    const { reader } = source.database;
    const all = ['1/oai_dc.xml', '1/files/1-a.pdf', '2/oai_dc.xml', '3/oai_dc.xml'].map(pathOf);
    const withheld = async (rule: { ofDeleted: boolean }) =>
      [...(await findWithheld(reader, source.name, all, rule))]
        .map((path) => path.replace(pathOf(''), ''))
        .sort();
    expect([await withheld(past), await withheld(nothingDeleted)]).toEqual([[], []]);
    const before = await seq();
    await source.tell({ 2: { deleted: true } });
    expect([await since(before), await since(before, nothingDeleted)]).toEqual([false, true]);
    await source.tell({ 1: { deleted: true } });
    const after = await seq();
    expect([await since(before), await since(after)]).toEqual([true, false]);
    expect(await withheld(past)).toEqual(['1/files/1-a.pdf']);
    expect(await withheld(nothingDeleted)).toEqual(['1/files/1-a.pdf', '1/oai_dc.xml', '2/oai_dc.xml']);
    expect(await withdrawnState(reader, source.id)).toBe('');
    await takeDown('3');
    expect(await since(after)).toBe(true);
    expect(await withheld(past)).toEqual(['1/files/1-a.pdf', '3/oai_dc.xml']);
    const state = await withdrawnState(reader, source.id);
    await takeDown('2');
    expect(new Set(['', state, await withdrawnState(reader, source.id)]).size).toBe(3);
    expect((await findWithheld(reader, source.name, [], past)).size).toBe(0);
    expect((await findWithheld(reader, 'elsewhere', all, nothingDeleted)).size).toBe(0);
    expect(await wasWithheldSince(reader, 'nowhere', 0, past)).toBe(false);
    expect(await findGivenUp(reader, source.name, [...all, ...all])).toEqual(
      new Set([pathOf('2/oai_dc.xml'), pathOf('3/oai_dc.xml')]),
    );
  });

  test('is in the packages that have the changes which made it', async () => {
    const made = await seq();
    const packed = { afterSeq: 0, seq: made };
    await source.tell({ 4: {} });
    const grown = await seq();
    await source.tell({ 1: { deleted: true } });
    expect(await holds(packed, 0)).toEqual([true, false]);
    expect(await holds(packed, 0, nothingDeleted)).toEqual([true, true]);
    expect(await holds(packed, await seq())).toEqual([false, false]);
    expect(await holds({ afterSeq: made, seq: grown }, 0)).toEqual([false, false]);
    // The deletion itself brought no bytes into a package.
    expect(await holds({ afterSeq: grown, seq: await seq() }, 0)).toEqual([false, false]);
    const ids: number[] = await source.database
      .reader('resource')
      .where({ path: pathOf('1/files/1-a.pdf') })
      .pluck('id');
    const [id = 0] = ids.map(Number);
    expect(await holds({ ...packed, ids: [id, id] }, 0)).toEqual([true, false]);
    expect(await holds({ ...packed, ids: [id + 1, id + 9] }, 0)).toEqual([false, false]);
    // With ids: what was deleted before the moment of the package is not in it.
    expect(await holds({ afterSeq: 0, seq: await seq(), ids: [id, id] }, 0)).toEqual([false, false]);
    const nowhere = { ...resourceSets('nowhere')[0], source: 'nowhere', filter: {} };
    expect(await holdsWithheld(source.database.reader, nowhere, packed, 0, past)).toBe(false);
    expect(await holdsHeldBack(source.database.reader, nowhere, packed)).toBe(false);
  });

  test('is a file, too, whose server says no while its deletion waits', async () => {
    const packed = { afterSeq: 0, seq: await seq() };
    const { database, id } = source;
    const held = async (range: PackedRange = packed) => {
      const found: boolean[] = [];
      for (const set of resourceSets(source.name))
        found.push(await holdsHeldBack(database.reader, set, range));
      return found;
    };
    const url = 'https://repo.example.org/1';
    await database.writer('remote_file').where({ source_id: id, url }).delete();
    const file = { source_id: id, url, outcome: 'refused', failures: 0 };
    await database.writer('remote_file').insert(file);
    expect(await held()).toEqual([false, false]);
    await database.writer('remote_file').where({ source_id: id, url }).update({ withheld_at: source.now });
    expect(await held()).toEqual([true, false]);
    expect(await held({ afterSeq: packed.seq, seq: packed.seq + 9 })).toEqual([false, false]);
    expect([ruleOf({}), ruleOf({ ofDeleted: false })]).toEqual([past, nothingDeleted]);
  });
});

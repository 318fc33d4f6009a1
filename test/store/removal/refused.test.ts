import { expect, test } from 'vitest';
import { isPostgres } from '../../../src/store/engine/bulk.ts';
import { findMoments, findMomentsAtOnce } from '../../../src/store/history/moments.ts';
import { findLivingStates } from '../../../src/store/history/resource-states.ts';
import { findHistories } from '../../../src/store/history/timelines.ts';
import { holdsWithheld } from '../../../src/store/reading/withheld.ts';
import { findFormerHashes } from '../../../src/store/rows/former-pasts.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { readBlob } from '../../house/store/read-blob.ts';
import { ToldSource } from '../../house/store/told-source.ts';

let names = 0;

const textOf = (record: Uint8Array = Buffer.of()) => />(.*)</.exec(Buffer.from(record).toString())?.[1] ?? '';

describeOnBoth('what is withheld because a repository refuses it', (open) => {
  test('a file comes back once, with a delivery that names it, and with no other', async () => {
    const { database } = open();
    const source = await ToldSource.open(database, 'withheld');
    const files = ['https://files.example.org/1.pdf'];
    await source.tell({ a: { files } });
    await database
      .writer('resource')
      .where({ source_id: source.id, kind: 'file' })
      .update({ withdrawn_at: source.now, refused_at: source.now });
    const journal = async (): Promise<string[]> => {
      const rows: { kind: string }[] = await database
        .reader('change')
        .join('resource', 'resource.id', 'change.resource_id')
        .where({ 'change.source_id': source.id, 'resource.kind': 'file' })
        .orderBy('change.seq')
        .select('change.kind');
      return rows.map(({ kind }) => kind);
    };
    const withheld = () =>
      database.reader('resource').where({ source_id: source.id }).whereNotNull('withdrawn_at').pluck('kind');
    for (const text of ['second', 'third'])
      await source.tell({ a: { formats: { oai_dc: text }, files: 'untold' } });
    // It goes, and stays withheld.
    expect(await journal()).toEqual(['created', 'deleted']);
    expect(await withheld()).toEqual(['file']);
    for (const text of ['fourth', 'fifth']) await source.tell({ a: { formats: { oai_dc: text }, files } });
    expect(await journal()).toEqual(['created', 'deleted', 'created']);
    expect(await withheld()).toEqual([]);
    await source.close();
  });

  const [one, other] = ['8c0b0c1e', '1d4f5a6b'].map(
    (begin) => `https://repo.example.org/server/api/core/items/${begin}-0000-4000-8000-000000000000`,
  );

  test.each([
    ['another item', one, other, ['third']],
    ['the same item', one, one, ['first', 'second', 'third']],
    ['the same item at another address', one, one?.replace('/server', ''), ['first', 'second', 'third']],
    ['what does not say which item it is', one, undefined, ['first', 'second', 'third']],
    [
      'another address of a repository without items',
      'https://repo.example.org/oai?identifier=a',
      'https://www.example.org/oai?identifier=a',
      ['first', 'second', 'third'],
    ],
  ] as const)('its past comes back with %s as it should', async (_, before, now, expected) => {
    const { database } = open();
    names += 1;
    const source = await ToldSource.open(database, `shown-${names}`);
    const path = `${source.name}/items/a/oai_dc.xml`;
    const told = (text: string, at: string | undefined) =>
      source.tell({ a: { formats: { oai_dc: text }, ...(at === undefined ? {} : { at }) } });
    /** Words of the mementos, by both ways to them. */
    const past = async () => {
      const moments = isPostgres(database.reader)
        ? await findMoments(database.reader, path)
        : findMomentsAtOnce(database.reader, path);
      const history = (await findHistories(database.reader, source.name, [path])).get(path);
      const mementos = history?.timeline.mementos ?? [];
      expect(moments?.timeline.mementos.map(({ datetime }) => datetime)).toEqual(
        mementos.map(({ datetime }) => datetime),
      );
      const words: string[] = [];
      for (const { hash = '' } of mementos) words.push(textOf(await readBlob(database.reader, hash)));
      return words;
    };
    const seq = async () =>
      Number((await database.reader('source').where({ id: source.id }).first()).journal_seq);
    const set = { source: source.name, filter: {} };
    const packed = async (upTo: number, since: number) =>
      holdsWithheld(database.reader, set, { afterSeq: 0, seq: upTo }, since, { ofDeleted: true });
    await told('first', before);
    await told('second', before);
    const published = await seq();
    await source.tell({ a: { refused: true } });
    const refused = await seq();
    expect(await packed(published, published)).toBe(true);
    await told('third', now);
    expect(await past()).toEqual(expected);
    const isWithheld = expected.length === 1;
    expect(await packed(published, published)).toBe(isWithheld);
    expect(await packed(await seq(), refused)).toBe(false);
    const former = (await findFormerHashes(database.reader, source.id, [path, path])).get(path);
    expect(former?.size).toBe(isWithheld ? 2 : undefined);
    const [state] = await findLivingStates(database.reader, source.name, published, [path]);
    expect(state?.withdrawnAt !== undefined).toBe(isWithheld);
    // What is merely gone is told of, and that is what was public.
    await source.tell({ a: { deleted: true } });
    expect(await past()).toEqual(expected);
    expect(await packed(await seq(), (await seq()) - 1)).toBe(false);
    await source.close();
  });
});

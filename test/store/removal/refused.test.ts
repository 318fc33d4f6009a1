import { expect, test } from 'vitest';
import { describeOnBoth } from '../../house/store/databases.ts';
import { ToldSource } from '../../house/store/told-source.ts';

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
});

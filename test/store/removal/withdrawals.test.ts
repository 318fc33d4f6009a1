import { beforeEach, expect, test } from 'vitest';
import {
  endWithdrawals,
  enforceWithdrawals,
  findWithdrawals,
  findWithdrawalsAt,
  listLatestWithdrawals,
  listWithdrawals,
  readWithdrawn,
  withdraw,
} from '../../../src/store/removal/withdrawals.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { ToldSource } from '../../house/store/told-source.ts';

const urlOf = (item: number) => `https://repo.example.org/${item}/a.pdf`;
let names = 0;

describeOnBoth('what the operator withdraws', (open) => {
  let source: ToldSource;
  beforeEach(async () => {
    names += 1;
    source = await ToldSource.open(open().database, `withdrawn-${names}`);
    await tell();
  });
  const tell = (text = 'one') =>
    source.tell({
      1: { formats: { oai_dc: text, mods: text }, files: [urlOf(1)] },
      2: { formats: { oai_dc: text, mods: text }, files: [urlOf(2)] },
      3: { formats: { oai_dc: text } },
    });
  const pathOf = (place: string) => `${source.name}/items/${place}`;
  const target = (identifier: string, place?: string) => ({
    source: source.name,
    identifier,
    path: place === undefined ? undefined : pathOf(place),
  });
  const takeDown = (identifier: string, place?: string, reason?: string) =>
    withdraw(source.database, target(identifier, place), reason, source.now);
  const enforce = () => enforceWithdrawals(source.database, source.lease, source.moment());
  const restore = (identifier: string, place?: string) =>
    endWithdrawals(source.database, [target(identifier, place)]);
  const journal = async (): Promise<string[]> => {
    const rows: { kind: string; path: string }[] = await source.database
      .reader('change')
      .join('resource', 'resource.id', 'change.resource_id')
      .where('change.source_id', source.id)
      .where('change.at', source.now)
      .orderBy('change.seq')
      .select('change.kind', 'resource.path');
    return rows.map(({ kind, path }) => `${kind} ${path.replace(`${source.name}/items/`, '')}`);
  };

  test('is deleted with its bytes, and stays away whatever the repository delivers', async () => {
    expect(await takeDown('1', undefined, 'asked by the author')).toEqual([source.name]);
    // The first reason stays.
    await takeDown('1', undefined, 'another');
    expect(await enforce()).toBe(3);
    expect(await source.living()).toEqual(['2/files/1-a.pdf', '2/mods.xml', '2/oai_dc.xml', '3/oai_dc.xml']);
    const kept = await source.database
      .reader('version')
      .join('resource', 'resource.id', 'version.resource_id')
      .where('version.gone', 0)
      .whereNull('version.dropped_at')
      .where('resource.source_id', source.id)
      .whereLike('resource.path', pathOf('1/%'));
    expect(kept).toEqual([]);
    expect(await enforce()).toBe(0);
    await tell('two');
    expect(await journal()).toEqual(expect.not.arrayContaining([expect.stringMatching(/ 1\//)]));
    expect(await source.living()).toHaveLength(4);
    const [row] = await listWithdrawals(source.database.reader, [source.name]);
    expect(row).toEqual({ ...target('1'), reason: 'asked by the author', at: expect.any(String) });
  });

  test('is one format or one file, if only that was named', async () => {
    await takeDown('1', '1/mods.xml');
    await takeDown('2', '2/files/1-a.pdf');
    expect(await enforce()).toBe(2);
    await tell('two');
    expect(await source.living()).toEqual([
      '1/files/1-a.pdf',
      '1/oai_dc.xml',
      '2/mods.xml',
      '2/oai_dc.xml',
      '3/oai_dc.xml',
    ]);
    const { reader } = source.database;
    const found = await readWithdrawn(reader, source.name, ['1', '2', '3']);
    expect(found).toEqual(
      new Map([
        [
          '1',
          {
            whole: false,
            paths: new Set([pathOf('1/mods.xml')]),
            formats: new Set(['mods']),
            urls: new Set(),
          },
        ],
        [
          '2',
          {
            whole: false,
            paths: new Set([pathOf('2/files/1-a.pdf')]),
            formats: new Set(),
            urls: new Set([urlOf(2)]),
          },
        ],
      ]),
    );
    expect((await readWithdrawn(reader, source.name, [])).size).toBe(0);
    expect(await findWithdrawals(reader, source.name, '1')).toEqual([
      { ...target('1', '1/mods.xml'), reason: undefined, at: expect.any(String) },
    ]);
    expect(await findWithdrawalsAt(reader, pathOf('2/files/1-a.pdf'))).toMatchObject([{ identifier: '2' }]);
    expect(await findWithdrawals(reader, 'elsewhere', '1')).toEqual([]);
  });

  test('is told once more where it had been deleted before: its past goes now', async () => {
    await source.tell({ 3: { deleted: true } });
    await source.begin('full');
    await takeDown('3');
    expect(await enforce()).toBe(1);
    expect(await journal()).toEqual(['deleted 3/oai_dc.xml']);
    expect(await enforce()).toBe(0);
  });

  test('comes back with the next delivery once it is restored, but not what was withdrawn for itself', async () => {
    await takeDown('1', '1/mods.xml');
    await takeDown('1');
    await takeDown('2');
    await enforce();
    await restore('1');
    await tell('two');
    expect(await source.living()).toEqual(['1/files/1-a.pdf', '1/oai_dc.xml', '3/oai_dc.xml']);
    const withdrawn = await source.database
      .reader('resource')
      .where({ source_id: source.id })
      .whereNotNull('withdrawn_at')
      .orderBy('path')
      .pluck('path');
    expect(withdrawn).toEqual(['1/mods.xml', '2/files/1-a.pdf', '2/mods.xml', '2/oai_dc.xml'].map(pathOf));
    await restore('1', '1/mods.xml');
    await tell('three');
    expect(await source.living()).toContain('1/mods.xml');
    expect(await listWithdrawals(source.database.reader, [source.name])).toMatchObject([{ identifier: '2' }]);
  });

  test('can be what has never been there, by more resources than one transaction takes', async () => {
    await takeDown('9');
    expect(await enforce()).toBe(0);
    const formats = Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`f${at}`, 'x']));
    await source.tell({ 8: { formats }, 9: { formats } });
    expect((await source.living()).filter((path) => /^[89]/.test(path))).toHaveLength(250);
    await takeDown('8');
    expect(await enforce()).toBe(250);
  });

  test('what is taken down is listed page by page, the latest first, of sources that there are', async () => {
    const { database } = source;
    await database.writer('withdrawal').delete();
    const row = { source: source.name, path: '', at: source.now };
    const identifiers = Array.from({ length: 7 }, (_, n) => `oai:many:${n}`);
    for (const identifier of identifiers) await database.writer('withdrawal').insert({ ...row, identifier });
    await database.writer('withdrawal').insert({ ...row, source: 'long-gone', identifier: 'oai:gone:1' });
    const seen: string[] = [];
    for (let before: number | undefined; ; ) {
      const some = await listLatestWithdrawals(database.reader, { before, limit: 3 });
      seen.push(...some.map(({ identifier }) => identifier));
      before = some.at(-1)?.id;
      if (before === undefined) break;
    }
    expect(seen).toEqual(identifiers.reverse());
  });
});

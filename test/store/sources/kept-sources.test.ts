import { expect, test } from 'vitest';
import { readEdition } from '../../../src/store/sources/edition.ts';
import {
  changeKeptSource,
  forgetKeptSource,
  keepSources,
  listKeptSources,
} from '../../../src/store/sources/kept-sources.ts';
import { pauseSources, readPauses, resumeSources } from '../../../src/store/sources/pauses.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const now = '2026-11-22T00:00:00Z';
const url = 'https://repo.example.org/oai';

describeOnBoth('sources of the database', (open) => {
  test('one that is there stays as it is, and those who look hear of each change', async () => {
    const { database } = open();
    const before = await readEdition(database.reader);
    const some = [
      { name: 'b', settings: { url } },
      { name: 'a', settings: { url, files: { mode: 'none' } } },
    ];
    expect(await keepSources(database, some, now)).toEqual(['b', 'a']);
    expect(
      await keepSources(database, [{ name: 'a', settings: { url: 'http://other.example.org' } }], now),
    ).toEqual([]);
    expect(await listKeptSources(database.reader)).toEqual([some[1], some[0]]);
    expect(await readEdition(database.reader)).toBe(before + 2);
  });

  test('a change that cannot be made leaves everything as it was', async () => {
    const { database } = open();
    const before = await readEdition(database.reader);
    const refuse = () => {
      throw new Error('not like this');
    };
    await expect(changeKeptSource(database, 'a', refuse, now)).rejects.toThrow('not like this');
    expect(await readEdition(database.reader)).toBe(before);
    expect(await changeKeptSource(database, 'a', (settings) => ({ ...settings, schedule: false }), now)).toBe(
      true,
    );
    expect(await changeKeptSource(database, 'nobody', refuse, now)).toBe(false);
    const [a] = await listKeptSources(database.reader);
    expect(a?.settings).toEqual({ url, files: { mode: 'none' }, schedule: false });
  });

  test('changes at the same moment are made one after the other', async () => {
    const { database } = open();
    await keepSources(database, [{ name: 'counted', settings: { url, overlapSeconds: 0 } }], now);
    const more = () =>
      changeKeptSource(
        database,
        'counted',
        (settings) => ({ ...settings, overlapSeconds: Number(settings.overlapSeconds) + 1 }),
        now,
      );
    await Promise.all(Array.from({ length: 5 }, more));
    const kept = await listKeptSources(database.reader);
    expect(kept.find(({ name }) => name === 'counted')?.settings.overlapSeconds).toBe(5);
  });

  test('a pause ends by itself, by somebody, and with the source', async () => {
    const { database } = open();
    const until = '2026-12-01T00:00:00Z';
    await pauseSources(database, [
      { source: 'a', since: now, until, reason: 'a move' },
      { source: 'b', since: now, until: undefined, reason: undefined },
    ]);
    const paused = async (moment: string) => [...(await readPauses(database.reader, moment)).keys()].sort();
    expect((await readPauses(database.reader, now)).get('a')).toEqual({
      source: 'a',
      since: now,
      until,
      reason: 'a move',
    });
    expect(await paused('2026-11-30T23:59:59Z')).toEqual(['a', 'b']);
    expect(await paused(until)).toEqual(['b']);
    await pauseSources(database, [{ source: 'a', since: now, until: undefined, reason: undefined }]);
    expect(await paused(until)).toEqual(['a', 'b']);
    expect(await resumeSources(database, ['b', 'counted'])).toEqual(['b']);
    expect(await forgetKeptSource(database, 'a')).toBe(true);
    expect(await forgetKeptSource(database, 'a')).toBe(false);
    expect(await paused(now)).toEqual([]);
  });
});

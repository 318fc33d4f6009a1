import { beforeEach, expect, test } from 'vitest';
import { thisPlace } from '../../../src/store/engine/process-place.ts';
import { giveSign, leave, listProcesses, placeOf } from '../../../src/store/presence/processes.ts';
import { listUnderWay, type Told, tellUnderWay } from '../../../src/store/presence/under-way.ts';
import { addHolder, newHolder } from '../../../src/store/runs/leases.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const sign = (holder: string) => ({
  holder,
  role: 'work' as const,
  version: '1.2.3',
  knows: '0094-file-tally',
  startedAt: '2026-11-23T10:00:00Z',
  memory: 5_000_000_000,
  heldUp: 12,
});

const told = (number: number, given: Partial<Told> = {}): Told => ({
  number,
  kind: 'harvest',
  source: 'kyushu',
  set: undefined,
  phase: 'reading',
  run: 7,
  done: 12_400,
  expected: 20_000,
  perMinute: 2310,
  requests: 124,
  window: { list: 'oai_dc', from: '2026-01-01T00:00:00Z' },
  began: 1_795_000_000_000,
  seen: 1_795_000_060_000,
  ...given,
});

describeOnBoth('processes', (open) => {
  beforeEach(async () => {
    await open().database.writer('process').delete();
    await open().database.writer('under_way').delete();
  });

  const tell = (holder: string, some: readonly Told[], ended: readonly number[] = []) =>
    open().database.transaction((trx) => tellUnderWay(trx, holder, { told: some, ended }));

  test('are listed while they give signs of life, with what they are at', async () => {
    const { database } = open();
    const holder = newHolder();
    addHolder(holder);
    await giveSign(database.writer, sign(holder));
    await tell(holder, [
      told(1),
      told(2, { kind: 'lists', source: '', set: 'sets/all', expected: undefined }),
    ]);
    const [process] = await listProcesses(database.reader);
    expect(process).toMatchObject({ ...sign(holder), ...placeOf(holder) });
    expect(Math.abs(Date.parse(process?.seenAt ?? '') - Date.now())).toBeLessThan(60_000);
    const [first, second] = await listUnderWay(database.reader);
    const { began, seen, ...rest } = told(1);
    expect(first).toEqual({
      ...rest,
      holder,
      beganAt: new Date(began).toISOString().replace('.000', ''),
      seenAt: new Date(seen).toISOString().replace('.000', ''),
    });
    expect(second).toMatchObject({ set: 'sets/all', expected: undefined });
    expect(await listUnderWay(database.reader, 'other')).toEqual([]);
    await tell(holder, [told(1, { done: 12_500 })], [2]);
    expect((await listUnderWay(database.reader)).map(({ done }) => done)).toEqual([12_500]);
    await database.writer('process').update({ seen: 1 });
    expect(await listProcesses(database.reader)).toEqual([]);
    expect(await listUnderWay(database.reader)).toEqual([]);
  });

  test('one that was killed beside us is not counted, nor what it was at', async () => {
    const { database } = open();
    const killed = `${thisPlace}/${2 ** 22 + 1}/x`;
    await giveSign(database.writer, sign(killed));
    await tell(killed, [told(1)]);
    expect(await listProcesses(database.reader)).toEqual([]);
    expect(await listUnderWay(database.reader)).toEqual([]);
    const elsewhere = 'elsewhere pid:[1]/77/x';
    await giveSign(database.writer, sign(elsewhere));
    expect(await listProcesses(database.reader)).toMatchObject([{ host: 'elsewhere', pid: 77 }]);
  });

  test('who leaves takes along what it was at, and who was forgotten', async () => {
    const { database } = open();
    const [own, old] = ['a/1/x', 'b/2/x'];
    for (const holder of [own, old]) {
      await giveSign(database.writer, sign(holder));
      await tell(holder, [told(1)]);
    }
    await database.writer('process').where({ holder: old }).update({ seen: 5 });
    await leave(database.writer, own);
    expect(await database.reader('process')).toEqual([]);
    expect(await database.reader('under_way')).toEqual([]);
  });
});

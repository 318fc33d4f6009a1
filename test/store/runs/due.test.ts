import { spawnSync } from 'node:child_process';
import { beforeEach, expect, test } from 'vitest';
import { toIso } from '../../../src/core/datetime.ts';
import { thisPlace } from '../../../src/store/engine/process-place.ts';
import { askFor, listDue, type PlannedWork, planWork } from '../../../src/store/runs/due.ts';
import {
  type Choice,
  claimNext,
  freeClaimsOfDead,
  longestWaiting,
  releaseClaim,
  renewClaims,
  settleClaim,
} from '../../../src/store/runs/due-claims.ts';
import { pauseSources, resumeSources } from '../../../src/store/sources/pauses.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const now = Date.parse('2026-11-23T10:00:00Z');
const minute = 60_000;
const well = { attempts: 0, reason: undefined, isLong: false };

describeOnBoth('what is due', (open) => {
  const choice = (...sources: string[]): Choice => ({
    sources,
    kinds: ['harvest', 'full'],
    withLong: true,
  });
  const planned = (source: string, first: number | undefined, schedule = 'a'): PlannedWork => ({
    ...{ source, kind: 'harvest', schedule, first, next: now + 15 * minute },
  });
  const dueOf = async (source: string) =>
    (await listDue(open().database.reader, now)).find((one) => one.source === source)?.dueAt;

  beforeEach(async () => {
    await open().database.writer('due').delete();
  });

  test('is taken once: first what somebody asked for, then what has waited longest', async () => {
    const { database } = open();
    const names = ['kyoto', 'nara', 'osaka', 'tokyo'];
    await planWork(
      database,
      [
        planned('kyoto', now - 1),
        planned('nara', now - minute),
        planned('osaka', now + 1),
        planned('tokyo', undefined),
        planned('elsewhere', now - 9),
      ],
      now,
    );
    await askFor(database, { sources: ['tokyo'], kind: 'harvest' }, now);
    expect(await longestWaiting(database.reader, choice(...names), now)).toBe(now - minute);
    const take = async (holder: string) => (await claimNext(database, holder, choice(...names), now))?.source;
    expect([await take('a'), await take('b'), await take('a'), await take('b')]).toEqual([
      'tokyo',
      'nara',
      'kyoto',
      undefined,
    ]);
    expect(await longestWaiting(database.reader, choice(...names), now)).toBeUndefined();
  });

  test('is taken by one of many that reach for it at once', async () => {
    const { database } = open();
    const names = Array.from({ length: 12 }, (_, index) => `s${index}`);
    await planWork(
      database,
      names.map((name) => planned(name, now)),
      now,
    );
    const taken = await Promise.all(
      Array.from({ length: 30 }, (_, index) => claimNext(database, `p${index}`, choice(...names), now)),
    );
    // Who finds that another one was quicker looks again later.
    for (let more = true; more; ) {
      const claim = await claimNext(database, 'last', choice(...names), now);
      taken.push(claim);
      more = claim !== undefined;
    }
    const sources = taken.flatMap((claim) => claim?.source ?? []);
    expect([...sources].sort()).toEqual([...names].sort());
  });

  test('is one thing at a time of each source, and nothing of one that is paused', async () => {
    const { database } = open();
    await planWork(
      database,
      [planned('kyoto', now), { ...planned('kyoto', now), kind: 'full' }, planned('nara', now)],
      now,
    );
    await pauseSources(database, [
      { source: 'nara', since: toIso(new Date(now)), until: undefined, reason: undefined },
    ]);
    const first = await claimNext(database, 'a', choice('kyoto', 'nara'), now);
    expect(first).toMatchObject({ source: 'kyoto', kind: 'full' });
    expect(await claimNext(database, 'b', choice('kyoto', 'nara'), now)).toBeUndefined();
    if (first) await settleClaim(database, first, { ...well, dueAt: now + minute });
    expect(await claimNext(database, 'b', choice('kyoto', 'nara'), now)).toMatchObject({ kind: 'harvest' });
    await resumeSources(database, ['nara']);
    expect(await claimNext(database, 'b', choice('kyoto', 'nara'), now)).toMatchObject({ source: 'nara' });
  });

  test('is free again when its holder gives no sign of life, or is dead; and nobody settles what he has lost', async () => {
    const { database } = open();
    await planWork(database, [planned('kyoto', now), planned('nara', now)], now);
    const lost = await claimNext(database, 'a', choice('kyoto'), now);
    expect(await renewClaims(database, 'a', now + 30_000)).toEqual([{ source: 'kyoto', kind: 'harvest' }]);
    expect(await claimNext(database, 'b', choice('kyoto'), now + 89_999)).toBeUndefined();
    expect(await claimNext(database, 'b', choice('kyoto'), now + 90_000)).toMatchObject({ holder: 'b' });
    if (lost) await settleClaim(database, lost, { ...well, dueAt: now + 99 * minute });
    if (lost) await releaseClaim(database, lost);
    expect(await renewClaims(database, 'a', now + 90_000)).toEqual([]);
    expect(await dueOf('kyoto')).toBe(now);
    const dead = `${thisPlace}/${spawnSync(process.execPath, ['--version']).pid}/x`;
    await claimNext(database, dead, choice('nara'), now);
    await freeClaimsOfDead(database);
    expect(await claimNext(database, 'c', choice('nara'), now)).toMatchObject({ holder: 'c' });
  });

  test('comes back when its schedule says, and at once when somebody asks, were it while it is done', async () => {
    const { database } = open();
    await planWork(database, [planned('kyoto', now)], now);
    const failed = await claimNext(database, 'a', choice('kyoto'), now);
    if (failed)
      await settleClaim(database, failed, {
        dueAt: now + 60 * minute,
        attempts: 3,
        reason: 'no answer',
        isLong: true,
      });
    expect(await listDue(database.reader, now)).toEqual([
      {
        source: 'kyoto',
        kind: 'harvest',
        dueAt: now + 60 * minute,
        attempts: 3,
        reason: 'no answer',
        plannedAt: now,
        isHeld: false,
      },
    ]);
    await askFor(database, { sources: ['kyoto'], kind: 'harvest', onlyFailed: true }, now);
    expect(await claimNext(database, 'a', { ...choice('kyoto'), withLong: false }, now)).toBeUndefined();
    const again = await claimNext(database, 'a', choice('kyoto'), now);
    expect(again).toMatchObject({ attempts: 0, isLong: true });
    await askFor(database, { sources: ['kyoto', 'new'], kind: 'harvest' }, now + 5);
    if (again) await settleClaim(database, again, { ...well, dueAt: now + 15 * minute });
    expect([await dueOf('kyoto'), await dueOf('new')]).toEqual([now + 5, now + 5]);
  });

  test('is reckoned anew when its schedule is another one; what was missed stays due', async () => {
    const { database } = open();
    await planWork(database, [planned('kyoto', now + minute), planned('nara', now - minute)], now);
    await planWork(database, [planned('kyoto', now), planned('nara', now)], now);
    expect([await dueOf('kyoto'), await dueOf('nara')]).toEqual([now + minute, now - minute]);
    await planWork(database, [planned('kyoto', now, 'b'), planned('nara', now, 'b')], now);
    expect([await dueOf('kyoto'), await dueOf('nara')]).toEqual([now + 15 * minute, now - minute]);
  });

  test('is not believed where the clock was ahead when it was planned', async () => {
    const { database } = open();
    const month = 30 * 24 * 60 * minute;
    await planWork(database, [planned('kyoto', now + month), planned('nara', now - minute)], now + month);
    // A back-off may be as long.
    await planWork(database, [planned('kyoto', now), planned('nara', now)], now);
    expect(await dueOf('kyoto')).toBe(now + month);
    await ensureSource(database, 'ahead', toIso(new Date(now)));
    const lastSuccess = (at: number) =>
      database
        .writer('source')
        .where({ name: 'ahead' })
        .update({ last_success_at: toIso(new Date(at)) });
    await lastSuccess(now + month);
    await planWork(database, [planned('kyoto', now), planned('nara', now)], now);
    expect([await dueOf('kyoto'), await dueOf('nara')]).toEqual([now + 15 * minute, now - minute]);
    await lastSuccess(now);
  });
});

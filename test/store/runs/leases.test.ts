import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { thisPlace } from '../../../src/store/engine/process-place.ts';
import {
  acquireLease,
  borrowLease,
  isBorrowed,
  releaseLease,
  renewLease,
} from '../../../src/store/runs/leases.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const at = '2026-11-21T10:00:00Z';
const now = Date.parse(at);
const minute = 60_000;

describeOnBoth('the lease of a source', (open) => {
  const heldBy = async (source: string, holder: string, expires: number) => {
    const { database } = open();
    await ensureSource(database, source, at);
    const row = { harvest_holder: holder, harvest_expires: expires };
    await database.writer('source').where({ name: source }).update(row);
  };

  test('is held by one at a time, until it is given back or a minute has passed without a sign of life', async () => {
    const { database } = open();
    await ensureSource(database, 'kyoto', at);
    const first = await acquireLease(database, 'kyoto', now);
    expect(first).toMatchObject({ source: 'kyoto', work: 'harvest' });
    await expect(acquireLease(database, 'kyoto', now + minute - 1)).rejects.toMatchObject({
      code: 'lease-held',
      retryable: true,
      message: expect.stringMatching(
        new RegExp(`^process ${process.pid} on ${thisPlace.split(' ')[0]} is working on kyoto$`),
      ),
    });
    await renewLease(database.writer, first, now + minute - 1);
    await expect(acquireLease(database, 'kyoto', now + minute)).rejects.toMatchObject({ code: 'lease-held' });
    const second = await acquireLease(database, 'kyoto', now + 2 * minute - 1);
    await expect(renewLease(database.writer, first, now + 2 * minute)).rejects.toMatchObject({
      code: 'lease-lost',
      message: 'another process took over kyoto',
      retryable: true,
    });
    // Whoever lost it has nothing to give back.
    await releaseLease(database, first);
    await renewLease(database.writer, second, now + 2 * minute);
    await releaseLease(database, second);
    await releaseLease(database, await acquireLease(database, 'kyoto', now));
    await expect(acquireLease(database, 'nowhere', now)).rejects.toMatchObject({ code: 'unknown-source' });
  });

  test('is another one for its files, beside a harvest', async () => {
    const { database } = open();
    await ensureSource(database, 'nara', at);
    const harvest = await acquireLease(database, 'nara', now);
    const files = await acquireLease(database, 'nara', now, 'files');
    await expect(acquireLease(database, 'nara', now, 'files')).rejects.toMatchObject({
      message: expect.stringContaining('is working on the files of nara'),
    });
    await releaseLease(database, files);
    await renewLease(database.writer, harvest, now);
    await expect(renewLease(database.writer, files, now)).rejects.toMatchObject({ code: 'lease-lost' });
  });

  test('of a neighbour on this host that is dead is free at once, that of any other is not', async () => {
    const dead = spawnSync(process.execPath, ['--version']).pid;
    const soon = now + minute - 1;
    const { database } = open();
    const isFree = async (source: string, holder: string, expires: number) => {
      await heldBy(source, holder, expires);
      return acquireLease(database, source, now).then(
        () => true,
        () => false,
      );
    };
    expect(await isFree('dead', `${thisPlace}/${dead}/x`, soon)).toBe(true);
    expect(await isFree('living', `${thisPlace}/${process.ppid}/x`, soon)).toBe(false);
    // The same process id in a container that was started anew.
    expect(await isFree('restarted', `${thisPlace}/${process.pid}/x`, soon)).toBe(true);
    expect(await isFree('elsewhere', `another host/${dead}/x`, soon)).toBe(false);
    expect(await isFree('expired', `another host/${dead}/x`, now)).toBe(true);
    // No holder would have written that: its clock was wrong.
    expect(await isFree('in-a-year', `another host/${dead}/x`, now + 10 * minute)).toBe(true);
    expect(await isFree('ahead', `another host/${dead}/x`, now + 10 * minute - 1)).toBe(false);
  });

  test('can be borrowed for a moment, and is given back whatever happens', async () => {
    const { database } = open();
    await ensureSource(database, 'osaka', at);
    const seen = await borrowLease(database, 'osaka', now, async (lease) => {
      await renewLease(database.writer, lease, now);
      return [isBorrowed('osaka'), isBorrowed('kyoto')];
    });
    expect([...seen, isBorrowed('osaka')]).toEqual([true, false, false]);
    const failing = borrowLease(database, 'osaka', now, () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(isBorrowed('osaka')).toBe(false);
    const held = await acquireLease(database, 'osaka', now);
    await expect(borrowLease(database, 'osaka', now, async () => 1)).rejects.toMatchObject({
      code: 'lease-held',
    });
    expect(isBorrowed('osaka')).toBe(false);
    await releaseLease(database, held);
  });
});

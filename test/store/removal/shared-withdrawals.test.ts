import { beforeAll, expect, it } from 'vitest';
import { sameElsewhere, takePrivateParts } from '../../../src/store/removal/shared-withdrawals.ts';
import { endWithdrawals, listWithdrawals, withdraw } from '../../../src/store/removal/withdrawals.ts';
import { seedChanges, seedSource } from '../../house/publish/seed.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const now = '2026-11-29T12:00:00Z';
const identifier = 'file:report';
const url = 'https://repository.example.org/bitstreams/7';

describeOnBoth('what is withdrawn in one of the sources that have the same items', (open) => {
  const [public_, part, other] = ['shared', 'shared-embargo', 'shared-other'];
  const fileOf = (source: string, number = 1) => `${source}/items/report/files/${number}-a.pdf`;

  beforeAll(async () => {
    const { database } = open();
    for (const name of [public_, part, other]) {
      await seedSource(database, name);
      await seedChanges(database, name, [{ name: 'report', at: '2026-11-21T12:00:00Z', kind: 'file' }]);
    }
    await database.writer('resource').where('path', 'like', 'shared%').update({ upstream_url: url });
    // The private set has another file before it.
    await database
      .writer('resource')
      .where({ path: fileOf(part) })
      .update({ path: fileOf(part, 2) });
  });
  const take = (parts: readonly string[], others: readonly string[]) =>
    takePrivateParts(open().database, new Map(parts.map((name) => [name, public_])), new Set(others), now);
  const withdrawn = async () => {
    const rows = await listWithdrawals(open().database.reader, [public_, part, other]);
    return rows.map(({ path }) => path).sort();
  };
  const isHidden = async (path: string) =>
    (await open().database.reader('resource').where({ path }).first('withdrawn_at')).withdrawn_at !== null;

  it('is withdrawn in that alone as long as they have nothing to do with each other', async () => {
    const { database } = open();
    const target = { source: public_, identifier, path: fileOf(public_) };
    expect(await withdraw(database, target, undefined, now)).toEqual([public_]);
    expect(await sameElsewhere(database.reader, target)).toEqual([]);
    await take([], [public_, part, other]);
    expect([await withdrawn(), await isHidden(fileOf(part, 2))]).toEqual([[fileOf(public_)], false]);
  });

  it('is withdrawn in a private set as soon as that is one, whatever number the file has there', async () => {
    await take([part], [public_, other]);
    expect(await withdrawn()).toEqual([fileOf(part, 2), fileOf(public_)]);
    expect([await isHidden(fileOf(part, 2)), await isHidden(fileOf(other))]).toEqual([true, false]);
  });

  it('is restored in both at once', async () => {
    const { database } = open();
    const target = { source: public_, identifier, path: fileOf(public_) };
    const elsewhere = await sameElsewhere(database.reader, target);
    expect(elsewhere).toEqual([{ source: part, identifier, path: fileOf(part, 2) }]);
    await endWithdrawals(database, [target, ...elsewhere]);
    await take([part], [public_, other]);
    expect([await withdrawn(), await isHidden(fileOf(part, 2))]).toEqual([[], false]);
  });

  it('is withdrawn in the other one also while the set is not private, and in none that is another source by now', async () => {
    const { database } = open();
    await take([], [public_, other]);
    const item = { source: part, identifier, path: undefined };
    expect(await withdraw(database, item, undefined, now)).toEqual([part, public_]);
    expect([await isHidden(fileOf(public_)), await isHidden(fileOf(other))]).toEqual([true, false]);
    await endWithdrawals(database, [item, ...(await sameElsewhere(database.reader, item))]);
    expect(await withdrawn()).toEqual([]);
    await take([], [public_, part, other]);
    expect(await withdraw(database, item, undefined, now)).toEqual([part]);
  });
});

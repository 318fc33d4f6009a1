import { request } from 'undici';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { toIso } from '../../../src/core/datetime.ts';
import { sha256 } from '../../../src/core/payloads/sha-256.ts';
import { removeUnreferenced } from '../../../src/store/payloads/unreferenced-blobs.ts';
import { endWithdrawals, lastWithdrawalAt, withdraw } from '../../../src/store/removal/withdrawals.ts';
import { readJournal } from '../../../src/store/sources/journal.ts';
import { LivingSource } from '../../house/publish/living-source.ts';
import { baseUrl } from '../../house/publish/seed.ts';
import { type House, openHouse } from '../../house/server/fixture.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { readBlob } from '../../house/store/read-blob.ts';

/** What a repository shows to those who log in, and to nobody else any more. */
describeOnBoth('metadata that their repository refuses to everybody', (open) => {
  let living: LivingSource;
  let house: House;

  beforeEach(async () => {
    const { database } = open();
    living = await LivingSource.begin(database);
    const { publication, clock, directory } = living;
    house = await openHouse({ publication, baseUrl, database, clock, directory });
    day = 0;
    for (const text of ['first', 'second']) {
      nextDay();
      await living.deliver('item', { text: long(text) });
      await living.deliver('gone', { text: long(text) });
    }
    nextDay();
  });
  afterEach(async () => {
    await house.close();
    await living.end();
  });

  let day = 0;
  const nextDay = () => {
    day += 1;
    living.clock.set(`2026-12-${String(day).padStart(2, '0')}T10:00:00Z`);
  };
  const long = (text: string) => `${text} ${'and what all versions of it have in common '.repeat(40)}`;
  const path = (item = 'item') => `${living.name}/items/${item}/oai_dc.xml`;
  const target = (identifier = 'item') => ({ source: living.name, identifier, path: undefined });
  const memento = (item = 'item') => `memento/20260101000000/${baseUrl}/${path(item)}`;
  const places = () => [
    path(),
    `${living.name}/items/item`,
    memento(),
    `timemap/link/${baseUrl}/${path()}`,
    `timegate/${baseUrl}/${path()}`,
  ];
  const ask = async (at: string) => {
    const response = await request(`${await house.origin()}/${at}`);
    return { status: response.statusCode, text: await response.body.text() };
  };
  const status = async (at: string) => (await ask(at)).status;
  const isKept = async (text: string) =>
    (await readBlob(open().database.writer, sha256(Buffer.from(`<dc>${long(text)}</dc>`)))) !== undefined;
  const clean = () => {
    const now = toIso(living.clock.now());
    const { database } = open();
    const { directory } = living;
    return removeUnreferenced({ database, directory, followedUpTo: new Map(), now, urgent: true });
  };

  it('is out of everything, past included, until the repository shows it again', async () => {
    await living.deliver('item', { refused: true });
    await living.deliver('gone', { deleted: true });
    for (const at of places()) expect([at, [404, 410].includes(await status(at))]).toEqual([at, true]);
    expect((await ask(memento())).text).not.toContain('first');
    // Of what is merely not there any more, the past stays.
    expect((await ask(memento('gone'))).text).toContain('first');
    await clean();
    // Archived lists that name it are not given up for that.
    expect(await lastWithdrawalAt(open().database.reader, [living.name])).toBeUndefined();
    const { seq = 0 } = (await readJournal(open().database.writer, living.name)) ?? {};
    nextDay();
    // Nobody tells the same twice.
    await living.deliver('item', { refused: true });
    expect(await readJournal(open().database.writer, living.name)).toMatchObject({ seq });
    nextDay();
    await living.deliver('item', { text: long('third') });
    expect((await ask(path())).text).toContain('third');
    expect((await ask(memento())).text).toContain('first');
    expect(await isKept('second')).toBe(true);
  });

  it('loses its past as well where it had been deleted before, and the journal says so', async () => {
    await living.deliver('gone', { deleted: true });
    const { seq = 0 } = (await readJournal(open().database.writer, living.name)) ?? {};
    nextDay();
    await living.deliver('gone', { refused: true });
    expect(await status(memento('gone'))).toBe(410);
    expect(await readJournal(open().database.writer, living.name)).toMatchObject({ seq: seq + 1 });
  });

  it('can be withdrawn all the same, for good', async () => {
    const { database } = open();
    await living.deliver('item', { refused: true });
    nextDay();
    await withdraw(database, target(), 'asked for', toIso(living.clock.now()));
    await living.settle();
    await clean();
    nextDay();
    await living.deliver('item', { text: long('third') });
    expect(await status(path())).toBe(410);
    await endWithdrawals(database, [target()]);
    nextDay();
    await living.deliver('item', { text: long('third') });
    expect(await status(path())).toBe(200);
    expect((await ask(memento())).text).not.toContain('first');
  });

  it('stays out where the operator takes back a withdrawal of it', async () => {
    const { database } = open();
    await withdraw(database, target(), undefined, toIso(living.clock.now()));
    await endWithdrawals(database, [target()]);
    await living.deliver('item', { refused: true });
    await endWithdrawals(database, [target()]);
    for (const at of places()) expect([at, [404, 410].includes(await status(at))]).toEqual([at, true]);
  });
});

import { EventEmitter, once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { acquireLease, type Lease, releaseLease, renewLease } from '../../../src/store/runs/leases.ts';
import { migrate } from '../../../src/store/schema/migrate.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { type PostgresPair, startPostgresPair } from '../../house/postgres/pair.ts';
import { type SilentProxy, startSilentProxy } from '../../house/postgres/silent-proxy.ts';

const at = '2026-11-21T10:00:00Z';
const now = Date.parse(at);

/** What is left of a primary answers whoever is connected to it, for seconds, while its replica is the primary already. */
describe.skipIf(process.platform === 'win32')('a lease where the database becomes another server', () => {
  let pair: PostgresPair;
  let proxy: SilentProxy;
  let database: Database;

  beforeAll(async () => {
    pair = await startPostgresPair();
    proxy = await startSilentProxy(pair.url);
    database = openDatabase({ client: 'pg', url: proxy.url, poolSize: 2 });
    await migrate(database);
    await ensureSource(database, 'kyoto', at);
    await pair.caughtUp();
  });
  afterAll(async () => {
    await database.close();
    await proxy.close();
    await pair.stop();
  });

  const known = async (): Promise<string | null> =>
    (await database.writer('source').where({ name: 'kyoto' }).first('as_of'))?.as_of;
  const write = (lease: Lease) => database.transaction((trx) => renewLease(trx, lease, now));

  test('nothing is written upon what was read at the one before', async () => {
    const lease = await acquireLease(database, 'kyoto', now);
    await write(lease);
    await pair.caughtUp();
    await pair.promote();
    await expect
      .poll(async () => (await pair.ask<{ is: boolean }>('replica', 'select pg_is_in_recovery() as is'))[0])
      .toEqual({ is: false });
    // The promoted one will never have it.
    await database.writer('source').where({ name: 'kyoto' }).update({ as_of: 'the old one alone' });
    expect(await known()).toBe('the old one alone');
    proxy.turn(pair.replicaUrl);

    const doors = new EventEmitter();
    const [begun, ended] = [once(doors, 'begun'), once(doors, 'ended')];
    const busy = database.transaction(async (trx) => {
      await trx.raw('select 1');
      doors.emit('begun');
      await ended;
    });
    await begun;
    // With the one connection that there was in use, this is one that leads to the other server.
    await expect(write(lease)).rejects.toMatchObject({ code: 'lease-lost', retryable: true });
    doors.emit('ended');
    await busy;

    // From here on nobody is led to the one before.
    for (let look = 0; look < 4; look += 1) expect(await known()).not.toBe('the old one alone');
    await releaseLease(database, lease);
    const next = await acquireLease(database, 'kyoto', now);
    await write(next);
  });

  test('nor where all connections have ended', async () => {
    const lease = await acquireLease(database, 'kyoto', now + 600_000);
    const before = database.server();
    await write(lease);
    expect(database.server()).toBe(before);
    proxy.lead(pair.url);
    await expect.poll(() => known().catch(() => 'no answer')).not.toBe('no answer');
    expect(database.server()).not.toBe(before);
    await expect(write(lease)).rejects.toMatchObject({ code: 'lease-lost' });
  });
});

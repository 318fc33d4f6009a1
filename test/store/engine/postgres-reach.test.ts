import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { translate } from '../../../src/store/engine/storage-error.ts';
import { type SilentProxy, startSilentProxy } from '../../house/postgres/silent-proxy.ts';
import { migratedPostgres } from '../../house/store/databases.ts';

const away = { code: 'database-unavailable', retryable: true };

describe('a database that is not there', () => {
  let made: Awaited<ReturnType<typeof migratedPostgres>>;
  let proxy: SilentProxy;
  let database: Database;

  beforeEach(async () => {
    made = await migratedPostgres();
    if (made.config.client !== 'pg') throw new Error('not PostgreSQL');
    proxy = await startSilentProxy(made.config.url);
    database = openDatabase({ ...made.config, url: proxy.url, timeoutSeconds: 1, poolSize: 4 });
  });
  afterEach(async () => {
    proxy.heal();
    await database.close();
    await proxy.close();
    await made.drop();
  });

  const ask = () => database.reader.raw('select 1');
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => 'answered',
      (error: unknown) => translate(error),
    );

  test('and swallows what it is asked: whoever waits is told, and whoever comes after at once', async () => {
    await ask();
    proxy.silence();
    // Each of those that may be open, and some that wait for one.
    const asked = Array.from({ length: 12 }, () => failure(ask()));
    for (const answer of await Promise.all(asked)) expect(answer).toMatchObject(away);
    expect(await failure(ask())).toMatchObject(away);
    await expect(database.transaction((trx) => trx.raw('select 1'))).rejects.toMatchObject(away);
    proxy.heal();
    await expect.poll(() => failure(ask())).toBe('answered');
  });

  test('in the middle of a transaction: it is not committed, and another one is, afterwards', async () => {
    await database.writer.raw('create table told (what text)');
    const cut = database.transaction(async (trx) => {
      await trx('told').insert({ what: 'lost' });
      proxy.silence();
      await trx('told').insert({ what: 'lost, too' });
    });
    await expect(cut).rejects.toMatchObject(away);
    proxy.heal();
    await expect.poll(() => failure(ask())).toBe('answered');
    await database.transaction((trx) => trx('told').insert({ what: 'kept' }));
    expect(await database.reader('told').pluck('what')).toEqual(['kept']);
  });

  test('and cuts all connections', async () => {
    const long = failure(database.reader.raw('select pg_sleep(60)'));
    await ask();
    proxy.cut();
    expect(await long).toMatchObject(away);
    expect(await failure(ask())).toMatchObject(away);
    proxy.heal();
    await expect.poll(() => failure(ask())).toBe('answered');
  });

  test('is another thing than one that is at work for long', async () => {
    // Several times as long as it may be silent.
    await expect(database.reader.raw(`select pg_sleep(4), 'done' as said`)).resolves.toMatchObject({
      rows: [{ said: 'done' }],
    });
  });

  test('for a connection whose other end is gone, while others are answered', async () => {
    const { rows } = await database.writer.raw('select pg_backend_pid() as pid');
    proxy.silence();
    const lost = failure(database.writer.raw('select 1'));
    // Its end was closed, and the word of that was lost; what is new goes through.
    const direct = openDatabase(made.config);
    await direct.writer.raw('select pg_terminate_backend(?)', [rows[0].pid]);
    await direct.close();
    proxy.letNewOnes();
    expect(await lost).toMatchObject(away);
    expect(await failure(ask())).toBe('answered');
  });

  test('for writing any more: a connection to what is a standby now is not asked again', async () => {
    const isReadOnly = (on: boolean) =>
      database.writer.raw(`set default_transaction_read_only = ${on ? 'on' : 'off'}`);
    await database.writer.raw('create table told (what text)');
    await isReadOnly(true);
    await expect(database.transaction((trx) => trx('told').insert({ what: 'x' }))).rejects.toMatchObject(
      away,
    );
    await database.transaction((trx) => trx('told').insert({ what: 'y' }));
    expect(await database.reader('told').pluck('what')).toEqual(['y']);
  });
});

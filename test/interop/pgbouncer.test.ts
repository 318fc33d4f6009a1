import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { stringify } from 'yaml';
import { systemClock } from '../../src/bridge/system-clock.ts';
import type { DatabaseConfig } from '../../src/core/config/config.ts';
import { forCrowd } from '../../src/core/either-signal.ts';
import { createSampleRepository, type SampleRepository } from '../../src/demo/sample-repository.ts';
import { createSharedGate } from '../../src/harvest/politeness/shared-gate.ts';
import { openDatabase } from '../../src/store/engine/database.ts';
import { question } from '../../src/store/engine/question.ts';
import { checkSchema, migrate } from '../../src/store/schema/migrate.ts';
import { rsbridge } from '../house/cli/processes.ts';
import { findPgbouncer, startPgbouncer } from '../house/postgres/pgbouncer.ts';
import type { PostgresServer } from '../house/postgres/server.ts';
import { freePort } from '../house/process/free-port.ts';
import { makePostgres } from '../house/store/databases.ts';

const pgbouncer = findPgbouncer();

if (!pgbouncer)
  process.stderr.write(
    'SKIPPED: PostgreSQL behind pgbouncer needs it in PATH, or PGBOUNCER=/path/to/pgbouncer\n',
  );

describe.skipIf(!pgbouncer)('PostgreSQL behind pgbouncer in transaction mode', () => {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-pgbouncer-test-'));
  const never = forCrowd(new AbortController().signal);
  let bouncer: PostgresServer;
  let repository: SampleRepository;
  let drop: () => Promise<void>;
  let config: Extract<DatabaseConfig, { client: 'pg' }>;
  let port: number;

  beforeAll(async () => {
    bouncer = await startPgbouncer(pgbouncer ?? '', inject('postgresUrl'));
    const made = await makePostgres();
    drop = made.drop;
    const own = new URL(bouncer.url);
    own.pathname = made.config.client === 'pg' ? new URL(made.config.url).pathname : '';
    config = { client: 'pg', url: own.href, poolSize: 10 };
    repository = createSampleRepository({ clock: systemClock, records: 60 });
    const { url } = await repository.listen(0);
    port = await freePort();
    const listen = { host: '127.0.0.1', port, processes: 2 };
    const sources = { sample: { url, files: { mode: 'none' } } };
    const settings = {
      baseUrl: `http://127.0.0.1:${port}`,
      database: config,
      directory: 'data',
      listen,
      sources,
    };
    writeFileSync(join(directory, 'rsbridge.yaml'), stringify(settings));
  });
  afterAll(async () => {
    await repository.close();
    await bouncer.stop();
    await drop();
    rmSync(directory, { recursive: true, force: true });
  });

  test('a question is never asked by a name that another process of PostgreSQL would have to know', async () => {
    const database = openDatabase(config);
    const one = question<{ one: number }, [value: number]>(1, (db, value) =>
      db.raw('select ?::int as one', [value]),
    );
    try {
      await Promise.all(
        Array.from({ length: 40 }, async (_, value) =>
          expect(await one(database.reader, value)).toEqual([{ one: value }]),
        ),
      );
      const { rows } = await database.reader.raw('select name from pg_prepared_statements');
      expect(rows).toEqual([]);
    } finally {
      await database.close();
    }
  });

  test('processes that start at once set up one database', async () => {
    const databases = Array.from({ length: 6 }, () => openDatabase(config));
    await Promise.all(databases.map((database) => migrate(database)));
    const [first] = databases;
    if (first) await checkSchema(first);
    await Promise.all(databases.map((database) => database.close()));
  });

  test('many statements, transactions and snapshots at a time are those of many connections', async () => {
    const databases = Array.from({ length: 4 }, () => openDatabase(config));
    const work = databases.flatMap((database) =>
      Array.from({ length: 25 }, async (_, index) => {
        const what = `test ${index % 5}`;
        await database.transaction(async (trx) => {
          await trx('edition')
            .insert({ what, number: 1 })
            .onConflict('what')
            .merge({ number: trx.raw('edition.number + 1') });
        });
        await database.snapshot(async (trx) => {
          const read = () => trx('edition').where({ what }).first('number');
          expect(await read()).toEqual(await read());
        });
      }),
    );
    await Promise.all(work);
    const rows = await databases[0]?.reader('edition').where('what', 'like', 'test %').select('number');
    expect(rows).toEqual(Array.from({ length: 5 }, () => ({ number: 20 })));
    await Promise.all(databases.map((database) => database.close()));
  });

  test('requests at a host are counted over processes', async () => {
    const databases = [openDatabase(config), openDatabase(config)];
    const warnings: unknown[] = [];
    const log = { debug() {}, info() {}, warn: (what: unknown) => warnings.push(what), error() {} };
    const gates = databases.map((database) => createSharedGate(database, { clock: systemClock, log }));
    let [open, most] = [0, 0];
    const asks = gates.flatMap((gate) =>
      Array.from({ length: 8 }, async () => {
        const leave = await gate.enter('repo.example.org', 1, never);
        open += 1;
        most = Math.max(most, open);
        await new Promise((resolve) => setTimeout(resolve, 5));
        open -= 1;
        leave();
      }),
    );
    await Promise.all(asks);
    expect([most, warnings]).toEqual([1, []]);
    await Promise.all(gates.map((gate) => gate.close()));
    await Promise.all(databases.map((database) => database.close()));
  });

  test('a harvest, a publication, and two processes that serve', async () => {
    const harvested = await rsbridge(['harvest'], directory).finished;
    expect(harvested, harvested.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(/ created/) });
    const published = await rsbridge(['publish'], directory).finished;
    expect(published, published.stderr).toMatchObject({ code: 0 });
    const served = rsbridge(['serve'], directory);
    const get = async (path: string) => {
      const { statusCode, body } = await request(`http://127.0.0.1:${port}${path}`);
      return { status: statusCode, text: await body.text() };
    };
    const status = (path: string) =>
      get(path).then(
        (answer) => answer.status,
        () => 0,
      );
    await expect.poll(() => status('/sample/resourcelist.xml'), { timeout: 60_000 }).toBe(200);
    const { text } = await get('/sample/resourcelist.xml');
    const paths = [...text.matchAll(/<loc>http:\/\/[^/]+([^<]+)<\/loc>/g)].map(([, path = '']) => path);
    expect(paths.length).toBeGreaterThan(60);
    const answers = await Promise.all(paths.slice(0, 100).map(status));
    expect(new Set(answers)).toEqual(new Set([200]));
    served.child.kill('SIGTERM');
    const ended = await served.finished;
    expect(ended.stderr).not.toMatch(/"level":"?(?:error|fatal|50|60)/);
    expect(ended.code).toBe(0);
  });
});

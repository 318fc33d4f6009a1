import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/store/engine/database.ts';
import { BridgeBehind } from '../house/interop/bridge-behind.ts';
import { OaiHouse, type ToldRecord } from '../house/server/oai-house.ts';
import { migratedSqlite } from '../house/store/databases.ts';

/** The Python of an environment that has Sickle 0.7.0 and oaipmh-scythe 0.16.0; `.ci/run` makes it and says where. */
const python = process.env.OAI_CLIENTS_PYTHON;

/** That of one that has pyoai 2.5.0, which needs an older lxml than they do. */
const pyoaiPython = process.env.PYOAI_PYTHON;

if (!python) {
  process.stderr.write(
    'SKIPPED: Sickle and oaipmh-scythe need OAI_CLIENTS_PYTHON=/path/to/python of an environment with them\n',
  );
}

if (!pyoaiPython) {
  process.stderr.write('SKIPPED: pyoai needs PYOAI_PYTHON=/path/to/python of an environment with it\n');
}

interface Harvest {
  readonly name: string;
  readonly sets: readonly string[];
  readonly records: readonly Told[];
  readonly headers: readonly Told[];
}
type Told = readonly [identifier: string, datestamp: string, deleted: boolean, sets: readonly string[]];

const script = join(import.meta.dirname, '../house/interop/oai-clients.py');

const pythons = { sickle: python, scythe: python, pyoai: pyoaiPython };
type Client = keyof typeof pythons;
const clients: readonly Client[] = ['sickle', 'scythe', 'pyoai'];
const peers = clients
  .filter((client) => pythons[client])
  .flatMap((client) => (['GET', 'POST'] as const).map((method) => [client, method] as const));

async function harvestBy(client: Client, url: string, given: object): Promise<Harvest> {
  const run = promisify(execFile);
  const { stdout } = await run(
    pythons[client] ?? '',
    ['-W', 'ignore', script, client, url, JSON.stringify(given)],
    {
      maxBuffer: 64 * 1024 ** 2,
    },
  );
  return JSON.parse(stdout) as Harvest;
}

/** By a connection of its own: one that was kept may be closed at that moment. */
async function text(uri: string): Promise<string> {
  const { body } = await request(uri, { reset: true, dispatcher: new Agent() });
  return body.text();
}

const stateOf = (told: readonly Told[]) =>
  told.map(([identifier, , deleted]) => [identifier, deleted]).sort();

describe.skipIf(peers.length === 0)('OAI-PMH clients of others', () => {
  const { config, drop } = migratedSqlite();
  const truth = new Map<string, boolean>();
  let database: Database;
  let house: OaiHouse;
  let url = '';

  beforeAll(async () => {
    database = openDatabase(config);
    house = await OaiHouse.open(database);
    url = `${await house.app.listen({ host: '127.0.0.1', port: 0 })}/${house.source}/oai`;
    for (let from = 0; from < 1100; from += 100) await tell(from, from + 100);
    await tell(200, 230, true);
    await house.order();
    house.pass(10);
  }, 120_000);

  afterAll(async () => {
    await house?.close();
    await database?.close();
    await drop();
  });

  async function tell(from: number, to: number, deleted = false): Promise<void> {
    const told: Record<string, ToldRecord> = {};
    for (let number = from; number < to; number += 1) {
      const identifier = `oai:repo.example.org:${number}+&%25論𠮷`;
      told[identifier] = {
        deleted,
        title: `of ${house.now}`,
        collections: number % 2 === 0 ? ['even:more'] : [],
      };
      truth.set(identifier, deleted);
    }
    await house.tell(told);
  }

  const harvest = (client: Client, given: object) => harvestBy(client, url, given);

  test.each(peers)('%s by %s has every record once, its state and its sets', async (client, method) => {
    const { name, sets, records, headers } = await harvest(client, { method });
    expect(name).toBe('Kyushu Repository & more');
    expect(sets).toEqual(['even', 'even:more']);
    expect(stateOf(records)).toEqual([...truth].sort());
    expect(headers).toEqual(records);
    const tombstone = records.find(([identifier, , deleted]) => deleted && identifier.includes(':200+'));
    expect(tombstone?.[3]).toEqual(['even:more']);
    const even = await harvest(client, { method, set: 'even' });
    expect(even.records).toHaveLength(550);
  });

  test('what is edited and deleted meanwhile, and nothing else, comes with the next harvest', async () => {
    const from = house.now;
    const before = new Map(truth);
    await tell(1090, 1110);
    await tell(0, 130);
    await tell(120, 125, true);
    house.pass(10);
    const changed = [...truth].filter(([identifier]) => {
      const number = Number(identifier.split(/[:+]/)[2]);
      return number >= 1090 || number < 130;
    });
    expect(changed.length).toBeGreaterThan(truth.size - before.size);
    for (const [client, method] of peers) {
      const { records } = await harvest(client, { method, from });
      expect(stateOf(records)).toEqual(changed.sort());
    }
  });
});

describe.skipIf(peers.length === 0)('A bridge that is killed while clients of others harvest it', () => {
  const { config, drop } = migratedSqlite();
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-interop-'));
  const truth = new Map<string, boolean>();
  let database: Database;
  let house: OaiHouse;
  let bridge: BridgeBehind;
  let url = '';

  beforeAll(async () => {
    database = openDatabase(config);
    house = await OaiHouse.open(database);
    await tell(0, 2500);
    await house.order();
    bridge = await BridgeBehind.start(directory, (baseUrl, port) => ({
      baseUrl,
      listen: { port },
      database: config,
      sources: {
        [house.source]: {
          url: 'http://127.0.0.1:9/oai',
          schedule: false,
          oai: { adminEmail: 'admin@bridge.example.org' },
        },
      },
    }));
    url = `${bridge.base}/${house.source}/oai`;
  }, 180_000);

  afterAll(async () => {
    await bridge?.close();
    await house?.close();
    await database?.close();
    await drop();
    rmSync(directory, { recursive: true, force: true });
  });

  async function tell(from: number, to: number, deleted = false): Promise<void> {
    for (let first = from; first < to; first += 500) {
      const told: Record<string, ToldRecord> = {};
      for (let number = first; number < Math.min(to, first + 500); number += 1) {
        told[`oai:repo.example.org:${number}`] = {
          deleted,
          title: `of ${truth.size}`,
          collections: ['theses'],
        };
        truth.set(`oai:repo.example.org:${number}`, deleted);
      }
      await house.tell(told);
    }
  }

  test('goes on where it was: each has the records of the store, each once, and then what was edited', async () => {
    const since: string[] = [];
    for (const [client, method] of peers) {
      since.push(/<responseDate>([^<]+)</.exec(await text(`${url}?verb=Identify`))?.[1] ?? '');
      const killed = bridge.killAt(20);
      const { sets, records, headers } = await harvestBy(client, url, { method });
      expect(await killed).toBe('SIGKILL');
      expect(sets).toEqual(['theses']);
      expect(stateOf(records), `${client} ${method}`).toEqual([...truth].sort());
      expect(stateOf(headers)).toEqual([...truth].sort());
    }
    await house.takeBack();
    await tell(2490, 2700);
    await tell(100, 350);
    await tell(200, 230, true);
    const changed = [...truth].filter(([identifier]) => {
      const number = Number(identifier.split(':')[2]);
      return number >= 2490 || (number >= 100 && number < 350);
    });
    for (const [index, [client, method]] of peers.entries()) {
      const { records } = await harvestBy(client, url, { method, from: since[index] });
      expect(stateOf(records), `${client} ${method}`).toEqual(changed.sort());
    }
  }, 300_000);
});

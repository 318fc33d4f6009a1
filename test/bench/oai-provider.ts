import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseConfig } from '../../src/core/config/config.ts';
import { startPostgres } from '../house/postgres/server.ts';
import { postmasterOf } from './growth/processor-time.ts';
import { walk } from './oai/oai-walk.ts';
import { end, orderAll, perThousand, seedRecords } from './oai/seeded.ts';
import { processorSeconds } from './once/load.ts';
import { firstLine, print, start } from './once/processes.ts';

/**
 * `npm run bench oai-provider [RECORDS] [sqlite] [pg] [peer]`: a harvester reads all records of a source that answers OAI-PMH,
 * page after page. Records of 1.9 kB, two sets each, of which the first ten thousand were harvested and the others are copies
 * of their rows. Processor time is that of the server, and of PostgreSQL apart. The peer (`PYTHON` names an interpreter that
 * has pyoai and its server) has its records in memory and writes the same ones.
 */
const given = process.argv.slice(2);
const records = Number(given.find((word) => /^\d+$/.test(word)) ?? '200000');
const parts = ['sqlite', 'pg', 'peer'].filter((part) => given.includes(part));
const wanted = parts.length > 0 ? parts : ['sqlite', 'pg', 'peer'];
const [perPage, headersPerPage] = [100, 500];
const directory = mkdtempSync(join(tmpdir(), 'rsbridge-bench-'));

try {
  if (wanted.includes('sqlite'))
    await measure('sqlite', { client: 'sqlite', file: join(directory, 'bench.db') });
  if (wanted.includes('pg')) {
    const postgres = await startPostgres();
    try {
      await measure('pg', { client: 'pg', url: postgres.url, poolSize: 4 }, await postmasterOf(postgres.url));
    } finally {
      await postgres.stop();
    }
  }
  if (wanted.includes('peer')) await measurePeer();
} finally {
  rmSync(directory, { recursive: true, force: true });
}

async function measure(name: string, config: DatabaseConfig, databasePid?: number): Promise<void> {
  await seedRecords(config, records);
  print({ name, what: 'put in order', ...(await orderAll(config, records)) });
  const server = start('once/oai-server', [JSON.stringify(config), directory]);
  try {
    const url = `http://127.0.0.1:${await firstLine(server)}/bench0/oai`;
    const settings = { url, pid: server.pid ?? 0, pages: Math.ceil(records / perPage) };
    // The compiler of the server has seen everything once.
    await walk({ ...settings, most: 200 });
    const beforeDatabase = databasePid === undefined ? 0 : processorSeconds(databasePid);
    const walked = await walk(settings);
    if (walked.records !== records) throw new Error(`${walked.records} records, not ${records}`);
    const database =
      databasePid === undefined
        ? {}
        : { databaseMsPerThousand: perThousand(processorSeconds(databasePid) - beforeDatabase, records) };
    print({ name, what: 'ListRecords', ...walked, ...database });
    print({ name, what: 'ListRecords, gzip', ...(await walk({ ...settings, gzip: true, most: 200 })) });
    const headers = { ...settings, pages: Math.ceil(records / headersPerPage) };
    print({ name, what: 'ListIdentifiers', ...(await walk({ ...headers, verb: 'ListIdentifiers' })) });
  } finally {
    await end(server);
  }
}

async function measurePeer(): Promise<void> {
  const python = process.env.PYTHON ?? 'python3';
  const name = 'pyoai';
  if (spawnSync(python, ['-c', 'import oaipmh.server']).status !== 0)
    return print({ name, skipped: `${python} does not have it` });
  const script = join(process.cwd(), 'test', 'bench', 'peers', 'oai-provider-peer.py');
  const server = spawn(python, [script, String(records)], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const url = `http://127.0.0.1:${await firstLine(server)}/oai`;
    const settings = { url, pid: server.pid ?? 0, pages: Math.ceil(records / perPage) };
    await walk({ ...settings, most: 5 });
    print({ name, what: 'ListRecords, from the first', ...(await walk({ ...settings, most: 50 })) });
  } finally {
    await end(server);
  }
}

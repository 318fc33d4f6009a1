import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../house/postgres/server.ts';
import { firstLine, print, start } from './once/processes.ts';

/**
 * `npm run bench harvest [RECORDS] [sqlite|pg|page …]`: a first harvest of oai_dc records from a
 * provider in another process, into SQLite and PostgreSQL, and as one single page of 300 MB.
 */
const [count = '100000', ...chosen] = process.argv.slice(2);
const wanted = chosen.length > 0 ? chosen : ['sqlite', 'pg', 'page'];
const records = Number(count);

async function measure(name: string, pageSize: number, total: number, database: object): Promise<void> {
  const provider = start('upstreams/provider', [total, pageSize]);
  try {
    const url = await firstLine(provider);
    const run = start('once/harvest-once', [url, JSON.stringify(database)]);
    print({ name, ...JSON.parse(await firstLine(run)) });
  } finally {
    provider.kill('SIGKILL');
  }
}

const directory = mkdtempSync(join(tmpdir(), 'rsbridge-bench-'));
try {
  if (wanted.includes('sqlite')) {
    await measure('sqlite', 1000, records, { client: 'sqlite', file: join(directory, 'sqlite.db') });
  }
  if (wanted.includes('page')) {
    const huge = 160_000;
    await measure('one page of 300 MB', huge, huge, { client: 'sqlite', file: join(directory, 'page.db') });
  }
  if (wanted.includes('pg')) {
    const server = await startPostgres();
    try {
      await measure('pg', 1000, records, { client: 'pg', url: server.url, poolSize: 5 });
    } finally {
      await server.stop();
    }
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}

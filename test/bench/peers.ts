import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstLine, print, start } from './once/processes.ts';

/**
 * `npm run bench peers [RECORDS] [LATENCY_MS]`: one endpoint, pages of 100 records, each answer late. Ours with one
 * request at a time and with several, beside sickle, oaipmh-scythe and metha where they are installed (`PYTHON` names an
 * interpreter that has the first two), and beside the limit: a loop that asks for page after page and does nothing
 * else. Metha asks month after month, one request at a time, so that loop is faster than metha can be.
 */
const [count = '20000', latency = '50'] = process.argv.slice(2);
const python = process.env.PYTHON ?? 'python3';
const provider = start('upstreams/windowed-provider', [count, 100, latency]);
const base = await firstLine(provider);
const url = `${base}/oai`;
const directory = mkdtempSync(join(tmpdir(), 'rsbridge-bench-'));

async function told(): Promise<{ requests: number; most: number }> {
  return (await (await fetch(`${base}/seen`)).json()) as { requests: number; most: number };
}

async function report(name: string, result: object, limit?: number): Promise<void> {
  const { requests, most } = await told();
  const { seconds } = result as { seconds?: number };
  const ratio =
    limit === undefined || !seconds ? {} : { timesTheLimit: Number((limit / seconds).toFixed(2)) };
  print({ name, ...result, requests, atOnce: most, ...ratio });
}

/** Page after page, and nothing done with them. */
async function chain(): Promise<{ records: number; seconds: number }> {
  const startedAt = performance.now();
  let records = 0;
  for (let token: string | undefined = ''; token !== undefined; ) {
    const next: string = token === '' ? 'metadataPrefix=oai_dc' : `resumptionToken=${token}`;
    const text: string = await (await fetch(`${url}?verb=ListRecords&${next}`)).text();
    records += text.split('<record>').length - 1;
    token = /<resumptionToken[^>]*>([^<]+)</.exec(text)?.[1];
  }
  return { records, seconds: Number(((performance.now() - startedAt) / 1000).toFixed(3)) };
}

function peer(command: string, args: readonly string[]): object | undefined {
  const run = spawnSync(command, args, { encoding: 'utf8', env: process.env });
  return run.status === 0 ? (JSON.parse(run.stdout) as object) : undefined;
}

async function ours(requestsPerHost: number, workers: number): Promise<object> {
  const database = { client: 'sqlite', file: join(directory, `${requestsPerHost}-${workers}.db`) };
  const run = start('once/harvest-once', [url, JSON.stringify(database), requestsPerHost, workers]);
  return JSON.parse(await firstLine(run)) as object;
}

try {
  await told();
  const limit = await chain();
  await report('limit: one chain of requests', limit);
  for (const workers of [0, 2]) {
    for (const requestsPerHost of [1, 4, 8]) {
      const name = `ours, requestsPerHost ${requestsPerHost}, workers ${workers}`;
      await report(name, await ours(requestsPerHost, workers), limit.seconds);
    }
  }
  const script = join(process.cwd(), 'test', 'bench', 'peers', 'oai-peer.py');
  for (const name of ['sickle', 'scythe']) {
    const result = peer(python, [script, name, url]);
    if (result) await report(name, result, limit.seconds);
    else print({ name, skipped: `${python} does not have it` });
  }
  const startedAt = performance.now();
  const metha = spawnSync('metha-sync', ['-format', 'oai_dc', '-base-dir', join(directory, 'metha'), url]);
  if (metha.status === 0) {
    const seconds = Number(((performance.now() - startedAt) / 1000).toFixed(3));
    await report('metha', { seconds }, limit.seconds);
  } else print({ name: 'metha', skipped: 'metha-sync is not installed' });
} finally {
  provider.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
}

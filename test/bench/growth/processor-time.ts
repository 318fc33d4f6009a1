import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

/** Milliseconds that the kernel counts in a tick. */
const tick = 10;

/** Processor time of a process and of those that it started, in milliseconds, as Linux counts it: in steps of ten. */
export function processorTime(pid: number): number {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return [String(pid), ...all.filter((other) => statOf(other)?.parent === pid)].reduce(
    (sum, one) => sum + (statOf(one)?.time ?? 0),
    0,
  );
}

function statOf(pid: string): { readonly parent: number; readonly time: number } | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
      .map(Number);
    const [, parent = 0, ...rest] = fields;
    // User and system time, and that of children that have ended.
    return { parent, time: rest.slice(9, 13).reduce((sum, ticks) => sum + ticks, 0) * tick };
  } catch {
    return undefined;
  }
}

/** The process of which those that work for a PostgreSQL are children. */
export async function postmasterOf(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('show data_directory');
  await client.end();
  return Number(readFileSync(join(rows[0].data_directory, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
}

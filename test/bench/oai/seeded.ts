import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { DatabaseConfig } from '../../../src/core/config/config.ts';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { orderRecords, readOrdered } from '../../../src/store/oai/record-order.ts';
import { multiply } from '../growth/seed.ts';
import { firstLine, start } from '../once/processes.ts';

/** Of 1.9 kB, two sets each; the first ten thousand are harvested, the others are copies of their rows. */
export async function seedRecords(config: DatabaseConfig, records: number): Promise<void> {
  const harvested = Math.min(records, 10_000);
  const provider = start('upstreams/provider', [harvested, 1000]);
  try {
    const url = await firstLine(provider);
    await firstLine(start('once/harvest-once', [url, JSON.stringify(config)]));
  } finally {
    await end(provider);
  }
  if (records > harvested) await multiply(config, harvested, records, 'bench0');
}

/** As `serve` does beside its answers. */
export async function orderAll(config: DatabaseConfig, records: number): Promise<object> {
  const database = openDatabase(config);
  const began = performance.now();
  const before = process.cpuUsage();
  try {
    for (;;) {
      const [source] = await readOrdered(database.reader);
      if (!source || (await orderRecords(database, source)) === undefined) break;
    }
    // As any database does by itself before long; plans are others then.
    await database.writer.raw('analyze');
  } finally {
    await database.close();
  }
  const { user, system } = process.cpuUsage(before);
  const seconds = (performance.now() - began) / 1000;
  return {
    records,
    seconds: Number(seconds.toFixed(1)),
    perSecond: Math.round(records / seconds),
    processorMsPerThousand: perThousand((user + system) / 1e6, records),
  };
}

/** Milliseconds, as a processor counts them. */
export function perThousand(seconds: number, count: number): number {
  return Math.round((seconds * 1e6) / count);
}

export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

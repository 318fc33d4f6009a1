import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../core/adapter.ts';
import type { AlertEntry, AlertNews } from '../../core/alerts/alert.ts';
import { failure } from '../../core/errors.ts';
import { putMessage } from '../../store/alerts/outbox.ts';
import { lookAtClock } from '../../store/runs/clock-ahead.ts';
import type { StoredBridge } from '../stored-bridge.ts';
import type { Watch } from '../work/watch.ts';
import { alertChannels, Channels } from './channels.ts';
import { newsContent } from './content.ts';

/** What processes tell one another while they have no database to do it in: a file in the data directory. */
interface Outage {
  readonly id: string;
  /** In milliseconds. */
  readonly since: number;
  readonly toldAt?: number | undefined;
}

const lookEveryMs = 5000;
/** Shorter ones happen: somebody starts PostgreSQL again. */
const awayMs = 60_000;
/** Who took it upon itself to tell, and has not told by then, is gone. */
const takenMs = 180_000;

function fileOf(directory: string): string {
  return join(directory, 'alerts', 'database-away.json');
}

/** Tells when the database does not answer for a minute: one process of all that see the data directory. */
export function watchDatabase(bridge: StoredBridge & { readonly log: Log }, stop: AbortSignal): Watch {
  const stopped = new AbortController();
  const { database, config, log } = bridge;
  if (alertChannels(config).length === 0) return { stop: async () => undefined };
  const signal = AbortSignal.any([stop, stopped.signal]);
  let awaySince: number | undefined;

  async function look(): Promise<void> {
    try {
      await database.reader.raw('select 1');
      awaySince = undefined;
    } catch {
      awaySince ??= Date.now();
      if (Date.now() - awaySince < awayMs) return;
      await tellOfOutage(bridge, awaySince).catch((error: unknown) =>
        log.error({ ...failure(error) }, 'nobody could be told that the database is away'),
      );
    }
  }

  async function watch(): Promise<void> {
    while (!signal.aborted) {
      await look();
      await pause(lookEveryMs, undefined, { signal }).catch(() => undefined);
    }
  }

  const watching = watch();
  return {
    stop: async () => {
      stopped.abort();
      await watching;
    },
  };
}

/** @param since by the clock of this process */
export async function tellOfOutage({ config }: Pick<StoredBridge, 'config'>, since: number): Promise<void> {
  const outage = await takeOutage(config.directory, since);
  if (!outage) return;
  const content = newsContent(newsOf({ firing: [entryOf(outage)] }), Date.now());
  const channels = new Channels(config, Date.now);
  try {
    const sent = await Promise.allSettled(
      alertChannels(config).map((channel) =>
        channels.send({ id: `${outage.id}-${channel}`, channel, content }),
      ),
    );
    if (sent.every(({ status }) => status === 'rejected')) {
      await rm(fileOf(config.directory), { force: true });
      throw (sent[0] as PromiseRejectedResult).reason;
    }
    await writeFile(fileOf(config.directory), JSON.stringify({ ...outage, toldAt: Date.now() }));
  } finally {
    channels.close();
  }
}

/** @returns undefined: another process tells, or has told */
async function takeOutage(directory: string, since: number): Promise<Outage | undefined> {
  const file = fileOf(directory);
  const outage: Outage = { id: randomUUID(), since };
  await mkdir(join(directory, 'alerts'), { recursive: true });
  try {
    await writeFile(file, JSON.stringify(outage), { flag: 'wx' });
    return outage;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const known = await readOutage(directory);
  const { mtimeMs } = await stat(file);
  if (known?.toldAt !== undefined || Date.now() - mtimeMs < takenMs) return undefined;
  await writeFile(file, JSON.stringify(known ?? outage));
  return known ?? outage;
}

async function readOutage(directory: string): Promise<Outage | undefined> {
  try {
    return JSON.parse(await readFile(fileOf(directory), 'utf8')) as Outage;
  } catch {
    return undefined;
  }
}

/** The database answers again: whoever was told that it did not is told. */
export async function tellThatDatabaseIsBack({ config, database }: StoredBridge): Promise<void> {
  const outage = await readOutage(config.directory);
  if (!outage) return;
  const at = await lookAtClock(database);
  if (outage.toldAt !== undefined) {
    const recovered = [{ ...entryOf(outage), until: at }];
    const content = JSON.stringify(newsContent(newsOf({ recovered }), at));
    await database.transaction(async (trx) => {
      for (const channel of alertChannels(config))
        await putMessage(trx, { id: `${outage.id}-${channel}-over`, channel, content }, at);
    });
  }
  await rm(fileOf(config.directory), { force: true });
}

function entryOf({ since }: Outage): AlertEntry {
  return { kind: 'database', subject: '', title: '', since, facts: {}, relapses: 0 };
}

function newsOf(news: Partial<AlertNews>): AlertNews {
  return { firing: [], recovered: [], lasting: [], isReminder: false, ...news };
}

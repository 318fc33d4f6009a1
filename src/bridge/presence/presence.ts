import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { toIso } from '../../core/datetime.ts';
import type { WorkTracker } from '../../core/under-way.ts';
import type { Database } from '../../store/engine/database.ts';
import { pruneLog, writeLog } from '../../store/presence/log-lines.ts';
import { giveSign, leave, type ProcessRole, placeOf } from '../../store/presence/processes.ts';
import { tellUnderWay } from '../../store/presence/under-way.ts';
import { lookAtClock } from '../../store/runs/clock-ahead.ts';
import { addHolder, newHolder } from '../../store/runs/leases.ts';
import { migrations } from '../../store/schema/migrate.ts';
import { version } from '../version.ts';
import type { LogKeeper } from './log-keeper.ts';
import { trackWorks } from './tracked-works.ts';

const knows = migrations.at(-1)?.name ?? '';

/** What this process tells others at the same database: that it lives, what it is at, and what it logs. */
export interface Presence extends WorkTracker {
  readonly holder: string;
  /** As whom it is known from its next sign of life on; default: `command`. */
  setRole(role: ProcessRole): void;
  /** The last words; waits no longer than a moment for a database that does not answer. */
  close(): Promise<void>;
}

export interface PresenceDeps {
  readonly database: Database;
  readonly log: LogKeeper | undefined;
  /** Requests to the repository of a source so far. */
  readonly requestsOf: (source: string) => number | undefined;
}

/** What is short is over before anybody is told of it. */
const lookEveryMs = 1000;
const signEveryMs = 15_000;
const pruneEveryMs = 600_000;
const linesAtATime = 500;
const lastWordsMs = 2000;
/** Of what is measured, this much is the measuring. */
const resolutionMs = 20;

/** Everything goes in one short transaction a second at most, and waits for nobody; what fails is told the next time. */
export function startPresence({ database, log, requestsOf }: PresenceDeps): Presence {
  const holder = newHolder();
  addHolder(holder);
  const startedAt = toIso(new Date());
  const works = trackWorks(requestsOf);
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  log?.sign(nameOf(holder, 'command'));
  let role: ProcessRole = 'command';
  let signedAt = Number.NEGATIVE_INFINITY;
  let prunedAt = performance.now() - pruneEveryMs * Math.random();
  let isClosed = false;
  let telling: Promise<void> | undefined;

  async function tell(): Promise<void> {
    const isSignDue = performance.now() - signedAt >= signEveryMs;
    const lines = log?.waiting(linesAtATime) ?? [];
    const news = works.news(Date.now() - database.aheadMs);
    if (!isSignDue && lines.length === 0 && news.told.length === 0 && news.ended.length === 0) return;
    if (isSignDue) await lookAtClock(database);
    await database.offhand(async (trx) => {
      // Who is at something is known to live.
      if (isSignDue)
        await giveSign(trx, {
          ...{ holder, role, version, knows, startedAt, memory: process.memoryUsage.rss() },
          heldUp: Math.max(0, Math.round(delays.max / 1e6) - resolutionMs),
        });
      await tellUnderWay(trx, holder, news);
      await writeLog(trx, lines);
    });
    if (isSignDue) {
      signedAt = performance.now();
      delays.reset();
    }
    works.heard(news);
    log?.written(lines.length);
    await prune();
  }

  async function prune(): Promise<void> {
    if (role === 'command' || performance.now() - prunedAt < pruneEveryMs) return;
    prunedAt = performance.now();
    while (await database.offhand((trx) => pruneLog(trx, toIso(new Date()))));
  }

  const timer = setInterval(() => {
    if (telling || isClosed) return;
    // It is told the next time; saying so would be one more line that cannot be written.
    telling = tell()
      .catch(() => undefined)
      .finally(() => {
        telling = undefined;
      });
  }, lookEveryMs);
  timer.unref();

  return {
    holder,
    begin: works.begin,
    setRole: (as) => {
      role = as;
      log?.sign(nameOf(holder, as));
      signedAt = Number.NEGATIVE_INFINITY;
    },
    close: async () => {
      isClosed = true;
      clearInterval(timer);
      delays.disable();
      const isKnown = signedAt > Number.NEGATIVE_INFINITY;
      const words = async () => {
        await telling;
        const lines = log?.waiting(Number.MAX_SAFE_INTEGER) ?? [];
        if (lines.length > 0) await database.offhand((trx) => writeLog(trx, lines));
        log?.written(lines.length);
        if (isKnown) await database.offhand((trx) => leave(trx, holder));
      };
      await Promise.race([words().catch(() => undefined), pause(lastWordsMs, undefined, { ref: false })]);
    },
  };
}

/** How its lines of the log are signed. */
function nameOf(holder: string, role: ProcessRole): string {
  const { host, pid } = placeOf(holder);
  return `${role} ${pid} ${host}`;
}

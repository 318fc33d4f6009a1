import { setTimeout } from 'node:timers/promises';
import { addSeconds, toIso } from '../../core/datetime.ts';
import { eitherOf } from '../../core/either-signal.ts';
import { failure, isBridgeError } from '../../core/errors.ts';
import type { FileJobReport } from '../../harvest/files/file-job.ts';
import type { HarvestOptions, HarvestSource, RunSignals } from '../../harvest/harvest-source.ts';
import { createHostGate } from '../../harvest/http/host-gate.ts';
import { identifierPass } from '../../harvest/identifiers/identifier-pass.ts';
import { retainNow } from '../../harvest/run/retain-now.ts';
import { thoroughHarvest } from '../../harvest/thorough-harvest.ts';
import { nextDueFile } from '../../store/files/due-files.ts';
import { sourceIdOf } from '../../store/rows/one-source.ts';
import { type Bridge, harvestsAtOnce } from '../bridge.ts';
import { answerAsked } from './asked-work.ts';
import type { Ending, WorkSignals } from './due-runner.ts';
import { lookAtMirror, workOnFiles } from './file-work.ts';
import { removeBytes } from './retention.ts';

export type HarvestMode = Pick<HarvestOptions, 'mode' | 'withoutFuse'>;

/** What is done with sources in this process: one thing at a time with each, and with so many side by side. */
export interface SourceWork {
  /** Its failures are logged and shown, not thrown. */
  harvestNow(source: string, options: HarvestMode): Promise<void>;
  /** @throws BridgeError what is to be counted against the source */
  harvestDue(source: string, mode: HarvestOptions['mode'], signals: WorkSignals): Promise<Ending>;
  /** @throws BridgeError what is to be counted against the source */
  compareDue(source: string, signals: WorkSignals): Promise<Ending>;
  /** What somebody asked for beside harvests. */
  answerAsked(source: string, signals: WorkSignals): Promise<Ending>;
  retainAll(signals: WorkSignals): Promise<Ending>;
  /** Asks for files that are due, looks for and downloads them; need not be waited for, and fails for nobody. */
  followFiles(source: string): Promise<void>;
  /** What is under way with it ends soon. */
  leave(source: string): void;
  /** Resolves when the work on files has ended. */
  end(): Promise<void>;
}

const fileWorksAtOnce = 4;
/** A server that wants to be asked again so soon is not left alone until the next harvest. */
const soonSeconds = 900;
/** Turns one after the other that bring nothing. */
const patience = 3;

/** Another process works on it, or we are about to end, or the trouble is ours: no repository answers for that. */
const notTheirs = [
  'lease-held',
  'lease-lost',
  'interrupted',
  'database-unavailable',
  'database-locked',
  'disk-full',
  'storage',
  'too-many-files',
] as const;

export function createSourceWork(bridge: Bridge, { stop, signal: abort }: RunSignals): SourceWork {
  const { log, config } = bridge;
  const places = createHostGate();
  const fileWorks = new Set<Promise<void>>();
  /** Of each source whose files wait for their turn: until that has ended. */
  const queued = new Map<string, Promise<void>>();
  /** Sources with files that are asked for again soon. */
  const waiting = new Set<string>();
  /** Of each source that is worked on: told when it is not to be read any more. */
  const leaving = new Map<string, AbortController>();
  /** Of a source that is paused nothing is asked, unless a reader wants a file. */
  const isRead = (name: string) => Object.hasOwn(config.sources, name) && bridge.pauseOf(name) === undefined;

  function signalsOf(name: string, alsoStop: AbortSignal = stop): RunSignals {
    const gone = leaving.get(name) ?? new AbortController();
    leaving.set(name, gone);
    return { stop: eitherOf(stop, alsoStop, gone.signal), signal: abort };
  }

  /** @returns undefined where the source is not read, now */
  async function inTurn<Result>(
    name: string,
    ends: AbortSignal,
    work: (source: HarvestSource, signals: RunSignals) => Promise<Result>,
  ): Promise<Result | undefined> {
    const leave: (() => void)[] = [];
    try {
      // What is due for it at the same moment comes one after the other.
      leave.push(await places.enter(`source ${name}`, 1, ends));
      leave.push(await places.enter('harvests', harvestsAtOnce, ends));
      return isRead(name) ? await work(bridge.source(name), signalsOf(name, ends)) : undefined;
    } finally {
      for (const go of leave) go();
    }
  }

  async function due(
    name: string,
    ends: AbortSignal,
    work: () => Promise<Ending | undefined>,
  ): Promise<Ending> {
    try {
      return (await work()) ?? 'put-off';
    } catch (error) {
      const isOver = ends.aborted || stop.aborted || !isRead(name);
      const isHeld = isBridgeError(error, 'lease-held');
      log[isOver || isHeld ? 'debug' : 'error']({ source: name, ...failure(error) }, 'harvest failed');
      if (isOver || notTheirs.some((code) => isBridgeError(error, code))) return 'put-off';
      throw error;
    }
  }

  function inBackground(begun: Promise<void>): Promise<void> {
    const work = begun.finally(() => fileWorks.delete(work));
    fileWorks.add(work);
    return work;
  }

  function followFiles(name: string): Promise<void> {
    if (!isRead(name)) return Promise.resolve();
    // The turn that waits does what has become due by then.
    const waits = queued.get(name);
    if (waits) return waits;
    const signals = signalsOf(name);
    const first = workOnDueFiles(name, signals, () => {
      if (queued.get(name) === done) queued.delete(name);
    });
    void inBackground(first.then((turn) => askAgain(name, signals, turn)));
    const done = first.then(() => undefined);
    queued.set(name, done);
    return done;
  }

  /** Servers that asked for patience are asked again when they have said, if that is soon. */
  async function askAgain(name: string, signals: RunSignals, first: FileTurn | undefined): Promise<void> {
    if (!first || waiting.has(name)) return;
    waiting.add(name);
    try {
      let turn: FileTurn | undefined = first;
      for (let left = patience; turn && left > 0 && isRead(name); ) {
        const seconds = await secondsToNextFile(bridge, name, turn.began);
        if (seconds === undefined) return;
        await setTimeout(seconds * 1000, undefined, { signal: signals.stop });
        turn = await workOnDueFiles(name, signals);
        left = turn?.report && hasBrought(turn.report) ? patience : left - 1;
      }
    } catch (error) {
      if (!signals.stop.aborted) log.error({ source: name, ...failure(error) }, 'work on files stopped');
    } finally {
      waiting.delete(name);
    }
  }

  /** Beside harvests: downloads may take days. What is under way when the process ends is continued. */
  async function workOnDueFiles(
    name: string,
    signals: RunSignals,
    onTurn: () => void = () => undefined,
  ): Promise<FileTurn | undefined> {
    const leave: (() => void)[] = [];
    try {
      leave.push(await places.enter(`files of ${name}`, 1, signals.stop));
      leave.push(await places.enter('files', fileWorksAtOnce, signals.stop));
      onTurn();
      const began = toIso(bridge.clock.now());
      return { began, report: await workOnFiles(bridge, name, { ...signals, toTheEnd: true }) };
    } catch (error) {
      if (!signals.stop.aborted) log.error({ source: name, ...failure(error) }, 'work on files stopped');
      return undefined;
    } finally {
      onTurn();
      for (const go of leave) go();
    }
  }

  /** After a harvest, however it ended: files that are due, and what a mirror has lost since the last full pass. */
  function lookAtFiles(name: string, mode: HarvestOptions['mode']): void {
    const isLooked = mode === 'full' && !stop.aborted && isRead(name);
    const look = isLooked ? lookAtLengths(bridge, name, stop) : Promise.resolve();
    void inBackground(look.then(() => followFiles(name)));
  }

  return {
    followFiles,
    harvestNow: async (name, options) => {
      try {
        await inTurn(name, stop, (source, signals) =>
          thoroughHarvest(bridge, source, { ...options, ...signals }),
        );
      } catch (error) {
        // Another process works on it; the run itself logged everything else.
        const expected = isBridgeError(error, 'lease-held') || stop.aborted || !isRead(name);
        log[expected ? 'debug' : 'error']({ source: name, ...failure(error) }, 'harvest failed');
      }
      lookAtFiles(name, options.mode);
    },
    harvestDue: (name, mode, ends) =>
      due(name, ends.stop, async () => {
        const harvest = inTurn(name, ends.stop, (source, signals) =>
          thoroughHarvest(bridge, source, { mode, yield: ends.yield, ...signals }),
        );
        const reports = await harvest.finally(() => {
          if (!ends.stop.aborted) lookAtFiles(name, mode);
        });
        if (reports?.[0]?.state !== 'interrupted') return reports && 'done';
        return ends.yield.aborted && !ends.stop.aborted ? 'yielded' : 'put-off';
      }),
    compareDue: (name, ends) =>
      due(name, ends.stop, () =>
        inTurn<Ending>(name, ends.stop, async (source, signals) => {
          const report = await identifierPass(bridge, source, signals);
          if ('skipped' in report)
            log.debug({ source: name, reason: report.skipped }, 'identifiers not listed');
          else if (report.state === 'interrupted') return 'put-off';
          return 'done';
        }),
      ),
    answerAsked: (name, ends) =>
      due(name, ends.stop, () =>
        inTurn(name, ends.stop, (source, signals) => answerAsked(bridge, source, signals)),
      ),
    retainAll: async (ends) => {
      for (const name of Object.keys(config.sources)) {
        if (ends.stop.aborted) return 'put-off';
        await due(name, ends.stop, () =>
          inTurn<Ending>(name, ends.stop, async (source, signals) => {
            await retainNow(bridge, source, signals.stop);
            return 'done';
          }),
        ).catch(() => undefined);
      }
      await removeBytes(bridge, ends.stop);
      return ends.stop.aborted ? 'put-off' : 'done';
    },
    leave: (name) => {
      leaving.get(name)?.abort(new Error(`${name} is not to be read now`));
      leaving.delete(name);
    },
    end: async () => {
      await Promise.all(fileWorks);
      // Begun by a harvest that has just ended.
      await Promise.all(fileWorks);
    },
  };
}

interface FileTurn {
  /** ISO UTC. */
  readonly began: string;
  /** Undefined: another process worked on them. */
  readonly report: FileJobReport | undefined;
}

/** Until the first is due of those that a turn has put off; undefined: that is not soon. */
async function secondsToNextFile(bridge: Bridge, name: string, began: string): Promise<number | undefined> {
  const { reader } = bridge.database;
  const id = await sourceIdOf(reader, name);
  const now = toIso(bridge.clock.now());
  const dueAt =
    id === undefined ? undefined : await nextDueFile(reader, id, began, addSeconds(now, soonSeconds));
  return dueAt === undefined ? undefined : Math.max(1, (Date.parse(dueAt) - Date.parse(now)) / 1000);
}

function hasBrought({ downloaded, created, updated, deleted }: FileJobReport): boolean {
  return downloaded + created + updated + deleted > 0;
}

async function lookAtLengths(bridge: Bridge, name: string, stop: AbortSignal): Promise<void> {
  try {
    const damaged = await lookAtMirror(bridge, name, 'lengths', stop);
    if (damaged > 0) bridge.log.warn({ source: name, damaged }, 'mirrored files are missing or damaged');
  } catch (error) {
    if (!stop.aborted) bridge.log.error({ source: name, ...failure(error) }, 'mirrored files not checked');
  }
}

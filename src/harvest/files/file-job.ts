import type { Clock, Log } from '../../core/adapter.ts';
import type { SourceConfig } from '../../core/config/config.ts';
import { toIso } from '../../core/datetime.ts';
import { eitherOf } from '../../core/either-signal.ts';
import { failure, isBridgeError } from '../../core/errors.ts';
import { saysNo } from '../../core/files/published-files.ts';
import type { Database } from '../../store/engine/database.ts';
import { countDueFiles } from '../../store/files/due-counts.ts';
import { type FileTrust, listDueFiles } from '../../store/files/due-files.ts';
import { countMirroredBytes } from '../../store/files/file-counts.ts';
import { countDueLandingPages } from '../../store/files/item-files.ts';
import { saveRemoteFiles } from '../../store/files/remote-file-writing.ts';
import type { RemoteFile } from '../../store/files/remote-files.ts';
import { type Settled, settle } from '../../store/pages/settle.ts';
import { callForMending } from '../../store/payloads/damaged-contents.ts';
import { beatEvery, whileHeld } from '../../store/runs/held.ts';
import { acquireLease, borrowLease, type Lease, releaseLease, renewLease } from '../../store/runs/leases.ts';
import { settleTally } from '../../store/tally/file-tally.ts';
import { fileRules } from '../file-rules.ts';
import type { RunSignals } from '../harvest-source.ts';
import type { HostGate } from '../http/host-gate.ts';
import type { HttpClient } from '../http/http.ts';
import type { SlowestRate } from '../http/response-body.ts';
import { askAllowedAgain } from './allowed-again.ts';
import { createFileChecker } from './checks/file-checker.ts';
import { createHostHealth } from './checks/host-health.ts';
import { readLandingPages } from './landing-pages.ts';
import { type MirrorReport, mirrorFiles } from './mirror/mirror.ts';
import { createQuota } from './mirror/quota.ts';

export interface FileJobDeps {
  readonly database: Database;
  /** Where mirrored contents are kept. */
  readonly directory: string;
  /** For URLs found in records of this source. */
  readonly http: Omit<HttpClient, 'close'>;
  /** The one that `http` waits at. */
  readonly gate: HostGate;
  readonly clock: Clock;
  readonly log: Log;
}

export interface FileJobSource {
  readonly name: string;
  readonly config: SourceConfig;
}

/** After a stop nothing new is begun; downloads under way are left, and continued by the next job. */
export interface FileJobOptions extends RunSignals {
  /** Counting what is due reads through all files of the source: only for a person who waits. */
  readonly uncounted?: boolean | undefined;
  readonly onProgress?: ((progress: FileJobProgress) => void) | undefined;
  /** All that is due is asked for, not `checksPerRun` files at most. */
  readonly toTheEnd?: boolean | undefined;
}

export interface FileJobReport extends MirrorReport, Settled {
  readonly landingPages: number;
  /** Files were put off that do not fit into what is left of `quotaBytes`. */
  readonly quotaReached: boolean;
}

/** How far one part of the job is. */
export interface FileJobProgress {
  readonly work: 'landing pages' | 'files';
  readonly done: number;
  /** Those that were due when it began; undefined: they were not counted. */
  readonly total: number | undefined;
  /** Downloaded octets. */
  readonly bytes: number;
  /** Octets to be downloaded, where the length of every file is stated. */
  readonly totalBytes?: number | undefined;
}

const nothing: FileJobReport = {
  files: 0,
  asked: 0,
  downloaded: 0,
  bytes: 0,
  landingPages: 0,
  created: 0,
  updated: 0,
  deleted: 0,
  quotaReached: false,
};

/** What is known of files by then becomes visible while others are still on their way. */
const settleEveryMs = 10_000;
/** An item of 50,000 files takes seconds: so much of the time, at least, is for asking. */
const askingPerSettling = 4;
/** A file that crawls is left; the part that came is continued next time. */
const slowestRate: SlowestRate = { graceSeconds: 60, bytesPerSecond: 4096 };
const checkPatienceMs = 15_000;
const filesPerCheck = 500;
/** What is more urgent comes next after so long. */
const checkDeadlineMs = 30_000;

/**
 * One turn of work on the files of a source, beside its harvest: landing pages are read for files, due files are
 * asked for, or downloaded where they are mirrored, and items follow what became known.
 * @throws BridgeError `lease-held`, `lease-lost`, `disk-full`; `interrupted` is no error: what was done is reported
 */
export async function runFileJob(
  deps: FileJobDeps,
  source: FileJobSource,
  options: FileJobOptions,
): Promise<FileJobReport> {
  if (source.config.files.mode === 'none') return nothing;
  const { database, clock, log } = deps;
  const lease = await acquireLease(database, source.name, clock.now().getTime(), 'files');
  const ending = new AbortController();
  const heartbeat = beatEvery(database.leaseMs / 4, () =>
    renewLease(database.writer, lease, clock.now().getTime()).catch((error: unknown) => {
      // Whoever took over works on the same files.
      if (isBridgeError(error, 'lease-lost')) ending.abort(error);
      else log.warn({ source: source.name, ...failure(error) }, 'lease not renewed');
    }),
  );
  try {
    const held = { ...deps, database: whileHeld(database, lease, clock) };
    const job = new FileJob(held, source, lease, eitherOf(options.signal, ending.signal), options);
    return await job.run();
  } finally {
    await heartbeat.end();
    // It expires.
    await releaseLease(database, lease).catch((error: unknown) =>
      log.debug({ source: source.name, ...failure(error) }, 'lease not given back'),
    );
  }
}

class FileJob {
  readonly #deps: FileJobDeps;
  readonly #source: FileJobSource;
  readonly #lease: Lease;
  readonly #signal: AbortSignal;
  readonly #options: FileJobOptions;
  #report = nothing;

  constructor(
    deps: FileJobDeps,
    source: FileJobSource,
    lease: Lease,
    signal: AbortSignal,
    options: FileJobOptions,
  ) {
    this.#deps = deps;
    this.#source = source;
    this.#lease = lease;
    this.#signal = signal;
    this.#options = options;
  }

  async run(): Promise<FileJobReport> {
    const { mode, checksPerRun, landingPagesPerRun } = this.#source.config.files;
    const { log } = this.#deps;
    await this.#stoppable(async (signal) => {
      const { http } = this.#deps;
      const files = await askAllowedAgain(this.#deps, http, this.#lease.sourceId, signal);
      if (files > 0)
        log.info(
          { source: this.#source.name, files },
          'files are asked for whose addresses are allowed by now',
        );
    });
    // Embargoes that are over bring files that are to be asked for.
    await this.#settle();
    await this.#stoppable(async (signal) => {
      const source = { id: this.#lease.sourceId, name: this.#source.name };
      const show = await this.#showLandingPages(landingPagesPerRun);
      const options = { budget: landingPagesPerRun, signal, onProgress: show };
      const { pages } = await readLandingPages(this.#deps, source, options);
      this.#add({ landingPages: pages });
    });
    if (mode === 'mirror') {
      await callForMending(this.#deps.database, this.#deps.directory, toIso(this.#deps.clock.now()));
      await this.#mirror();
    } else {
      const atMost = this.#options.toTheEnd ? Number.POSITIVE_INFINITY : checksPerRun;
      const show = await this.#showFiles(atMost);
      await this.#check('unknown', Number.POSITIVE_INFINITY, show);
      await this.#check('all', atMost, show);
    }
    await this.#settle();
    await settleTally(this.#deps.database, this.#lease.sourceId, eitherOf(this.#signal, this.#options.stop));
    if (this.#report.quotaReached)
      log.warn({ source: this.#source.name }, 'files wait for room: quotaBytes is used up');
    const { files, landingPages, created, updated, deleted } = this.#report;
    const level = files + landingPages + created + updated + deleted > 0 ? 'info' : 'debug';
    log[level]({ source: this.#source.name, ...this.#report }, 'file job ended');
    return this.#report;
  }

  async #check(trust: FileTrust, atMost: number, show: (done: number, bytes: number) => void): Promise<void> {
    const { database, clock } = this.#deps;
    const { config } = this.#source;
    const { recheckDays } = config.files;
    const checker = createFileChecker(this.#deps, {
      recheckDays,
      requestsPerHost: config.requestsPerHost,
      patienceMs: checkPatienceMs,
    });
    const { sourceId } = this.#lease;
    const unsaved: RemoteFile[] = [];
    const save = () => saveRemoteFiles(database, sourceId, unsaved.splice(0));
    // What is refused does not wait for the others.
    let answers = 0;
    const onAnswer = async (file: RemoteFile) => {
      unsaved.push(file);
      answers += 1;
      show(this.#report.files + answers, 0);
      if (saysNo(file.outcome)) await save();
    };
    const settling = this.#settleNowAndThen();
    const work = this.#stoppable(async (signal) => {
      for (let left = atMost; left > 0; ) {
        const limit = Math.min(filesPerCheck, left);
        const now = toIso(clock.now());
        const due = await listDueFiles(database.reader, sourceId, now, limit, trust);
        const options = { budget: limit, deadline: checkDeadlineMs, signal, onAnswer };
        const checked = due.length === 0 ? [] : await checker.check(due, options);
        await save();
        const putOff = checked.filter(({ checkedAt }) => (checkedAt ?? '') < now);
        await saveRemoteFiles(database, sourceId, putOff);
        left -= checked.length;
        const asked = checked.length - putOff.length;
        this.#add({ files: checked.length, asked });
        answers = 0;
        show(this.#report.files, 0);
        // Those that it did not come to would come again.
        if (checked.length === 0) return;
        await settling.unlessJustNow();
      }
    });
    await work.finally(() => settling.end());
  }

  async #mirror(): Promise<void> {
    const { database } = this.#deps;
    const { name, config } = this.#source;
    const { recheckDays, maxFileBytes, quotaBytes } = config.files;
    const { sourceId } = this.#lease;
    const quota = createQuota(quotaBytes, await countMirroredBytes(database.reader, sourceId));
    const before = this.#report;
    const show = await this.#showFiles(Number.POSITIVE_INFINITY);
    const mirror = {
      ...this.#deps,
      source: name,
      sourceId,
      quota,
      maxFileBytes,
      recheckDays,
      slowestRate,
      requestsPerHost: config.requestsPerHost,
      health: createHostHealth(),
      patienceMs: checkPatienceMs,
    };
    const progress = ({ files, asked, downloaded, bytes }: MirrorReport) => {
      this.#report = { ...this.#report, files: before.files + files, asked, downloaded, bytes };
      show(files, bytes);
    };
    const settling = this.#settleNowAndThen();
    try {
      await this.#stoppable((signal) => mirrorFiles(mirror, { signal, onProgress: progress }));
    } finally {
      await settling.end();
      this.#report = { ...this.#report, quotaReached: quota.wasShort };
    }
  }

  async #showLandingPages(atMost: number): Promise<(done: number) => void> {
    const { onProgress } = this.#options;
    if (!onProgress) return () => undefined;
    if (this.#options.uncounted)
      return (done) => onProgress({ work: 'landing pages', done, total: undefined, bytes: 0 });
    const { database, clock } = this.#deps;
    const due = await countDueLandingPages(database.reader, this.#lease.sourceId, toIso(clock.now()));
    const total = Math.min(due, atMost);
    return (done) => onProgress({ work: 'landing pages', done, total, bytes: 0 });
  }

  /** @param atMost so many are asked for of those whose repository says that everybody may read them */
  async #showFiles(atMost: number): Promise<(done: number, bytes: number) => void> {
    const { onProgress } = this.#options;
    if (!onProgress) return () => undefined;
    if (this.#options.uncounted)
      return (done, bytes) => onProgress({ work: 'files', done, total: undefined, bytes });
    const { database, clock } = this.#deps;
    const now = toIso(clock.now());
    const due = await countDueFiles(database.reader, this.#lease.sourceId, now);
    const total = due.unknown + Math.min(due.files - due.unknown, atMost);
    if (total === 0) return () => undefined;
    const show = (done: number, bytes: number) =>
      onProgress({ work: 'files', done, total, bytes, totalBytes: due.bytes });
    show(0, 0);
    return show;
  }

  /** Work that ends early, without an error, when somebody asks for a stop. */
  async #stoppable(work: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    const { stop } = this.#options;
    if (stop.aborted) return;
    try {
      await work(eitherOf(this.#signal, stop));
    } catch (error) {
      this.#signal.throwIfAborted();
      if (!stop.aborted || isBridgeError(error, 'disk-full')) throw error;
    }
  }

  #settleNowAndThen(): { unlessJustNow(): Promise<void>; end(): Promise<void> } {
    const milliseconds = () => this.#deps.clock.now().getTime();
    let under: Promise<void> | undefined;
    let notBefore = 0;
    let failure: { readonly error: unknown } | undefined;
    const begin = () => {
      const began = milliseconds();
      under ??= this.#settle()
        .catch((error: unknown) => {
          failure = { error };
        })
        .finally(() => {
          under = undefined;
          const ended = milliseconds();
          notBefore = ended + askingPerSettling * (ended - began);
        });
      return under;
    };
    const timer = setInterval(() => void begin(), settleEveryMs);
    timer.unref();
    const finished = async () => {
      await under;
      if (failure) throw failure.error;
    };
    return {
      unlessJustNow: async () => {
        await under;
        if (milliseconds() >= notBefore) await begin();
        await finished();
      },
      end: async () => {
        clearInterval(timer);
        await finished();
      },
    };
  }

  /** A harvest that is going on settles at its end. */
  async #settle(): Promise<void> {
    const { database, clock } = this.#deps;
    const now = () => ({ iso: toIso(clock.now()), milliseconds: clock.now().getTime() });
    const rules = fileRules(this.#source.config);
    try {
      const settled = await borrowLease(database, this.#source.name, now().milliseconds, (lease) =>
        settle(database, lease, rules, now, { signal: this.#signal }),
      );
      const { created, updated, deleted } = this.#report;
      this.#add({
        created: created + settled.created,
        updated: updated + settled.updated,
        deleted: deleted + settled.deleted,
      });
    } catch (error) {
      if (!isBridgeError(error, 'lease-held')) throw error;
    }
  }

  #add(what: Partial<FileJobReport>): void {
    const files = this.#report.files + (what.files ?? 0);
    const asked = this.#report.asked + (what.asked ?? 0);
    this.#report = { ...this.#report, ...what, files, asked };
  }
}

import { toIso } from '../../../core/datetime.ts';
import { forCrowd } from '../../../core/either-signal.ts';
import { saysNo } from '../../../core/files/published-files.ts';
import type { Database } from '../../../store/engine/database.ts';
import { type DueFile, listDueFiles } from '../../../store/files/due-files.ts';
import { findRemoteFiles } from '../../../store/files/remote-files.ts';
import { hostOf } from '../checks/host-health.ts';
import { createMirrorCommit, type MirrorResult } from './mirror-commit.ts';
import { type MirrorFileDeps, mirrorFile } from './mirror-file.ts';
import { openPartials, removeStrayPartials } from './partial-file.ts';

export interface MirrorDeps extends Omit<MirrorFileDeps, 'notes'> {
  readonly database: Database;
  readonly sourceId: number;
  readonly requestsPerHost: number;
}

export interface MirrorReport {
  /** Files that were looked at. */
  readonly files: number;
  /** Those of them that a server was asked for; the others were put off. */
  readonly asked: number;
  readonly downloaded: number;
  /** Octets of those. */
  readonly bytes: number;
}

export interface MirrorOptions {
  /** Aborts downloads; what came of them is continued next time. */
  readonly signal: AbortSignal;
  readonly onProgress?: ((report: MirrorReport) => void) | undefined;
}

const hostsAtATime = 16;
/** Files read ahead of what is under way; and at how few more are read. */
const readAhead = 500;
const readAgainAt = 200;
/** Downloads wait for the database when so many results do. */
const pendingAtMost = 1024;

interface Host {
  running: number;
  readonly waiting: DueFile[];
}

/**
 * Works through the due files of a source until none is left: at several hosts side by side, at each with as many
 * requests as are allowed there, each URL once.
 * @throws BridgeError `disk-full`; what aborted the signal. What was complete before is kept.
 */
export async function mirrorFiles(deps: MirrorDeps, options: MirrorOptions): Promise<MirrorReport> {
  const { database, directory, sourceId, clock } = deps;
  await removeStrays(deps);
  const working = { ...deps, notes: await openPartials(directory) };
  // What fails ends the others.
  const ending = new AbortController();
  forCrowd(ending.signal);
  const end = () => ending.abort(options.signal.reason);
  if (options.signal.aborted) end();
  else options.signal.addEventListener('abort', end, { once: true });

  const startedAt = toIso(clock.now());
  const report = { files: 0, asked: 0, downloaded: 0, bytes: 0 };
  /** Every file from the moment when it is read from the database until what came of it is in there … */
  const active = new Set<string>();
  /** … and until that is seen: a query that is under way may still find it due. */
  const written: string[] = [];
  const hosts = new Map<string, Host>();
  let waiting = 0;
  let failure: { readonly error: unknown } | undefined;
  let wake: () => void = () => undefined;

  const commit = createMirrorCommit(database, directory, sourceId, (results) => {
    for (const { file, content } of results) {
      written.push(file.url);
      report.files += 1;
      report.asked += (file.checkedAt ?? '') >= startedAt ? 1 : 0;
      report.downloaded += content ? 1 : 0;
      report.bytes += content?.length ?? 0;
    }
    options.onProgress?.({ ...report });
    if (commit.isBroken) ending.abort();
    wake();
  });

  /** @returns whether there were any that are not under way */
  async function readMore(): Promise<boolean> {
    for (const url of written.splice(0)) active.delete(url);
    const now = toIso(clock.now());
    const due = await listDueFiles(database.reader, sourceId, now, active.size + readAhead);
    const fresh = due.filter(({ url }) => !active.has(url));
    for (const file of fresh) {
      active.add(file.url);
      const name = hostOf(file.url);
      const its = hosts.get(name);
      if (its) its.waiting.push(file);
      else hosts.set(name, { running: 0, waiting: [file] });
    }
    waiting += fresh.length;
    return fresh.length > 0;
  }

  function start(name: string, host: Host, file: DueFile): void {
    host.running += 1;
    waiting -= 1;
    mirrorFile(working, file, ending.signal)
      .then((result: MirrorResult) => commit.add(result))
      .catch((error: unknown) => {
        failure ??= { error };
        ending.abort(error);
      })
      .finally(() => {
        host.running -= 1;
        if (host.running === 0 && host.waiting.length === 0) hosts.delete(name);
        wake();
      });
  }

  function startAll(): void {
    let busy = [...hosts.values()].filter(({ running }) => running > 0).length;
    for (const [name, host] of hosts) {
      if (host.running === 0 && busy >= hostsAtATime) continue;
      while (host.running < deps.requestsPerHost && commit.pending < pendingAtMost) {
        const file = host.waiting.shift();
        if (!file) break;
        if (host.running === 0) busy += 1;
        start(name, host, file);
      }
    }
  }

  try {
    let mayBeMore = true;
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      if (!ending.signal.aborted) {
        if (mayBeMore && waiting < readAgainAt) mayBeMore = await readMore();
        startAll();
      }
      const running = [...hosts.values()].some((host) => host.running > 0);
      if (!running && waiting === 0) commit.hurry();
      if (running || commit.pending > 0) await woken;
      else if (ending.signal.aborted || waiting === 0) break;
    }
    await commit.settled();
    if (failure) throw failure.error;
    options.signal.throwIfAborted();
    return report;
  } finally {
    options.signal.removeEventListener('abort', end);
  }
}

async function removeStrays({ database, directory, source, sourceId, clock }: MirrorDeps): Promise<void> {
  const isWanted = async (url: string) => {
    const known = (await findRemoteFiles(database.reader, sourceId, [url])).get(url);
    return known !== undefined && !saysNo(known.outcome);
  };
  await removeStrayPartials(directory, source, isWanted, clock.now().getTime());
}

import { toMilliseconds } from '../core/datetime.ts';
import { eitherOf } from '../core/either-signal.ts';
import { describeError, isBridgeError } from '../core/errors.ts';
import type { Threads } from '../core/threads.ts';
import type { SourceSet } from '../resourcesync/discovery/found-source.ts';
import type { Remarks } from '../resourcesync/reading/remarks.ts';
import type { Member, StatementHandler } from '../resourcesync/reading/source-document.ts';
import { emptyList, tooManyDeletions } from './choice/deletion-fuse.ts';
import { areChangeDumpsCheaper, isDumpCheaper } from './choice/way.ts';
import type { Copying } from './content/copying.ts';
import { isSmall } from './content/download.ts';
import { workThroughDue } from './content/due-work.ts';
import {
  type FetchedPackage,
  fetchPackage,
  leavePackage,
  type PackageDeps,
  type Taking,
  takePackage,
} from './content/package-contents.ts';
import { type DumpCapability, listPackages } from './stages/dump-stage.ts';
import type { ComingPackage, KeepManifest } from './stages/staging.ts';
import type { ListedResources } from './state/listed-resources.ts';
import type { Meter } from './sync-progress.ts';
import type { SyncReport } from './sync-report.ts';
import { startUnpackingThread } from './unpacking/unpacker.ts';

/** Who copied for so long looks once more what has changed meanwhile. */
const longMs = 60_000;

export interface SourceCopyingDeps {
  readonly set: SourceSet;
  readonly copying: Copying;
  readonly remarks: Remarks;
  readonly note: (text: string) => void;
  readonly meter: Meter;
  readonly listed: ListedResources;
  readonly transfers: number;
  /** Undefined: there are none. */
  readonly threads: Threads | undefined;
  readonly maximumDeletions: number | undefined;
  readonly maximumTransfer: number | undefined;
  readonly stop: AbortSignal;
}

/** What is due comes, by the package or one by one, and what is gone goes. */
export class SourceCopying {
  packages = 0;
  readonly #deps: SourceCopyingDeps;
  /** Nothing more is begun: somebody stops us, or enough has come. */
  readonly #stop: AbortSignal;
  readonly #enough = new AbortController();

  constructor(deps: SourceCopyingDeps) {
    this.#deps = deps;
    this.#stop = eitherOf(deps.stop, this.#enough.signal);
  }

  /** @param again reads what has changed meanwhile */
  async copy(again: () => Promise<unknown>): Promise<void> {
    const { copying } = this.#deps;
    const { now, told } = copying.deps;
    const begun = toMilliseconds(now());
    if (copying.deps.sink.takesContents) {
      await this.#takeDumps();
      await this.#takeChangeDumps();
    }
    await this.#fetchAll();
    if (toMilliseconds(now()) - begun > longMs && !this.#stop.aborted) {
      await again();
      await this.#fetchAll();
    }
    await told.settle();
    const { note } = copying.deps.quota;
    if (note !== undefined) this.#deps.note(note);
    if (this.#enough.signal.aborted && copying.deps.due.count() > 0)
      this.#deps.note(
        `${copying.tally.octets} octets have come, and no more than ${this.#deps.maximumTransfer} were allowed: the next run goes on`,
      );
  }

  /** Octets that may still come. */
  get #allowance(): number {
    const { maximumTransfer = Number.POSITIVE_INFINITY, copying } = this.#deps;
    return maximumTransfer - copying.tally.octets;
  }

  async #fetchAll(): Promise<void> {
    const { copying, listed, transfers: atOnce, meter, maximumTransfer } = this.#deps;
    const { due, now, quota, port, told } = copying.deps;
    // Where somebody hears of each, or it counts how many are begun, they come one by one.
    const isExact = told.isHeard || maximumTransfer !== undefined;
    const smallAtOnce = (isExact ? undefined : port.small?.atOnce) ?? atOnce;
    const stop = this.#stop;
    quota.refused = 0;
    if (this.#allowance <= 0) this.#enough.abort();
    meter.begin('resources', this.due());
    const work = async (resource: Parameters<Copying['copy']>[0]) => {
      await copying.copy(resource);
      listed.seenTo(resource);
      meter.did(copying.tally);
      if (this.#allowance <= 0) this.#enough.abort();
    };
    const how = { first: listed.take(), atOnce, smallAtOnce, isSmall, stop, now };
    await workThroughDue(due, work, how);
    listed.leave();
  }

  /** Everything that is to come, whether it has a row or not. */
  due(): SyncReport['due'] {
    const { copying, listed } = this.#deps;
    const [rows, others] = [copying.deps.due.sum(), listed.sum()];
    return {
      count: rows.count + others.count,
      stated: rows.stated + others.stated,
      octets: rows.octets + others.octets,
    };
  }

  /** For what has its manifest within alone. */
  readPackage(member: Member, stage: StatementHandler, keep?: KeepManifest): Promise<string | undefined> {
    return this.#take(member, { stage, keep });
  }

  /** Whether what there is may come without a row for each: the copy has nothing, and nobody is to be told of it. */
  get canFill(): boolean {
    const { copying, maximumTransfer } = this.#deps;
    const { sink, told, held, due } = copying.deps;
    const isSilent = !told.isHeard && sink.freePlace !== undefined;
    return isSilent && maximumTransfer === undefined && held.count() === 0 && due.count() === 0;
  }

  /** For a copy that can be filled, until `filled`. */
  fetch(member: Member): ComingPackage {
    this.#deps.copying.deps.sink.hide?.();
    startUnpackingThread(this.#deps.threads);
    const fetching = fetchPackage(member, this.#packages);
    const arrived = fetching.then(
      ({ trouble }) => trouble === undefined,
      () => false,
    );
    return {
      arrived,
      fill: async (filling) => {
        const trouble = await this.#takeFetched(await fetching, { filling });
        return trouble ?? (this.#deps.stop.aborted ? 'it was stopped' : undefined);
      },
      leave: async () => {
        if (await arrived) leavePackage(await fetching, this.#packages);
      },
    };
  }

  filled(): void {
    this.#deps.copying.deps.sink.show?.();
  }

  async #take(member: Member, how: Taking): Promise<string | undefined> {
    return this.#takeFetched(await fetchPackage(member, this.#packages), how);
  }

  async #takeFetched(fetched: FetchedPackage, how: Taking): Promise<string | undefined> {
    const trouble = await takePackage(fetched, this.#packages, this.#deps.stop, how);
    this.packages += 1;
    return trouble;
  }

  get #packages(): PackageDeps {
    const { copying, remarks, threads } = this.#deps;
    return { ...copying.deps, maximumOctets: Number.MAX_SAFE_INTEGER, copying, remarks, threads };
  }

  /** Where most is missing and small, by the package. What a dump does not have is fetched one by one. */
  async #takeDumps(): Promise<void> {
    const { set, copying } = this.#deps;
    const { due, held } = copying.deps;
    for (const uri of set.lists.resourcedump) {
      if (!isDumpCheaper(due.sum(), held.count())) return;
      await this.#whereUseful(uri, 'resourcedump', (packages) => packages);
    }
  }

  /** Where many have changed, by the packages of the time in which they did. */
  async #takeChangeDumps(): Promise<void> {
    const { set, copying } = this.#deps;
    const { due } = copying.deps;
    const since = due.oldest();
    if (since === undefined) return;
    for (const uri of set.lists.changedump) {
      await this.#whereUseful(uri, 'changedump', (packages) => {
        const fitting = packages.filter(({ times }) => times.until === undefined || times.until >= since);
        const lengths = fitting.map(({ length }) => length);
        // The newest first: it has what counts of what changed several times.
        return areChangeDumpsCheaper(due.sum(), lengths) ? fitting.reverse() : [];
      });
    }
  }

  async #whereUseful(
    uri: string,
    capability: DumpCapability,
    choose: (packages: readonly Member[]) => readonly Member[],
  ): Promise<void> {
    const { copying, remarks, stop, note, meter } = this.#deps;
    const { port, due, quota, now } = copying.deps;
    try {
      const { packages: listed, incomplete } = await listPackages(uri, capability, { port, remarks, now });
      if (incomplete !== undefined) note(`a dump was not read to its end: ${incomplete}`);
      const packages = choose(listed);
      meter.begin('packages', { count: packages.length, stated: 0, octets: 0 });
      for (const member of packages) {
        if (stop.aborted || due.count() === 0 || quota.room === 0) return;
        // One by one, what is allowed can be kept to.
        if ((member.length ?? Number.MAX_SAFE_INTEGER) > this.#allowance) return;
        const trouble = await this.#take(member, {});
        meter.did(copying.tally, 1);
        if (trouble !== undefined) note(`a package was of no use: ${trouble}`);
      }
    } catch (error) {
      if (!isBridgeError(error) || !/^(?:upstream|response|too-many|address)/.test(error.code)) throw error;
      note(`a dump was of no use: ${describeError(error)}`);
    }
  }

  /** @returns those that wait for somebody to allow them; undefined: none */
  heldBack(): SyncReport['heldBack'] {
    const { copying, maximumDeletions } = this.#deps;
    return heldBackOf(copying.deps, maximumDeletions);
  }

  async delete(): Promise<SyncReport['heldBack']> {
    const { copying, stop, meter } = this.#deps;
    const { held, told, database } = copying.deps;
    const heldBack = this.heldBack();
    if (heldBack !== undefined) return heldBack;
    meter.begin('deletions', { count: held.countDoomed(), stated: 0, octets: 0 });
    for (let page = held.doomedAfter(0); page.length > 0; page = held.doomedAfter(page.at(-1)?.id ?? 0)) {
      for (const resource of page) {
        if (stop.aborted) return undefined;
        await copying.remove(resource);
        meter.did(copying.tally);
      }
    }
    await told.settle();
    if (held.countDoomed() === 0) database.keep(emptyList, undefined);
    return undefined;
  }
}

export function heldBackOf(
  { held, database }: Pick<Copying['deps'], 'held' | 'database'>,
  maximum: number | undefined,
): SyncReport['heldBack'] {
  const count = held.countDoomed();
  const isListEmpty = database.setting(emptyList) !== undefined;
  const limit = tooManyDeletions(count, held.count(), maximum, isListEmpty);
  return limit === undefined ? undefined : { count, limit, isListEmpty };
}

import { toMilliseconds } from '../../core/datetime.ts';
import { BridgeError, describeError } from '../../core/errors.ts';
import type { ContentFacts } from '../../resourcesync/reading/content-digest.ts';
import type { Quota } from '../choice/quota.ts';
import { type CopiedChange, NotTaken } from '../sinks/copied-change.ts';
import type { ReceivedContent } from '../sinks/received-content.ts';
import type { FoundContent, Placed, ServerAnswer, Sink } from '../sinks/sink.ts';
import { isAsStated, modifiedAt, otherHashes } from '../stages/as-stated.ts';
import type { CopyDatabase } from '../state/copy-database.ts';
import type { DueResource, DueResources } from '../state/due-resources.ts';
import type { ExpectedFiles } from '../state/expected-files.ts';
import type { HeldResource, HeldResources } from '../state/held-resources.ts';
import { fetchContent, type Means } from './fetched-content.ts';
import { obstacleOf } from './obstacle.ts';
import type { PatchDeps } from './patched-content.ts';
import type { ToldChanges } from './told-changes.ts';

export interface CopyingDeps extends Omit<PatchDeps, 'readHeld'> {
  readonly database: CopyDatabase;
  readonly held: HeldResources;
  readonly due: DueResources;
  readonly expected: ExpectedFiles;
  readonly sink: Sink;
  readonly told: ToldChanges;
  readonly quota: Quota;
  /** Our clock, ISO UTC. */
  readonly now: () => string;
}

/** What copying came to. */
export interface CopyTally {
  created: number;
  updated: number;
  deleted: number;
  /** It was what it should be already: nothing came, or nothing was asked. */
  confirmed: number;
  failed: number;
  octets: number;
  requests: number;
  /** Of those, by a patch of what was held. */
  patched: number;
  /** From a mirror. */
  mirrored: number;
  /** By their mementos, for they had changed since they were listed. */
  mementos: number;
  /** Newer than they were listed; the Source's next list will say so. */
  newer: number;
}

export function newCopyTally(): CopyTally {
  const counted = { created: 0, updated: 0, deleted: 0, confirmed: 0, failed: 0, octets: 0, requests: 0 };
  return { ...counted, patched: 0, mirrored: 0, mementos: 0, newer: 0 };
}

/** Bytes that are here, and how they were come by. */
export interface Arrival {
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
  readonly mediaType: string | undefined;
  readonly isProvisional: boolean;
  readonly means: Means | 'package';
  readonly answer?: ServerAnswer | undefined;
}

/** The last step of a resource: its bytes lie in the copy, the state says so, and who wants to know has been told. */
export class Copying {
  readonly tally = newCopyTally();
  readonly deps: CopyingDeps;
  #fetching: PatchDeps | undefined;

  constructor(deps: CopyingDeps) {
    this.deps = deps;
  }

  /** Fetches what is due, unless it is there already. @throws what stops the process */
  async copy(due: DueResource): Promise<void> {
    const { held, sink } = this.deps;
    try {
      const found = held.find(due.loc);
      if (!sink.takesContents) return await this.#note(due, found);
      if (found && isAsStated(found, due) === true) return await this.#confirm(due, found);
      const finding = found === undefined ? sink.find(due.loc) : undefined;
      if (finding !== undefined && (await this.#adopt(due, await finding))) return;
      const came = this.deps.quota.take({ octets: due.length, instead: found?.length });
      if (came === undefined) return this.deps.due.left(due);
      let octets: number | undefined;
      try {
        octets = await this.#fetch(due, found);
      } finally {
        came(octets);
      }
    } catch (error) {
      this.#failWith(due, error);
    }
  }

  /** @returns octets that came into the copy; undefined: none */
  async #fetch(due: DueResource, found: HeldResource | undefined): Promise<number | undefined> {
    const { quota } = this.deps;
    this.tally.requests += 1;
    const maximumOctets = Math.min(this.deps.maximumOctets, quota.room + (due.length ?? 0));
    const fetched = await fetchContent(due, found, this.#patchDeps(maximumOctets));
    if (fetched.kind === 'received') {
      await this.#put(due, found, fetched.content, fetched);
      return fetched.content.length;
    }
    if (fetched.kind === 'failed') this.#fail(due, fetched.reason);
    else if (found) await this.#confirm(due, found);
    else this.#fail(due, 'it answers 304, and was not asked for a change');
    return undefined;
  }

  /** The same for whatever has the same room, as nearly all have. */
  #patchDeps(maximumOctets: number): PatchDeps {
    if (this.#fetching?.maximumOctets !== maximumOctets) {
      const readHeld = (one: HeldResource, most: number) => this.deps.sink.read(one, most);
      this.#fetching = { ...this.deps, maximumOctets, readHeld };
    }
    return this.#fetching;
  }

  /**
   * Puts bytes that are here into the copy.
   * @throws BridgeError `disk-full`
   */
  async place(due: DueResource, content: ReceivedContent, arrival: Arrival): Promise<void> {
    const found = this.deps.held.find(due.loc);
    if (this.deps.quota.take({ octets: content.length, instead: found?.length }) === undefined) return;
    await this.#put(due, found, content, arrival);
  }

  async #put(
    due: DueResource,
    found: HeldResource | undefined,
    content: ReceivedContent,
    arrival: Arrival,
  ): Promise<void> {
    const { held, sink, parts, now } = this.deps;
    const { lastModified, isProvisional, answer } = arrival;
    const { loc, asOf, lastmod } = due;
    const type = due.type ?? arrival.mediaType;
    const isSame = found !== undefined && found.hashes[0] === content.sha256;
    if (isSame && sink.recordsAgain !== true) {
      if (content.file !== undefined) parts.removeFile(content.file);
      return this.#placed(due, found, content, arrival, 'confirmed');
    }
    const changedAt = modifiedAt(lastmod, lastModified, isProvisional);
    const wasGone = found === undefined && held.goneSince(loc) !== undefined;
    const resource = { loc, asOf, modifiedAt: changedAt, type, fetchedAt: now(), wasGone, answer };
    const putting = sink.put(resource, content, found);
    const placed = putting instanceof Promise ? await putting : putting;
    if (content.file !== undefined) parts.removeFile(content.file);
    const outcome = isSame ? 'confirmed' : found === undefined ? 'created' : 'updated';
    const telling = this.#placed(due, placed, content, arrival, outcome);
    if (telling !== undefined) await telling;
  }

  /**
   * The same of bytes that somebody put into the copy at a place that was free, and promised (`HeldResources.promise`).
   * @returns undefined: nobody has to be told
   */
  placed(due: DueResource, path: string, facts: ContentFacts, arrival: Arrival): Promise<void> | undefined {
    return this.#placed(due, { path, isPromised: true }, facts, arrival, 'created');
  }

  /** The same of what the file system did not take. @throws what it does not refuse for this one alone */
  refused(due: DueResource, error: unknown): void {
    this.#failWith(due, error);
  }

  #placed(
    due: DueResource,
    { path, note, isContested, isPromised = false }: Placed & { readonly isPromised?: boolean },
    { sha256, otherHashes: others, length }: ContentFacts,
    arrival: Arrival,
    outcome: 'created' | 'updated' | 'confirmed',
  ): Promise<void> | undefined {
    const { held, database, now, told } = this.deps;
    const isToTell = told.isHeard && (outcome !== 'confirmed' || due.isUntold);
    const { etag, lastModified, isProvisional } = arrival;
    const { loc, asOf, lastmod } = due;
    const type = due.type ?? arrival.mediaType;
    const fetchedAt = now();
    const kept = {
      loc,
      path,
      note,
      asOf,
      lastmod,
      sha256,
      otherHashes: others,
      length,
      type,
      etag,
      lastModified,
      fetchedAt,
      isProvisional,
    };
    if (isToTell) this.deps.due.untold(due);
    if (isPromised) held.keepPromised(kept);
    else held.keep(kept);
    if (isContested) database.flush();
    this.tally[outcome] += 1;
    this.tally.octets += length;
    this.#countMeans(arrival);
    const op = outcome === 'created' ? 'created' : 'updated';
    if (isToTell)
      return this.#tell(due, { op, path, type, hash: sha256, length }).then(() => database.breathe());
    this.deps.due.done(due);
    database.breathe();
    return undefined;
  }

  /** @returns false: who wants to know did not take it, and it is tried again */
  async remove(found: HeldResource): Promise<void> {
    const { held, sink, told, database, quota } = this.deps;
    const datetime = found.doomed ?? found.asOf;
    await sink.remove(found, datetime);
    const { loc, lastmod } = found;
    const path = sink.takesContents ? found.path : undefined;
    const nothing = { type: undefined, hash: undefined, length: undefined, links: [] };
    const taken = () => {
      held.remove(found, datetime);
      quota.giveBack(sink.takesContents ? (found.length ?? 0) : 0);
      this.tally.deleted += 1;
    };
    const change: CopiedChange = { op: 'deleted', loc, path, datetime, lastmod, ...nothing };
    await told.tell(
      () => change,
      taken,
      (error) => {
        if (!(error instanceof NotTaken)) throw error;
        this.tally.failed += 1;
      },
    );
    database.breathe();
  }

  /** Contents stay where they are: what is said of them is all that there is to tell. */
  async #note(due: DueResource, found: HeldResource | undefined): Promise<void> {
    const { held, database, now, quota } = this.deps;
    // It takes no room but its own.
    if (quota.take({ octets: 0, instead: found && 0 }) === undefined) return this.deps.due.left(due);
    const { loc, asOf, lastmod, type, hashes, length } = due;
    const nothing = { etag: undefined, lastModified: undefined, note: undefined, isProvisional: false };
    const own = hashes.find((hash) => hash.startsWith('sha-256:'));
    held.keep({
      ...{ loc, path: loc, asOf, lastmod, type, length, fetchedAt: now(), ...nothing },
      ...{ sha256: own, otherHashes: otherHashes(hashes) },
    });
    const op = found === undefined ? 'created' : 'updated';
    this.tally[op] += 1;
    await this.#tell(due, { op, path: undefined, type, hash: own ?? hashes[0], length });
    database.breathe();
  }

  /** What lies at its place already, from another tool or from before a crash, is taken where it is what is stated. */
  async #adopt(due: DueResource, there: FoundContent | undefined): Promise<boolean> {
    const { held, database } = this.deps;
    if (there === undefined) return false;
    const { path, sha256, length, modifiedMs } = there;
    const lastmod =
      due.lastmod !== undefined && toMilliseconds(due.lastmod) === modifiedMs ? due.lastmod : undefined;
    if (isAsStated({ hashes: [sha256], length, lastmod }, due) !== true) return false;
    const { loc, asOf, type } = due;
    held.keep({
      ...{ loc, path, asOf, lastmod: due.lastmod, sha256, otherHashes: [], length, type, note: undefined },
      ...{ etag: undefined, lastModified: undefined, isProvisional: false, fetchedAt: this.deps.now() },
    });
    this.deps.due.untold(due);
    this.deps.quota.add(length);
    this.tally.confirmed += 1;
    await this.#tell(due, { op: 'created', path, type, hash: sha256, length });
    database.breathe();
    return true;
  }

  async #confirm(due: DueResource, found: HeldResource): Promise<void> {
    const { held, database } = this.deps;
    held.confirm(found.id, due.asOf, due.lastmod, otherHashes(due.hashes));
    this.tally.confirmed += 1;
    const { path, length } = found;
    // Who knows of these bytes need not be told of them again.
    if (!due.isUntold) this.deps.due.done(due);
    else await this.#tell(due, { op: 'updated', path, type: due.type, hash: found.hashes[0], length });
    database.breathe();
  }

  /** Until it was taken it stays due. */
  #tell(
    due: DueResource,
    facts: Pick<CopiedChange, 'op' | 'path' | 'type' | 'hash' | 'length'>,
  ): Promise<void> {
    return this.deps.told.tell(
      () => {
        const { loc, lastmod, asOf, links } = due;
        return { ...facts, loc, lastmod, datetime: asOf, links };
      },
      () => this.deps.due.done(due),
      (error) => this.#failWith(due, error),
    );
  }

  #countMeans({ means, isProvisional }: Arrival): void {
    if (means === 'patch') this.tally.patched += 1;
    if (means === 'mirror') this.tally.mirrored += 1;
    if (means === 'memento') this.tally.mementos += 1;
    if (isProvisional) this.tally.newer += 1;
  }

  #failWith(due: DueResource, error: unknown): void {
    const { code } = (error ?? {}) as { code?: unknown };
    if (code === 'ENOSPC' || code === 'EDQUOT')
      throw new BridgeError('disk-full', `there is no room for ${due.loc}`, { cause: error });
    // What the file system refuses for one resource it may allow for the next.
    const isOfFile = typeof code === 'string' && /^E[A-Z]+$/.test(code);
    if (!isOfFile && !(error instanceof NotTaken)) throw error;
    this.#fail(due, obstacleOf(error) ?? describeError(error));
  }

  #fail(due: DueResource, reason: string): void {
    this.deps.due.failed(due, reason, this.deps.now());
    this.tally.failed += 1;
    this.deps.database.breathe();
  }
}

import { toMilliseconds } from '../../core/datetime.ts';
import { BridgeError, describeError } from '../../core/errors.ts';
import type { Places } from '../places/places.ts';
import { type CopiedChange, NotTaken, type TellChange } from '../sinks/copied-change.ts';
import type { DirectorySink } from '../sinks/directory-sink.ts';
import type { ReceivedContent } from '../sinks/received-content.ts';
import { isAsStated, otherHashes } from '../stages/as-stated.ts';
import type { CopyDatabase } from '../state/copy-database.ts';
import type { DueResource, DueResources } from '../state/due-resources.ts';
import type { HeldResource, HeldResources } from '../state/held-resources.ts';
import { fetchContent, type Means, modifiedAt } from './fetched-content.ts';
import type { PatchDeps } from './patched-content.ts';

export interface CopyingDeps extends Omit<PatchDeps, 'readHeld'> {
  readonly database: CopyDatabase;
  readonly held: HeldResources;
  readonly due: DueResources;
  readonly places: Places;
  readonly sink: DirectorySink;
  /** Undefined: nobody wants to know. */
  readonly tell: TellChange | undefined;
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

/** The last step of a resource: its bytes lie in the copy, the state says so, and who wants to know has been told. */
export class Copying {
  readonly tally = newCopyTally();
  readonly deps: CopyingDeps;

  constructor(deps: CopyingDeps) {
    this.deps = deps;
  }

  /** Fetches what is due, unless it is there already. @throws what stops the process */
  async copy(due: DueResource): Promise<void> {
    const { held, places, sink, database } = this.deps;
    try {
      const found = held.find(due.loc);
      if (found && isAsStated(found, due) === true) return await this.#confirm(due, found);
      if (found === undefined) {
        const { path, isContested } = places.take(due.loc);
        if (isContested) database.flush();
        if (held.at(path) === undefined && sink.isFile(path) && (await this.#adopt(due, path))) return;
      }
      this.tally.requests += 1;
      const { sink: tree } = this.deps;
      const readHeld = (one: HeldResource, most: number) => tree.read(one.path, most);
      const fetched = await fetchContent(due, found, { ...this.deps, readHeld });
      if (fetched.kind === 'failed') return this.#fail(due, fetched.reason);
      if (fetched.kind === 'unchanged') {
        if (found) return await this.#confirm(due, found);
        return this.#fail(due, 'it answers 304, and was not asked for a change');
      }
      await this.place(due, fetched.content, fetched);
    } catch (error) {
      this.#failWith(due, error);
    }
  }

  /**
   * Puts bytes that are here into the copy.
   * @throws BridgeError `disk-full`
   */
  async place(
    due: DueResource,
    content: ReceivedContent,
    answer: {
      readonly etag: string | undefined;
      readonly lastModified: string | undefined;
      readonly mediaType: string | undefined;
      readonly isProvisional: boolean;
      readonly means: Means | 'package';
    },
  ): Promise<void> {
    const { held, places, sink, parts, database } = this.deps;
    const { etag, lastModified, isProvisional } = answer;
    // Nothing is waited for from here to where the state is written: nobody else takes the same place meanwhile.
    const found = held.find(due.loc);
    const { path, isContested } = found ? { path: found.path, isContested: false } : places.take(due.loc);
    sink.put(path, content, modifiedAt(due.lastmod, lastModified, isProvisional));
    if (content.file !== undefined) parts.removeFile(content.file);
    const type = due.type ?? answer.mediaType;
    held.keep({
      ...{
        loc: due.loc,
        path,
        asOf: due.asOf,
        lastmod: due.lastmod,
        type,
        etag,
        lastModified,
        isProvisional,
      },
      ...{ sha256: content.sha256, otherHashes: content.otherHashes, length: content.length },
      fetchedAt: this.deps.now(),
    });
    if (isContested) database.flush();
    const op = found === undefined ? 'created' : 'updated';
    this.tally[op] += 1;
    this.tally.octets += content.length;
    this.#countMeans(answer);
    await this.#told(due, { op, path, type, hash: content.sha256, length: content.length });
    database.breathe();
  }

  /** @returns false: who wants to know did not take it, and it is tried again */
  async remove(found: HeldResource): Promise<boolean> {
    const { held, sink, tell, database } = this.deps;
    const datetime = found.doomed ?? found.asOf;
    sink.remove(found.path);
    const { loc, path, lastmod } = found;
    const nothing = { type: undefined, hash: undefined, length: undefined };
    try {
      await tell?.({ op: 'deleted', loc, path, datetime, lastmod, ...nothing });
    } catch (error) {
      if (!(error instanceof NotTaken)) throw error;
      this.tally.failed += 1;
      return false;
    }
    held.remove(found, datetime);
    this.tally.deleted += 1;
    database.breathe();
    return true;
  }

  /** What lies at its place already, from another tool or from before a crash, is taken where it is what is stated. */
  async #adopt(due: DueResource, path: string): Promise<boolean> {
    const { sink, held, database } = this.deps;
    const { sha256, length, modifiedMs } = await sink.measure(path);
    // Another resource may lie there, or have taken the place meanwhile.
    if (held.at(path) !== undefined) return false;
    const lastmod =
      due.lastmod !== undefined && toMilliseconds(due.lastmod) === modifiedMs ? due.lastmod : undefined;
    if (isAsStated({ hashes: [sha256], length, lastmod }, due) !== true) return false;
    const { loc, asOf, type } = due;
    held.keep({
      ...{ loc, path, asOf, lastmod: due.lastmod, sha256, otherHashes: [], length, type },
      ...{ etag: undefined, lastModified: undefined, isProvisional: false, fetchedAt: this.deps.now() },
    });
    this.tally.confirmed += 1;
    await this.#told(due, { op: 'created', path, type, hash: sha256, length });
    database.breathe();
    return true;
  }

  async #confirm(due: DueResource, found: HeldResource): Promise<void> {
    const { held, database } = this.deps;
    held.confirm(found.id, due.asOf, due.lastmod, otherHashes(due.hashes));
    this.tally.confirmed += 1;
    const { path, length } = found;
    await this.#told(due, { op: 'updated', path, type: due.type, hash: found.hashes[0], length });
    database.breathe();
  }

  /** Until it was told it stays due. */
  async #told(
    due: DueResource,
    facts: Pick<CopiedChange, 'op' | 'path' | 'type' | 'hash' | 'length'>,
  ): Promise<void> {
    const { loc, lastmod, asOf } = due;
    await this.deps.tell?.({ ...facts, loc, lastmod, datetime: asOf });
    this.deps.due.done(due);
  }

  #countMeans({ means, isProvisional }: { means: Means | 'package'; isProvisional: boolean }): void {
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
    this.#fail(due, describeError(error));
  }

  #fail(due: DueResource, reason: string): void {
    this.deps.due.failed(due, reason, this.deps.now());
    this.tally.failed += 1;
    this.deps.database.breathe();
  }
}

import { toMilliseconds } from '../../core/datetime.ts';
import { promisesOf } from '../places/places.ts';
import { modifiedAt } from '../stages/as-stated.ts';
import { type DueResource, PassingResource } from '../state/due-resources.ts';
import type { MemberToUnpack, Unpacked, UnpackingTask } from '../unpacking/unpack.ts';
import type { Copying } from './copying.ts';
import type { Manifested } from './manifested.ts';

/** As many go to be unpacked at a time, or so many octets. */
const batchMembers = 256;
const batchOctets = 8_388_608;
/** So many batches are under way: neither thread waits for the other whenever something else keeps that one from its core. */
const batchesAhead = 3;

export interface UnpackedFilesDeps {
  /** The file. */
  readonly package: string;
  readonly copying: Copying;
  /** @throws what is wrong with neither the package nor a file */
  readonly unpack: (task: UnpackingTask) => Promise<readonly Unpacked[]>;
}

interface Awaited {
  readonly due: DueResource;
  readonly path: string;
  readonly type: string | undefined;
  /** Uncompressed. */
  readonly octets: number;
  /** To be told how many octets have come. */
  readonly came: (octets: number | undefined) => void;
}

class Batch {
  readonly awaited: Awaited[] = [];
  readonly members: MemberToUnpack[] = [];
  octets = 0;
  readonly #promised = new Set<string>();
  /** So many of `awaited` are in it. */
  #promisedOf = 0;
  /** Those without a row are here, or will not come. */
  settled = () => {};
  done: Promise<readonly Unpacked[]> = Promise.resolve([]);

  /** Whether a path was promised to one of them; what that takes is gathered when somebody asks. */
  hasPromised(key: string): boolean {
    for (; this.#promisedOf < this.awaited.length; this.#promisedOf += 1) {
      for (const promise of promisesOf(this.awaited[this.#promisedOf]?.path ?? '')) {
        // What lies above a folder that is promised is so, too.
        if (this.#promised.has(promise)) break;
        this.#promised.add(promise);
      }
    }
    return this.#promised.has(key);
  }
}

const noHashes: readonly string[] = [];

/**
 * Small members of a package that are new to the copy: some batches are unpacked while the next is gathered. The state knows
 * of a file once it is there; until then it is due.
 */
export class UnpackedFiles {
  readonly #deps: UnpackedFilesDeps;
  #gathered = new Batch();
  /** In the order in which they were sent. */
  readonly #flying: Batch[] = [];
  /** Why the rest of the package is of no use. */
  #trouble: string | undefined;
  readonly #promised = {
    has: (key: string) =>
      this.#gathered.hasPromised(key) || this.#flying.some((batch) => batch.hasPromised(key)),
  };

  constructor(deps: UnpackedFilesDeps) {
    this.#deps = deps;
  }

  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** So many that they are to be sent. */
  get isFull(): boolean {
    const { members, octets } = this.#gathered;
    return members.length >= batchMembers || octets >= batchOctets;
  }

  /** @returns false: it has to be put into the copy by itself, after `settle` */
  take(due: DueResource, found: Manifested): boolean {
    const { place } = found;
    const { held, sink, quota, due: rows } = this.#deps.copying.deps;
    // What has no row was looked for when it was chosen.
    if (due.id !== undefined && held.find(due.loc) !== undefined) return false;
    const free = sink.freePlace?.(due.loc, this.#promised);
    if (free === undefined) return false;
    const came = quota.take({ octets: place.uncompressedSize, instead: undefined });
    if (came === undefined) {
      rows.left(due);
      return true;
    }
    const batch = this.#gathered;
    const { path, file } = free;
    const { hashes, length, lastmod } = due;
    const changedAt = modifiedAt(lastmod, undefined, false);
    const modifiedMs = changedAt === undefined ? undefined : toMilliseconds(changedAt);
    batch.members.push({
      place,
      stated: { hashes, length },
      length: found.length,
      file,
      modifiedMs,
    });
    batch.awaited.push({ due, path, type: found.type, octets: place.uncompressedSize, came });
    held.promise(due.loc, path);
    batch.octets += place.uncompressedSize;
    return true;
  }

  /** Until all of them are in the copy, and the state says so. */
  async settle(): Promise<void> {
    let failure: { readonly error: unknown } | undefined;
    const failed = (error: unknown) => {
      failure ??= { error };
    };
    if (this.#gathered.members.length > 0) await this.send().catch(failed);
    while (this.#flying.length > 0) await this.#land().catch(failed);
    if (failure) throw failure.error;
  }

  async send(): Promise<void> {
    const { copying, unpack, package: file } = this.#deps;
    const batch = this.#gathered;
    this.#gathered = new Batch();
    const passing = batch.awaited.flatMap(({ due }) => (due instanceof PassingResource ? [due] : []));
    if (passing.length > 0) batch.settled = copying.deps.expected.expect(passing);
    const { parts, sink } = copying.deps;
    const how = { parts: parts.folder, isHidden: sink.isHidden === true };
    batch.done = unpack({ package: file, ...how, members: batch.members });
    // Whoever lands it gets to know.
    batch.done.catch(() => undefined);
    this.#flying.push(batch);
    if (this.#flying.length > batchesAhead) await this.#land();
  }

  async #land(): Promise<void> {
    const [batch] = this.#flying;
    if (batch === undefined) return;
    const done = await batch.done.finally(() => this.#flying.shift());
    let failure: { readonly error: unknown } | undefined;
    for (const [index, awaited] of batch.awaited.entries()) {
      try {
        const settling = this.#settleOne(awaited, done[index]);
        if (settling !== undefined) await settling;
      } catch (error) {
        // What lies behind it is in the copy all the same.
        failure ??= { error };
      }
    }
    batch.settled();
    if (failure) throw failure.error;
  }

  /** @param unpacked undefined: it lies behind what is damaged */
  #settleOne(
    { due, path, type: mediaType, octets, came }: Awaited,
    unpacked: Unpacked | undefined,
  ): Promise<void> | undefined {
    const { copying } = this.#deps;
    if (unpacked === 'as-stated' || unpacked?.kind === 'written') {
      const facts =
        unpacked === 'as-stated'
          ? { sha256: due.hashes[0] ?? '', otherHashes: noHashes, length: octets }
          : unpacked;
      came(facts.length);
      return copying.placed(due, path, facts, {
        etag: undefined,
        lastModified: undefined,
        mediaType,
        isProvisional: false,
        means: 'package',
      });
    }
    came(undefined);
    if (unpacked === undefined || unpacked.kind === 'different') copying.deps.due.left(due);
    else if (unpacked.kind === 'damaged') this.#trouble ??= unpacked.reason;
    else if (unpacked.kind === 'refused') {
      const { code, message } = unpacked;
      copying.refused(due, Object.assign(new Error(message), { code }));
    }
    return undefined;
  }
}

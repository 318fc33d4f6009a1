import { createReadStream } from 'node:fs';
import { contentOf, type ObjectContent, type ObjectStore } from '../../core/payloads/object-store.ts';
import { locPath, type PlaceRule, withSuffix } from '../places/loc-path.ts';
import { NotTaken } from '../sinks/copied-change.ts';
import type { ReceivedContent } from '../sinks/received-content.ts';
import type { FoundContent, Placed, PlacedResource, PutResource, Sink } from '../sinks/sink.ts';
import type { HeldResources } from '../state/held-resources.ts';

export interface BucketDeps {
  readonly store: ObjectStore;
  readonly held: HeldResources;
  readonly rules: readonly PlaceRule[];
  readonly closeStore: () => void;
}

/** What was deleted is said below this, by the key that it had. */
const tombstones = '.tombstones/';
const remembered = 1_000;

/**
 * A copy in a bucket: an object for each resource, whose address is in its metadata. Nothing of anybody else is
 * overwritten: each is put where nothing is, or where what we put last is still there.
 */
export class BucketSink implements Sink {
  readonly takesContents = true;
  readonly #deps: BucketDeps;
  /** Keys of resources that are on their way. */
  readonly #taken = new Map<string, string>();

  constructor(deps: BucketDeps) {
    this.#deps = deps;
  }

  async find(): Promise<undefined> {}

  async read({ path }: PlacedResource, maximumOctets: number): Promise<Uint8Array | undefined> {
    const found = await this.#deps.store.get(path);
    if (found === undefined) return undefined;
    if (found.length > maximumOctets) {
      found.body.destroy();
      return undefined;
    }
    const chunks: Uint8Array[] = [];
    for await (const chunk of found.body as AsyncIterable<Uint8Array>) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  async measure({
    path,
    note,
    hashes,
    length,
  }: PlacedResource): Promise<Pick<FoundContent, 'sha256' | 'length'> | undefined> {
    const found = await this.#deps.store.head(path);
    const [sha256] = hashes;
    if (found === undefined || sha256 === undefined || length === undefined) return undefined;
    // Whatever else is there now is not what the state has.
    return found.etag === note ? { sha256, length } : { sha256: '', length: found.length };
  }

  async put(
    resource: PutResource,
    content: ReceivedContent,
    held: PlacedResource | undefined,
  ): Promise<Placed> {
    const { loc, type, modifiedAt } = resource;
    const { store } = this.#deps;
    const path = held?.path ?? this.#keyOf(loc);
    const metadata = {
      loc,
      ...(modifiedAt === undefined ? {} : { lastmod: modifiedAt }),
      sha256: content.sha256.slice('sha-256:'.length),
    };
    const what = objectContent(content);
    const put = (ifMatch: string | undefined) =>
      store.put(path, what, {
        mediaType: type,
        metadata,
        ...(ifMatch === undefined ? { ifAbsent: true } : { ifMatch }),
      });
    let outcome = await put(held?.note);
    if (outcome.kind === 'conflict') {
      // Ours of before a crash, or gone, or another's.
      const there = await store.head(path);
      if (there !== undefined && there.metadata?.loc !== metadata.loc)
        throw new NotTaken(`another object is in the bucket as ${path}`);
      outcome = await put(there?.etag);
      if (outcome.kind === 'conflict') throw new NotTaken(`somebody else writes to ${path} in the bucket`);
    }
    if (resource.wasGone) await store.delete(`${tombstones}${path}.json`);
    return { path, note: outcome.etag ?? (await store.head(path))?.etag };
  }

  async remove({ loc, path }: PlacedResource, at: string): Promise<void> {
    const { store } = this.#deps;
    const tombstone = Buffer.from(`${JSON.stringify({ loc, deleted: at })}\n`);
    await store.put(`${tombstones}${path}.json`, contentOf(tombstone), { mediaType: 'application/json' });
    await store.delete(path);
  }

  async close(): Promise<void> {
    this.#deps.closeStore();
  }

  /** Each address has a key of its own, also while others are on their way. */
  #keyOf(loc: string): string {
    const wanted = locPath(loc, this.#deps.rules);
    const isTaken = (path: string) => (this.#taken.get(path) ?? this.#deps.held.at(path)?.loc ?? loc) !== loc;
    const path = isTaken(wanted) || wanted.startsWith(tombstones) ? withSuffix(wanted, loc) : wanted;
    if (this.#taken.size >= remembered) {
      const [oldest] = this.#taken.keys();
      if (oldest !== undefined) this.#taken.delete(oldest);
    }
    this.#taken.set(path, loc);
    return path;
  }
}

function objectContent({ bytes, file, length, sha256 }: ReceivedContent): ObjectContent {
  const hex = sha256.slice('sha-256:'.length);
  if (file === undefined) return contentOf(bytes ?? new Uint8Array(), hex);
  const open = (start: number, end: number) =>
    createReadStream(file, { start, end: Math.max(start, end - 1) }) as AsyncIterable<Uint8Array>;
  return { length, sha256: hex, open };
}

import { setImmediate } from 'node:timers/promises';
import { isBridgeError } from '../../core/errors.ts';
import type { MappedItem } from '../../core/mapping/mapping.ts';
import { batchBytes, batches } from '../engine/batches.ts';
import type { Database } from '../engine/database.ts';
import type { ItemVersions } from '../history/prior-versions.ts';
import { bucketOfDatabase } from '../objects/object-contents.ts';
import {
  type BlobRow,
  isApart,
  isComparable,
  type Keyframe,
  packAgainst,
  packBlob,
  unpackBlob,
} from '../payloads/blobs.ts';
import { readPayloadRows } from '../payloads/content-objects.ts';
import type { KnownItem } from '../plans/item-changes.ts';
import type { ResourceChange } from '../plans/resource-changes.ts';

/** What a page brings to be kept, packed. */
export interface PagePayloads {
  readonly blobs: ReadonlyMap<string, BlobRow>;
  /** Those of them that are to be whole whatever is there: others are told as differences from them. */
  readonly keyframes: ReadonlySet<string>;
}

interface Payload {
  readonly hash: string;
  readonly content: Uint8Array;
  /** Hash of the payload that it resembles. */
  readonly alike: string;
}

/** After so many, whoever else is served by this process gets a turn. */
const turnBytes = 524_288;

/**
 * Packs payloads: that of an update as a delta of what the resource had before, that of a prior version as one of
 * what its item has now; what has nothing that it could resemble whole, without a query.
 */
export async function packPayloads(
  database: Pick<Database, 'writer'>,
  changes: readonly ResourceChange[],
  versions: readonly ItemVersions[],
  items: readonly MappedItem[],
  known: ReadonlyMap<string, KnownItem>,
): Promise<PagePayloads> {
  const blobs = new Map<string, BlobRow>();
  const updates: Payload[] = [];
  const current = new Map<string, Uint8Array>();
  for (const { desired, known: before, newBytes } of changes) {
    const { hash, content, deflated } = desired ?? {};
    if (hash === undefined || !content) continue;
    current.set(hash, content);
    const isAlike = newBytes && before?.hash && isComparable(content.byteLength, before.length ?? 0);
    if (isAlike) updates.push({ hash, content, alike: before.hash });
    else blobs.set(hash, packBlob(hash, content, deflated));
  }
  const longest = bucketOfDatabase(database)?.payloadsAbove;
  const packing = { database, blobs, current, longest, keyframes: new Set<string>() };
  await packBatches(packing, updates);
  const newest = versions.length > 0 ? newestPayloads(items, known) : undefined;
  const prior = versions.flatMap(({ identifier, versions: states }) =>
    states.flatMap(({ metadata }) =>
      metadata.map(({ hash, content, format }) => {
        return { hash, content, alike: newest?.(identifier, format) ?? hash };
      }),
    ),
  );
  await packBatches(packing, prior);
  return packing;
}

/** The hash of what an item is in a format with this page. */
function newestPayloads(items: readonly MappedItem[], known: ReadonlyMap<string, KnownItem>) {
  const delivered = new Map(
    items.flatMap(({ identifier, resources }) =>
      resources.map(({ format, hash }) => [`${identifier} ${format}`, hash] as const),
    ),
  );
  return (identifier: string, format: string): string | undefined =>
    delivered.get(`${identifier} ${format}`) ??
    known.get(identifier)?.resources.find((one) => one.kind === 'metadata' && one.format === format)?.hash ??
    undefined;
}

interface Packing {
  readonly database: Pick<Database, 'writer'>;
  /** A difference of more octets is none to keep in the database. */
  readonly longest: number | undefined;
  readonly blobs: Map<string, BlobRow>;
  /** What the page brings of what is now, by hash. */
  readonly current: ReadonlyMap<string, Uint8Array>;
  readonly keyframes: Set<string>;
}

async function packBatches(packing: Packing, payloads: readonly Payload[]): Promise<void> {
  let unheard = 0;
  for (const batch of batches(payloads, batchBytes, ({ content }) => content.byteLength)) {
    const found = await findKeyframes(packing, batch);
    for (const { hash, content, alike } of batch) {
      if (packing.blobs.has(hash)) continue;
      const keyframe = found(alike);
      const blob = keyframe ? packAgainst(hash, content, keyframe, packing.longest) : packBlob(hash, content);
      packing.blobs.set(hash, blob);
      // Another process may be about to store it as a delta, and no delta has another for its base.
      if (blob.base !== null && packing.blobs.get(blob.base)?.base === null) packing.keyframes.add(blob.base);
      unheard += content.byteLength;
      if (unheard < turnBytes) continue;
      unheard = 0;
      await setImmediate();
    }
  }
}

/** What payloads can be told as differences from: what they resemble, or what that is a difference from. */
async function findKeyframes(
  { database, blobs, current }: Packing,
  batch: readonly Payload[],
): Promise<(alike: string) => Keyframe | undefined> {
  const placeOf = (alike: string) => blobs.get(alike)?.base ?? alike;
  const alikes = batch.filter(({ hash, alike }) => hash !== alike).map(({ alike }) => placeOf(alike));
  const rows = await readPayloadRows(database, [...new Set(alikes)]);
  const unpacked = new Map<string, Keyframe | undefined>();
  return (alike) => {
    const row = rows.get(placeOf(alike));
    if (!row) return ownKeyframe(blobs.get(alike), current);
    const { hash, base } = row;
    const keyframe = rows.get(base ?? hash);
    if (keyframe && !unpacked.has(keyframe.hash)) unpacked.set(keyframe.hash, toKeyframe(keyframe));
    return unpacked.get(base ?? hash);
  };
}

/** Undefined for what cannot serve: the payload is stored all the same. */
function toKeyframe(row: BlobRow): Keyframe | undefined {
  if (row.coding === 'delta' || isApart(row)) return undefined;
  try {
    return { hash: row.hash, content: unpackBlob(row), packedLength: row.data.byteLength };
  } catch (error) {
    if (isBridgeError(error, 'content-damaged')) return undefined;
    throw error;
  }
}

/** What the page itself brings, whole. */
function ownKeyframe(
  own: BlobRow | undefined,
  current: ReadonlyMap<string, Uint8Array>,
): Keyframe | undefined {
  const content = own && current.get(own.hash);
  if (!own || !content || own.base !== null) return undefined;
  return { hash: own.hash, content, packedLength: own.data.byteLength };
}

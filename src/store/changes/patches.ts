import { setImmediate } from 'node:timers/promises';
import { areOfTwoItems } from '../../core/addresses/item-address.ts';
import { isBridgeError } from '../../core/errors.ts';
import { sha256 } from '../../core/payloads/sha-256.ts';
import { type Link, patchRelation } from '../../core/resource.ts';
import { patchPath } from '../../core/uris.ts';
import { diffXml, xmlPatchType } from '../../core/xml/xml-patch.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { type BlobRow, packBlob, unpackBlob } from '../payloads/blobs.ts';
import { readPayloadRows } from '../payloads/content-objects.ts';
import type { ResourceChange } from '../plans/resource-changes.ts';
import { goneForGoodAt } from '../rows/gone-patches.ts';
import { ofSource, sourceIdOf } from '../rows/one-source.ts';
import { patchesIn } from '../rows/representation-columns.ts';

/** The patches of a page's updates: their bytes, and what links to them once a change has its sequence. */
export interface PagePatches {
  readonly blobs: readonly BlobRow[];
  linkOf(plan: ResourceChange, seq: number): Link | undefined;
}

export const noPatches: PagePatches = { blobs: [], linkOf: () => undefined };

/** Compares what the updates of a page bring with the bytes that are kept of the versions before. */
export async function makePatches(
  database: Pick<Database, 'writer'>,
  source: string,
  changes: readonly ResourceChange[],
): Promise<PagePatches> {
  const blobs = new Map<ResourceChange, BlobRow>();
  for (const plan of changes) {
    const patch = await makePatch(database, plan);
    if (patch) blobs.set(plan, packBlob(sha256(patch), patch));
  }
  return {
    blobs: [...blobs.values()],
    linkOf: (plan, seq) => {
      const blob = blobs.get(plan);
      if (!blob) return undefined;
      const { hash, length } = blob;
      return { rel: patchRelation, href: patchPath(source, seq, hash), type: xmlPatchType, hash, length };
    },
  };
}

async function makePatch(
  database: Pick<Database, 'writer'>,
  plan: ResourceChange,
): Promise<Uint8Array | undefined> {
  const { change, known, desired } = plan;
  const content = desired?.kind === 'metadata' ? desired.content : undefined;
  if (change !== 'updated' || !plan.newBytes || !content || !known?.hash) return undefined;
  // What one item was is no part of what another one is.
  if (areOfTwoItems(known.upstream_url, desired?.upstreamUrl)) return undefined;
  if (!isXml(desired?.mediaType) || !isXml(known.media_type)) return undefined;
  // Comparing is work without a pause; whoever else is served by this process gets a turn.
  await setImmediate();
  try {
    const rows = await readPayloadRows(database, [known.hash]);
    const before = rows.get(known.hash);
    return before && diffXml(unpackBlob(before, rows), content);
  } catch (error) {
    // Whatever has become of the version before, the new one is stored.
    if (isBridgeError(error, 'content-damaged')) return undefined;
    throw error;
  }
}

function isXml(mediaType: string | null | undefined): boolean {
  return /^(?:application|text)\/(?:[^;]+\+)?xml$/.test(mediaType ?? '');
}

/** A patch that a change of a source's journal has. */
export interface StoredPatch {
  readonly path: string;
  readonly hash: string;
  readonly length: number;
  /** Of the change. */
  readonly at: string;
  /** When the resource was deleted, whose content it has. */
  readonly deletedAt: string | undefined;
}

/** @param path of the patch; only the one that the change itself names is found, whatever else is kept */
export async function findPatch(
  db: Queryable,
  source: string,
  seq: number,
  path: string,
): Promise<StoredPatch | undefined> {
  const sourceId = await sourceIdOf(db, source);
  if (sourceId === undefined) return undefined;
  const row: { links: string; at: string; deleted_at: string | null } | undefined = await db('change')
    .join('resource', 'resource.id', 'change.resource_id')
    .modify(ofSource, 'resource', sourceId)
    .where({ 'change.source_id': sourceId, 'change.seq': seq })
    .first(
      'change.links',
      'change.at',
      db.raw('coalesce(resource.deleted_at, resource.withdrawn_at, ?) as deleted_at', [
        goneForGoodAt(db, sourceId),
      ]),
    );
  const link = row && patchesIn(row.links).find(({ href }) => href === path);
  if (!row || link?.hash === undefined || link.length === undefined) return undefined;
  const { hash, length } = link;
  return { path, hash, length, at: row.at, deletedAt: row.deleted_at ?? undefined };
}

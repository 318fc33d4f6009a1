import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { patchRelation } from '../../core/resource.ts';
import { applyXmlPatch, xmlPatchType } from '../../core/xml/xml-patch.ts';
import { ContentDigest, differenceFrom } from '../../resourcesync/reading/content-digest.ts';
import type { DueResource } from '../state/due-resources.ts';
import type { HeldResource } from '../state/held-resources.ts';
import { type Download, type DownloadDeps, download } from './download.ts';
import { applyJsonPatch, jsonPatchType } from './json-patch.ts';

export interface PatchDeps extends DownloadDeps {
  readonly isAllowed: (address: string) => boolean;
  /** The bytes that are held; undefined: they are too many, or not there. */
  readonly readHeld: (held: HeldResource, maximumOctets: number) => Promise<Uint8Array | undefined>;
}

const patchTypes: ReadonlySet<string> = new Set([xmlPatchType, jsonPatchType]);

/** Trees of what is larger cost more than its bytes (`applyXmlPatch` refuses them). */
const maximumOctets = 5_000_000;

/**
 * What is held, brought up to date by a patch that the Source offers (RFC 5261, RFC 6902). It is believed only where our bytes are those that we
 * took and what comes out has the hash that is stated: whose patch begins at another state does no harm.
 * @returns undefined: there is none that fits, and the whole has to be fetched (RS-DST-04)
 */
export async function patchedContent(
  due: DueResource,
  held: HeldResource,
  deps: PatchDeps,
): Promise<Extract<Download, { kind: 'received' }> | undefined> {
  const own = held.hashes[0];
  if (!own?.startsWith('sha-256:') || due.hashes.length === 0) return undefined;
  const link = due.links.find(({ rel, type }) => rel === patchRelation && patchTypes.has(type ?? ''));
  if (!link || !deps.isAllowed(link.href)) return undefined;
  if (link.length !== undefined && due.length !== undefined && link.length >= due.length) return undefined;
  const base = await deps.readHeld(held, maximumOctets);
  if (base === undefined || `sha-256:${createHash('sha256').update(base).digest('hex')}` !== own)
    return undefined;
  const stated = { hashes: link.hashes ?? [], length: link.length };
  const fetched = await download(link.href, stated, {}, { ...deps, maximumOctets });
  if (fetched.kind !== 'received') return undefined;
  try {
    if (differenceFrom(stated, fetched.content) !== undefined) return undefined;
    const { bytes, file } = fetched.content;
    const patch = bytes ?? (file === undefined ? Buffer.alloc(0) : readFileSync(file));
    const results = link.type === jsonPatchType ? applyJsonPatch(base, patch) : [applyXmlPatch(base, patch)];
    for (const patched of results) {
      const digest = new ContentDigest(due);
      digest.update(patched);
      const facts = digest.finish();
      if (differenceFrom(due, facts) !== undefined) continue;
      const content = { ...facts, bytes: patched, file: undefined };
      // What the server says of the patch says nothing of the resource.
      return { kind: 'received', content, etag: undefined, lastModified: undefined, mediaType: due.type };
    }
    return undefined;
  } catch {
    // It does not fit what we hold, or is no patch.
    return undefined;
  } finally {
    deps.parts.remove(link.href);
  }
}

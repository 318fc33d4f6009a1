import { parseHttpDate } from '../../core/datetime.ts';
import { differenceFrom } from '../../resourcesync/reading/content-digest.ts';
import { isAsStated } from '../stages/as-stated.ts';
import type { DueResource } from '../state/due-resources.ts';
import type { HeldResource } from '../state/held-resources.ts';
import { addressesOf } from './addresses.ts';
import { type Download, download, unconditional } from './download.ts';
import { type PatchDeps, patchedContent } from './patched-content.ts';

/** How the bytes of a resource were come by. */
export type Means = 'address' | 'mirror' | 'patch' | 'memento';

export type FetchedContent =
  | (Extract<Download, { kind: 'received' }> & {
      readonly means: Means;
      /** It is newer than what was stated, as its server says; the Source will say so, too. */
      readonly isProvisional: boolean;
    })
  | Exclude<Download, { kind: 'received' }>;

/**
 * Fetches a resource that is due, and believes it only if it is what was stated, or newer than that: by a patch of what is held, from a
 * mirror or its own address; where that has gone on since, its memento.
 * @param held what we have of it, which the server may say is still so
 */
export async function fetchContent(
  due: DueResource,
  held: HeldResource | undefined,
  deps: PatchDeps,
): Promise<FetchedContent> {
  const patched = held && (await patchedContent(due, held, deps));
  if (patched) return { ...patched, means: 'patch', isProvisional: false };
  const { bytes: addresses, memento } = addressesOf(due, deps.isAllowed);
  let own: FetchedContent | undefined;
  for (const address of addresses) {
    const isOwn = address === due.loc;
    const found = isOwn
      ? await fromOwnAddress(due, held, memento, deps)
      : await exactly(address, due, 'mirror', deps);
    if (found && found.kind !== 'failed') return found;
    // What fails at its own address is what there is to say of it.
    if (isOwn) own = found;
  }
  return own ?? { kind: 'failed', reason: 'no address of it may be asked', status: undefined };
}

async function fromOwnAddress(
  due: DueResource,
  held: HeldResource | undefined,
  mementoOf: () => string | undefined,
  deps: PatchDeps,
): Promise<FetchedContent> {
  // Who states another content than we hold is not asked whether it is the same.
  const conditions = held && isAsStated(held, due) === undefined ? conditionsOf(held) : unconditional;
  const first = await download(due.loc, due, conditions, deps);
  if (first.kind !== 'received') return first;
  const plain = { means: 'address', isProvisional: false } as const;
  if (differenceFrom(due, first.content) === undefined) return { ...first, ...plain };
  deps.parts.remove(due.loc);
  const memento = mementoOf();
  const kept = memento === undefined ? undefined : await exactly(memento, due, 'memento', deps);
  if (kept) return kept;
  // A cache in between may be late.
  const second = await download(due.loc, due, { 'cache-control': 'no-cache' }, deps);
  if (second.kind !== 'received') return second;
  const difference = differenceFrom(due, second.content);
  if (difference === undefined) return { ...second, ...plain };
  if (isNewer(second.lastModified, due)) return { ...second, means: 'address', isProvisional: true };
  deps.parts.remove(due.loc);
  return { kind: 'failed', reason: difference, status: 200 };
}

/** From where nothing else than the stated bytes will do. @returns undefined: they are not there */
async function exactly(
  address: string,
  due: DueResource,
  means: Means,
  deps: PatchDeps,
): Promise<FetchedContent | undefined> {
  const found = await download(address, due, unconditional, deps);
  if (found.kind !== 'received') return undefined;
  if (differenceFrom(due, found.content) === undefined)
    // A tag of another server would be asked of this one.
    return {
      ...found,
      etag: undefined,
      lastModified: undefined,
      answer: undefined,
      means,
      isProvisional: false,
    };
  deps.parts.remove(address);
  return undefined;
}

function conditionsOf({ etag, lastModified }: HeldResource): Readonly<Record<string, string>> {
  if (etag !== undefined) return { 'if-none-match': etag };
  return lastModified === undefined ? unconditional : { 'if-modified-since': lastModified };
}

/** It was changed since it was listed. */
function isNewer(lastModified: string | undefined, { lastmod, asOf }: DueResource): boolean {
  const served = lastModified === undefined ? undefined : parseHttpDate(lastModified);
  return served !== undefined && served > (lastmod ?? asOf);
}

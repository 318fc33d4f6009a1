import { parseHttpDate } from '../../core/datetime.ts';
import { differenceFrom } from '../../resourcesync/reading/content-digest.ts';
import { isAsStated } from '../stages/as-stated.ts';
import type { DueResource } from '../state/due-resources.ts';
import type { HeldResource } from '../state/held-resources.ts';
import { type Download, type DownloadDeps, download } from './download.ts';

export type FetchedContent =
  | (Extract<Download, { kind: 'received' }> & {
      /** It is newer than what was stated, as its server says; the Source will say so, too. */
      readonly isProvisional: boolean;
    })
  | Exclude<Download, { kind: 'received' }>;

/**
 * Fetches a resource that is due, and believes it only if it is what was stated, or newer than that.
 * @param held what we have of it, which the server may say is still so
 */
export async function fetchContent(
  due: DueResource,
  held: HeldResource | undefined,
  deps: DownloadDeps,
): Promise<FetchedContent> {
  // Who states another content than we hold is not asked whether it is the same.
  const conditions = held && isAsStated(held, due) === undefined ? conditionsOf(held) : {};
  const first = await download(due.loc, due, conditions, deps);
  if (first.kind !== 'received') return first;
  if (differenceFrom(due, first.content) === undefined) return { ...first, isProvisional: false };
  deps.parts.remove(due.loc);
  // A cache in between may be late.
  const second = await download(due.loc, due, { 'cache-control': 'no-cache' }, deps);
  if (second.kind !== 'received') return second;
  const difference = differenceFrom(due, second.content);
  if (difference === undefined) return { ...second, isProvisional: false };
  if (isNewer(second.lastModified, due)) return { ...second, isProvisional: true };
  deps.parts.remove(due.loc);
  return { kind: 'failed', reason: difference, status: 200 };
}

function conditionsOf({ etag, lastModified }: HeldResource): Readonly<Record<string, string>> {
  if (etag !== undefined) return { 'if-none-match': etag };
  return lastModified === undefined ? {} : { 'if-modified-since': lastModified };
}

/** It was changed since it was listed. */
function isNewer(lastModified: string | undefined, { lastmod, asOf }: DueResource): boolean {
  const served = lastModified === undefined ? undefined : parseHttpDate(lastModified);
  return served !== undefined && served > (lastmod ?? asOf);
}

/** When bytes last changed, for the file: what is stated, else what the server says. */
export function modifiedAt(
  stated: string | undefined,
  lastModified: string | undefined,
  isProvisional: boolean,
): string | undefined {
  const served = lastModified === undefined ? undefined : parseHttpDate(lastModified);
  return isProvisional ? (served ?? stated) : (stated ?? served);
}

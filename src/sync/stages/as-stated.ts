import { parseHttpDate } from '../../core/datetime.ts';
import type { Statement } from '../../resourcesync/reading/statement.ts';
import type { HeldResource } from '../state/held-resources.ts';

/**
 * Whether what is held is what is stated.
 * @returns undefined: what is said does not tell, and the server has to be asked
 */
export function isAsStated(
  held: Pick<HeldResource, 'hashes' | 'length' | 'lastmod'>,
  stated: Pick<Statement, 'hashes' | 'length' | 'lastmod'>,
): boolean | undefined {
  const comparable = stated.hashes.filter((hash) => held.hashes.some((own) => isOfSameKind(own, hash)));
  if (comparable.length > 0) return comparable.every((hash) => held.hashes.includes(hash));
  if (stated.length !== undefined && stated.length !== held.length) return false;
  return stated.lastmod !== undefined && stated.lastmod === held.lastmod ? true : undefined;
}

/** Those beside the one that is always known. */
export function otherHashes(hashes: readonly string[]): readonly string[] {
  return hashes.filter((hash) => !hash.startsWith('sha-256:'));
}

function isOfSameKind(a: string, b: string): boolean {
  return a.slice(0, a.indexOf(':')) === b.slice(0, b.indexOf(':'));
}

/** When bytes last changed, for the file: what is stated, else what the server says. */
export function modifiedAt(
  stated: string | undefined,
  lastModified: string | undefined,
  isProvisional: boolean,
): string | undefined {
  if (stated !== undefined && !isProvisional) return stated;
  const served = lastModified === undefined ? undefined : parseHttpDate(lastModified);
  return served ?? stated;
}

import { isSetSpec } from '../protocol.ts';

/**
 * The setSpec of a collection: its own, so that a harvester that moves here from the repository's endpoint keeps its
 * `set=`; where that is no setSpec, with `~HH` for the octets that none may have, and without hierarchy.
 */
export function toSetSpec(spec: string): string {
  if (isSetSpec(spec)) return spec;
  return Array.from(Buffer.from(spec), (octet) => {
    const character = String.fromCharCode(octet);
    return /[A-Za-z0-9\-_.!*'()]/.test(character)
      ? character
      : `~${octet.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}

/** `a:b:c` → `a:b`, `a`: what else has the records of a set (OAI-PMH §2.6). */
export function ancestorsOf(spec: string): readonly string[] {
  const parts = spec.split(':');
  return parts.slice(1).map((_, index) => parts.slice(0, parts.length - 1 - index).join(':'));
}

/** Collections and everything above them, each once: the sets that an item is in. */
export function setsOf(collections: readonly string[]): readonly string[] {
  const own = collections.map(toSetSpec);
  return [...new Set([...own, ...own.flatMap(ancestorsOf)])];
}

/** Those that a header names: what follows from another one is left out. */
export function statedSets(collections: readonly string[]): readonly string[] {
  const own = [...new Set(collections.map(toSetSpec))];
  if (own.length < 2) return own;
  return own.filter((spec) => !own.some((other) => other.startsWith(`${spec}:`))).sort();
}

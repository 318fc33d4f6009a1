import type { Statement } from '../../resourcesync/reading/statement.ts';

/** Which resources of a set are wanted; what says nothing of a property is not left out by it. */
export interface Selection {
  /** Media types, `*` for any subtype; empty: all. */
  readonly types: readonly string[];
  /** Paths of addresses, `*` within a segment and `**` across; empty: all. */
  readonly paths: readonly string[];
  /** What describes something else: an entry with a link `describes`. */
  readonly metadataOnly: boolean;
  /** Octets; undefined: any. */
  readonly maximumLength: number | undefined;
}

export const everything: Selection = { types: [], paths: [], metadataOnly: false, maximumLength: undefined };

/** `metadata`, `type:application/pdf`, `type:image/*`, `path:/items/**`, `length:1000000`: what people type. */
export function parseSelection(
  words: readonly string[],
): Selection | { readonly refused: string; readonly why: string } {
  const types: string[] = [];
  const paths: string[] = [];
  let metadataOnly = false;
  let maximumLength: number | undefined;
  for (const word of words) {
    const [, kind = '', value = ''] = /^(type|path|length):(.+)$/.exec(word) ?? [];
    if (word === 'metadata') metadataOnly = true;
    else if (kind === 'type' && /^[\w.+*-]+\/[\w.+*-]+$/.test(value)) types.push(value.toLowerCase());
    else if (kind === 'path' && value.startsWith('/')) paths.push(value);
    else if (kind === 'length' && /^\d{1,15}$/.test(value)) maximumLength = Number(value);
    else return { refused: word, why: 'give metadata, type:TYPE/SUBTYPE, path:/PATTERN or length:OCTETS' };
  }
  return { types, paths, metadataOnly, maximumLength };
}

/** The same selection has the same text, in whatever order it was typed. */
export function selectionText({ types, paths, metadataOnly, maximumLength }: Selection): string {
  return JSON.stringify([[...types].sort(), [...paths].sort(), metadataOnly, maximumLength ?? null]);
}

/** Decides for one resource. */
export function createSelector(selection: Selection): (statement: Statement) => boolean {
  const { types, paths, metadataOnly, maximumLength } = selection;
  const ofType = types.map((type) => patternOf(type, '[^/]*'));
  const ofPath = paths.map((path) => patternOf(path, '[^/]*'));
  return ({ loc, type, length, links, change }) => {
    if (ofPath.length > 0) {
      const { pathname, search } = new URL(loc);
      if (!ofPath.some((pattern) => pattern.test(pathname + search))) return false;
    }
    // Of what is deleted nothing more need be said: what we do not hold is not deleted.
    if (change === 'deleted') return true;
    if (ofType.length > 0 && type !== undefined && !ofType.some((pattern) => pattern.test(type)))
      return false;
    if (maximumLength !== undefined && length !== undefined && length > maximumLength) return false;
    return !metadataOnly || links.some(({ rel }) => rel === 'describes');
  };
}

function patternOf(text: string, within: string): RegExp {
  const source = text
    .split('**')
    .map((part) =>
      part
        .split('*')
        .map((piece) => piece.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
        .join(within),
    )
    .join('.*');
  return new RegExp(`^${source}$`);
}

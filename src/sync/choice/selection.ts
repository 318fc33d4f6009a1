import { octetsOf } from '../../core/files/octets-of.ts';
import type { Statement } from '../../resourcesync/reading/statement.ts';

/** Which resources of a set are wanted; what says nothing of a property is not left out by it. */
export interface Selection {
  /** Media types, `*` for any subtype; empty: all. */
  readonly types: readonly string[];
  /** Paths of addresses, `*` within a segment and `**` across; empty: all. */
  readonly paths: readonly string[];
  /** Links that an entry has one of, `describes` for what describes something else; empty: any or none. */
  readonly relations: readonly string[];
  /** What an entry follows, as its links `profile` say; empty: any. */
  readonly profiles: readonly string[];
  /** Octets; undefined: any. */
  readonly maximumLength: number | undefined;
}

export const everything: Selection = {
  ...{ types: [], paths: [], relations: [], profiles: [], maximumLength: undefined },
};

/** `metadata`, `type:application/pdf`, `path:/items/**`, `rel:describedby`, `profile:http://…`, `length:1000000`: what people type. */
export function parseSelection(
  words: readonly string[],
): Selection | { readonly refused: string; readonly why: string } {
  const types: string[] = [];
  const paths: string[] = [];
  const relations: string[] = [];
  const profiles: string[] = [];
  let maximumLength: number | undefined;
  for (const word of words) {
    const [, kind = '', value = ''] = /^(type|path|rel|profile|length):(.+)$/.exec(word) ?? [];
    if (word === 'metadata') relations.push('describes');
    else if (kind === 'rel') relations.push(value);
    else if (kind === 'profile') profiles.push(value);
    else if (kind === 'type' && /^[\w.+*-]+\/[\w.+*-]+$/.test(value)) types.push(value.toLowerCase());
    else if (kind === 'path' && value.startsWith('/')) paths.push(value);
    else if (kind === 'length' && octetsOf(value) !== undefined) maximumLength = octetsOf(value);
    else
      return {
        refused: word,
        why: 'give metadata, type:TYPE/SUBTYPE, path:/PATTERN, rel:RELATION, profile:URI or length:OCTETS',
      };
  }
  return { types, paths, relations, profiles, maximumLength };
}

/** The same selection has the same text, in whatever order it was typed. */
export function selectionText(selection: Selection): string {
  const { types, paths, relations, profiles, maximumLength } = selection;
  const lists = [types, paths, relations, profiles].map((words) => [...new Set(words)].sort());
  return JSON.stringify([...lists, maximumLength ?? null]);
}

/** Nothing is left out. */
export function isEverything(selection: Selection): boolean {
  return selectionText(selection) === selectionText(everything);
}

/** Decides for one resource. */
export function createSelector(selection: Selection): (statement: Statement) => boolean {
  const { types, paths, relations, profiles, maximumLength } = selection;
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
    if (relations.length > 0 && !links.some(({ rel }) => relations.includes(rel))) return false;
    return (
      profiles.length === 0 || links.some(({ rel, href }) => rel === 'profile' && isOneUri(profiles, href))
    );
  };
}

/** As it is written, or as an address is read. */
function isOneUri(uris: readonly string[], href: string): boolean {
  return uris.some((uri) => uri === href || (URL.canParse(uri) && new URL(uri).href === href));
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

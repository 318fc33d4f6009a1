import { toDigits } from '../../core/datetime.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { Documents, StoredDocument } from '../disk/pointer.ts';
import { setPaths } from './document-paths.ts';

/**
 * What some documents were before: those that change rarely and say what a set offers. Closed Change Lists have
 * addresses of their own, Resource Lists are rendered from the journal, and an open list is another one every second.
 */

/** Of each document; the oldest go. */
const keptStates = 100;

/** Which documents of a set keep their former states. */
export function documentsWithStates(set: Pick<ResourceSet, 'path'>): readonly string[] {
  const { description, capabilityList, listsOnly, listsOnlyDescription } = setPaths(set);
  return [description, capabilityList, listsOnly, listsOnlyDescription];
}

/** Of one state in the catalog. */
function formerPath(path: string, datetime: string): string {
  return `memento/${toDigits(datetime)}/${path}`;
}

/** The states of one document in a catalog, oldest first. */
export function statesOf(former: Documents, path: string): readonly StoredDocument[] {
  return Object.entries(former)
    .filter(([key]) => key.endsWith(`/${path}`) && key === formerPath(path, datetimeOf(former[key])))
    .map(([, document]) => document)
    .sort((a, b) => (a.lastModified < b.lastModified ? -1 : 1));
}

/**
 * The catalog after a switch; the same object where nothing was superseded. What was replaced within the second of
 * its own beginning was the state of no moment.
 */
export function withSuperseded(
  former: Documents,
  set: Pick<ResourceSet, 'path'>,
  published: Documents,
  next: Documents,
): Documents {
  const superseded = documentsWithStates(set).flatMap((path): [string, StoredDocument][] => {
    const [before, after] = [published[path], next[path]];
    const isOver = before && after && before.lastModified < after.lastModified;
    return isOver && before.plain.etag !== after.plain.etag
      ? [[formerPath(path, before.lastModified), { ...before, immutable: true }]]
      : [];
  });
  if (superseded.length === 0) return former;
  const all = { ...former, ...Object.fromEntries(superseded) };
  const kept = documentsWithStates(set).flatMap((path) =>
    statesOf(all, path)
      .slice(-keptStates)
      .map((state) => [formerPath(path, state.lastModified), state]),
  );
  return Object.fromEntries(kept);
}

function datetimeOf(document: StoredDocument | undefined): string {
  return document?.lastModified ?? '';
}

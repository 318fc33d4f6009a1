import type { Documents } from '../disk/pointer.ts';
import { makingOf, manifestPath } from './dump-paths.ts';
import { packageMediaType } from './package-writer.ts';

/** By the paths of packages: what comes instead of each, with its manifest; nothing, where nothing was left of it. */
export type Replacements = ReadonlyMap<string, Documents>;

/** @returns the same object where none of them is in it */
export function withReplaced(documents: Documents, replaced: Replacements): Documents {
  if (![...replaced.keys()].some((path) => Object.hasOwn(documents, path))) return documents;
  const gone = new Set([...replaced.keys()].map(manifestPath));
  return Object.fromEntries(
    Object.entries(documents).flatMap(([path, document]) => {
      if (gone.has(path)) return [];
      const instead = replaced.get(path);
      return instead ? Object.entries(instead) : [[path, document] as const];
    }),
  );
}

/** The packages in a catalog, and their manifests; not what lists them. */
export function packagesOf(documents: Documents): Documents {
  return Object.fromEntries(Object.entries(documents).filter(([path]) => makingOf(path) !== undefined));
}

/** The paths of the packages in a catalog. */
export function packagePathsOf(documents: Documents): readonly string[] {
  return Object.entries(documents).flatMap(([path, { mediaType }]) =>
    mediaType === packageMediaType ? [path] : [],
  );
}

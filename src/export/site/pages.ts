import { itemPath } from '../../core/uris.ts';
import type { ResourceState } from '../../store/history/resource-states.ts';
import { sideBySide } from '../tree/side-by-side.ts';
import type { ExportTree } from '../tree/tree.ts';

/** The pages that links lead to, as the server room renders them. */
export interface PageSource {
  /** @param path below `baseUrl`; `''` is the start. @returns undefined where there is nothing */
  read(path: string): Promise<Uint8Array | undefined>;
}

/**
 * Every page has a directory of its own: an item's has the item's resources in it already, and a file `a.html`
 * could be the page of the collection `a` as well as that of `a.html`.
 */
export function fileOfPage(path: string): string {
  return path === '' ? 'index.html' : `${path}/index.html`;
}

/** The page of an item's or a collection's path; it is removed where there is no such page any more. */
async function exportPage(tree: ExportTree, pages: PageSource, path: string): Promise<void> {
  await exportFile(tree, pages, path, fileOfPage(path));
}

/** @returns whether there is such a file now */
export async function exportFile(
  tree: ExportTree,
  pages: PageSource,
  path: string,
  file = path,
): Promise<boolean> {
  const content = await pages.read(path);
  if (content) await tree.put(file, { length: content.byteLength, chunks: () => [content] });
  else await tree.remove(file);
  return content !== undefined;
}

const pagesAtATime = 4;

export async function exportPages(
  tree: ExportTree,
  pages: PageSource,
  paths: Iterable<string>,
): Promise<void> {
  await sideBySide(paths, pagesAtATime, (path) => exportPage(tree, pages, path));
}

/** Of the items that these resources of a source belong to; each once. */
export function itemPathsOf(source: string, states: readonly ResourceState[]): ReadonlySet<string> {
  return new Set(states.map(({ identifier }) => itemPath(source, identifier)));
}

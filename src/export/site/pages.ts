import type { ResourceState } from '../../store/history/resource-states.ts';
import { sideBySide } from '../tree/side-by-side.ts';
import type { ExportTree } from '../tree/tree.ts';

/** The pages that links lead to, as the server room renders them. */
export interface PageSource {
  /** @param path below `baseUrl`; `''` is the start. @returns undefined where there is nothing */
  read(path: string): Promise<Uint8Array | undefined>;
  /** Of many items of a source. */
  readItems(source: string, identifiers: ReadonlySet<string>): AsyncIterable<ItemPageContent>;
}

export interface ItemPageContent {
  /** Below `baseUrl`. */
  readonly path: string;
  readonly content: Uint8Array | undefined;
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
  return putPage(tree, await pages.read(path), file);
}

async function putPage(tree: ExportTree, content: Uint8Array | undefined, file: string): Promise<boolean> {
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

const itemsAtATime = 16;

/** The pages of these items of a source; those of which nothing is published lose theirs. */
export async function exportItemPages(
  tree: ExportTree,
  pages: PageSource,
  source: string,
  identifiers: ReadonlySet<string>,
): Promise<void> {
  await sideBySide(pages.readItems(source, identifiers), itemsAtATime, ({ path, content }) =>
    putPage(tree, content, fileOfPage(path)),
  );
}

/** Of the items that these resources belong to. */
export function identifiersOf(states: readonly ResourceState[]): ReadonlySet<string> {
  return new Set(states.map(({ identifier }) => identifier));
}

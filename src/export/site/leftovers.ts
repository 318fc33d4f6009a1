import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExportTree } from '../tree/tree.ts';
import { fileOfPage } from './pages.ts';

export interface LeftoverSettings {
  readonly root: string;
  readonly tree: ExportTree;
  /** Files of documents and of pages, collections' included, that stay. */
  readonly belongs: (file: string) => boolean;
  /** Whether anything of the source is laid out. */
  readonly isLaidOut: (source: string) => boolean;
  /** Those of the paths that are a living resource of the source. */
  readonly living: (source: string, paths: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly onItems: (count: number) => void;
}

/** Removes what an earlier export wrote and no list mentions; what is not of our making stays. */
export async function removeLeftovers(settings: LeftoverSettings): Promise<void> {
  for await (const { name, isDirectory } of entries(settings.root)) {
    if (!isDirectory || !/^[a-z0-9][a-z0-9-]*$/.test(name)) continue;
    if (await isSource(settings.root, name)) await cleanSource(settings, name);
  }
}

async function isSource(root: string, name: string): Promise<boolean> {
  for await (const entry of entries(join(root, name))) {
    if (entry.name === 'capabilitylist.xml' || (entry.isDirectory && entry.name === 'items')) return true;
  }
  return false;
}

async function cleanSource(settings: LeftoverSettings, source: string): Promise<void> {
  for await (const { name, isDirectory } of entries(join(settings.root, source))) {
    const path = `${source}/${name}`;
    // A patch is named by its content, and a Change List of any age may link to it.
    if (isDirectory && name === 'patches' && settings.isLaidOut(source)) continue;
    if (isDirectory && name === 'items') await cleanItems(settings, source);
    else if (isDirectory) await cleanDocuments(settings, path);
    else await cleanDocument(settings, path);
  }
}

async function cleanDocuments(settings: LeftoverSettings, directory: string): Promise<void> {
  for await (const path of filesBelow(settings.root, directory)) await cleanDocument(settings, path);
  await settings.tree.prune(directory);
}

const ours = /(?:\.xml|\.xml\.gz|\.zip|\/index\.html|\/\.well-known\/resourcesync|\/resourcesync\.gz)$/;

async function cleanDocument({ tree, belongs }: LeftoverSettings, path: string): Promise<void> {
  if (ours.test(path) && !belongs(path)) await tree.remove(path);
}

const itemsAtATime = 200;

async function cleanItems(settings: LeftoverSettings, source: string): Promise<void> {
  const place = `${source}/items`;
  let items: string[] = [];
  for await (const { name, isDirectory } of entries(join(settings.root, place))) {
    if (isDirectory) items.push(`${place}/${name}`);
    if (items.length < itemsAtATime) continue;
    await cleanSomeItems(settings, source, items);
    items = [];
  }
  await cleanSomeItems(settings, source, items);
}

async function cleanSomeItems(
  { root, tree, living, onItems }: LeftoverSettings,
  source: string,
  items: readonly string[],
): Promise<void> {
  const files = new Map<string, string[]>();
  for (const item of items) {
    const found: string[] = [];
    for await (const path of filesBelow(root, item)) found.push(path);
    files.set(item, found);
  }
  const alive = await living(source, [...files.values()].flat());
  for (const [item, found] of files) {
    const page = fileOfPage(item);
    const lives = found.some((path) => alive.has(path));
    for (const path of found) if (!alive.has(path) && !(path === page && lives)) await tree.remove(path);
    // What a killed run made and did not fill.
    if (found.length === 0) await tree.prune(item);
  }
  onItems(items.length);
}

/** Regular files alone, by their paths below the root; empty directories on the way are left as they are. */
async function* filesBelow(root: string, directory: string): AsyncGenerator<string> {
  for await (const { name, isDirectory, isFile } of entries(join(root, directory))) {
    if (isDirectory) yield* filesBelow(root, `${directory}/${name}`);
    else if (isFile) yield `${directory}/${name}`;
  }
}

/** A symbolic link is neither a directory nor a file. */
async function* entries(
  directory: string,
): AsyncGenerator<{ readonly name: string; readonly isDirectory: boolean; readonly isFile: boolean }> {
  const open = await opendir(directory).catch(() => undefined);
  for await (const entry of open ?? []) {
    yield { name: entry.name, isDirectory: entry.isDirectory(), isFile: entry.isFile() };
  }
}

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../core/adapter.ts';
import { toIso } from '../../core/datetime.ts';
import { isBridgeError } from '../../core/errors.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { formatVersion, type Pointer, readPointer, type StoredDocument } from '../disk/pointer.ts';
import { publicationError } from '../disk/publication-error.ts';
import { lockPublication } from '../disk/publication-lock.ts';
import { SetDirectory } from '../disk/set-directory.ts';
import { etagOf, writeDocument } from '../disk/stored-document.ts';
import { setPaths, siteDescriptionPart, siteDescriptionPath } from '../documents/document-paths.ts';
import { renderSourceDescription, renderSourceDescriptionIndex } from '../documents/source-description.ts';
import type { Fate } from './former-sets.ts';

interface SiteSettings {
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly limits?: SiteLimits | undefined;
  readonly leaseMs?: number | undefined;
}

/** What one Source Description names; with more it becomes an index (RS-SD-08). */
export interface SiteLimits {
  readonly sets: number;
  readonly sources: number;
  /** In each part of an index. */
  readonly setsInPart: number;
}

export const siteLimits: SiteLimits = { sets: 50_000, sources: 500, setsInPart: 1_000 };

/**
 * Makes a set known to readers: the site's pointer names every set that is published, and nothing else leads
 * from a path to a directory.
 */
export async function registerSet(root: string, settings: SiteSettings, set: ResourceSet): Promise<void> {
  const known = await readPointer(root);
  if (known?.baseUrl === settings.baseUrl && known.sets?.includes(set.path)) return;
  await edit(root, settings, (pointer) => {
    const sets = [...new Set([...(pointer.sets ?? []), set.path])].sort();
    return Promise.resolve({ ...pointer, sets });
  });
}

/**
 * Renders the site-wide Source Description (RS-SD-03).
 * @param fateOf of sets that were published, and are none of `sets`
 */
export async function publishSite(
  root: string,
  settings: SiteSettings,
  sets: readonly ResourceSet[],
  fateOf: (path: string) => Promise<Fate> = () => Promise.resolve('forgotten'),
): Promise<void> {
  const { clock } = settings;
  const published: ResourceSet[] = [];
  for (const set of sets) {
    const pointer = await readPointer(join(root, ...set.path.split('/')));
    if (pointer?.documents[setPaths(set).capabilityList]) published.push(set);
  }
  await mkdir(root, { recursive: true });
  await edit(root, settings, async (pointer) => {
    const paths = new Set(published.map(({ path }) => path));
    const left = new Set<string>();
    for (const path of [...(pointer.sets ?? []), ...(pointer.left ?? [])]) {
      if (paths.has(path)) continue;
      const fate = await fateOf(path);
      // What has been remembered is there again when it is published once more, and not before.
      if (fate === 'served' && pointer.sets?.includes(path)) paths.add(path);
      else if (fate !== 'forgotten') left.add(path);
    }
    const known = { sets: [...paths], left: [...left] };
    // It is for everybody: whoever may have a set that is not knows where that is.
    const open = published.filter(({ isPrivate }) => !isPrivate);
    const members = [...new Set(open.flatMap((set) => (set.members ? [] : [set.source])))];
    if (open.length === 0) return { ...pointer, ...known, members, documents: {} };
    const documents: Record<string, StoredDocument> = {};
    const lastModified = toIso(clock.now());
    for (const { path, entries, text } of describe(open, settings)) {
      const before = pointer.documents[path];
      const facts = { capability: 'description', entries, lastModified, immutable: false };
      documents[path] =
        before?.plain.etag === etagOf(text) ? before : await writeDocument(root, 'description', facts, text);
    }
    return { ...pointer, ...known, members, documents };
  });
}

interface DescriptionText {
  readonly path: string;
  readonly entries: number;
  readonly text: string;
}

/** The Source Description, or its index and the parts. */
function describe(
  sets: readonly ResourceSet[],
  { baseUrl, limits = siteLimits }: SiteSettings,
): readonly DescriptionText[] {
  const sources = new Set(sets.flatMap(({ source, members }) => (members ? [] : [source])));
  const render = (path: string, some: readonly ResourceSet[]) => ({
    path,
    entries: some.length,
    text: renderSourceDescription(baseUrl, some, 'about'),
  });
  if (sets.length <= limits.sets && sources.size <= limits.sources)
    return [render(siteDescriptionPath, sets)];
  const parts: DescriptionText[] = [];
  for (let from = 0; from < sets.length; from += limits.setsInPart)
    parts.push(render(siteDescriptionPart(parts.length + 1), sets.slice(from, from + limits.setsInPart)));
  const names = parts.map(({ path }) => path);
  const text = renderSourceDescriptionIndex(baseUrl, names, 'about');
  return [{ path: siteDescriptionPath, entries: parts.length, text }, ...parts];
}

async function edit(
  root: string,
  { baseUrl, clock, leaseMs }: SiteSettings,
  change: (pointer: Pointer) => Promise<Pointer>,
): Promise<void> {
  const lock = await lockWithPatience(root, clock, leaseMs);
  try {
    const directory = new SetDirectory(root);
    const usable = await directory.load(baseUrl);
    const empty: Pointer = {
      version: formatVersion,
      baseUrl,
      documents: {},
      catalogs: [],
      snapshots: [],
      retired: {},
      sets: directory.pointer?.sets ?? [],
      left: directory.pointer?.left ?? [],
    };
    const next = await change((usable && directory.pointer) || empty);
    await lock.confirm();
    await directory.switch(next, toIso(clock.now()));
    await directory.sweep();
  } catch (error) {
    throw publicationError(error, 'the Source Description');
  } finally {
    await lock.release();
  }
}

/** Sets of several sources are published side by side, and each holds the site for a moment only. */
async function lockWithPatience(root: string, clock: Clock, leaseMs: number | undefined) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await lockPublication(root, leaseMs);
    } catch (error) {
      if (attempt >= 20 || !isBridgeError(error, 'publication-busy')) throw error;
      await clock.sleep(100);
    }
  }
}

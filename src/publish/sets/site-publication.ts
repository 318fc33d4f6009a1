import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../core/adapter.ts';
import { toIso } from '../../core/datetime.ts';
import { isBridgeError } from '../../core/errors.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { formatVersion, type Pointer, readPointer } from '../disk/pointer.ts';
import { publicationError } from '../disk/publication-error.ts';
import { lockPublication } from '../disk/publication-lock.ts';
import { SetDirectory } from '../disk/set-directory.ts';
import { etagOf, writeDocument } from '../disk/stored-document.ts';
import { setPaths, siteDescriptionPath } from '../documents/document-paths.ts';
import { renderSourceDescription } from '../documents/source-description.ts';

interface SiteSettings {
  readonly baseUrl: string;
  readonly clock: Clock;
}

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
 * @param isKept sets that are served still, though they are not described any more
 */
export async function publishSite(
  root: string,
  settings: SiteSettings,
  sets: readonly ResourceSet[],
  isKept: (path: string) => boolean = () => false,
): Promise<void> {
  const { baseUrl, clock } = settings;
  const published: ResourceSet[] = [];
  for (const set of sets) {
    const pointer = await readPointer(join(root, ...set.path.split('/')));
    if (pointer?.documents[setPaths(set).capabilityList]) published.push(set);
  }
  await mkdir(root, { recursive: true });
  await edit(root, settings, async (pointer) => {
    const kept = (pointer.sets ?? []).filter(isKept);
    const paths = [...new Set([...published.map((set) => set.path), ...kept])];
    if (published.length === 0) return { ...pointer, sets: paths, documents: {} };
    const text = renderSourceDescription(baseUrl, published, 'about');
    if (pointer.documents[siteDescriptionPath]?.plain.etag === etagOf(text))
      return { ...pointer, sets: paths };
    const lastModified = toIso(clock.now());
    const facts = { capability: 'description', entries: published.length, lastModified, immutable: false };
    const document = await writeDocument(root, 'description', facts, text);
    return { ...pointer, sets: paths, documents: { [siteDescriptionPath]: document } };
  });
}

async function edit(
  root: string,
  { baseUrl, clock }: SiteSettings,
  change: (pointer: Pointer) => Promise<Pointer>,
): Promise<void> {
  const lock = await lockWithPatience(root, clock);
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
async function lockWithPatience(root: string, clock: Clock) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await lockPublication(root);
    } catch (error) {
      if (attempt >= 20 || !isBridgeError(error, 'publication-busy')) throw error;
      await clock.sleep(100);
    }
  }
}

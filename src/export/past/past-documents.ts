import type { ResourceSet } from '../../core/resource-set.ts';
import { sitemapLimits } from '../../core/sitemap.ts';
import type { Documents } from '../../publish/disk/pointer.ts';
import { writeDocument } from '../../publish/disk/stored-document.ts';
import { watched } from '../../publish/disk/watched.ts';
import { renderCapabilityList } from '../../publish/documents/capability-list.ts';
import { setPaths, siteDescriptionPath } from '../../publish/documents/document-paths.ts';
import { writeResourceList } from '../../publish/documents/resource-list.ts';
import { renderSourceDescription } from '../../publish/documents/source-description.ts';
import type { Database } from '../../store/engine/database.ts';
import { listResourcesAt } from '../../store/history/listing-at.ts';
import { addDocuments, type SnapshotDocument } from '../site/publication-snapshot.ts';

export interface PastDocumentSettings {
  readonly database: Database;
  readonly baseUrl: string;
  /** Where they are made. */
  readonly workshop: string;
  readonly at: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * The documents of a moment: of each set the Resource List, and what leads to it. No Change Lists and no dumps: what
 * came before and after is not in it.
 * @param seqOf where the journal of a source stood
 */
export async function renderPastDocuments(
  settings: PastDocumentSettings,
  sets: readonly ResourceSet[],
  seqOf: (source: string) => number,
): Promise<ReadonlyMap<string, SnapshotDocument>> {
  const { baseUrl, workshop, at } = settings;
  const documents = new Map<string, SnapshotDocument>();
  const add = (found: Documents) => addDocuments(documents, workshop, found);
  const write = async (path: string, capability: string, entries: number, text: string) => {
    const facts = { capability, entries, lastModified: at, immutable: false };
    add({ [path]: await writeDocument(workshop, capability, facts, text) });
  };
  for (const set of sets) {
    add(await renderList(settings, set, seqOf(set.source)));
    const { resourceList, capabilityList, listsOnly, description, listsOnlyDescription, about } =
      setPaths(set);
    const lists = [{ capability: 'resourcelist', path: resourceList }];
    await write(capabilityList, 'capabilitylist', 1, renderCapabilityList(baseUrl, set, lists));
    await write(description, 'description', 1, renderSourceDescription(baseUrl, [set], about));
    const withoutDumps = renderCapabilityList(baseUrl, set, lists, listsOnlyDescription);
    await write(listsOnly, 'capabilitylist', 1, withoutDumps);
    const leading = renderSourceDescription(baseUrl, [set], about, 'listsOnly');
    await write(listsOnlyDescription, 'description', 1, leading);
  }
  const description = renderSourceDescription(baseUrl, sets, 'about');
  await write(siteDescriptionPath, 'description', sets.length, description);
  return documents;
}

async function renderList(
  { database, baseUrl, workshop, at, signal }: PastDocumentSettings,
  set: ResourceSet,
  seq: number,
): Promise<Documents> {
  const pages = watched(listResourcesAt(database.reader, set, seq), signal, () => Promise.resolve());
  const { document, parts } = await writeResourceList(pages, {
    ...{ directory: workshop, baseUrl, set, at },
    limits: sitemapLimits,
  });
  return { ...parts, [setPaths(set).resourceList]: document };
}

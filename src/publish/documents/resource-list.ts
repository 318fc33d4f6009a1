import type { Clock } from '../../core/adapter.ts';
import { later, toIso } from '../../core/datetime.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { Limits } from '../../core/sitemap.ts';
import { toUri } from '../../core/uris.ts';
import type { ListedResource, ResourceEntry } from '../../store/reading/listing.ts';
import { DocumentFile, type WrittenTwins } from '../disk/document-file.ts';
import type { StoredDocument } from '../disk/pointer.ts';
import { storeDocument, writeDocument } from '../disk/stored-document.ts';
import { TextChunks } from '../disk/text-chunks.ts';
import { setPaths } from './document-paths.ts';
import { listTail, renderEntry, renderListHead } from './entry-writer.ts';
import { renderListIndex } from './list-index.ts';

export interface WrittenResourceList {
  /** `resourcelist.xml`: the list itself, or the index. */
  readonly document: StoredDocument;
  /** Where one list was not enough. */
  readonly parts: Readonly<Record<string, StoredDocument>>;
}

interface Part {
  readonly entries: number;
  readonly body: WrittenTwins;
}

interface ResourceListSettings {
  readonly directory: string;
  readonly baseUrl: string;
  readonly set: ResourceSet;
  /** When the snapshot began (RS-TIME-06). */
  readonly at: string;
  /** Undefined: the state of a moment that is over, of which nobody needs to know when it was written down. */
  readonly clock?: Clock | undefined;
  readonly limits: Limits;
  /** Where list and parts are; default: those of a set. */
  readonly places?: ListPlaces | undefined;
}

export interface ListPlaces {
  readonly list: string;
  /** @param number from 1 */
  part(number: number): string;
}

/** Writes a Resource List from the pages of one snapshot. */
export async function writeResourceList(
  pages: AsyncIterable<readonly (ResourceEntry | ListedResource)[]>,
  settings: ResourceListSettings,
): Promise<WrittenResourceList> {
  const { directory, baseUrl, set, at, clock, limits } = settings;
  const paths = setPaths(set);
  const { places = { list: paths.resourceList, part: (number) => paths.resourceListPart(at, number) } } =
    settings;
  const up = toUri(baseUrl, paths.capabilityList);
  const index = toUri(baseUrl, places.list);
  const head = (completed: string | undefined, single: boolean) =>
    renderListHead({
      baseUrl,
      capability: 'resourcelist',
      up,
      index: single ? undefined : index,
      at,
      completed,
    });

  const frame = Buffer.byteLength(head(at, false) + listTail);
  const parts = await writeParts(pages, settings, {
    entries: limits.entries,
    bytes: limits.bytes - frame,
  });
  // After the last row was read (RS-TIME-07). The bodies are on disk; the heads, which say so, are constants.
  const completed = clock && later(toIso(clock.now()), at);
  const facts = { capability: 'resourcelist', lastModified: completed ?? at, at, completed };
  const [only, ...others] = parts;
  if (only && others.length === 0) {
    const single = { ...facts, entries: only.entries, immutable: false };
    return { document: storeDocument(single, only.body, head(completed, true), listTail), parts: {} };
  }
  const stored: Record<string, StoredDocument> = {};
  for (const [number, { entries, body }] of parts.entries()) {
    const path = places.part(number + 1);
    const part = { ...facts, entries, immutable: true };
    stored[path] = storeDocument(part, body, head(completed, false), listTail);
  }
  const members = Object.keys(stored).map((path) => ({ path, at, completed }));
  const text = renderListIndex(baseUrl, {
    capability: 'resourcelist',
    up: paths.capabilityList,
    times: { at, completed },
    members,
  });
  const entries = parts.reduce((sum, part) => sum + part.entries, 0);
  const indexFacts = { ...facts, entries, immutable: false };
  return { document: await writeDocument(directory, 'resourcelist', indexFacts, text), parts: stored };
}

/** Whether a text takes more octets than are left. Counting them costs a look at each of its characters. */
function isBeyond(left: number, text: string): boolean {
  return text.length * 3 > left && Buffer.byteLength(text) > left;
}

/**
 * The entries in as few files as the limits allow; at least one, which may be empty. While a part is synced to the disk the
 * next one is written: the disk then has two parts at once to take, and no more.
 */
async function writeParts(
  pages: AsyncIterable<readonly (ResourceEntry | ListedResource)[]>,
  { directory, baseUrl, set }: Pick<ResourceListSettings, 'directory' | 'baseUrl' | 'set'>,
  limits: Limits,
): Promise<readonly Part[]> {
  const parts: Part[] = [];
  let number = 0;
  const start = () => {
    number += 1;
    return new DocumentFile(directory, `resourcelist~${number}`);
  };
  let file = start();
  let synced: Promise<Part> | undefined;
  const chunks = new TextChunks();
  let entries = 0;
  let bytes = 0;
  const former = async () => {
    const part = await synced;
    synced = undefined;
    if (part) parts.push(part);
  };
  const finish = async () => {
    await file.append(chunks.take());
    await former();
    const count = entries;
    synced = file.finish().then((body) => ({ entries: count, body }));
    // It is awaited later; until then a failure is not unhandled.
    synced.catch(() => undefined);
    entries = 0;
    bytes = 0;
  };
  try {
    for await (const page of pages) {
      for (const resource of page) {
        const text = renderEntry(baseUrl, resource, set);
        if (entries > 0 && (entries >= limits.entries || isBeyond(limits.bytes - bytes, text))) {
          await finish();
          file = start();
        }
        entries += 1;
        const chunk = chunks.add(text);
        bytes += chunks.added;
        if (chunk) await file.append(chunk);
      }
    }
    await finish();
    await former();
  } catch (error) {
    await synced?.catch(() => undefined);
    await file.discard();
    throw error;
  }
  return parts;
}

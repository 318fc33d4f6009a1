import type { Knex } from 'knex';
import type { ResourceSet } from '../../core/resource-set.ts';
import { toUri } from '../../core/uris.ts';
import { listLatestChanges } from '../../store/reading/listing.ts';
import { DocumentFile } from '../disk/document-file.ts';
import type { StoredDocument } from '../disk/pointer.ts';
import { storeDocument } from '../disk/stored-document.ts';
import { TextChunks } from '../disk/text-chunks.ts';
import { setPaths } from '../documents/document-paths.ts';
import { listTail, renderEntry, renderListHead } from '../documents/entry-writer.ts';
import type { FlatWindow } from './flat-window.ts';

/**
 * `changelist.xml`, for clients that read no index: one open list of what changed lately, with one entry per
 * resource, its latest change. (The reference client drops a created…deleted pair altogether and would keep
 * the deleted file. Every single change stands in the dated lists: RS-CL-05.)
 * @param trx a snapshot: which change is a resource's latest must not move meanwhile
 */
export async function writeFlatChangeList(
  trx: Knex.Transaction,
  settings: {
    readonly directory: string;
    readonly baseUrl: string;
    readonly set: ResourceSet;
    readonly now: string;
    readonly signal?: AbortSignal | undefined;
  },
  window: FlatWindow,
): Promise<StoredDocument> {
  const { directory, baseUrl, set, now, signal } = settings;
  const file = new DocumentFile(directory, 'changelist');
  const chunks = new TextChunks();
  let entries = 0;
  try {
    await file.append(Buffer.from(renderFlatHead(baseUrl, set, window.from)));
    for await (const page of listLatestChanges(trx, set, { afterSeq: window.afterSeq })) {
      signal?.throwIfAborted();
      for (const change of page) {
        if (change.datetime < window.from) continue;
        entries += 1;
        const chunk = chunks.add(renderEntry(baseUrl, change, set));
        if (chunk) await file.append(chunk);
      }
    }
    await file.append(chunks.take());
    await file.append(Buffer.from(listTail));
  } catch (error) {
    await file.discard();
    throw error;
  }
  const facts = { capability: 'changelist', entries, lastModified: now, immutable: false, from: window.from };
  return storeDocument(facts, await file.finish());
}

/** The index has the complete history, hence the link (RS-CL-07). */
export function renderFlatHead(baseUrl: string, set: ResourceSet, from: string): string {
  const paths = setPaths(set);
  return renderListHead({
    baseUrl,
    capability: 'changelist',
    up: toUri(baseUrl, paths.capabilityList),
    index: toUri(baseUrl, paths.changeListIndex),
    from,
  });
}

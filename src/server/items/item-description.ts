import {
  describeMetadata,
  inOrderOfDetail,
  longestDescribed,
  sayingMost,
} from '../../core/descriptions/describe.ts';
import type { Description } from '../../core/descriptions/description.ts';
import { isBridgeError } from '../../core/errors.ts';
import { readContents } from '../../store/payloads/contents.ts';
import type { StoredResource } from '../../store/reading/resources.ts';
import type { ServerDeps } from '../deps.ts';

/**
 * What an item's published metadata says of it. Nothing else is looked at: what is withheld, withdrawn or left out by the
 * configuration is not in it.
 * @param metadata living resources of one item
 */
export async function describeItem(
  deps: Pick<ServerDeps, 'database' | 'directory'>,
  metadata: readonly StoredResource[],
): Promise<Description | undefined> {
  const short = metadata.filter(
    ({ hash, length }) => hash !== undefined && (length ?? 0) <= longestDescribed,
  );
  const found = await sayingMost(inOrderOfDetail(short), async (resource) => {
    const content = await readWhole(deps, resource);
    return content && describeMetadata(content, resource.mediaType);
  });
  return found?.description;
}

/** @returns undefined where it is damaged: who asks for the metadata itself is told so */
async function readWhole(
  { database, directory }: Pick<ServerDeps, 'database' | 'directory'>,
  resource: StoredResource,
): Promise<Uint8Array | undefined> {
  try {
    for await (const { content } of readContents(database.reader, directory, [resource])) {
      if (content.coding !== 'file') return content.bytes;
      const chunks: Uint8Array[] = [];
      for await (const chunk of content.chunks) chunks.push(Uint8Array.from(chunk));
      return Buffer.concat(chunks);
    }
  } catch (error) {
    if (!isBridgeError(error, 'content-damaged')) throw error;
  }
  return undefined;
}

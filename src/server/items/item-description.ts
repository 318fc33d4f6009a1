import {
  describeMetadata,
  inOrderOfDetail,
  longestDescribed,
  mostCompared,
} from '../../core/descriptions/describe.ts';
import { type Description, fullWeight, weightOf } from '../../core/descriptions/description.ts';
import { isBridgeError } from '../../core/errors.ts';
import { type Content, readContents } from '../../store/payloads/contents.ts';
import type { StoredResource } from '../../store/reading/resources.ts';
import type { ServerDeps } from '../deps.ts';

type ReadingDeps = Pick<ServerDeps, 'database' | 'directory'>;

/**
 * What the published metadata of items says of them: of the formats of each, the one that says most. Nothing else is looked
 * at: what is withheld, withdrawn or left out by the configuration is not in it. The contents of all of them are read
 * together, one format of each at a time, and none where another one has said all there is to say.
 * @param items living metadata of each
 */
export async function describeItems(
  deps: ReadingDeps,
  items: readonly (readonly StoredResource[])[],
): Promise<readonly (Description | undefined)[]> {
  const candidates = items.map((metadata) =>
    inOrderOfDetail(metadata.filter(isShort)).slice(0, mostCompared),
  );
  const best: (Description | undefined)[] = items.map(() => undefined);
  const weight = (index: number) => weighed(best[index]);
  for (let round = 0; round < mostCompared; round += 1) {
    const due = new Map<StoredResource, number>();
    for (const [index, some] of candidates.entries()) {
      const resource = some[round];
      if (resource && weight(index) < fullWeight) due.set(resource, index);
    }
    if (due.size === 0) break;
    for await (const { owner, bytes } of readSound(deps, [...due.keys()])) {
      const description = describeMetadata(bytes, owner.mediaType);
      const index = due.get(owner) ?? 0;
      if (weighed(description) > weight(index)) best[index] = description;
    }
  }
  return best;
}

function weighed(description: Description | undefined): number {
  return description ? weightOf(description) : 0;
}

function isShort({ hash, length }: StoredResource): boolean {
  return hash !== undefined && (length ?? 0) <= longestDescribed;
}

/** Without what is damaged: who asks for the metadata itself is told so. */
async function* readSound(
  { database, directory }: ReadingDeps,
  resources: readonly StoredResource[],
): AsyncGenerator<{ readonly owner: StoredResource; readonly bytes: Uint8Array }> {
  let rest = resources;
  while (rest.length > 0) {
    let read = 0;
    try {
      for await (const { owner, content } of readContents(database.reader, directory, rest)) {
        const bytes = await bytesOf(content);
        read += 1;
        yield { owner, bytes };
      }
      return;
    } catch (error) {
      if (!isBridgeError(error, 'content-damaged')) throw error;
      rest = rest.slice(read + 1);
    }
  }
}

async function bytesOf(content: Content): Promise<Uint8Array> {
  if (content.coding !== 'file') return content.bytes;
  const chunks: Uint8Array[] = [];
  for await (const chunk of content.chunks) chunks.push(Uint8Array.from(chunk));
  return Buffer.concat(chunks);
}

import { readDatacite } from './datacite.ts';
import { type Description, fullWeight, weightOf } from './description.ts';
import { Draft } from './draft.ts';
import { readDim, readDspaceJson } from './dspace-fields.ts';
import { readDublinCore } from './dublin-core.ts';
import { readJpcoar } from './jpcoar.ts';
import { readMods } from './mods.ts';
import { firstNamed, type Outline, outlineOf } from './xml-outline.ts';

/** Longer metadata is not looked at: it has whole texts or thousands of files in it. */
export const longestDescribed = 1_048_576;
/** More formats of an item are not compared. */
export const mostCompared = 6;

/**
 * What one published metadata resource says of its item.
 * @returns undefined: nothing, or in words that we do not know
 */
export function describeMetadata(
  content: Uint8Array,
  mediaType: string | undefined,
): Description | undefined {
  if (content.byteLength > longestDescribed) return undefined;
  const draft = new Draft();
  if (mediaType === 'application/json') {
    return readDspaceJson(Buffer.from(content).toString('utf8'), draft) ? draft.finish() : undefined;
  }
  const root = outlineOf(content);
  if (!root) return undefined;
  readRoot(root, draft);
  return draft.finish();
}

/** By the root, not by the name that the repository gave to the format. */
function readRoot(root: Outline, draft: Draft): void {
  const mods = firstNamed(root, 'mods', 1);
  const resource = firstNamed(root, 'resource', 2);
  if (root.local === 'jpcoar') readJpcoar(root, draft);
  else if (root.local === 'dim') readDim(root, draft);
  else if (mods) readMods(mods, draft);
  else if (resource) readDatacite(resource, draft);
  else readDublinCore(root, draft);
}

export interface Described<Candidate> {
  readonly candidate: Candidate;
  readonly description: Description;
}

/** Of the formats of an item, the one that says most; of those that say as much, the one that comes first. */
export async function sayingMost<Candidate>(
  candidates: Iterable<Candidate>,
  describe: (candidate: Candidate) => Promise<Description | undefined>,
): Promise<Described<Candidate> | undefined> {
  let best: Described<Candidate> | undefined;
  let compared = 0;
  for (const candidate of candidates) {
    if (compared === mostCompared) break;
    compared += 1;
    const description = await describe(candidate);
    if (description && weightOf(description) > (best ? weightOf(best.description) : 0))
      best = { candidate, description };
    if (best && weightOf(best.description) >= fullWeight) break;
  }
  return best;
}

const ranks = ['jpcoar', 'datacite', 'json', 'dim', 'mods', 'qdc', 'oai_dc'];

/** The order in which formats are looked at: first those that tell the parts of what they say apart. */
export function inOrderOfDetail<Format extends { readonly format: string }>(
  formats: readonly Format[],
): readonly Format[] {
  const rankOf = ({ format }: Format) => {
    const rank = ranks.findIndex((name) => format.toLowerCase().includes(name));
    return rank < 0 ? ranks.length : rank;
  };
  return formats.toSorted((a, b) => rankOf(a) - rankOf(b) || (a.format < b.format ? -1 : 1));
}

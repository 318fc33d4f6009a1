import { sideBySide } from '../tree/side-by-side.ts';
import type { ExportTree } from '../tree/tree.ts';
import type { SnapshotDocument } from './publication-snapshot.ts';

/**
 * Writes the documents of a snapshot in such an order that whatever a reader finds in one is there already:
 * what never changes first, then lists, indexes, Capability Lists, and the descriptions last.
 * @param etags of what the last run wrote
 * @returns how many of them were written
 */
export async function exportDocuments(
  tree: ExportTree,
  documents: Iterable<SnapshotDocument>,
  etags: Readonly<Record<string, string>>,
  onDocument: () => void,
): Promise<number> {
  const stages: SnapshotDocument[][] = Array.from({ length: siteStage + 1 }, () => []);
  for (const document of documents) stages[stageOf(document)]?.push(document);
  let written = 0;
  for (const stage of stages) {
    await sideBySide(stage, 2, async (document) => {
      if (await exportDocument(tree, document, etags[document.path] === document.etag)) written += 1;
      onDocument();
    });
  }
  return written;
}

/** The files of a document: beside the plain bytes the gzip member that `gzip_static` looks for. */
export function filesOfDocument(path: string): readonly [string, string] {
  return [path, `${path}.gz`];
}

const siteStage = 6;

function stageOf({ path, capability, immutable }: SnapshotDocument): number {
  if (immutable) return 0;
  if (path.startsWith('.well-known/')) return siteStage;
  if (capability === 'description') return 5;
  if (capability === 'capabilitylist') return 4;
  if (/-(?:index|archive)\.xml$/.test(path)) return 3;
  // The open Change List and what else has a date before what is at an address that stays.
  return /\/(?:resource|change)(?:list|dump)\//.test(path) ? 1 : 2;
}

/** @returns whether anything had to be written */
async function exportDocument(
  tree: ExportTree,
  { path, plain, gzip }: SnapshotDocument,
  known: boolean,
): Promise<boolean> {
  const [file, twin] = filesOfDocument(path);
  if (known && (await tree.has(file, plain)) && (!gzip || (await tree.has(twin, gzip)))) return false;
  // First the twin: a new plain list beside an old twin is served to fewer than the other way round.
  const outcomes = gzip ? [await tree.put(twin, gzip, true)] : [];
  if (!gzip) await tree.remove(twin);
  outcomes.push(await tree.put(file, plain, true));
  return outcomes.some((outcome) => outcome !== 'the same');
}

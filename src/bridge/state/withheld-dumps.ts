import { findUnkept } from '../../store/reading/listing.ts';
import type { StoredBridge } from '../stored-bridge.ts';

/**
 * For each set of a source whose dumps are configured and cannot be offered, a sentence: a set that has them has
 * every resource in them (RS-CAP-11), and of files that are passed on or linked to we have no bytes.
 */
export async function withheldDumps(
  { database, config, setsOf }: StoredBridge,
  source: string,
): Promise<readonly string[]> {
  const mode = config.sources[source]?.files.mode;
  const sentences: string[] = [];
  for (const set of setsOf(source)) {
    if (!set.dumps || (await findUnkept(database.reader, set)) === undefined) continue;
    const why =
      mode === 'mirror'
        ? 'not all of its files are mirrored yet'
        : `its files are not kept here (files.mode is ${mode}); mirror them, or name other sets in dumps`;
    sentences.push(`no dumps of ${set.path}, though they are configured: ${why}`);
  }
  return sentences;
}

import type { ResourceSet } from '../../core/resource-set.ts';
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

/** The same of a set across sources; undefined: it has its dumps, or is to have none. */
export async function withheldJointDumps(
  { database }: Pick<StoredBridge, 'database'>,
  set: ResourceSet,
): Promise<string | undefined> {
  const path = set.dumps ? await findUnkept(database.reader, set) : undefined;
  if (path === undefined) return undefined;
  return `no dumps of ${set.path}, though they are configured: its files are not all kept here, as ${path}; mirror them (files.mode), or name formats of metadata in the set`;
}

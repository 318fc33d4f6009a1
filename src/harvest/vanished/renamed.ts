import { readOaiName, toOaiName } from '../../core/dspace/oai-name.ts';
import type { Database } from '../../store/engine/database.ts';
import { listUnseenItems } from '../../store/pages/sweep.ts';
import { knownIdentifiers, newestIdentifier } from '../../store/reading/items.ts';

/** So many of what is missing are looked at, and half of them have to agree. */
const samples = 20;

/**
 * Where a repository has moved to another host, each `oai:HOST:NAME` (OAI-PMH, "Unique Identifier") is missing and another one of the
 * same name is new.
 * @returns one of them, as it was and as it is; undefined: that is not what has happened
 */
export async function findRenamed(
  { writer }: Pick<Database, 'writer'>,
  sourceId: number,
  runId: number,
): Promise<{ readonly was: string; readonly is: string } | undefined> {
  const host = readOaiName(await newestIdentifier(writer, sourceId))?.host;
  if (host === undefined) return undefined;
  const missing = await listUnseenItems(writer, sourceId, runId, samples);
  const pairs = missing.flatMap(({ identifier: was }) => {
    const name = readOaiName(was);
    return name === undefined || name.host === host ? [] : [{ was, is: toOaiName(host, name.handle) }];
  });
  const there = await knownIdentifiers(
    writer,
    sourceId,
    pairs.map(({ is }) => is),
  );
  const renamed = pairs.filter(({ is }) => there.has(is));
  return renamed.length * 2 > missing.length ? renamed[0] : undefined;
}

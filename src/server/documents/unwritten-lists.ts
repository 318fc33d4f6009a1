import { setPaths, siteDescriptionPath } from '../../publish/documents/document-paths.ts';
import { type JournalState, readJournal, readJournals } from '../../store/sources/journal.ts';
import type { ServerDeps } from '../deps.ts';
import { Refusal } from '../http/errors.ts';

type ListDeps = Pick<ServerDeps, 'database' | 'publication' | 'setsOf'>;

const retryAfterSeconds = 5;

/**
 * A Source whose first pass has just ended has no lists for a moment, or for as long as they take to be written: who asks for
 * them comes again, and does not learn that there is no Source.
 * @throws Refusal `not-ready`
 */
export async function refuseUnwritten(deps: ListDeps, path: string): Promise<void> {
  const isAwaited = path === siteDescriptionPath ? await isAnyAwaited(deps) : await isListAwaited(deps, path);
  if (!isAwaited) return;
  throw new Refusal('not-ready', `${path} is being written, for the first time`, {
    'retry-after': String(retryAfterSeconds),
  });
}

async function isAnyAwaited({ database, publication }: ListDeps): Promise<boolean> {
  if ((await publication.sets()).length > 0) return false;
  return [...(await readJournals(database.reader)).values()].some(hasPassed);
}

async function isListAwaited({ database, publication, setsOf }: ListDeps, path: string): Promise<boolean> {
  const [, source = ''] = /^([^/]+)\/(?:[^/]+\/){0,2}(?:capabilitylist|resourcelist)\.xml$/.exec(path) ?? [];
  if (source === '' || (await publication.set(source))) return false;
  const isKnown = setsOf(source).some((set) => {
    const { capabilityList, resourceList } = setPaths(set);
    return path === capabilityList || path === resourceList;
  });
  const journal = isKnown ? await readJournal(database.reader, source) : undefined;
  return journal !== undefined && hasPassed(journal);
}

function hasPassed({ firstPassSeq, seq }: JournalState): boolean {
  return firstPassSeq !== undefined && seq > 0;
}

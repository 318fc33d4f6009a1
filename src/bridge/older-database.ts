import type { ResourceSet } from '../core/resource-set.ts';
import { type JournalState, readJournals, renameJournal } from '../store/sources/journal.ts';
import { lostChanges } from '../store/sources/journals-gone-back.ts';
import type { Bridge } from './bridge.ts';

/** A source, or a set across sources, of which more is published than its journal has: an older state of the database came back. */
export interface OlderJournal {
  readonly source: string;
  readonly journal: JournalState;
  /** The sequence up to which its changes are published. */
  readonly published: number;
}

/** @param sets whose journals are looked at: of sources, and across them */
export async function findOlderJournals(
  { publication, database }: Pick<Bridge, 'publication' | 'database'>,
  sets: readonly ResourceSet[],
): Promise<readonly OlderJournal[]> {
  const published = new Map<string, { readonly id: string; readonly seq: number }[]>();
  for (const { path, source } of sets) {
    const journal = (await publication.set(path))?.journal;
    if (journal) published.set(source, [...(published.get(source) ?? []), journal]);
  }
  // Read afterwards: what is published later than this is no newer than what is read here.
  const journals = await readJournals(database.reader);
  return [...published].flatMap(([source, states]) => {
    const journal = journals.get(source);
    const own = states.filter(({ id }) => id === journal?.id);
    const latest = Math.max(0, ...own.map(({ seq }) => seq));
    return journal && latest > journal.seq ? [{ source, journal, published: latest }] : [];
  });
}

/**
 * Sequences that are used once more must not be taken for those that were published: the journal gets another name, and
 * everything is rendered anew from it.
 */
export async function renameOlderJournals(
  bridge: Pick<Bridge, 'publication' | 'database' | 'log'>,
  sets: readonly ResourceSet[],
): Promise<void> {
  for (const { source, journal, published } of await findOlderJournals(bridge, sets)) {
    await renameJournal(bridge.database, journal);
    bridge.log.warn(
      { source, journal: journal.seq, published },
      'the database is older than what is published, as after a backup was put back: all documents are written anew',
    );
  }
}

/** Journals that have gone back while they were followed, as when a replica took the place of a primary that it did not know all of. */
export async function renameLost(
  { database, log }: Pick<Bridge, 'database' | 'log'>,
  lost: readonly JournalState[],
): Promise<void> {
  const names = new Map([...(await readJournals(database.reader))].map(([name, { id }]) => [id, name]));
  for (const journal of lost) {
    await renameJournal(database, journal);
    log.warn({ source: names.get(journal.id), journal: journal.seq }, lostChanges);
  }
}

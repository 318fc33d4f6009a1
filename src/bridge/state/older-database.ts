import { type JournalState, readJournals, renameJournal } from '../../store/sources/journal.ts';
import type { Bridge } from '../bridge.ts';

/** A source of which more is published than its journal has: an older state of the database came back. */
export interface OlderJournal {
  readonly source: string;
  readonly journal: JournalState;
  /** The sequence up to which its changes are published. */
  readonly published: number;
}

export async function findOlderJournals(
  { publication, setsOf, database }: Bridge,
  sources: readonly string[],
): Promise<readonly OlderJournal[]> {
  const published = new Map<string, { readonly id: string; readonly seq: number }[]>();
  for (const source of sources) {
    for (const { path } of setsOf(source)) {
      const journal = (await publication.set(path))?.journal;
      if (journal) published.set(source, [...(published.get(source) ?? []), journal]);
    }
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
export async function renameOlderJournals(bridge: Bridge, sources: readonly string[]): Promise<void> {
  for (const { source, journal, published } of await findOlderJournals(bridge, sources)) {
    await renameJournal(bridge.database, journal);
    bridge.log.warn(
      { source, journal: journal.seq, published },
      'the database is older than what is published, as after a backup was put back: all documents are written anew',
    );
  }
}

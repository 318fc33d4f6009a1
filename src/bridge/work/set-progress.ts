import { isDeepStrictEqual } from 'node:util';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { JournalState } from '../../store/sources/journal.ts';
import { type RenderedList, restAfterList, smallList } from './list-renewal.ts';

/** How far one set is published, as far as this process knows; times in milliseconds since the epoch. */
export interface Progress {
  set: ResourceSet;
  busy: boolean;
  /** The journal that it is published from (`JournalState.id`); undefined before the first round. */
  journal: string | undefined;
  /** Of the journal, in the Change Lists; -1 before the first round. */
  seq: number;
  /** When an open Change List may have to be closed. */
  slotEnds: number;
  /** Of the journal, in the Resource List. */
  listSeq: number;
  /** Of the Resource List, as far as that is known. */
  entries: number | undefined;
  /** Longer lists keep to their schedule, */
  isLarge: boolean;
  /** unless they name what is not public any more. */
  namesWithheld: boolean;
  listDue: boolean;
  /** It is being written. */
  listBegun: boolean;
  /** Before this a stale Resource List stays. */
  renewAfter: number;
  /** A closed Change List may want its package. */
  packagesDue: boolean;
  resourceDump: 'always' | 'if-missing';
  /** After a dump that failed. */
  dumpsNotBefore: number;
  /** When the flat Change List, held back so as not to be written all the time, is due. */
  flatAt: number;
  /** After a failure, or while there is nothing to publish yet. */
  notBefore: number;
  /** When it was published last; who has waited longest comes first. */
  startedAt: number;
}

export function begin(set: ResourceSet): Progress {
  return {
    set,
    busy: false,
    journal: undefined,
    seq: -1,
    slotEnds: 0,
    listSeq: -1,
    entries: undefined,
    isLarge: false,
    namesWithheld: false,
    listDue: false,
    listBegun: false,
    renewAfter: 0,
    packagesDue: false,
    resourceDump: 'if-missing',
    dumpsNotBefore: 0,
    flatAt: Number.POSITIVE_INFINITY,
    notBefore: 0,
    startedAt: 0,
  };
}

/** What is published of it is looked at as after a start. */
export function beginAnew(progress: Progress): Progress {
  return progress.busy ? progress : { ...begin(progress.set), listDue: progress.listDue };
}

/** The same, where what is known is of a journal that is not the set's any more, as when a source has left a set across sources. */
export function ofJournal(progress: Progress, journal: JournalState | undefined): Progress {
  const isOfAnother = journal && progress.journal !== undefined && progress.journal !== journal.id;
  return isOfAnother ? beginAnew(progress) : progress;
}

/** Of the sets that are published from now on. */
export function carryOn(all: readonly Progress[], sets: readonly ResourceSet[]): readonly Progress[] {
  const before = new Map(all.map((progress) => [progress.set.path, progress]));
  return sets.map((set) => {
    const progress = before.get(set.path);
    if (progress && isDeepStrictEqual(progress.set, set)) return progress;
    // Sources come and go; what becomes of them is in the journal of the set.
    if (progress && isSameBesideMembers(progress.set, set)) return Object.assign(progress, { set });
    // What is published of it says what it was.
    return { ...begin(set), listDue: progress !== undefined };
  });
}

function isSameBesideMembers(a: ResourceSet, b: ResourceSet): boolean {
  if (!a.members || !b.members) return false;
  return isDeepStrictEqual({ ...a, members: undefined }, { ...b, members: undefined });
}

export function isDue(progress: Progress, journal: JournalState, now: number): boolean {
  const moved = journal.seq !== progress.seq || now >= progress.slotEnds;
  return moved || now >= progress.flatAt || wantsList(progress, journal, now);
}

/** Not before the lists are there. */
export function wantsDumps({ set, busy, seq, packagesDue, dumpsNotBefore }: Progress, now: number): boolean {
  return set.dumps && !busy && seq !== -1 && packagesDue && now >= dumpsNotBefore;
}

export function wantsList(progress: Progress, { seq }: JournalState, now: number): boolean {
  const { listDue, listSeq, isLarge, namesWithheld, renewAfter } = progress;
  return listDue || ((isLarge ? namesWithheld : listSeq !== seq) && now >= renewAfter);
}

/** @param began when its rendering did */
export function noteList(
  progress: Progress,
  list: RenderedList & { readonly seq: number },
  began: number,
): void {
  progress.listSeq = list.seq;
  progress.entries = list.entries;
  progress.isLarge = list.entries > smallList;
  progress.namesWithheld = false;
  progress.renewAfter = began + restAfterList(list);
}

import type { Knex } from 'knex';
import type { Clock } from '../../core/adapter.ts';
import { addSeconds, endOfSlot, utcDay } from '../../core/datetime.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { Limits } from '../../core/sitemap.ts';
import type { Database } from '../../store/engine/database.ts';
import { listChanges } from '../../store/reading/listing.ts';
import {
  advanceJournal,
  type JournalState,
  momentOfLastChange,
  readJournal,
} from '../../store/sources/journal.ts';
import { isReused } from '../../store/sources/journals-gone-back.ts';
import type { ChangesState, FlatMarks } from '../disk/change-state.ts';
import type { Documents, StoredDocument } from '../disk/pointer.ts';
import { publicationError } from '../disk/publication-error.ts';
import { setPaths } from '../documents/document-paths.ts';
import { entryForm, listTail, renderEntry } from '../documents/entry-writer.ts';
import { drawLineAfter } from '../documents/snapshot-line.ts';
import { ChangeListWriter } from './change-list.ts';
import { renderFlatHead, writeFlatChangeList } from './flat-change-list.ts';
import { type FlatWindow, firstMark, flatWindow, markChange, noMarks, pruneMarks } from './flat-window.ts';

export interface ChangeSettings {
  readonly database: Database;
  readonly clock: Clock;
  readonly directory: string;
  readonly baseUrl: string;
  readonly set: ResourceSet;
  readonly limits: Limits;
  readonly changeListDays: number;
  readonly slotMinutes: number;
  /** Close the open list at once, whatever its slot. */
  readonly close?: boolean | undefined;
  readonly now: string;
  readonly signal?: AbortSignal | undefined;
}

export interface PublishedChanges {
  readonly state: Omit<ChangesState, 'closed' | 'closedCount'>;
  readonly open: { readonly path: string; readonly document: StoredDocument } | undefined;
  readonly newlyClosed: Documents;
  readonly flat: StoredDocument | undefined;
}

/**
 * Brings the Change Lists of a set up to the end of its journal, reading only what is new in it.
 * @param flat whether `changelist.xml` is to follow as well
 * @returns undefined when there is nothing to do
 */
export async function publishChanges(
  settings: ChangeSettings,
  before: ChangesState | undefined,
  flat: boolean,
): Promise<PublishedChanges | undefined> {
  const { database, set, signal } = settings;
  const journal = await currentJournal(settings, before);
  if (!journal || (before && !hasNews(settings, before, journal, flat))) return undefined;
  return database.snapshot(async (trx) => {
    const seen = await readJournal(trx, set.source);
    if (!seen) return undefined;
    if (before && (await isReused(trx, seen.sourceId, before)))
      throw new Error(`the journal of ${set.source} is not the one that was published`);
    const writer = await ChangeListWriter.start(
      { ...settings, paths: setPaths(set) },
      before?.partition,
      before?.openFile,
    );
    try {
      let marks = before ? await countedMarks(trx, settings, before, seen.firstPassSeq) : noMarks;
      let first = before?.first;
      const range = { afterSeq: before?.seq ?? 0, upToSeq: seen.seq };
      for await (const page of listChanges(trx, set, range)) {
        signal?.throwIfAborted();
        for (const change of page) {
          const text = renderEntry(settings.baseUrl, change, set);
          const bytes = Buffer.byteLength(text);
          await writer.append(change, text, bytes);
          const { datetime, seq } = change;
          marks = markChange(marks, { datetime, seq, bytes }, seen.firstPassSeq, settings.limits);
          first ??= datetime;
        }
      }
      if (first === undefined) return undefined;
      const { partition, openFile, open, closed } = await writer.finish(seen.at, settings.close);
      const limits = flatLimits(settings);
      const oldest = oldestInFlat(settings);
      const window = flat ? staleFlatWindow(settings, marks, before?.flat) : undefined;
      return {
        state: {
          seq: seen.seq,
          at: seen.at,
          partition,
          openFile,
          first,
          marks: pruneMarks(marks, oldest, limits),
          form: entryForm(set),
          flat: window ? { entries: marks.entries, from: window.from } : before?.flat,
        },
        open,
        newlyClosed: closed,
        flat: window && (await writeFlatChangeList(trx, settings, window)),
      };
    } catch (error) {
      // Before the database takes a full disk for its own.
      throw publicationError(error, set.path, signal);
    } finally {
      await writer.abandon();
    }
  });
}

/** The marks, which count bytes: once more, where entries have other links than when they were counted. */
async function countedMarks(
  trx: Knex.Transaction,
  { baseUrl, set, limits, signal }: ChangeSettings,
  { marks, form, seq }: ChangesState,
  firstPassSeq: number | undefined,
): Promise<FlatMarks> {
  if (form === entryForm(set)) return marks;
  const start = firstMark(marks);
  if (!start) return marks;
  let counted: FlatMarks = { ...noMarks, entries: start.entries, bytes: start.bytes };
  for await (const page of listChanges(trx, set, { afterSeq: start.afterSeq, upToSeq: seq })) {
    signal?.throwIfAborted();
    for (const change of page) {
      const bytes = Buffer.byteLength(renderEntry(baseUrl, change, set));
      counted = markChange(
        counted,
        { datetime: change.datetime, seq: change.seq, bytes },
        firstPassSeq,
        limits,
      );
    }
  }
  return counted;
}

/** The journal; its clock is moved on where a list is to close, although nothing may have happened. */
async function currentJournal(
  settings: ChangeSettings,
  before: ChangesState | undefined,
): Promise<JournalState | undefined> {
  const { database, set, now, close } = settings;
  const journal = await readJournal(database.reader, set.source);
  if (!journal) return undefined;
  if (close) return drawLineAfter(settings, set, await momentOfLastChange(database.reader, set.source));
  const due = endOfOpenSlot(settings, before);
  return due === undefined || now < due || journal.at >= due
    ? journal
    : advanceJournal(database, set.source, now);
}

function endOfOpenSlot(
  { slotMinutes }: ChangeSettings,
  before: ChangesState | undefined,
): string | undefined {
  const open = before?.partition.open;
  return open && endOfSlot(open.datetime, slotMinutes);
}

function hasNews(
  settings: ChangeSettings,
  before: ChangesState,
  journal: JournalState,
  flat: boolean,
): boolean {
  const due = endOfOpenSlot(settings, before);
  if (journal.seq > before.seq || (due !== undefined && (settings.close || journal.at >= due))) return true;
  return flat && staleFlatWindow(settings, before.marks, before.flat) !== undefined;
}

/** The window of the flat list, unless the last one that was rendered is still the same. */
function staleFlatWindow(
  settings: ChangeSettings,
  marks: FlatMarks,
  rendered: ChangesState['flat'],
): FlatWindow | undefined {
  const window = flatWindow(marks, oldestInFlat(settings), flatLimits(settings));
  const same = rendered?.entries === marks.entries && rendered.from === window?.from;
  return same ? undefined : window;
}

/** A day's beginning: the list need not be rendered anew because a second has passed. */
function oldestInFlat({ now, changeListDays }: ChangeSettings): string {
  return `${utcDay(addSeconds(now, -changeListDays * 86_400))}T00:00:00Z`;
}

function flatLimits({ baseUrl, set, limits }: ChangeSettings): Limits {
  const frame = Buffer.byteLength(renderFlatHead(baseUrl, set, '9999-12-31T00:00:00Z') + listTail);
  return { entries: limits.entries, bytes: limits.bytes - frame };
}

import type { Checkpoint } from '../../../src/core/adapter.ts';
import { addSeconds, parseDatestamp } from '../../../src/core/datetime.ts';
import { BridgeError } from '../../../src/core/errors.ts';
import { asCount, asText } from '../rest/json-value.ts';
import { readNewest } from '../search/accessioned.ts';
import { countItems, isNotTaken } from '../search/search.ts';
import type { WindowContent } from '../search/search-pages.ts';
import { type SearchWindow, SearchWindows } from '../search/search-windows.ts';
import { allUuids, fromMark, toMark } from '../search/uuid-range.ts';
import {
  type ChangesForm,
  changesQuery,
  isChangesForm,
  learnForm,
  learntForm,
  nextForm,
} from './changes-query.ts';
import type { SearchPass } from './passes.ts';
import {
  type Batch,
  pagesOf,
  placeOf,
  toCheckpoint,
  upstreamNow,
  type Walk,
  type WalkPlace,
} from './walk.ts';

const kind = 'changes';

/** What is reindexed as a whole matches every question for dates of indexing; so many items are no mass change. */
const reindexed = { atLeast: 1000, share: 0.2 };

interface ChangesPlace extends WalkPlace {
  readonly since: string;
  form: ChangesForm;
  /** Forms that were refused before this one, the first of them; undefined: none was. */
  refused?: unknown;
  /** Windows below it have been read; undefined: nobody knows yet whether there have to be windows. */
  at?: bigint | undefined;
  total?: number | undefined;
  /** Of the newest items, where those are looked through. */
  page?: number | undefined;
}

/**
 * What may have changed since a time by the upstream's clock, reaching back by the overlap: one request if nothing has,
 * or if it fits into a page; else in windows of UUIDs, as everything is.
 */
export async function* walkChanges<Value>(
  walk: Walk<Value>,
  since: string,
  checkpoint: Checkpoint | undefined,
  signal: AbortSignal,
): AsyncGenerator<Batch<Value>, void, undefined> {
  const { context, passes } = walk;
  const place = restored(walk, checkpoint) ?? {
    asOf: upstreamNow(context),
    since: addSeconds(toTime(since), -Math.max(0, context.settings.overlapSeconds)),
    pass: 0,
    counted: 0,
    form: learntForm(context.context),
  };
  for (let pass = passes[place.pass]; pass !== undefined; pass = passes[place.pass]) {
    yield* walkPass(walk, pass, place, signal);
    // The last page of a list is stored with a checkpoint behind it.
    if (passes[place.pass] === pass) throw new Error('a list of changes has no end');
  }
}

async function* walkPass<Value>(
  walk: Walk<Value>,
  pass: SearchPass,
  place: ChangesPlace,
  signal: AbortSignal,
): AsyncGenerator<Batch<Value>, void, undefined> {
  const end = () => {
    Object.assign(place, { pass: place.pass + 1, at: undefined, total: undefined, page: undefined });
  };
  if (place.at === undefined && place.form !== 'accessioned') {
    const first = await readFirst(walk, pass, place, signal);
    if (first !== undefined) {
      end();
      place.counted += first.values.length;
      yield toBatch(walk, place, first);
      return;
    }
  }
  if (place.form === 'accessioned') {
    yield* readNewestOf(walk, pass, place, signal);
  } else {
    yield* readWindows(walk, pass, place, place.form, signal);
  }
  end();
  yield toBatch(walk, place, nothing);
}

/** @returns undefined: it does not fit into a page, or cannot be asked for; `place` says what then */
async function readFirst<Value>(
  walk: Walk<Value>,
  pass: SearchPass,
  place: ChangesPlace,
  signal: AbortSignal,
): Promise<WindowContent<Value> | undefined> {
  const { context } = walk;
  while (place.form !== 'accessioned') {
    const query = changesQuery(place.form, place.since);
    const pages = pagesOf(walk, pass, query);
    const window: SearchWindow = {
      ...allUuids,
      prefixes: [''],
      size: pages.size,
      failedAt: undefined,
      isOneByOne: false,
    };
    try {
      const outcome = await pages.read(window, signal);
      if (place.refused !== undefined) learnForm(context.context, place.form);
      place.refused = undefined;
      if (outcome.kind === 'read') return outcome.value;
      place.total =
        outcome.kind === 'crowded'
          ? outcome.total
          : await countItems(context, { selection: pass.selection, query }, signal);
      if (place.form === 'modified' || !(await isMassive(walk, pass, place.total, signal))) {
        place.at = 0n;
        return undefined;
      }
      // The full harvest that comes sooner or later finds what this leaves out.
      context.context.log.info(
        { items: place.total },
        'the whole index was rebuilt: its dates do not show what changed',
      );
      place.form = 'modified';
    } catch (error) {
      signal.throwIfAborted();
      const next = nextForm(place.form);
      if (!isNotTaken(error) || next === undefined) throw error;
      place.refused ??= error;
      place.form = next;
    }
  }
  return undefined;
}

async function isMassive<Value>(
  { context }: Walk<Value>,
  { selection }: SearchPass,
  changed: number | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  if (changed === undefined || changed <= reindexed.atLeast) return false;
  const all = await countItems(context, { selection, query: undefined }, signal);
  return changed > (all ?? 0) * reindexed.share;
}

async function* readWindows<Value>(
  walk: Walk<Value>,
  pass: SearchPass,
  place: ChangesPlace,
  form: Exclude<ChangesForm, 'accessioned'>,
  signal: AbortSignal,
): AsyncGenerator<Batch<Value>, void, undefined> {
  const { at = 0n, total = 0 } = place;
  const pages = pagesOf(walk, pass, changesQuery(form, place.since));
  const left = (total * Number(allUuids.high - at)) / Number(allUuids.high);
  const windows = new SearchWindows(
    [{ low: at, high: allUuids.high, expected: left }],
    pages,
    walk.context.settings.requestsPerHost,
  );
  for await (const { window, value } of windows.read(signal)) {
    place.at = window.high;
    place.counted += value.values.length;
    if (value.values.length > 0 || value.problems.length > 0) yield toBatch(walk, place, value);
  }
}

async function* readNewestOf<Value>(
  walk: Walk<Value>,
  pass: SearchPass,
  place: ChangesPlace,
  signal: AbortSignal,
): AsyncGenerator<Batch<Value>, void, undefined> {
  const { context } = walk;
  const what = { selection: pass.selection, query: undefined, bring: walk.bring(pass) };
  const { since, page } = place;
  try {
    for await (const newest of readNewest(context, what, { since, page: page ?? 0 }, signal)) {
      if (place.refused !== undefined) learnForm(context.context, 'accessioned');
      place.refused = undefined;
      place.page = newest.next;
      place.counted += newest.content.values.length;
      yield toBatch(walk, place, newest.content);
    }
  } catch (error) {
    signal.throwIfAborted();
    // It is not the form of the question that it does not like.
    if (isNotTaken(error) && place.refused !== undefined) throw place.refused;
    throw error;
  }
}

const nothing: WindowContent<never> = { values: [], problems: [], counts: new Map(), missing: 0 };

function toBatch<Value>(
  { passes }: Walk<Value>,
  place: ChangesPlace,
  { values, problems }: WindowContent<Value>,
): Batch<Value> {
  const { since, form, at, total, page } = place;
  return {
    values,
    problems,
    checkpoint: toCheckpoint(kind, passes, place, {
      since,
      form,
      ...(at === undefined ? {} : { at: toMark(at) }),
      ...(total === undefined ? {} : { total }),
      ...(page === undefined ? {} : { page }),
    }),
    asOf: place.asOf,
    expectedTotal: Math.max(place.counted, total ?? 0),
  };
}

function restored<Value>(
  { passes }: Walk<Value>,
  checkpoint: Checkpoint | undefined,
): ChangesPlace | undefined {
  const kept = placeOf(checkpoint, kind, passes);
  if (kept === undefined) return undefined;
  const { rest, ...place } = kept;
  const since = parseDatestamp(asText(rest.since) ?? '');
  if (since === undefined || !isChangesForm(rest.form)) return undefined;
  const at = fromMark(rest.at);
  return { ...place, since, form: rest.form, at, total: asCount(rest.total), page: asCount(rest.page) };
}

function toTime(since: string): string {
  const time = parseDatestamp(since);
  if (time !== undefined) return time;
  throw new BridgeError('internal', `${since} is no time that changes could be asked for from`);
}

import { toIso, toMilliseconds } from '../../../core/datetime.ts';
import { isDatedAhead } from '../../../core/time/dated-ahead.ts';
import { primaryOf } from '../../../store/admin/primary.ts';
import { listDue } from '../../../store/runs/due.ts';
import { type Pause, readPauses } from '../../../store/sources/pauses.ts';
import { type ServerDeps, type SourceOverview, type SourceWord, sourceWords } from '../../deps.ts';

/** A source as the table has it. */
export interface SourceRow extends SourceOverview {
  readonly word: SourceWord;
  readonly pause?: Pause | undefined;
  /** Since its last success; undefined: there was none. */
  readonly lagSeconds?: number | undefined;
}

export const sortings = ['problems', 'name', 'lag', 'items', 'changes'] as const;
export type Sorting = (typeof sortings)[number];

/** Which sources, and in which order. */
export interface Selection {
  readonly state?: SourceWord | undefined;
  /** In the name or the title. */
  readonly q?: string | undefined;
  readonly sort: Sorting;
}

/** Unknown values are as if they were not there: an address that somebody kept goes on working. */
export function readSelection(query: Readonly<Record<string, unknown>>): Selection {
  const q = typeof query.q === 'string' ? query.q.trim().slice(0, 200) : '';
  return {
    state: sourceWords.find((word) => word === query.state),
    q: q === '' ? undefined : q,
    sort: sortings.find((one) => one === query.sort) ?? 'problems',
  };
}

/** As they are now, pauses and what is under way as of this moment. */
export async function readRows(deps: ServerDeps): Promise<readonly SourceRow[]> {
  const { database, clock } = deps;
  const now = clock.now();
  const db = primaryOf(database);
  const [sources, pauses, due] = await Promise.all([
    deps.sources(),
    readPauses(db, toIso(now)),
    listDue(db, now.getTime() - database.aheadMs),
  ]);
  const busy = new Set(due.flatMap(({ source, isHeld }) => (isHeld ? [source] : [])));
  return sources.map((source): SourceRow => {
    const pause = pauses.get(source.name);
    const { lastSuccessAt } = source;
    const lag = lastSuccessAt === undefined ? undefined : now.getTime() - toMilliseconds(lastSuccessAt);
    return {
      ...source,
      word: wordNow(wordOf(source), busy.has(source.name), pause),
      pause,
      lagSeconds:
        lag === undefined || isDatedAhead(`${lastSuccessAt}`, now.getTime())
          ? undefined
          : Math.max(0, Math.round(lag / 1000)),
    };
  });
}

function wordOf({ word, healthy, harvesting }: SourceOverview): SourceWord {
  return word ?? (healthy ? (harvesting ? 'new' : 'ok') : 'attention');
}

/** What needs a person is not hidden by anything else. */
function wordNow(word: SourceWord, isBusy: boolean, pause: Pause | undefined): SourceWord {
  if (word === 'failed' || word === 'attention') return word;
  if (isBusy) return 'running';
  if (pause) return 'paused';
  return word === 'running' || word === 'paused' ? 'ok' : word;
}

/** Of several that are equal, by their names. */
export function select(rows: readonly SourceRow[], { state, q, sort }: Selection): readonly SourceRow[] {
  const wanted = q?.normalize('NFKC').toLowerCase();
  const found = rows.filter(
    ({ word, name, title }) =>
      (state === undefined || word === state) &&
      (wanted === undefined || `${name} ${title}`.normalize('NFKC').toLowerCase().includes(wanted)),
  );
  return [...found].sort((a, b) => orders[sort](a, b) || (a.name < b.name ? -1 : 1));
}

const never = Number.MAX_SAFE_INTEGER;

const orders: Readonly<Record<Sorting, (a: SourceRow, b: SourceRow) => number>> = {
  problems: (a, b) => sourceWords.indexOf(a.word) - sourceWords.indexOf(b.word),
  name: () => 0,
  lag: (a, b) => (b.lagSeconds ?? never) - (a.lagSeconds ?? never),
  items: (a, b) => b.items - a.items,
  changes: (a, b) => b.recentChanges - a.recentChanges,
};

/** Those after the one of a name; a name that is not there any more begins anew. */
export function pageAfter(
  rows: readonly SourceRow[],
  after: string | undefined,
  limit: number,
): { readonly shown: readonly SourceRow[]; readonly next: string | undefined } {
  const from = after === undefined ? 0 : rows.findIndex(({ name }) => name === after) + 1;
  const shown = rows.slice(from, from + limit);
  return { shown, next: rows.length > from + limit ? shown.at(-1)?.name : undefined };
}

import { toIso } from '../../../core/datetime.ts';
import { primaryOf } from '../../../store/admin/primary.ts';
import { listUnderWay, type UnderWay } from '../../../store/presence/under-way.ts';
import { listRunsBefore } from '../../../store/runs/recent-runs.ts';
import { html, type Markup } from '../../html/html.ts';
import type { Reader } from '../../words/reader.ts';
import { activityWords } from '../activity/activity-words.ts';
import { workList } from '../activity/work-list.ts';
import type { AdminServer } from '../guard/admin-server.ts';
import type { LiveRequest, LiveView } from '../live/live-routes.ts';
import { wordsIn } from '../page/language.ts';
import { when, withTimes } from '../page/when.ts';
import type { AdminWords } from '../page/words.ts';
import { runTable } from '../runs/run-table.ts';
import { runsPerPage } from './source-facts.ts';
import { readRows, type SourceRow } from './source-rows.ts';
import { stateMark } from './state-mark.ts';

const mostNames = 200;

/** Of the table: what each of its sources does. */
export function sourcesLive(deps: AdminServer): LiveView {
  return async ({ query, reader, shared }) => {
    const names = new Set(String(query.names ?? '').split(',', mostNames));
    const rows = await shared('rows', 4500, () => readRows(deps));
    const works = await worksNow(deps, shared);
    const shown = rows.filter(({ name }) => names.has(name));
    return Object.fromEntries(
      shown.map((row) => [`state ${row.name}`, stateOf(row, works, reader, wordsIn(reader.language))]),
    );
  };
}

/** Of the page of a source: what it does, how far that is, and its runs. */
export function sourceLive(deps: AdminServer): LiveView {
  return async ({ query, reader, base, shared }) => {
    const name = String(query.source ?? '');
    const words = wordsIn(reader.language);
    const rows = await shared('rows', 4500, () => readRows(deps));
    const row = rows.find((one) => one.name === name);
    if (!row) return {};
    const works = (await worksNow(deps, shared)).filter(({ source }) => source === name);
    const now = toIso(deps.clock.now());
    const state = {
      state: sourceState(row, words, reader),
      works: workList(works, { base, reader, now }),
      ...sourceFigures(row, words, reader, now),
    };
    // An older part of its history does not change.
    if (query.before !== undefined) return state;
    const db = primaryOf(deps.database);
    const runs = await shared(`runs ${name}`, 2000, () => listRunsBefore(db, name, { limit: runsPerPage }));
    return {
      ...state,
      ...(runs.length > 0 && { runs: runTable(runs, words, reader, now, `${base}/sources/${name}`) }),
    };
  };
}

function worksNow(deps: AdminServer, shared: LiveRequest['shared']): Promise<readonly UnderWay[]> {
  return shared('works', 900, () => listUnderWay(primaryOf(deps.database)));
}

export function sourceState(row: SourceRow, words: AdminWords, reader: Reader): Markup {
  return html`<p>${stateMark(row.word, words)} <span class="mono soft">${row.name}</span></p>
<p>${withTimes(reader, sentenceOf(row, words))}</p>`;
}

/** What grows while it is harvested. */
export function sourceFigures(
  { lastSuccessAt, items, resources, recentChanges }: SourceRow,
  { number }: AdminWords,
  reader: Reader,
  now: string,
) {
  return {
    lastSuccess: html`${when(reader, lastSuccessAt, now)}`,
    items: html`${number(items)}`,
    resources: html`${number(resources)}`,
    changes: html`${number(recentChanges)}`,
  };
}

/** In a cell of the table. */
export function stateOf(
  row: SourceRow,
  works: readonly UnderWay[],
  reader: Reader,
  words: AdminWords,
): Markup {
  const work = works.find(({ source }) => source === row.name);
  const told = activityWords[reader.language];
  // Before the first answer there is nothing to count.
  const sentence =
    work && work.phase !== 'beginning'
      ? `${told.kinds[work.kind]}: ${told.done(reader.count(work.done), work.expected === undefined ? undefined : reader.count(work.expected))}`
      : withTimes(reader, sentenceOf(row, words));
  return html`${stateMark(work && row.word === 'ok' ? 'running' : row.word, words)} <span class="soft">${sentence}</span>`;
}

function sentenceOf({ state, stateIn }: SourceRow, { language }: AdminWords): string {
  return stateIn?.(language === 'ja' ? 'ja' : 'en') ?? state;
}

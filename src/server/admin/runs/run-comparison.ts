import type { ComparedRun, RunComparison } from '../../../store/reading/run-comparison.ts';
import type { ChangedSetting } from '../../../store/sources/run-settings.ts';
import { html, type Markup } from '../../html/html.ts';
import { told } from '../../html/told.ts';
import type { Reader } from '../../words/reader.ts';
import { numberCell, scrolledTable } from '../page/table.ts';
import { when } from '../page/when.ts';
import type { AdminWords } from '../page/words.ts';
import { comparisonWords } from './comparison-words.ts';
import { durationOf } from './run-table.ts';
import { signed } from './signed.ts';

export interface ComparisonView {
  readonly words: AdminWords;
  readonly reader: Reader;
  readonly now: string;
}

/** Two runs beside one another; one alone where there is no other. */
export function comparisonTables(comparison: RunComparison, view: ComparisonView): Markup {
  const { before, after } = comparison;
  const words = comparisonWords[view.reader.language];
  return html`<p>${before ? words.compared(before.run.id, after.run.id) : words.alone}</p>
${runsTable(comparison, view)}
${before && html`<h2>${words.settings}</h2>${settingsTable(comparison, view.reader)}`}`;
}

function runsTable({ before, after }: RunComparison, { words: all, reader, now }: ComparisonView): Markup {
  const words = comparisonWords[reader.language];
  const runs = before ? [before, after] : [after];
  const said = (
    name: string,
    cell: (one: ComparedRun) => Markup | string | undefined,
    kind: 'n' | 'any' = 'n',
  ) =>
    html`<tr><th scope="row">${name}</th>${runs.map((one) => html`<td class="${kind}">${cell(one) ?? '–'}</td>`)}${before && html`<td></td>`}</tr>
`;
  const counted = (
    name: string,
    of: (one: ComparedRun) => number | undefined,
    shown: (value: number) => string = reader.count,
  ) => {
    const values = runs.map(of);
    const [first, second] = values;
    const difference = first === undefined || second === undefined ? undefined : second - first;
    return html`<tr><th scope="row">${name}</th>${values.map((value) => numberCell(value === undefined ? undefined : shown(value)))}${before && numberCell(difference === undefined ? undefined : signed(difference, shown))}</tr>
`;
  };
  const rows = [
    said(words.kind, ({ run }) => all.source.kinds[run.mode]),
    said(words.state, ({ run }) => all.task.states[run.state]),
    said(words.began, ({ run }) => when(reader, run.startedAt, now)),
    said(words.ended, ({ run }) => when(reader, run.endedAt, now)),
    counted(words.took, ({ seconds }) => seconds, durationOf),
    counted(words.pages, ({ run }) => run.pages),
    counted(words.items, ({ run }) => run.items),
    counted(words.stated, ({ run }) => run.statedTotal),
    counted(words.created, ({ run }) => run.created),
    counted(words.updated, ({ run }) => run.updated),
    counted(words.deleted, ({ run }) => run.deleted),
    counted(words.unchanged, ({ run }) => run.unchanged),
    counted(words.problems, ({ run }) => run.problems),
    counted(words.requests, ({ run }) => run.requests),
    counted(words.warnings, ({ warnings }) => warnings),
    said(
      words.error,
      ({ run }) =>
        run.error &&
        html`<bdi>${told(run.error.message, reader.language)}</bdi> <span class="mono">${run.error.code}</span>`,
      'any',
    ),
  ];
  const number = (name: string) => ({ name, isNumber: true });
  const columns = [
    words.what,
    ...runs.map(({ run }) => number(words.run(run.id))),
    ...(before ? [number(words.difference)] : []),
  ];
  return scrolledTable(words.title(after.run.id), columns, rows);
}

function settingsTable({ settings }: RunComparison, reader: Reader): Markup {
  const words = comparisonWords[reader.language];
  if (settings === undefined) return html`<p>${words.settingsUnknown}</p>`;
  if (settings.length === 0) return html`<p>${words.settingsNone}</p>`;
  const shown = (setting: ChangedSetting, side: 'before' | 'after') =>
    side in setting
      ? html`<td class="mono any">${JSON.stringify(setting[side])}</td>`
      : html`<td class="soft">${words.unset}</td>`;
  const rows = settings.map(
    (setting) =>
      html`<tr><th scope="row" class="mono">${setting.key}</th>${shown(setting, 'before')}${shown(setting, 'after')}</tr>
`,
  );
  return scrolledTable(words.settings, [words.key, words.before, words.after], rows);
}

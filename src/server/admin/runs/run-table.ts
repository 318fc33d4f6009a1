import { toMilliseconds } from '../../../core/datetime.ts';
import type { Run, RunKind } from '../../../store/runs/runs.ts';
import { html, type Markup } from '../../html/html.ts';
import { told } from '../../html/told.ts';
import type { Reader } from '../../words/reader.ts';
import { when } from '../page/when.ts';
import type { AdminWords } from '../page/words.ts';

/** Runs below one another, so that they can be compared. @param place the address of the page of their source */
export function runTable(
  runs: readonly Run<RunKind>[],
  words: AdminWords,
  reader: Reader,
  now: string,
  place: string,
): Markup {
  const { source, task } = words;
  const number = (value: number) => html`<td class="n">${words.number(value)}</td>`;
  const rows = runs.map(
    (run) =>
      html`<tr id="run-${run.id}"><td class="n">${run.id}</td><td>${source.kinds[run.mode]}</td><td>${when(reader, run.startedAt, now)}</td><td>${duration(run, now)}</td>${number(run.items)}${number(run.created)}${number(run.updated)}${number(run.deleted)}${number(run.problems)}<td>${mark(run.state, task.states[run.state])}${run.error && html` <span class="soft"><bdi>${told(run.error.message, reader.language)}</bdi> <span class="mono">${run.error.code}</span></span>`}</td><td><a href="${place}/runs/${run.id}" aria-label="${source.compareRun(run.id)}">${source.compare}</a></td></tr>
`,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${source.runs}"><table><thead><tr><th scope="col" class="n">#</th><th scope="col">${source.mode}</th><th scope="col">${source.began}</th><th scope="col">${source.took}</th><th scope="col" class="n">${source.records}</th><th scope="col" class="n">${source.created}</th><th scope="col" class="n">${source.updated}</th><th scope="col" class="n">${source.deleted}</th><th scope="col" class="n">${source.problems}</th><th scope="col">${source.result}</th><th scope="col">${source.before}</th></tr></thead><tbody>
${rows}</tbody></table></div>`;
}

function mark(state: Run['state'], text: string): Markup {
  const isBad = state === 'failed' || state === 'needs-attention';
  return html`<span class="s ${isBad ? 'bad' : state === 'succeeded' ? 'ok' : 'soft'}">${text}</span>`;
}

function duration({ startedAt, endedAt }: Run<RunKind>, now: string): string {
  return durationOf(
    Math.max(0, Math.round((toMilliseconds(endedAt ?? now) - toMilliseconds(startedAt)) / 1000)),
  );
}

/** `1 h 02 min`, `48 s`: alike in every language. */
export function durationOf(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${String(seconds % 60).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

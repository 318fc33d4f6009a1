import { placeOf } from '../../../store/presence/processes.ts';
import type { UnderWay } from '../../../store/presence/under-way.ts';
import { html, type Markup } from '../../html/html.ts';
import type { Reader } from '../../words/reader.ts';
import { activityWords } from './activity-words.ts';

/** @param base of the pages of the dashboard; @param now ISO */
export interface WorkView {
  readonly base: string;
  readonly reader: Reader;
  readonly now: string;
}

/** What is under way, each with how far it is. Two lists of the same works differ in their numbers alone. */
export function workList(works: readonly UnderWay[], view: WorkView): Markup {
  const words = activityWords[view.reader.language];
  if (works.length === 0) return html`<p>${words.idle}</p>`;
  return html`<ul class="works">${works.map((work) => workItem(work, view))}</ul>`;
}

function workItem(work: UnderWay, { base, reader, now }: WorkView): Markup {
  const words = activityWords[reader.language];
  const { kind, source, set, phase, done, expected, requests, window, run, holder, beganAt } = work;
  const { host, pid } = placeOf(holder);
  const name =
    source === ''
      ? html`<span class="mono">${set ?? words.installation}</span>`
      : html`<a href="${base}/sources/${source}">${source}</a>${set !== undefined && html` <span class="mono soft">${set}</span>`}`;
  const counts = [
    words.phases[phase],
    words.done(reader.count(done), expected === undefined ? undefined : reader.count(expected)),
    rate(work, reader),
    requests === undefined ? undefined : words.requests(requests),
    left(work, reader),
  ];
  const asked = window && words.window(window.list, window.from, window.until);
  return html`<li>${name} ${words.kinds[kind]}${run !== undefined && html` <a class="soft" href="${base}/log?run=${run}">#${run}</a>`}
<div><progress aria-label="${words.progress}" max="${expected ?? 1}"${expected !== undefined && html` value="${Math.min(done, expected)}"`}></progress></div>
<div>${counts.filter((part) => part !== undefined).join(' · ')}</div>
<div class="soft">${asked !== undefined && asked !== '' && html`<span class="mono">${asked}</span> · `}${words.since(reader.age(beganAt, now))} · ${host} ${pid}</div></li>
`;
}

function rate({ perMinute }: UnderWay, reader: Reader): string | undefined {
  if (perMinute === undefined) return undefined;
  const { rate: told } = activityWords[reader.language];
  return perMinute >= 120
    ? told(reader.count(Math.round(perMinute / 60)), 'second')
    : told(reader.count(perMinute), 'minute');
}

function left({ perMinute = 0, done, expected }: UnderWay, { language }: Reader): string | undefined {
  if (expected === undefined || perMinute <= 0 || done >= expected) return undefined;
  return activityWords[language].left((expected - done) / perMinute);
}

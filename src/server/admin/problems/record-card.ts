import { type Fault, findFaults } from '../../../core/xml/record-faults.ts';
import { allows } from '../../../store/admin/scope.ts';
import type { Unreadable } from '../../../store/runs/unreadable.ts';
import { html, type Markup } from '../../html/html.ts';
import { told } from '../../html/told.ts';
import type { Reader } from '../../words/reader.ts';
import type { Visitor } from '../guard/visitor.ts';
import { formToken } from '../page/admin-page.ts';
import { type ProblemWords, problemWords } from './problem-words.ts';
import { excerptOf } from './raw-record.ts';

interface CardView {
  readonly reader: Reader;
  /** The address of the records of its source. */
  readonly place: string;
  readonly visitor: Visitor;
}

/** A record in a list: what is wrong, and the lines around it. */
export function recordCard(record: Unreadable, view: CardView): Markup {
  const { reader, place } = view;
  const words = problemWords[reader.language];
  const { id, identifier, format, message, raw } = record;
  const faults = faultsOf(record);
  const [first] = faults;
  return html`<section class="card"><h2><a href="${place}/${id}"><bdi class="mono">${identifier ?? words.hidden}</bdi></a></h2><p>${format !== undefined && html`<span class="mono">${format}</span> `}<bdi>${told(message, reader.language)}</bdi></p>
${first && html`<p class="soft">${placeOf(first, words, reader)}</p>`}${raw !== undefined && html`<pre class="raw lines" dir="ltr">${excerptOf(raw, faults)}</pre>`}${retryButton(record, view)}</section>
`;
}

/** Where the record is wrong; none: nothing of it was kept, or it is well-formed. */
export function faultsOf({ raw, rawLength, message }: Unreadable): readonly Fault[] {
  if (raw === undefined) return [];
  return findFaults({
    text: raw,
    isCut: rawLength !== undefined && Buffer.byteLength(raw) < rawLength,
    undeclaredPrefix: /its prefix "([^"]+)" is declared nowhere/.exec(message)?.[1],
  });
}

export function placeOf({ kind, line, column, byte }: Fault, words: ProblemWords, { count }: Reader): string {
  return `${words.place(count(line), count(column), count(byte))}: ${words.kinds[kind]}`;
}

/** Undefined: it has no name to be asked for by, or who looks may not. */
export function retryButton(
  { identifier }: Unreadable,
  { reader, place, visitor }: CardView,
): Markup | undefined {
  if (identifier === undefined || !allows(visitor.scope, 'run')) return undefined;
  const { retry } = problemWords[reader.language];
  return html`<form method="post" action="${place}">${formToken(visitor)}<button name="item" value="${identifier}" aria-label="${retry}: ${identifier}">${retry}</button></form>`;
}

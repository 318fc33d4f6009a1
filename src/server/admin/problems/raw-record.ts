import type { Fault } from '../../../core/xml/record-faults.ts';
import { html, type Markup } from '../../html/html.ts';

/** Of a record as it came: from where to where, in UTF-16 units. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** On both sides of the first place that is wrong. */
const shownAround = 300;

/**
 * What cannot be seen, or changes what is seen: controls, marks of direction, characters without width, what stands for a
 * character that could not be read. Line ends and tabs are none of it.
 */
const unseen = /(?![\t\n\r])\p{Cc}|\p{Default_Ignorable_Code_Point}|[\u2028\u2029\ufff9-\uffff]|\p{Cs}/gu;

/** The lines around the first place that is wrong; of a record without one, its beginning. */
export function excerptOf(text: string, [first]: readonly Fault[]): Markup {
  if (!first) return linesOf(text, [], { from: 0, to: Math.min(2 * shownAround, text.length) });
  const { offset, length } = first;
  const from = Math.max(0, offset - shownAround);
  const line = text.indexOf('\n', from) + 1;
  return linesOf(text, [first], {
    from: from > 0 && line > 0 && line <= offset ? line : from,
    to: Math.min(offset + Math.min(length, shownAround) + shownAround, text.length),
  });
}

/** All of it, each line with its number. */
export function wholeRecord(text: string, faults: readonly Fault[]): Markup {
  return linesOf(text, faults, { from: 0, to: text.length });
}

function linesOf(text: string, faults: readonly Fault[], span: Span): Markup {
  const [from, to] = [wholeCharacter(text, span.from), wholeCharacter(text, span.to)];
  let number = 1 + (text.slice(0, from).match(/\n/g)?.length ?? 0);
  const lines: Markup[] = [];
  for (let at = from; at < to || lines.length === 0; number += 1) {
    const found = text.indexOf('\n', at);
    const end = found < 0 || found >= to ? to : found;
    const isCutBefore = at === from && from > 0 && text[from - 1] !== '\n';
    const isCutBehind = end === to && to < text.length && text[to] !== '\n';
    const pieces = markedPieces(text, faults, { from: at, to: end });
    lines.push(
      html`<span class="l" data-n="${number}">${isCutBefore && '… '}${pieces}${isCutBehind && ' …'}
</span>`,
    );
    at = end + 1;
  }
  return html`${lines}`;
}

/** No half of a pair. */
function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return at > 0 && code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}

function markedPieces(text: string, faults: readonly Fault[], { from, to }: Span): readonly Markup[] {
  const pieces: Markup[] = [];
  let at = from;
  for (const { offset, length } of faults) {
    const [start, end] = [Math.max(at, offset), Math.min(to, offset + length)];
    if (start >= end) continue;
    pieces.push(visible(text.slice(at, start)), html`<mark>${visible(text.slice(start, end))}</mark>`);
    at = end;
  }
  pieces.push(visible(text.slice(at, to)));
  return pieces;
}

/** A text of somebody else, so that everything in it is seen, and nothing of it acts. */
export function visible(text: string): Markup {
  const pieces: Markup[] = [];
  let at = 0;
  for (const { index, 0: character } of text.matchAll(unseen)) {
    pieces.push(html`${text.slice(at, index)}<span class="u">${numberOf(character)}</span>`);
    at = index + character.length;
  }
  return html`${pieces}${text.slice(at)}`;
}

/** The same where there is only text. */
export function visibleText(text: string): string {
  return text.replace(unseen, numberOf);
}

function numberOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

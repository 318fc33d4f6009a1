import type { SourceWord } from '../../deps.ts';
import { html, type Markup } from '../../html/html.ts';
import type { AdminWords } from '../page/words.ts';

const classes: Readonly<Record<SourceWord, string>> = {
  failed: 's bad',
  attention: 's warn',
  running: 's',
  paused: 's soft',
  new: 's soft',
  ok: 's ok',
};

/** A word, a shape, and a colour. */
export function stateMark(word: SourceWord, { states }: AdminWords): Markup {
  return html`<span class="${classes[word]}">${states[word]}</span>`;
}

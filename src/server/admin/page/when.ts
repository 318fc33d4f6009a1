import { toMilliseconds } from '../../../core/datetime.ts';
import { html, type Markup } from '../../html/html.ts';
import type { AdminWords } from './words.ts';

const spans = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** `3 minutes ago` in the language of the reader, and the exact time (UTC) beside it. */
export function when(words: AdminWords, iso: string | undefined, now: string): Markup {
  if (iso === undefined) return html`<span class="soft">–</span>`;
  const seconds = Math.round((toMilliseconds(iso) - toMilliseconds(now)) / 1000);
  const [unit, length] = spans.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
  const format = new Intl.RelativeTimeFormat(words.language, { numeric: 'auto' });
  return html`<time datetime="${iso}">${format.format(Math.trunc(seconds / length), unit)}</time> <span class="soft">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</span>`;
}

import { html, type Markup, timeAndAge } from '../../html/html.ts';
import type { Reader } from '../../words/reader.ts';

/** `3 minutes ago` in the language of the reader, and the time beside it: in the zone of the pages, and in UTC. */
export function when(reader: Reader, iso: string | undefined, now: string): Markup {
  return timeAndAge(reader, iso, now, '–');
}

/** A part of a sentence of ours where it names a moment (ISO, UTC). */
export function withTimes(reader: Reader, text: string): Markup {
  const parts = text.split(/(\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z\b)/);
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<time datetime="${part}">${reader.time(part)}</time>` : part))}`;
}

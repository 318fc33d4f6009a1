import type { Language } from '../words/language.ts';
import { inJapanese } from '../words/refusals/sentences.ts';
import { html, type Markup } from './html.ts';

/** What was refused, and why, in the language of the reader; what is known in English alone is so marked. */
export function told(message: string, language: Language): Markup {
  if (language === 'en') return html`${message}`;
  const own = inJapanese(message);
  return own === undefined ? html`<span lang="en">${message}</span>` : html`${own}`;
}

import type { Reason } from '../../core/reasons/reason.ts';
import type { Language } from '../words/language.ts';
import { inJapanese, reasonInJapanese } from '../words/refusals/reasons.ts';
import { html, type Markup } from './html.ts';

/** What was said, and the code and facts of it where whoever said it has kept them. */
type Said = string | { readonly message: string; readonly reason?: Reason | undefined };

/** What was refused, and why, in the language of the reader; what is known in English alone is so marked. */
export function told(said: Said, language: Language): Markup {
  const { message, reason } = typeof said === 'string' ? { message: said, reason: undefined } : said;
  if (language === 'en') return html`${message}`;
  const own = reason === undefined ? inJapanese(message) : reasonInJapanese(reason);
  return own === undefined ? html`<span lang="en">${message}</span>` : html`${own}`;
}

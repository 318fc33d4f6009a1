import { html, type Markup } from '../../html/html.ts';
import type { AdminWords } from '../page/words.ts';

/** What can be done with sources, in the order of the buttons. */
export const sourceActs = ['harvest', 'full', 'identifiers', 'stop', 'pause', 'resume'] as const;
export type SourceAct = (typeof sourceActs)[number];

/** Below the table: what is to be done with those that are chosen. */
export function bulkActs({ acts, sources }: AdminWords, found: number): Markup {
  return html`<div class="actions"><label class="inline"><input type="checkbox" name="all" value="1"> ${sources.allFound(found)}</label>
${sourceActs.map((act) => html`<button name="act" value="${act}">${acts[act]}</button>`)}</div>`;
}

/**
 * Why, and until when.
 * @param typed what was typed before, of which the time was none
 */
export function pauseFields(
  { acts }: AdminWords,
  typed?: { readonly reason?: string | undefined; readonly until?: string | undefined },
): Markup {
  const { reason = '', until = '' } = typed ?? {};
  return html`<label for="reason">${acts.reason}</label><input id="reason" name="reason" maxlength="500" value="${reason}">
<label for="until">${acts.until}</label><input id="until" name="until" placeholder="monday, 2026-12-01" value="${until}"${typed && html` aria-invalid="true" aria-describedby="trouble"`}>`;
}

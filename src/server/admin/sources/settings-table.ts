import type { Setting } from '../../deps.ts';
import { html, type Markup } from '../../html/html.ts';
import type { AdminWords } from '../page/words.ts';

/** Settings in force, each with where it comes from. */
export function settingsTable(all: readonly Setting[], { source, origins }: AdminWords): Markup {
  const rows = all.map(
    ({ key, value, from, place, through }) =>
      html`<tr><td class="mono">${key}</td><td class="mono any">${JSON.stringify(value)}</td><td>${origins[from]}${place !== undefined && html` <span class="mono any">${place}</span>`}${through !== undefined && html` <span class="soft mono any">(${through})</span>`}</td></tr>`,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${source.settings}"><table><thead><tr><th scope="col">${source.key}</th><th scope="col">${source.value}</th><th scope="col">${source.from}</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

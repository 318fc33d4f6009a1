import type { Run, RunKind } from '../../../store/runs/runs.ts';
import { html, type Markup } from '../../html/html.ts';
import type { AdminWords } from '../page/words.ts';

export const runsInPicture = 30;

/** By state: its class, and how high its bar is, so that colour is not all that tells them apart. */
const bars: Readonly<Record<Run['state'], readonly [string, number]>> = {
  succeeded: ['o', 9],
  running: ['i', 12],
  interrupted: ['i', 5],
  'needs-attention': ['f', 14],
  failed: ['f', 18],
};

/** The last thirty runs, the newest at the right: a bar each. */
export function runPicture(runs: readonly Run<RunKind>[], words: AdminWords['sources']): Markup {
  const some = runs.slice(0, runsInPicture).reverse();
  const bad = some.filter(({ state }) => state === 'failed' || state === 'needs-attention').length;
  const rects = some.map(({ state }, index) => {
    const [kind, height] = bars[state];
    return html`<rect class="${kind}" x="${(runsInPicture - some.length + index) * 4}" y="${18 - height}" width="3" height="${height}"/>`;
  });
  return html`<svg class="runs" viewBox="0 0 120 18" role="img" aria-label="${words.picture(some.length, bad)}">${rects}</svg>`;
}

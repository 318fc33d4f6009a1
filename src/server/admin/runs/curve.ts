import { html, type Markup } from '../../html/html.ts';

export interface CurvePoint {
  /** `2026-11-21`. */
  readonly day: string;
  readonly value: number;
}

const width = 600;
const height = 80;
/** Around it, so that nothing of a line is cut off. */
const margin = 4;

/**
 * Lines over the same days, the first one solid and the others dashed, between their least and their greatest value: differences
 * are what is looked for. A line of one day is a dot.
 * @param label what is drawn, for those who cannot see it
 */
export function curve(lines: readonly (readonly CurvePoint[])[], label: string): Markup {
  const all = lines.flat();
  const days = all.map(({ day }) => Date.parse(day));
  const values = all.map(({ value }) => value);
  const x = scale(Math.min(...days), Math.max(...days), width);
  const y = scale(Math.min(...values), Math.max(...values), height);
  const drawn = lines.map((points, index) => {
    const places = points.map(
      ({ day, value }) => [x(Date.parse(day)), height + 2 * margin - y(value)] as const,
    );
    const dots =
      places.length === 1 && places.map(([left, top]) => html`<circle cx="${left}" cy="${top}" r="3"/>`);
    const path = places.map(([left, top], at) => `${at === 0 ? 'M' : 'L'}${left} ${top}`).join('');
    return html`<g${index > 0 && html` class="d"`}><path d="${path}"/>${dots}</g>`;
  });
  return html`<svg class="curve" viewBox="0 0 ${width + 2 * margin} ${height + 2 * margin}" role="img" aria-label="${label}">${drawn}</svg>`;
}

/** Where all are the same they are in the middle. */
function scale(least: number, most: number, length: number): (value: number) => number {
  if (most === least) return () => margin + length / 2;
  return (value) => margin + Math.round(((value - least) / (most - least)) * length * 10) / 10;
}

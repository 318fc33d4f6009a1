import { type DayCounts, latestDifference } from '../../../store/sources/counts.ts';
import { html, type Markup } from '../../html/html.ts';
import type { Reader } from '../../words/reader.ts';
import { numberCell, scrolledTable } from '../page/table.ts';
import { countWords } from './count-words.ts';
import { type CurvePoint, curve } from './curve.ts';
import { signed } from './signed.ts';

const mostRows = 50;

/** How many there were of a source day by day, and by the repository's own count. @param counts the oldest first */
export function countSection(counts: readonly DayCounts[], reader: Reader): Markup {
  const words = countWords[reader.language];
  if (counts.length === 0) return html`<p>${words.none}</p>`;
  const [items, records, stated] = (['items', 'records', 'stated'] as const).map((name) =>
    counts.flatMap(({ day, [name]: value }) => (value === undefined ? [] : { day, value })),
  );
  return html`<p>${differenceSentence(counts, reader)}</p>
${picture([items ?? []], words.items, reader)}
${picture([records ?? [], stated ?? []], words.records, reader)}
<details><summary>${words.table(Math.min(mostRows, counts.length))}</summary>${countTable(counts, reader)}</details>`;
}

function differenceSentence(counts: readonly DayCounts[], reader: Reader): string {
  const words = countWords[reader.language];
  const found = latestDifference(counts);
  if (found === undefined) return words.notStated;
  const { day, difference } = found;
  const [records, stated] = [reader.count(found.records), reader.count(found.stated)];
  if (difference === 0) return words.same(day, records);
  const how = difference < 0 ? words.fewer : words.more;
  return how(day, records, stated, reader.count(Math.abs(difference)));
}

/** @param lines the first one is what its sentence is about */
function picture(
  lines: readonly (readonly CurvePoint[])[],
  label: string,
  reader: Reader,
): Markup | undefined {
  const [line = []] = lines;
  const [first, last] = [line[0], line.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const words = countWords[reader.language];
  const values = lines.flat().map(({ value }) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  // Where nothing has changed, or but one day is known, that is all there is to say.
  const change =
    line.length === 1
      ? words.one(reader.count(first.value), first.day)
      : words.change(reader.count(first.value), first.day, reader.count(last.value), last.day);
  const span = least === most ? undefined : words.span(reader.count(least), reader.count(most));
  const drawn = lines.filter(({ length }) => length > 0);
  const said = [`${label}: ${change}`, ...(span === undefined ? [] : [span])].join(', ');
  return html`<figure>${curve(drawn, said)}<figcaption>${label}: ${change}${span !== undefined && html` <span class="soft">(${span})</span>`}</figcaption></figure>`;
}

function countTable(counts: readonly DayCounts[], reader: Reader): Markup {
  const words = countWords[reader.language];
  const shown = (value: number | undefined) =>
    numberCell(value === undefined ? undefined : reader.count(value));
  const rows = counts
    .slice(-mostRows)
    .reverse()
    .map(({ day, items, records, stated }) => {
      const difference = records === undefined || stated === undefined ? undefined : records - stated;
      return html`<tr><td>${day}</td>${shown(items)}${shown(records)}${shown(stated)}${numberCell(difference === undefined ? undefined : signed(difference, reader.count))}</tr>
`;
    });
  const numbers = [words.known, words.read, words.stated, words.difference];
  return scrolledTable(words.title, [words.day, ...numbers.map((name) => ({ name, isNumber: true }))], rows);
}

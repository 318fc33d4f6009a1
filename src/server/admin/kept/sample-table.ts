import type { DraftTrial, TriedItem } from '../../../core/drafts/source-draft.ts';
import { html, type Markup } from '../../html/html.ts';
import { told } from '../../html/told.ts';
import type { Language } from '../../words/language.ts';
import { numberCell, scrolledTable } from '../page/table.ts';
import type { AdminWords } from '../page/words.ts';
import type { KeptWords } from './kept-words.ts';

/** What the first page of a harvest has, item by item: all of it is the repository's own. */
export function sampleTable(
  trial: DraftTrial,
  words: KeptWords,
  { number }: Pick<AdminWords, 'number'>,
  language: Language,
): Markup {
  const { items, records, expectedTotal, problems, problemCount } = trial;
  const columns = [words.item, words.formatsOf, { name: words.filesOf, isNumber: true }];
  const rows = items.map(
    (item) =>
      html`<tr><td>${named(item, words)}<div class="soft"><bdi class="mono any">${item.identifier}</bdi></div></td><td class="mono">${item.formats.join(', ')}</td>${numberCell(number(item.files))}</tr>
`,
  );
  const troubles = problems.map(
    ({ identifier, message }) =>
      html`<li>${identifier !== undefined && html`<bdi class="mono any">${identifier}</bdi> `}<bdi class="any">${told(message, language)}</bdi></li>`,
  );
  return html`<h2>${words.tried}</h2>
<p>${records === 0 ? words.empty : words.records(number(records))}${expectedTotal !== undefined && html` ${words.expected(number(expectedTotal))}`}</p>
${items.length > 0 && scrolledTable(words.tried, columns, rows)}
${problemCount > 0 && html`<p class="warn">${words.notRead(number(problemCount))}</p><ul>${troubles}</ul>`}`;
}

function named({ title, language, deleted }: TriedItem, words: KeptWords): Markup {
  if (deleted) return html`<span class="soft">${words.deleted}</span>`;
  if (title === undefined) return html`<span class="soft">${words.noTitle}</span>`;
  return html`<div class="any" dir="auto"${language !== undefined && html` lang="${language}"`}>${title}</div>`;
}

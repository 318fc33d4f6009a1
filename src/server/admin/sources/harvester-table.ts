import type { Harvester } from '../../../store/oai/harvesters.ts';
import { html, type Markup } from '../../html/html.ts';
import type { Texts } from '../../words/language.ts';
import type { Reader } from '../../words/reader.ts';
import { numberCell, scrolledTable } from '../page/table.ts';
import { when } from '../page/when.ts';

const en = {
  title: 'Who harvests it by OAI-PMH',
  none: 'Nobody has asked for a list of it yet.',
  intro: 'As their requests call themselves, whoever came last first.',
  program: 'Program',
  sender: 'Sender',
  nameless: '(says no name)',
  last: 'Last list',
  from: 'Changed since',
  everything: 'everything',
  first: 'First list',
  records: 'Records',
  requests: 'Requests',
  more: (count: string) => `… and ${count} more, who came longer ago.`,
};

const ja: typeof en = {
  title: 'OAI-PMH のハーベスタ',
  none: 'まだ誰もハーベストしていません。',
  intro: 'リクエストに書かれた名前です。最近ハーベストした順に並んでいます。',
  program: 'プログラム',
  sender: '送信者',
  nameless: '（名前なし）',
  last: '最後のハーベスト',
  from: '対象（この日時以降の変更）',
  everything: '全件',
  first: '最初のハーベスト',
  records: 'レコード',
  requests: 'リクエスト',
  more: (count) => `… ほか ${count} 件（最後のハーベストがこれより前のもの）。`,
};

export const harvesterWords: Texts<typeof en> = { en, ja };

const mostRows = 50;

/** Who reads a source from us by OAI-PMH. @param harvesters whoever came last first */
export function harvesterTable(harvesters: readonly Harvester[], reader: Reader, now: string): Markup {
  const words = harvesterWords[reader.language];
  if (harvesters.length === 0) return html`<p>${words.none}</p>`;
  const rows = harvesters.slice(0, mostRows).map(
    ({ agent, sender, lastAt, lastFrom, firstAt, records, requests }) =>
      html`<tr><td class="any">${agent === '' ? html`<span class="soft">${words.nameless}</span>` : html`<bdi>${agent}</bdi>`}</td><td class="any"><bdi>${sender}</bdi></td><td>${when(reader, lastAt, now)}</td><td>${lastFrom === undefined ? words.everything : reader.time(lastFrom)}</td><td>${when(reader, firstAt, now)}</td>${numberCell(reader.count(records))}${numberCell(reader.count(requests))}</tr>
`,
  );
  const number = (name: string) => ({ name, isNumber: true });
  const columns = [
    ...[words.program, words.sender, words.last, words.from, words.first],
    ...[number(words.records), number(words.requests)],
  ];
  const others = harvesters.length - rows.length;
  return html`<p>${words.intro}</p>${scrolledTable(words.title, columns, rows)}${others > 0 && html`<p>${words.more(reader.count(others))}</p>`}`;
}

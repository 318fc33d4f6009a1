import type { Fault } from '../../../core/xml/record-faults.ts';
import type { Texts } from '../../words/language.ts';

const en = {
  title: (source: string) => `Records of ${source} that could not be read`,
  none: 'Every record could be read.',
  cause: 'Cause',
  causes: 'Causes',
  count: 'Records',
  lastSeen: 'Last seen',
  firstSeen: 'First seen',
  ofCause: 'Only the records of this cause:',
  all: 'All records',
  retry: 'Try again',
  retryAll: (count: string) => `Try all ${count} again`,
  retryLabel: (count: string, cause: string) => `Try all ${count} again: ${cause}`,
  nameless:
    'What has no identifier cannot be asked for by itself; the next harvest that reads everything reads it again.',
  download: 'Download as CSV',
  more: 'More',
  hidden: '(no identifier)',
  whole: 'The whole record',
  where: 'Where',
  place: (line: string, column: string, byte: string) => `line ${line}, column ${column}, byte ${byte}`,
  kinds: {
    character: 'a character that XML forbids',
    reference:
      'a reference to nothing: an ampersand that is not written as &amp;, or a name that XML does not know',
    markup: 'markup that does not fit',
  } satisfies Record<Fault['kind'], string> as Readonly<Record<Fault['kind'], string>>,
  noPlace: 'No place of it is wrong by itself: the cause is what is said above.',
  repairs: 'Mended before it was given up',
  noRepairs: 'Nothing could be mended.',
  raw: 'The record as it came',
  marks: 'What is wrong is marked; characters that cannot be seen are written by their numbers.',
  cut: (kept: string, all: string) => `The first ${kept} of ${all} were kept.`,
  notKept: 'The record itself was not kept: it never came, or there are too many.',
  format: 'Format',
  run: 'Run',
  code: 'Code',
  gone: 'there is no such record any more: it was read, or is gone',
};

const ja: typeof en = {
  title: (source) => `${source} の読み取れなかったレコード`,
  none: 'すべてのレコードを読み取れました。',
  cause: '原因',
  causes: '原因一覧',
  count: 'レコード',
  lastSeen: '最終確認',
  firstSeen: '初回確認',
  ofCause: 'この原因のレコードだけを表示しています：',
  all: 'すべてのレコード',
  retry: 'もう一度試す',
  retryAll: (count) => `${count} 件すべてをもう一度試す`,
  retryLabel: (count, cause) => `${count} 件すべてをもう一度試す：${cause}`,
  nameless: '識別子のないものは個別に要求できません。次の全件ハーベストで読み直されます。',
  download: 'CSV でダウンロード',
  more: '続き',
  hidden: '（識別子なし）',
  whole: 'レコード全体',
  where: '位置',
  place: (line, column, byte) => `${line} 行 ${column} 文字目（${byte} バイト目）`,
  kinds: {
    character: 'XML で禁じられている文字',
    reference: '存在しない参照（&amp; と書かれていないアンパサンド、または XML にない名前）',
    markup: '正しくないマークアップ',
  },
  noPlace: '特定の位置の誤りではありません。原因は上に示したとおりです。',
  repairs: '読み取りを断念する前に行った修復',
  noRepairs: '修復できる箇所はありませんでした。',
  raw: '受け取ったままのレコード',
  marks: '誤りのある箇所に印を付け、見えない文字は番号で示しています。',
  cut: (kept, all) => `全 ${all} のうち先頭の ${kept} が保存されています。`,
  notKept: 'レコード自体は保存されていません（届かなかったか、件数が多すぎます）。',
  format: '形式',
  run: '実行',
  code: 'コード',
  gone: 'このレコードはもうありません。読み取れたか、なくなったものです。',
};

/** Records that could not be read. */
export const problemWords: Texts<typeof en> = { en, ja };
export type ProblemWords = typeof en;

import type { Texts } from './language.ts';

/** What things were: version histories, timelines, TimeMaps. */
const en = {
  versionHistory: 'Version history',
  timeline: 'Timeline',
  first: 'first',
  previous: 'previous',
  latest: 'latest',
  since: 'since',
  prior: (count: string) => `${count} from the repository’s own history`,
  isPrior: 'from the repository’s own history',
  dropped: (count: string) => `${count} more not kept`,
  deleted: (name: string) => `${name} deleted`,
  more: (count: string) => `and ${count} more`,
  newestFirst: (changes: string) => `${changes}, newest first.`,
  earlier: {
    before: (count: string) => `and ${count} earlier, the first `,
    after: '; the links above lead to all versions.',
  },
  /** Of the changes of a collection. */
  latestChange: 'Latest',
  previousChange: 'Previous',
  firstChange: 'First',
  quiet: (changes: string) => `Nothing else in it is among the last ${changes} of the source.`,
  asItWas: {
    before: 'Everything as it was at any time: ',
    link: 'the versions of the Resource List',
    after: '.',
  },
  listThen: 'the Resource List then',
  notPublic: 'something that is not public any more:',
  changes: { created: 'created', updated: 'updated', deleted: 'deleted' } as Readonly<Record<string, string>>,

  timeMapTitle: (uri: string) => `What ${uri} was`,
  resource: 'Resource',
  knownFrom: 'Known',
  atTime: 'At a given time',
  timeGate: '(Memento, RFC 7089)',
  forPrograms: 'For programs',
  mementos: 'Mementos',
  from: 'From',
  what: 'What',
  pages: 'Pages:',
  relation: (isFirst: boolean, isLast: boolean) =>
    `${isFirst ? 'first ' : ''}${isLast ? 'last ' : ''}memento`,
};

const ja: typeof en = {
  versionHistory: '版の履歴',
  timeline: '更新の経過',
  first: '最初の版',
  previous: '1つ前の版',
  latest: '最新の版',
  since: '初版',
  prior: (count) => `うち${count}版はリポジトリ自身の履歴による`,
  isPrior: '（リポジトリ自身の履歴による）',
  dropped: (count) => `ほかに${count}版は保存期間終了`,
  deleted: (name) => `${name}を削除`,
  more: (count) => `ほか${count}件`,
  newestFirst: (changes) => `${changes}（新しい順）`,
  earlier: {
    before: (count) => `これより前に${count}件あります。最初の更新は`,
    after: 'です。すべての版には、上のリンクから移動できます。',
  },
  latestChange: '最新',
  previousChange: '1つ前',
  firstChange: '最初',
  quiet: (changes) =>
    `このリポジトリの直近の${changes}のうち、このコレクションに関するものはほかにありません。`,
  asItWas: {
    before: '任意の時点の状態は、',
    link: 'リソースリストの版の履歴',
    after: 'からたどることができます。',
  },
  listThen: '当時のリソースリスト',
  notPublic: '公開を終了したもの：',
  changes: { created: '追加', updated: '更新', deleted: '削除' },

  timeMapTitle: (uri) => `${uri}の版の履歴`,
  resource: 'リソース',
  knownFrom: '期間',
  atTime: '日時を指定して取得',
  timeGate: '（Memento、RFC 7089による）',
  forPrograms: 'プログラム向け',
  mementos: '過去の版（Memento）',
  from: '日時',
  what: '内容',
  pages: 'ページ:',
  relation: (isFirst, isLast) => {
    if (isFirst && isLast) return '唯一の版';
    if (isFirst) return '最初の版';
    return isLast ? '最新の版' : 'この時点の版';
  },
};

export const historyWords: Texts<typeof en> = { en, ja };

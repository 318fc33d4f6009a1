import type { Texts } from './language.ts';

/** Pages of items and of collections. */
const en = {
  identifier: 'Identifier',
  by: 'By',
  published: 'Published',
  kind: 'Kind',
  journal: 'In',
  publisher: 'Publisher',
  licence: 'Licence',
  cite: 'Cite as',
  abstract: 'Abstract',
  others: (more: string) => `and ${more} more`,
  volume: (volume: string, issue: string | undefined) =>
    issue === undefined ? volume : `${volume} (${issue})`,
  pages: (first: string, last: string | undefined) =>
    last === undefined ? `p. ${first}` : `pp. ${first}–${last}`,

  of: 'Of',
  page: 'Page',
  changedUpstream: 'Changed upstream',
  notStated: 'not stated',
  in: 'In',
  metadata: 'Metadata',
  format: 'Format',
  name: 'Name',
  type: 'Type',
  size: 'Size',
  modified: 'Modified',
  versions: 'Versions',
  comesFrom: 'Comes from',
  upstream: 'upstream',
  moreFiles: (count: string) => `and ${count} more, which are in the Resource List.`,

  collection: 'Collection',
  holds: 'Holds',
  atLeast: (resources: string) => `at least ${resources}`,
  filesAmong: (files: string) => `, ${files} among them`,
  resources: 'Resources',
  address: 'Address',
  nextSome: (count: string) => `Next ${count}`,
  /** Of a page as a file, which has no next one. */
  thereAreMore: 'There are more; all of them are in the Resource List of the source.',
};

const ja: typeof en = {
  identifier: '識別子',
  by: '作成者',
  published: '公開日',
  kind: '資源タイプ',
  journal: '収録物',
  publisher: '出版者',
  licence: '利用条件',
  cite: '引用用のアドレス',
  abstract: '内容記述（抄録）',
  others: (more) => `ほか${more}名`,
  volume: (volume, issue) => (issue === undefined ? `${volume}巻` : `${volume}巻${issue}号`),
  pages: (first, last) => (last === undefined ? `p. ${first}` : `pp. ${first}-${last}`),

  of: '所属',
  page: 'リポジトリのページ',
  changedUpstream: 'リポジトリでの更新日時',
  notStated: '記載なし',
  in: 'コレクション',
  metadata: 'メタデータ',
  format: '形式',
  name: 'ファイル名',
  type: '種類',
  size: 'サイズ',
  modified: '更新日時',
  versions: '版',
  comesFrom: '提供元',
  upstream: 'リポジトリで見る',
  moreFiles: (count) => `ほかに${count}件あります。すべてリソースリストに載っています。`,

  collection: 'コレクション',
  holds: '保有件数',
  atLeast: (resources) => `${resources}以上`,
  filesAmong: (files) => `（うち${files}）`,
  resources: 'リソース',
  address: 'アドレス',
  nextSome: (count) => `次の${count}件`,
  thereAreMore: 'ほかにもあります。すべてリポジトリのリソースリストに載っています。',
};

export const itemWords: Texts<typeof en> = { en, ja };

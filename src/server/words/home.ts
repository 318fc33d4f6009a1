import { counted } from './counted.ts';
import type { Texts } from './language.ts';

/** The home page. */
const en = {
  sources: 'Sources',
  noSources: {
    before: 'No sources yet.',
    after: 'finds the endpoint of a repository and writes the configuration.',
  },
  harvested: 'Harvested',
  itemsFrom: counted('en', { one: 'items from # source', other: 'items from # sources' }),
  mapped: 'Mapped',
  resources: 'resources',
  journal: 'Journal',
  recentChanges: 'changes in the last 24 hours',
  published: 'Published',
  documents: counted('en', { one: '# document', other: '# documents' }),
  nothingYet: 'nothing yet',
  newest: (age: string) => `newest ${age}`,
  needsAttention: 'needs attention',
  harvesting: 'harvesting',
  healthy: 'healthy',
  lastSuccess: 'Last success',
  lastRun: 'Last run',
  nextRun: 'Next run',
  notScheduled: 'not scheduled',
  holds: 'Holds',
  changes: 'Changes',
  inLastDay: (count: string) => `${count} in the last 24 hours`,
  problem: 'Problem',
  publishedDocuments: 'Published documents',
  nothingPublished:
    'Nothing is published yet. As soon as the first harvest of a source is complete, its Resource List and Change List appear here, each with the address to give to those who want to synchronise.',
  start: 'Everything begins at the Source Description:',
};

const ja: typeof en = {
  sources: 'ハーベスト対象のリポジトリ',
  noSources: {
    before: 'リポジトリはまだ登録されていません。',
    after: 'を実行すると、リポジトリのエンドポイントを調べて設定ファイルを作成します。',
  },
  harvested: 'ハーベスト',
  itemsFrom: counted('ja', { other: '件のアイテム（#リポジトリ）' }),
  mapped: '変換',
  resources: '件のリソース',
  journal: '更新記録',
  recentChanges: '件の更新（過去24時間）',
  published: '公開',
  documents: counted('ja', { other: '#文書' }),
  nothingYet: 'まだありません',
  newest: (age) => `最新: ${age}`,
  needsAttention: '要確認',
  harvesting: 'ハーベスト中',
  healthy: '正常',
  lastSuccess: '前回の成功',
  lastRun: '前回の実行',
  nextRun: '次回の実行',
  notScheduled: '予定なし',
  holds: '保有件数',
  changes: '更新',
  inLastDay: (count) => `過去24時間に${count}件`,
  problem: '問題',
  publishedDocuments: '公開中の文書',
  nothingPublished:
    '公開中の文書はまだありません。リポジトリの最初のハーベストが完了すると、リソースリストと変更リストがここに表示されます。同期を希望する方には、そのアドレスをお知らせください。',
  start: '同期の起点となるのは、次のソース記述（Source Description）です。',
};

export const homeWords: Texts<typeof en> = { en, ja };

import type { Texts } from './language.ts';

/** The page of search, and lists of items on others. */
const en = {
  title: 'Search',
  titleOf: (query: string) => `Search: ${query}`,
  button: 'Search',
  query: 'Words of title, creator or identifier',
  source: 'Source',
  anySource: 'all sources',
  collection: 'Collection',
  year: 'Year',
  since: 'Changed since',
  metadata: 'Metadata format',
  newest: 'Newest items',
  found: 'Found, newest first',
  next: 'Next',
  inCollection: 'Search in this collection',
  inSource: 'All its items, newest first',
  nothing:
    'Nothing was found. All words have to be in the title, the names of the creators or the identifier; fewer words find more.',
  nothingYet: 'Nothing is published yet.',
  indexing: (percent: string) =>
    `The index is being made, ${percent} % are done: some items are not found yet.`,
  tooMany: (most: number) => `A search has at most ${most} words.`,
  unknownSource: 'There is no source of this name that can be searched.',
  unknownCollection: 'There is no such collection.',
  collectionOf: 'A collection is searched together with its source: give both.',
  badDate: 'Give the time as 2026-11-21 or 2026-11-21T12:00:00Z.',
  changed: (time: string) => `changed ${time}`,
};

const ja: typeof en = {
  title: '検索',
  titleOf: (query) => `「${query}」の検索結果`,
  button: '検索',
  query: 'タイトル・作成者・識別子の語',
  source: 'リポジトリ',
  anySource: 'すべてのリポジトリ',
  collection: 'コレクション',
  year: '公開年',
  since: '更新日（以降）',
  metadata: 'メタデータ形式',
  newest: '新着アイテム',
  found: '検索結果（新しい順）',
  next: '次のページ',
  inCollection: 'このコレクション内を検索',
  inSource: 'このリポジトリのすべてのアイテム（新しい順）',
  nothing:
    '該当するアイテムはありません。入力した語をすべてタイトル・作成者名・識別子のいずれかに含むアイテムを検索します。語を減らすと、より多く見つかります。',
  nothingYet: '公開中のアイテムはまだありません。',
  indexing: (percent) => `索引を作成中です（${percent}％完了）。まだ検索できないアイテムがあります。`,
  tooMany: (most) => `検索できる語は${most}語までです。`,
  unknownSource: 'この名前の検索可能なリポジトリはありません。',
  unknownCollection: 'このコレクションはありません。',
  collectionOf: 'コレクションを指定する場合は、リポジトリも指定してください。',
  badDate: '日付は2026-11-21または2026-11-21T12:00:00Zの形式で指定してください。',
  changed: (time) => `更新: ${time}`,
};

export const searchWords: Texts<typeof en> = { en, ja };

import type { Texts } from './language.ts';

/** What our documents are called. */
const documentNamesEn = {
  description: 'Source Description',
  capabilitylist: 'Capability List',
  resourcelist: 'Resource List',
  changelist: 'Change List',
  resourcedump: 'Resource Dump',
  changedump: 'Change Dump',
  'resourcedump-manifest': 'Resource Dump Manifest',
  'changedump-manifest': 'Change Dump Manifest',
  'resourcelist-archive': 'Resource List Archive',
  'changelist-archive': 'Change List Archive',
  'resourcedump-archive': 'Resource Dump Archive',
  'changedump-archive': 'Change Dump Archive',
};

const documentNamesJa: typeof documentNamesEn = {
  description: 'ソース記述',
  capabilitylist: 'ケイパビリティリスト',
  resourcelist: 'リソースリスト',
  changelist: '変更リスト',
  resourcedump: 'リソースダンプ',
  changedump: '変更ダンプ',
  'resourcedump-manifest': 'リソースダンプのマニフェスト',
  'changedump-manifest': '変更ダンプのマニフェスト',
  'resourcelist-archive': 'リソースリストのアーカイブ',
  'changelist-archive': '変更リストのアーカイブ',
  'resourcedump-archive': 'リソースダンプのアーカイブ',
  'changedump-archive': '変更ダンプのアーカイブ',
};

/** Sets of resources, and tables of their documents. */
const en = {
  names: documentNamesEn as Readonly<Record<string, string>>,
  index: (name: string) => `${name} Index`,
  document: 'Document',
  covers: 'Covers',
  entries: 'Entries',
  size: 'Size',
  updated: 'Updated',
  at: (time: string) => `at ${time}`,
  since: (time: string) => `since ${time}, open`,
  between: (from: string, until: string) => `${from} – ${until}`,

  aboutTitle: (title: string) => `About ${title}`,
  aboutIntroduction:
    'The resources of these repositories can be copied, and kept up to date, with ResourceSync (ANSI/NISO Z39.99).',
  sets: 'Sets of resources',

  set: 'Set',
  comesFrom: 'Comes from',
  by: (protocol: string) => `by ${protocol}`,
  resources: 'Resources',
  oai: 'OAI-PMH',
  nonePublished: 'none published yet',
  documents: 'Documents',
  nothingPublished: 'Nothing is published yet; the first harvest has to be complete.',
  synchronise: 'Synchronise',
  referenceClient: {
    before: 'With the reference client (',
    after: '): once everything, then what changed, as often as you like.',
  },
  withoutDumps: {
    before: 'For clients that refuse a set with dumps, as rs-aggregator does, there is a ',
    list: 'Capability List of the lists alone',
    between: ', with a ',
    description: 'Source Description',
    after: ' of its own:',
  },
};

const ja: typeof en = {
  names: documentNamesJa,
  index: (name) => `${name}の索引`,
  document: '文書',
  covers: '対象',
  entries: '件数',
  size: 'サイズ',
  updated: '更新日時',
  at: (time) => `${time}時点`,
  since: (time) => `${time}以降（継続中）`,
  between: (from, until) => `${from}～${until}`,

  aboutTitle: (title) => `${title}について`,
  aboutIntroduction:
    'これらのリポジトリのリソースは、ResourceSync（ANSI/NISO Z39.99）により複製し、最新の状態に保つことができます。',
  sets: 'リソースのセット（set）',

  set: 'セット（set）',
  comesFrom: '提供元',
  by: (protocol) => `（${protocol}）`,
  resources: 'リソース数',
  oai: 'OAI-PMH でハーベストする',
  nonePublished: '未公開',
  documents: '文書',
  nothingPublished: '公開中の文書はまだありません。最初のハーベストが完了すると公開されます。',
  synchronise: '同期の方法',
  referenceClient: {
    before: '参照実装のクライアント（',
    after: '）を使う場合は、最初に全件を取得し、その後は変更分だけを必要に応じて取得します。',
  },
  withoutDumps: {
    before: 'rs-aggregatorのように、ダンプを含むセットを受け付けないクライアントには、',
    list: 'リストだけを載せたケイパビリティリスト',
    between: 'と、その',
    description: 'ソース記述',
    after: 'を用意しています。',
  },
};

export const setWords: Texts<typeof en> = { en, ja };

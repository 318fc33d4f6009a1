import type { FilePlace } from '../../measures.ts';
import type { Texts } from '../../words/language.ts';

type Of<Key extends string> = Readonly<Record<Key, string>>;

const placesEn: Of<FilePlace> = {
  contents: 'Mirrored files, and long contents',
  documents: 'Documents that are published, and those before them',
  packages: 'Packages of dumps',
  past: 'Lists of former times, made when they were asked for',
  copies: 'Copies of what is in the object storage',
  other: 'Other files',
};
const bucketEn: Readonly<Record<string, string>> = {
  files: 'mirrored files',
  payloads: 'long metadata records',
  documents: 'documents',
  dumps: 'packages of dumps',
};

const en = {
  title: 'Storage',
  none: 'Nothing is measured here.',
  asOf: (time: string) => `As it was at ${time}, unless something else is said.`,
  database: 'Database',
  clients: { sqlite: 'SQLite', pg: 'PostgreSQL' },
  kind: 'Kind',
  size: 'Size',
  wal: 'Write-ahead log',
  free: 'Of the size, empty (used before the file grows)',
  items: 'Items, deleted ones included',
  resources: 'Resources',
  backup: 'Last backup that is known',
  noBackup: 'none: `rsbridge backup FILE`, or `alerts.backupStamp` where something else makes them',
  waiting: 'Work that is due, and waits',
  disks: 'Disks',
  disk: 'Disk of',
  diskOf: { data: 'the data directory', database: 'the database' } as Readonly<Record<string, string>>,
  freeSpace: 'Free',
  total: 'Of',
  files: 'Files in the data directory',
  counted: (time: string) => `Counted from ${time} on, at most every six hours.`,
  cut: 'There are so many that not all were counted: there is more of each.',
  counting: 'They are being counted. Look again in a while.',
  place: 'What',
  number: 'Files',
  bytes: 'Bytes',
  places: placesEn,
  bucket: (what: string) =>
    `In the object storage, whose bytes are not counted here (ask it): ${what}. What lay on the disk before is counted above.`,
  bucketOf: bucketEn,
  sources: 'Documents and packages by source',
  source: 'Source',
  tables: 'Tables of the database',
  tablesNote: 'Sizes are those of the files of the server, with indexes; rows are its estimate.',
  noTables: 'SQLite would have to read all of its file to say what each table takes; so it is not asked.',
  table: 'Table',
  rows: 'Rows, about',
};

const placesJa: Of<FilePlace> = {
  contents: 'ミラーしたファイルと大きなコンテンツ',
  documents: '公開中の文書とそれ以前の文書',
  packages: 'ダンプのパッケージ',
  past: '過去の時点のリスト（求めに応じて作成）',
  copies: 'オブジェクトストレージの内容の写し',
  other: 'その他のファイル',
};
const bucketJa: Readonly<Record<string, string>> = {
  files: 'ミラーしたファイル',
  payloads: '大きなメタデータレコード',
  documents: '文書',
  dumps: 'ダンプのパッケージ',
};

const ja: typeof en = {
  title: 'ストレージ',
  none: 'ここでは何も計測していません。',
  asOf: (time) => `特に記載のないものは ${time} 時点の値です。`,
  database: 'データベース',
  clients: { sqlite: 'SQLite', pg: 'PostgreSQL' },
  kind: '種類',
  size: 'サイズ',
  wal: '先行書き込みログ（WAL）',
  free: 'うち空き領域（ファイルが大きくなる前に使われます）',
  items: 'アイテム（削除されたものを含む）',
  resources: 'リソース',
  backup: '確認できる最後のバックアップ',
  noBackup:
    'なし：`rsbridge backup FILE` で作成するか、別の方法で作成している場合は `alerts.backupStamp` を設定してください',
  waiting: '実行時刻を過ぎて待っている作業',
  disks: 'ディスク',
  disk: '対象',
  diskOf: { data: 'データディレクトリ', database: 'データベース' },
  freeSpace: '空き',
  total: '全体',
  files: 'データディレクトリのファイル',
  counted: (time) => `${time} に集計を開始した値です（集計は最大 6 時間に 1 回）。`,
  cut: '数が多いため、一部だけを集計しました。実際はどれもこれより多くなります。',
  counting: '集計中です。しばらくしてからもう一度開いてください。',
  place: '内容',
  number: 'ファイル数',
  bytes: 'バイト数',
  places: placesJa,
  bucket: (what) =>
    `オブジェクトストレージにあるもの：${what}。その容量はここでは集計しないため、ストレージ側で確認してください。以前からディスクにあるものは上の表に含まれます。`,
  bucketOf: bucketJa,
  sources: 'ソースごとの文書とパッケージ',
  source: 'ソース',
  tables: 'データベースのテーブル',
  tablesNote: 'サイズはサーバー上のファイルの大きさ（索引を含む）、行数はサーバーによる推定値です。',
  noTables:
    'SQLite でテーブルごとの容量を調べるには、ファイル全体を読む必要があります。そのため調べていません。',
  table: 'テーブル',
  rows: '行数（概数）',
};

/** What is kept, and where. */
export const storageWords: Texts<typeof en> = { en, ja };

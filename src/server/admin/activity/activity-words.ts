import type { WorkKind, WorkPhase } from '../../../core/under-way.ts';
import type { ProcessRole } from '../../../store/presence/processes.ts';
import { counted } from '../../words/counted.ts';
import type { Texts } from '../../words/language.ts';

type Of<Key extends string> = Readonly<Record<Key, string>>;

const kindsEn: Of<WorkKind> = {
  harvest: 'reads what is new',
  full: 'reads everything',
  identifiers: 'compares identifiers',
  files: 'asks for files',
  asked: 'does what was asked for',
  lists: 'publishes lists',
  dumps: 'builds packages',
};
const phasesEn: Of<WorkPhase> = {
  beginning: 'begins',
  reading: 'records',
  comparing: 'asks for what is not here',
  deleting: 'looks for what was deleted',
  settling: 'links and files',
  ending: 'ends',
  files: 'files',
  pages: 'landing pages',
  items: 'items',
  resourceList: 'Resource List',
  resourceDump: 'Resource Dump',
  changeDump: 'Change Dump',
  changes: 'Change Lists',
};
const rolesEn: Of<ProcessRole> = {
  all: 'works and answers',
  web: 'answers',
  work: 'works',
  command: 'command line',
};
/** Kinds of `due`; one that is not named here is told as it is called. */
const queueEn: Readonly<Record<string, string>> = {
  harvest: 'Reading what is new',
  full: 'Reading everything',
  identifiers: 'Comparing identifiers',
  asked: 'What somebody asked for',
  removal: 'Removing sources',
  'removal-at-once': 'Removing sources at once',
  retention: 'Giving up old versions',
  lists: 'Resource Lists',
  dumps: 'Packages',
  publication: 'Publishing changes',
  alerts: 'Alerts',
  digest: 'Digests',
};

const en = {
  title: 'Activity',
  underWay: 'Under way',
  idle: 'Nothing is under way.',
  installation: 'All sources',
  kinds: kindsEn,
  phases: phasesEn,
  done: (done: string, expected: string | undefined) =>
    expected === undefined ? done : `${done} of about ${expected}`,
  rate: (count: string, unit: 'second' | 'minute') => `${count} a ${unit}`,
  requests: counted('en', { one: '# request', other: '# requests' }),
  left: (minutes: number) =>
    minutes < 1 ? 'less than a minute left' : `about ${duration(minutes, 'min', 'h')} left`,
  window: (list: string | undefined, from: string | undefined, until: string | undefined) =>
    [list, from === undefined && until === undefined ? undefined : `${from ?? '…'} – ${until ?? 'now'}`]
      .filter((part) => part !== undefined)
      .join(', '),
  since: (age: string) => `since ${age}`,
  progress: 'How far it is',
  processes: 'Processes',
  noProcess: 'No process has given a sign of life within the last minute.',
  process: 'Process',
  role: 'What it does',
  roles: rolesEn,
  version: 'Version',
  host: 'Host',
  started: 'Started',
  seen: 'Last sign of life',
  memory: 'Memory',
  heldUp: 'Held up (ms)',
  queue: 'What is due',
  publishLists: 'Publish all lists anew',
  publishDumps: 'Build all packages anew',
  kind: 'Kind',
  queueKinds: queueEn,
  running: 'Under way',
  waiting: 'Waiting',
  oldest: 'Waiting longest',
  next: 'Next',
  failing: 'Failed last time',
  resting: 'Hosts that are left alone',
  noRests: 'None: every repository may be asked.',
  until: 'Until',
  reason: 'Why',
  search: 'Search',
  described: (done: string, total: string) => `${done} of ${total} changes can be found by words.`,
  level: 'Everything can be found by words.',
  again: 'Show this page anew',
};

const ja: typeof en = {
  title: '動作状況',
  underWay: '実行中',
  idle: '実行中の処理はありません。',
  installation: 'すべてのソース',
  kinds: {
    harvest: '差分ハーベスト',
    full: '全件ハーベスト',
    identifiers: '識別子を照合',
    files: 'ファイルを確認',
    asked: '依頼された処理',
    lists: 'リストを公開',
    dumps: 'パッケージを作成',
  },
  phases: {
    beginning: '開始',
    reading: 'レコード',
    comparing: '手元にないものを確認中',
    deleting: '削除されたものを確認中',
    settling: 'リンクとファイル',
    ending: '終了処理',
    files: 'ファイル',
    pages: 'ランディングページ',
    items: 'アイテム',
    resourceList: 'Resource List',
    resourceDump: 'Resource Dump',
    changeDump: 'Change Dump',
    changes: 'Change List',
  },
  done: (done, expected) => (expected === undefined ? done : `約 ${expected} 件中 ${done} 件`),
  rate: (count, unit) => `${unit === 'second' ? '毎秒' : '毎分'} ${count} 件`,
  requests: counted('ja', { other: 'リクエスト # 件' }),
  left: (minutes) => (minutes < 1 ? '残り 1 分未満' : `残り約 ${duration(minutes, '分', '時間')}`),
  window: (list, from, until) =>
    [list, from === undefined && until === undefined ? undefined : `${from ?? '…'} ～ ${until ?? '現在'}`]
      .filter((part) => part !== undefined)
      .join('、'),
  since: (age) => `${age}から`,
  progress: '進み具合',
  processes: 'プロセス',
  noProcess: '直近 1 分間に応答のあったプロセスはありません。',
  process: 'プロセス',
  role: '役割',
  roles: { all: '処理と応答', web: '応答', work: '処理', command: 'コマンドライン' },
  version: 'バージョン',
  host: 'ホスト',
  started: '開始',
  seen: '最後の応答',
  memory: 'メモリ',
  heldUp: '停滞（ミリ秒）',
  queue: '予定されている処理',
  publishLists: 'すべてのリストを公開し直す',
  publishDumps: 'すべてのパッケージを作り直す',
  kind: '種類',
  queueKinds: {
    harvest: '差分ハーベスト',
    full: '全件ハーベスト',
    identifiers: '識別子の照合',
    asked: '依頼された処理',
    removal: 'ソースの削除',
    'removal-at-once': 'ソースの即時削除',
    retention: '古い版の整理',
    lists: 'Resource List',
    dumps: 'パッケージ',
    publication: '変更の公開',
    alerts: '通知',
    digest: '定期報告',
  },
  running: '実行中',
  waiting: '待機中',
  oldest: '最も長く待っているもの',
  next: '次回',
  failing: '前回失敗',
  resting: '問い合わせを控えているホスト',
  noRests: 'ありません。すべてのリポジトリに問い合わせできます。',
  until: '期限',
  reason: '理由',
  search: '検索',
  described: (done, total) => `変更 ${total} 件のうち ${done} 件が検索できます。`,
  level: 'すべて検索できます。',
  again: 'このページを再表示',
};

function duration(minutes: number, min: string, hour: string): string {
  const whole = Math.round(minutes);
  if (whole < 60) return `${whole} ${min}`;
  const rest = whole % 60;
  return rest === 0
    ? `${Math.floor(whole / 60)} ${hour}`
    : `${Math.floor(whole / 60)} ${hour} ${rest} ${min}`;
}

/** What is under way, due and alive. */
export const activityWords: Texts<typeof en> = { en, ja };

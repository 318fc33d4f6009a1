import { counted } from '../../server/words/counted.ts';
import type { Texts } from '../../server/words/language.ts';
import { toldAs } from '../../server/words/states.ts';

/** What messages say. What systems and repositories said (`reason`) is told as they said it. */
const en = {
  sources: counted('en', { one: '# source', other: '# sources' }),
  problems: counted('en', { one: '# problem', other: '# problems' }),
  days: counted('en', { one: '# day', other: '# days' }),
  hours: counted('en', { one: '# hour', other: '# hours' }),
  minutes: counted('en', { one: '# minute', other: '# minutes' }),
  and: ' ',
  lessThanAMinute: 'less than a minute',
  /** A subject. */
  subject: (title: string, what: string) => `[${title}] ${what}`,
  firing: (problems: string, names: string) => `${problems}: ${names}`,
  recovered: (names: string) => `Recovered: ${names}`,
  reminding: (problems: string) => `Still wrong: ${problems}`,
  test: 'Test of alerts',
  more: (count: string) => `and ${count} more`,
  comma: ', ',
  nameOf: (title: string, subject: string) => (title === subject ? title : `${title} (${subject})`),
  headings: { firing: 'New', recovered: 'Recovered', lasting: 'Still wrong' },
  stillWrong: (problems: string) => `${problems} of which you have been told before.`,
  byCause: (sources: string) => `${sources} not harvested, by cause:`,
  database: 'Database',
  installation: 'This bridge',
  disks: { data: 'Disk of the data directory', database: 'Disk of the database' } as Readonly<
    Record<string, string>
  >,
  backup: 'Backup',
  queue: 'Queue',
  kinds: {
    database: (since: string) => `The database has not answered since ${since}.`,
    disk: (free: string, share: string) => `${free} free (${share} %).`,
    harvest: (since: string, duration: string) => `Not harvested since ${since} (${duration}).`,
    neverHarvested: (since: string, duration: string) =>
      `Never harvested to the end; known since ${since} (${duration}).`,
    datedAhead: (at: string) =>
      `Its last success is dated ${at}, which is in the future: the clock was ahead. When it was harvested last is not known.`,
    queue: (sources: string, since: string) =>
      `${sources} overdue, waiting for a free place; the oldest since ${since}. More processes (--role work) read more at a time.`,
    deletions: (message: string, source: string) =>
      `Nothing is deleted until you decide: ${message} (rsbridge vanished ${source})`,
    files: (since: string, source: string) =>
      `Since ${since} so many of its files cannot be handed out that they are neither served nor deleted (rsbridge refused ${source})`,
    publication: (since: string, duration: string) =>
      `Changes since ${since} are not in its lists (${duration}).`,
    records: (from: string, to: string, source: string) =>
      `Records that cannot be read: ${to}, before ${from} (rsbridge problems ${source})`,
    backup: (at: string, duration: string) => `The latest backup is of ${at} (${duration} ago).`,
  },
  reason: (text: string) => `Last error: ${text}`,
  decide: (url: string) => `Approve or reject: ${url}`,
  unanswered: (host: string, since: string) =>
    `A harvest has begun: it waits for the first answer of ${host} since ${since}.`,
  resting: (host: string, until: string, why: string) =>
    `Nothing is asked of ${host} until ${until}${why === '' ? '' : ` (${why})`}.`,
  relapses: 'It comes and goes; it is told to be well only after a longer time.',
  until: (since: string, until: string, duration: string) => `${since} to ${until} (${duration})`,
  testText: 'This is a test by `rsbridge alert test`. Nothing is wrong.',
  details: (url: string) => `Details: ${url}`,
  footer: (title: string, baseUrl: string) => `${title} <${baseUrl}>`,
};

export type AlertWords = typeof en;

const ja: AlertWords = {
  sources: counted('ja', { other: '#リポジトリ' }),
  problems: counted('ja', { other: '#件の問題' }),
  days: counted('ja', { other: '#日' }),
  hours: counted('ja', { other: '#時間' }),
  minutes: counted('ja', { other: '#分' }),
  and: '',
  lessThanAMinute: '1分未満',
  subject: (title, what) => `【${title}】${what}`,
  firing: (problems, names) => `${problems}: ${names}`,
  recovered: (names) => `復旧: ${names}`,
  reminding: (problems) => `継続中: ${problems}`,
  test: '通知のテスト',
  more: (count) => `ほか${count}件`,
  comma: '、',
  nameOf: (title, subject) => (title === subject ? title : `${title}（${subject}）`),
  headings: { firing: '新たに発生', recovered: '復旧', lasting: '継続中' },
  stillWrong: (problems) => `以前にお知らせした${problems}が続いています。`,
  byCause: (sources) => `ハーベストできていない${sources}の原因別件数:`,
  database: 'データベース',
  installation: 'このブリッジ',
  disks: { data: 'データ用ディスク', database: 'データベース用ディスク' },
  backup: 'バックアップ',
  queue: '実行待ち',
  kinds: {
    database: (since) => `${since}以降、データベースが応答していません。`,
    disk: (free, share) => `空き容量は${free}（${share}％）です。`,
    harvest: (since, duration) => `${since}を最後に、ハーベストできていません（${duration}経過）。`,
    neverHarvested: (since, duration) =>
      `一度も最後までハーベストできていません（${since}に登録、${duration}経過）。`,
    datedAhead: (at) =>
      `前回の成功の日時（${at}）が未来になっています。時計が進んでいたときの記録のため、最後にハーベストした日時は分かりません。`,
    queue: (sources, since) =>
      `${sources}が予定の時刻を過ぎて順番を待っています（最も長いものは${since}から）。--role work のプロセスを増やすと、同時に処理できる数が増えます。`,
    deletions: (message, source) =>
      `確認されるまで、何も削除しません: ${message}（rsbridge vanished ${source}）`,
    files: (since, source) =>
      `${since}以降、多数のファイルを提供元から取得できないため、公開も削除も保留しています（rsbridge refused ${source}）。`,
    publication: (since, duration) =>
      `${since}以降の更新が、リストにまだ反映されていません（${duration}経過）。`,
    records: (from, to, source) =>
      `読み取れないレコードが${from}件から${to}件に増えました（rsbridge problems ${source}）。`,
    backup: (at, duration) => `最新のバックアップは${at}のものです（${duration}経過）。`,
  },
  reason: (text) => `直近のエラー: ${text}`,
  decide: (url) => `承認または却下: ${url}`,
  unanswered: (host, since) => `ハーベストを開始し、${since}から${host}の最初の応答を待っています。`,
  resting: (host, until, why) =>
    `${until}まで${host}へのアクセスを控えています${why === '' ? '' : `（${toldAs(why)}）`}。`,
  relapses: '発生と復旧を繰り返しているため、復旧のお知らせは通常より長く様子を見てから送ります。',
  until: (since, until, duration) => `${since}から${until}まで（${duration}）`,
  testText: 'これは rsbridge alert test によるテストです。問題は発生していません。',
  details: (url) => `詳細: ${url}`,
  footer: (title, baseUrl) => `${title} <${baseUrl}>`,
};

export const alertWords: Texts<AlertWords> = { en, ja };

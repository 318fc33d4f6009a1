import { countOf } from '../../core/count-of.ts';
import type { Texts } from './language.ts';
import { inJapanese } from './refusals/reasons.ts';

/** What a source is doing, in parts. What repositories and systems said (`message`) is told as they said it, where it is not a reason of ours. */
const en = {
  separator: '; ',
  inBrackets: (text: string) => ` (${text})`,
  pausedSince: (time: string) => `paused since ${time}`,
  pausedUntil: (time: string) => `paused until ${time}`,
  resting: (host: string, until: string) => `nothing is asked of ${host} until ${until}`,
  failedInRow: (times: number, next: string) =>
    `failed ${times} times in a row; what is new is asked for again at ${next}`,
  noDumps: (set: string, at: string, message: string) => `no new dumps of ${set} since ${at}: ${message}`,
  trouble: (at: string, message: string) => `could not be harvested at ${at}: ${message}`,
  notYet: 'not harvested yet',
  identifierPass: 'identifier pass',
  fullHarvest: 'full harvest',
  newHarvest: 'harvest of what is new',
  attentionSince: (pass: string, at: string, message: string) =>
    `needs attention since the ${pass} of ${at}: ${message}`,
  attention: (message: string) => `needs attention: ${message}`,
  lookAtRun: 'look at the last run',
  missed: (source: string) =>
    `needs attention: some items are missing from its list, and still published (rsbridge vanished ${source})`,
  datedAhead: (at: string) =>
    `needs attention: its last success is dated ${at}, which is in the future: the clock was ahead. The next harvest that succeeds puts that right`,
  seeVanished: (source: string) => `; rsbridge vanished ${source} lists them`,
  records: (count: number) => countOf(count, 'record'),
  recordsOf: (count: number, total: number) => `${count} of about ${countOf(total, 'record')}`,
  first: (records: string) => `first harvest under way: ${records} so far`,
  running: (kind: string, records: string) => `${kind} under way: ${records} so far`,
  begunAt: (time: string) => `a harvest has begun at ${time}`,
  awaitsAnswer: (host: string, since: string) =>
    `a harvest has begun, and waits for the first answer of ${host} since ${since}`,
  upToDate: 'up to date',
  nothingNew: (kind: string) => `the last ${kind} found nothing new`,
  found: (kind: string, created: number, updated: number, deleted: number) =>
    `the last ${kind} found ${created} new, ${updated} changed and ${deleted} deleted`,
  interrupted: (records: string) => `stopped after ${records}; the next harvest continues there`,
  failed: (kind: string, message: string) => `the last ${kind} failed: ${message}`,
  unknownReason: 'for an unknown reason',
  unreadable: (source: string, count: number) =>
    `${countOf(count, 'record')} ${count === 1 ? 'needs attention: it' : 'need attention: they'} could not be read (rsbridge problems ${source})`,
  refused: (source: string, since: string) =>
    `needs attention: since ${since} so many of its files cannot be handed out that they are neither served nor deleted (rsbridge refused ${source})`,
  listing: (count: number) => `listing its identifiers: ${count} so far`,
  notListed: (at: string, message: string) =>
    `its identifiers could not be listed to the end at ${at}: ${message}`,
};

export type StateWords = typeof en;

const ja: StateWords = {
  separator: '。',
  inBrackets: (text) => `（${text}）`,
  pausedSince: (time) => `${time}から一時停止中`,
  pausedUntil: (time) => `${time}まで一時停止中`,
  resting: (host, until) => `${until}まで${host}へのアクセスを控えています`,
  failedInRow: (times, next) => `${times}回続けて失敗しました。差分ハーベストは${next}に再試行します`,
  noDumps: (set, at, message) => `${at}以降、${set}の新しいダンプを作成できません: ${toldAs(message)}`,
  trouble: (at, message) => `${at}にハーベストできませんでした: ${toldAs(message)}`,
  notYet: 'まだハーベストしていません',
  identifierPass: '識別子の照合',
  fullHarvest: '全件ハーベスト',
  newHarvest: '差分ハーベスト',
  attentionSince: (pass, at, message) => `確認が必要です（${at}の${pass}）: ${toldAs(message)}`,
  attention: (message) => `確認が必要です: ${toldAs(message)}`,
  lookAtRun: '前回の実行結果を確認してください',
  missed: (source) =>
    `確認が必要です。一覧に現れなくなったアイテムがあり、公開を続けています（rsbridge vanished ${source}）`,
  datedAhead: (at) =>
    `確認が必要です。前回の成功の日時（${at}）が未来になっています。時計が進んでいたときの記録です。次のハーベストが成功すると正しい日時になります`,
  seeVanished: (source) => `。一覧は rsbridge vanished ${source} で確認できます`,
  records: (count) => `${count}件`,
  recordsOf: (count, total) => `約${total}件中${count}件`,
  first: (records) => `最初のハーベストを実行中です（現在${records}）`,
  running: (kind, records) => `${kind}を実行中です（現在${records}）`,
  begunAt: (time) => `${time}にハーベストを開始しました`,
  awaitsAnswer: (host, since) => `ハーベストを開始し、${since}から${host}の最初の応答を待っています`,
  upToDate: '最新の状態です',
  nothingNew: (kind) => `前回の${kind}で新しいものはありませんでした`,
  found: (kind, created, updated, deleted) =>
    `前回の${kind}の結果は追加${created}件、更新${updated}件、削除${deleted}件でした`,
  interrupted: (records) => `${records}で中断しました。次回のハーベストは続きから再開します`,
  failed: (kind, message) => `前回の${kind}は失敗しました: ${toldAs(message)}`,
  unknownReason: '原因不明',
  unreadable: (source, count) =>
    `読み取れないレコードが${count}件あります。確認が必要です（rsbridge problems ${source}）`,
  refused: (source, since) =>
    `確認が必要です。${since}以降、多数のファイルを提供元から取得できないため、公開も削除も保留しています（rsbridge refused ${source}）`,
  listing: (count) => `識別子の一覧を取得中です（現在${count}件）`,
  notListed: (at, message) => `${at}の識別子の一覧を最後まで取得できませんでした: ${toldAs(message)}`,
};

/** Repositories and systems have words of their own. */
export function toldAs(message: string): string {
  return inJapanese(message) ?? message;
}

export const stateWords: Texts<StateWords> = { en, ja };

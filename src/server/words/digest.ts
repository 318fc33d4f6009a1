import { counted } from './counted.ts';
import type { Texts } from './language.ts';

/** What a digest, and the page that it leads to, says to somebody who looks after a repository, and types no command of ours. */
const en = {
  repositories: counted('en', { one: '# repository', other: '# repositories' }),
  subject: (title: string, names: string) => `[${title}] This week: ${names}`,
  needing: (repositories: string) =>
    `; ${repositories} need${repositories.startsWith('1 ') ? 's' : ''} attention`,
  comma: ', ',
  more: (count: string) => `and ${count} more`,
  greeting: (title: string) => `This is how your repository is doing at ${title}.`,
  greetingOfSeveral: (title: string, repositories: string) =>
    `This is how your ${repositories} are doing at ${title}.`,
  state: {
    ok: 'All is well.',
    attention: 'Something needs attention; see below.',
    failed: 'The last harvest failed.',
    running: 'It is being harvested.',
    paused: 'Harvests are paused.',
    new: 'Its first harvest is not over yet.',
  },
  reason: (text: string) => `Reason: ${text}`,
  last: (time: string, age: string) => `Last successful harvest: ${time} (${age})`,
  never: 'Never harvested to the end so far.',
  next: (time: string) => `Next harvest: ${time}`,
  items: counted('en', { one: '# item', other: '# items' }),
  resources: counted('en', { one: '# resource', other: '# resources' }),
  holdings: (items: string, resources: string) => `Published: ${items}, ${resources}`,
  changes: (count: string) => `Changes in seven days: ${count}`,
  unreadable: (count: string) =>
    `Records that cannot be read: ${count}. They are published as they were before, or not at all:`,
  noIdentifier: '(no identifier)',
  vanished: (count: string) =>
    `Items that your list does not name any more: ${count}. They stay published until somebody here decides. If you have not deleted them, please look at your OAI-PMH endpoint.`,
  refused: (time: string) =>
    `Since ${time} so many of your files are refused to us, gone, or at addresses that are not public, that none of these is offered. If that is not intended, please look at the access rules of your server.`,
  published: (url: string) => `What is published: ${url}`,
  shared: (url: string, days: string) => `More, for you alone, for ${days}: ${url}`,
  days: counted('en', { one: '# day', other: '# days' }),
  publishedHere: 'What is published',
  private: 'Whoever has the address of this page sees it, until it ends. It shows this repository alone.',
  footer: (title: string, baseUrl: string) => `${title} <${baseUrl}>`,
  why: (from: string) =>
    `You get this each week because you are named as the contact of this repository. To end that, answer to ${from}.`,
};

export type DigestWords = typeof en;

const ja: DigestWords = {
  repositories: counted('ja', { other: '#リポジトリ' }),
  subject: (title, names) => `【${title}】今週の状況: ${names}`,
  needing: (repositories) => `（${repositories}で確認が必要）`,
  comma: '、',
  more: (count) => `ほか${count}件`,
  greeting: (title) => `${title}における貴リポジトリの状況をお知らせします。`,
  greetingOfSeveral: (title, repositories) =>
    `${title}における貴機関の${repositories}の状況をお知らせします。`,
  state: {
    ok: '正常です。',
    attention: '確認が必要です。下記をご覧ください。',
    failed: '前回のハーベストに失敗しました。',
    running: 'ハーベスト中です。',
    paused: 'ハーベストを一時停止しています。',
    new: '最初のハーベストがまだ終わっていません。',
  },
  reason: (text) => `原因: ${text}`,
  last: (time, age) => `最後に成功したハーベスト: ${time}（${age}）`,
  never: '一度も最後までハーベストできていません。',
  next: (time) => `次回のハーベスト: ${time}`,
  items: counted('ja', { other: 'アイテム#件' }),
  resources: counted('ja', { other: 'リソース#件' }),
  holdings: (items, resources) => `公開中: ${items}、${resources}`,
  changes: (count) => `この7日間の更新: ${count}件`,
  unreadable: (count) =>
    `読み取れないレコード: ${count}件。以前の内容のまま公開しているか、まだ公開していません。`,
  noIdentifier: '（識別子なし）',
  vanished: (count) =>
    `一覧に現れなくなったアイテム: ${count}件。運用担当者が判断するまで公開を続けます。削除した覚えがない場合は、OAI-PMHエンドポイントをご確認ください。`,
  refused: (time) =>
    `${time}以降、多数のファイルを取得できない（アクセスの拒否、削除、プライベートアドレス）ため、これらのファイルを提供していません。意図したものでない場合は、アクセス制限の設定をご確認ください。`,
  published: (url) => `公開内容: ${url}`,
  shared: (url, days) => `詳細（ご担当者専用、${days}有効）: ${url}`,
  days: counted('ja', { other: '#日間' }),
  publishedHere: '公開内容',
  private:
    'このページは、アドレスを知っている方であれば有効期限まで閲覧できます。表示されるのはこのリポジトリの情報だけです。',
  footer: (title, baseUrl) => `${title} <${baseUrl}>`,
  why: (from) =>
    `このメールは、リポジトリの連絡先として登録されている方に毎週お送りしています。配信の停止をご希望の場合は、${from} までご連絡ください。`,
};

export const digestWords: Texts<DigestWords> = { en, ja };

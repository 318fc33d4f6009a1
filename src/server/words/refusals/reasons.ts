import type { answerSentences } from '../../../core/reasons/answer-sentences.ts';
import type { endpointSentences } from '../../../core/reasons/endpoint-sentences.ts';
import type { faultSentences } from '../../../core/reasons/fault-sentences.ts';
import type { findingSentences } from '../../../core/reasons/finding-sentences.ts';
import { type Facts, type Reason, type ReasonCode, reasonIn } from '../../../core/reasons/reason.ts';
import { answersInJapanese } from './answers.ts';
import { endpointInJapanese } from './endpoint.ts';
import { faultsInJapanese } from './faults.ts';
import { findingsInJapanese } from './findings.ts';
import type { InJapanese } from './in-japanese.ts';

/** Logs, answers of the API and terminals have the sentences of `core/reasons`; pages have these for whoever reads Japanese. */
const refused: InJapanese<
  Exclude<
    ReasonCode,
    | keyof typeof answerSentences
    | keyof typeof endpointSentences
    | keyof typeof faultSentences
    | keyof typeof findingSentences
  >
> = {
  // Times
  'time-unreadable': ({ text }) =>
    `「${text}」は日時として読み取れません。2026-12-01 のような日付、2026-12-01T12:00:00Z のような時刻、または「月曜」のような曜日を入力してください`,
  'time-has-passed': ({ time }) => `${time} は過ぎています。先の日時を指定してください`,
  // Sources
  'name-taken': ({ name }) => `${name} という名前のソースはすでにあります。別の名前を付けてください`,
  'name-is-a-page': ({ name }) => `${name} はブリッジ自身のページの名前です。別の名前を付けてください`,
  'address-is-a-source': ({ url, name }) => `${url} は、ソース ${name} としてすでに登録されています`,
  'no-web-address': ({ text }) => `「${text}」は Web のアドレスではありません`,
  'credentials-in-address': ({ host }) =>
    `${host} のアドレスにユーザー名とパスワードが含まれています。アドレスは公開されるので、除いてください`,
  'address-not-public': ({ host }) => `${host} は公開されたアドレスではありません`,
  'nothing-found-at-all': ({ others, ...facts }) =>
    nothingFound(
      facts,
      others === '' ? '' : `インターフェースがよく置かれる次の場所も調べました。${others}\n`,
    ),
  'nothing-found': ({ places, ...facts }) =>
    nothingFound(
      facts,
      places === '' ? '' : `インターフェースがよく置かれる場所も ${places} か所調べました。`,
    ),
  'protocol-unknown': ({ names }) => `プロトコルは次のいずれかです: ${names}`,
  'group-unknown': ({ name }) => `グループ ${name} は設定にありません`,
  'nothing-found-yet': () => 'このアドレスではまだ何も見つかっていません。先に確認してください',
  'looked-at-already': () => 'すでに確認中です。終わるまでお待ちください',
  'draft-unknown': () => 'この下書きはありません（30 日で削除されます）。もう一度ソースを追加してください',
  'source-in-file': ({ name, place }) =>
    `${name} は ${place} に設定されています。そこで変更してから rsbridge reload を実行してください`,
  'source-changed': ({ name }) => `${name} は、その間にほかの人が変更しました`,
  'source-of-path-unknown': ({ name, base, names }) =>
    `${name} という名前のソースはありません。リソースのアドレスは ${base} で始まります。ソース: ${orNone(names)}`,
  'source-unknown': ({ name, names }) =>
    `${name} という名前のソースはありません${names === '' ? '' : `。設定されているもの: ${orNone(names)}`}`,
  // Deletions
  'nothing-missing-in-run': ({ run, source }) =>
    `実行 ${run} の時点で ${source} から消えていたものは、現在はありません`,
  'too-much-missing': ({ count, source, share, total, was, is }) =>
    `${source} の一覧から ${count} 件のリソースが消えています。${total} 件の ${share}% を超えるため、削除を保留しています${was === '' ? '' : `。リポジトリ側で識別子が変わったようです（${was} → ${is}）。新しい識別子のレコードがすべて揃ったら、古いものの削除を承認してください`}`,
  'missing-from-doubtful-list': ({ count, source, places }) =>
    `${source} の一覧から ${count} 件のリソースが消えていますが、一覧に信頼できない箇所が ${places} か所あるため、削除を保留しています`,
  // Records, and what became of a task
  'record-unreadable': ({ identifier, why }) => `レコード ${identifier} を読み取れません: ${why}`,
  'nameless-record-unreadable': ({ why }) => `識別子のないレコードを読み取れません: ${why}`,
  'record-without-metadata': ({ identifier }) =>
    `レコード ${identifier} は、削除されていないのにメタデータがありません`,
  'missing-asked-for': ({ asked, deleted, alive, remaining }) =>
    `確認 ${asked} 件、削除したリソース ${deleted} 件、存在していたもの ${alive} 件、確認できなかったもの ${remaining} 件`,
  'item-stored': (counts) => `読み取りました。${changed(counts)}`,
  'item-gone': (counts) => `リポジトリにはもうありません。${changed(counts)}`,
  'item-unknown-there': (counts) => `リポジトリにこのレコードはありません。${changed(counts)}`,
  'item-unlisted': (counts) => `リポジトリの一覧に現れません。${changed(counts)}`,
  'item-other': (counts) => `リポジトリが別のレコードを返しました。${changed(counts)}`,
  'problems-read': ({ read, unread, nameless, why }) =>
    [
      `読み取れた（またはなくなっていた）もの ${read} 件、まだ読み取れないもの ${unread} 件`,
      nameless === '' ? '' : `、識別子がないもの ${nameless} 件（全件ハーベストで読み直します）`,
      why === '' ? '' : `。残りは問い合わせていません: ${why}`,
    ].join(''),
  'restored-published': () =>
    '公開を再開しました。ファイルは、提供元に確認でき次第公開します（rsbridge serve が動いていれば、一分以内に確認します）',
  'restored-unknown': () =>
    'リポジトリにはもうないか、一般には公開されていないか、ほかのアイテムの版になっています。再び公開されるまで、削除されたままです',
  'restored-later': ({ why }) =>
    `いまは問い合わせできませんでした（${why}）。次のハーベストですべてを読み取り、公開を再開します`,
  // Taking down
  'item-withdrawn': ({ item, at, why }) =>
    `アイテム ${item} は ${at} に公開を停止しています${inBrackets(why)}`,
  withdrawn: ({ uri, at, why }) => `${uri} は ${at} に公開を停止しています${inBrackets(why)}`,
  'item-not-withdrawn': ({ item }) => `アイテム ${item} に、公開を停止しているものはありません`,
  'withdrawn-with-item': ({ uri, page }) =>
    `${uri} は単独ではなく、アイテム全体として公開を停止しています: ${page}`,
  'not-withdrawn': ({ uri }) => `${uri} の公開は停止していません`,
  'item-of-several': ({ text, names }) =>
    `複数のソースに ${text} というアイテムがあります。ページのアドレスを指定してください: ${names}`,
  'version-of-item': ({ text, item, page }) =>
    `${text} は ${item} の以前の版で、そのアイテムのアドレスでしか公開されていません。${page} を指定すると、すべての版の公開を停止します。この版だけを停止するには、リポジトリの側で公開を停止して、全件ハーベストを行ってください`,
  'address-elsewhere': ({ url, base, names }) =>
    `${url} は ${base} の下になく、リンクしているファイルのアドレスでもありません。ソース: ${orNone(names)}`,
  'uri-of-document': ({ uri }) =>
    `${uri} はリソースではなく文書です。過去の状態は rsbridge export DIR --at DATETIME で書き出せます`,
  'resource-unknown': ({ text, names }) =>
    `${text} はありません。このアイテムにあるもの: ${names === 'no resources' ? 'なし' : names}`,
  'item-unknown': ({ text, base, names }) =>
    `「${text}」というアイテムやリソースはありません。リソースのアドレスは ${base} で始まります。ソース: ${orNone(names)}`,
  // Accounts, tokens, requests
  'set-unknown': ({ text }) =>
    `${text} というソースやセットはありません。「ソース」または「ソース/セット」の形で入力してください`,
  'scope-unknown': ({ names }) => `権限は次のいずれかです: ${names}`,
  'days-unreadable': () => '日数は 1 から 9999 までです',
  'account-is-own': ({ account }) =>
    `${account} は現在お使いのアカウントです。ほかのアカウントから削除してください`,
  'account-is-last': ({ account }) =>
    `${account} は、権限 admin を持つ唯一のアカウントです。先にほかのアカウントに admin を与えてください。そうしないと、アカウントを管理できる人がいなくなります`,
  'scope-missing': ({ needed, who, scope }) =>
    `この操作には権限 ${needed} が必要です。${who} の権限は ${scope} です`,
  'page-of-another-site': () => 'ほかのサイトのページからの要求です',
  'page-unknown': () => 'どのページからの要求かが分かりません',
  'no-password-yet': () => 'パスワードがまだ設定されていないため、このマシン自身からだけ利用できます',
  'sign-in-needed': () => 'サインインまたはトークンが必要です',
  'link-used': () => 'このリンクはすでに使われたか、発行から一日を過ぎています',
  'callback-refused': ({ url }) => `${url} には通知を送れません。公開された Web のアドレスを指定してください`,
  'secret-length': ({ most }) => `秘密の値は 16 文字以上 ${most} 文字以下です`,
  'nothing-to-send': ({ topic }) => `${topic} について送れる通知はまだありません`,
  'nothing-here': () => 'このアドレスには何もありません',
  'form-too-large': () => 'フォームの項目が多すぎます',
  'level-unknown': ({ names }) => `レベルは次のいずれかです: ${names}`,
  'run-unreadable': () => '実行は番号で指定してください',
  'task-unknown': () => 'この番号の依頼はありません',
  'run-unnamed': () => '消えたものを示した実行を指定してください',
  'decision-unknown': () => '判断は approve（承認）か reject（却下）です',
  'cause-unknown': ({ source }) => `${source} に、この原因で読み取れないレコードはもうありません`,
  'act-unknown': ({ names }) => `操作は次のいずれかです: ${names}`,
  'published-anew-unknown': () => '作り直せるのはリスト（lists）かダンプ（dumps）です',
  'program-without-password': () => 'プログラムにはパスワードがありません',
  'too-many-look-on': () => '閲覧中の接続が多すぎます',
  'search-too-broad': () => '条件に当てはまるものが多すぎます',
};

const japanese: InJapanese<ReasonCode> = {
  ...refused,
  ...answersInJapanese,
  ...endpointInJapanese,
  ...faultsInJapanese,
  ...findingsInJapanese,
};

/** Facts that are sentences themselves. */
const sentenceFacts: ReadonlySet<string> = new Set(['why', 'answer', 'ailing']);

export function reasonInJapanese({ code, facts }: Reason): string {
  const told = Object.entries(facts).map(([name, fact]) => [
    name,
    sentenceFacts.has(name) ? (inJapanese(String(fact)) ?? fact) : fact,
  ]);
  const tell = japanese[code] as (facts: Facts<ReasonCode>) => string;
  return tell(Object.fromEntries(told) as Facts<ReasonCode>);
}

/** @returns undefined where it is told as it was said */
export function inJapanese(said: string): string | undefined {
  const reason = reasonIn(said);
  return reason === undefined ? ofConfiguration(said) : reasonInJapanese(reason);
}

/** Lines that each name a place of the configuration, and what is wrong there. */
function ofConfiguration(said: string): string | undefined {
  const lines = said.split('\n').map((line) => {
    const [, place, fault = ''] = /^([\w.$-]+): (.*)$/.exec(line) ?? [];
    const reason = place === undefined ? undefined : reasonIn(fault);
    return reason === undefined ? undefined : `${place}: ${reasonInJapanese(reason)}`;
  });
  return lines.includes(undefined) ? undefined : lines.join('\n');
}

type Found = Omit<Facts<'nothing-found'>, 'places' | 'ailing'>;

function nothingFound({ answer, wanted, address, later }: Found, tried: string): string {
  const itself = answer === '' ? '' : `${answer}。`;
  const names = String(wanted).replaceAll(/, | or /g, '、');
  const first = later === '' ? '' : '時間をおいてもう一度試すか、';
  return `${address} には、ハーベストできるもの（${names}）が見つかりませんでした。${itself}${tried}${first}OAI-PMH のベース URL、DSpace の REST のアドレス、または ResourceSync のケイパビリティリストのアドレスを指定してください（リポジトリの説明書に記載されているか、管理者に問い合わせると分かります）`;
}

function changed({ created, updated, deleted }: Facts<'item-stored'>): string {
  return `新規 ${created} 件、変更 ${updated} 件、削除 ${deleted} 件`;
}

function orNone(names: string | number): string {
  return names === 'none' ? 'なし' : String(names);
}

function inBrackets(text: string | number): string {
  return text === '' ? '' : `（${text}）`;
}

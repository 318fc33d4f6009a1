import type { faultSentences } from '../../../core/reasons/fault-sentences.ts';
import type { Facts } from '../../../core/reasons/reason.ts';
import type { InJapanese } from './in-japanese.ts';

/** Of a place of the configuration. What can be written there is told as the configuration names it. */
export const faultsInJapanese: InJapanese<keyof typeof faultSentences> = {
  'key-unknown': (facts) => `この設定はありません${suggested(facts)}`,
  'value-missing': ({ wanted }) => `必要な設定です。書けるもの: ${inWords(wanted)}`,
  'value-twice': ({ text }) => `${text} が二度あります。一度だけ書いてください`,
  'value-other': ({ wanted, text, meant }) =>
    `${text} は書けません。書けるもの: ${inWords(wanted)}${suggested({ meant, names: '' })}`,
  'no-group': ({ text, ...facts }) => `グループ「${text}」はありません${suggested(facts)}`,
  'no-set': ({ text, ...facts }) => `セット「${text}」はありません${suggested(facts)}`,
  'no-time-zone': ({ text, meant }) =>
    `タイムゾーン「${text}」はありません。Asia/Tokyo、Europe/Berlin、UTC のように書いてください${suggested({ meant, names: '' })}`,
  'no-schedule': ({ text }) =>
    `「${text}」は cron の予定ではありません。"*/15 * * * *"（15 分ごと）のように、五つか六つの欄で書いてください`,
  'no-mail-server': () => 'メールサーバーの設定がありません。mail.host と mail.from を書いてください',
  'name-begins-base': () => 'baseUrl のパスがこの名前で始まっています。別の名前にしてください',
  'name-is-an-address': () => 'この名前はブリッジ自身のアドレスに使われています。別の名前にしてください',
  'name-of-source': () => 'ソースの名前に使えるのは a〜z、0〜9、- です',
  'name-of-set': () => 'セットの名前に使えるのは a〜z、0〜9、- です',
  'page-would-close': ({ name }) =>
    `/${name} はブリッジ自身のページで、このソースとともに非公開になってしまいます。ソースを別の名前にしてください`,
  'setting-of-adapter': ({ adapter }) =>
    `この設定はアダプター resourcesync だけのものです（ここでは ${adapter}）。取り除いてください`,
  'setting-of-dspace': ({ adapter }) =>
    `この設定はアダプター dspace と dspace-legacy だけのものです（ここでは ${adapter}）。取り除いてください`,
  'formats-from-oai': ({ example }) =>
    `ここではすべての形式を OAI-PMH から取得します。${example} のように名前だけを書いてください`,
  'header-of-account': () =>
    '公開されたものだけを公開するため、DSpace はアカウントなしで読み取ります。このヘッダーを取り除いてください（見えない版の履歴には `login` を使います）',
  'oai-without-address': ({ example }) =>
    `ハーベストする人からの連絡先が必要です。${example} と書くか、contact にメールアドレスを書いてください`,
  'set-of-every-source': () => 'このセットはどのソースにもあります。別の名前にしてください',
  'set-without-content': () => 'セットの内容を、collections、formats、またはその両方で指定してください',
};

function suggested({ meant, names }: Pick<Facts<'no-set'>, 'meant' | 'names'>): string {
  if (meant !== '') return `（「${meant}」のことですか）`;
  return names === '' ? '' : `。あるもの: ${names}`;
}

/** The kinds of values that schemas name. */
function inWords(wanted: string | number): string {
  return String(wanted)
    .replace(/^true or false$/, 'true または false')
    .replace(/^a text that is not empty$/, '空でない文字列')
    .replace(/^a text$/, '文字列')
    .replace(
      /^a (whole )?number from (\S+) to (\S+)$/,
      (_, whole, least, most) => `${least} から ${most} までの${whole ? '整数' : '数'}`,
    )
    .replace(
      /^a (whole )?number from (\S+) up$/,
      (_, whole, least) => `${least} 以上の${whole ? '整数' : '数'}`,
    )
    .replace(/^a (whole )?number$/, (_, whole) => (whole ? '整数' : '数'));
}

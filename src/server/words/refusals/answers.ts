import type { answerSentences } from '../../../core/reasons/answer-sentences.ts';
import type { InJapanese } from './in-japanese.ts';

export const answersInJapanese: InJapanese<keyof typeof answerSentences> = {
  'host-unknown': ({ host }) => `${host} という名前のホストは見つかりません`,
  'no-program-answers': ({ address }) => `${address} では、どのプログラムも応答しません`,
  'no-https-there': ({ code }) =>
    `このサーバーは、そこでは https に対応していません（${code}）。暗号化せずに読み取る場合は、https:// の代わりに http:// と書いてください`,
  'host-unreachable': ({ host, why }) => `${host} に接続できません: ${why}`,
  'certificate-untrusted': ({ why, code }) =>
    `証明書が信頼されていません（${why}、${code}）。署名した認証局は NODE_EXTRA_CA_CERTS=FILE で追加できます`,
  'host-silent': ({ host, seconds }) =>
    `${host} は接続を受け付けましたが、${seconds} 秒以内に応答しませんでした`,
  'no-answer-in-time': ({ host, seconds }) => `${host} から ${seconds} 秒以内に応答がありませんでした`,
  'turn-not-come': ({ host, seconds }) => `${host} への順番が ${seconds} 秒以内に来ませんでした`,
  'host-busy': ({ host, status, times }) =>
    `${host} の応答は${times === '' ? '' : ` ${times} 回続けて`} HTTP ${status} でした`,
  'busy-asked': ({ status }) => `サーバーの応答は HTTP ${status} で、待つよう求められました`,
  'busy-unasked': ({ status }) => `サーバーの応答は HTTP ${status} でした`,
  'place-answered': ({ url, why }) => `${url} の応答: ${why}`,
  'took-longer': ({ who, seconds }) => `${who}: ${seconds} 秒以内に終わりませんでした`,
  'came-too-slowly': ({ url, pace }) => `${url} の応答が遅すぎます（${pace}）`,
  'ended-early': ({ url }) => `${url} の応答が途中で終わりました`,
  'coding-broken': ({ url }) => `${url} の応答の gzip 圧縮が壊れています`,
  'larger-than-allowed': ({ url, bytes }) => `${url} の応答が上限の ${bytes} バイトを超えています`,
  'address-with-credentials': ({ host }) => `${host} のアドレスにユーザー名またはパスワードが含まれています`,
  'answered-status': ({ url, status }) => `${url} の応答は HTTP ${status} でした`,
  'answered-nothing': ({ url }) => `${url} の応答は空でした`,
  'answered-html': ({ url, wanted }) => `${url} は ${wanted} ではなく HTML のページを返しました`,
  'answered-no-json': ({ url }) => `${url} の応答は JSON ではありません`,
  'answered-no-object': ({ url }) => `${url} の応答の JSON はオブジェクトではありません`,
  'answered-no-list': ({ url }) => `${url} の応答に一覧がありません`,
  'answered-error': ({ text }) => `リポジトリがエラーを返しました（${text}）`,
  'no-identify': ({ url }) => `${url} は OAI-PMH ですが、Identify に応答しません`,
  'sets-repeat': ({ url }) => `${url} のセット一覧で、同じページが繰り返されています`,
  'list-parts-unread': () =>
    '一覧の一部を読み取れませんでした。そこに含まれるものが不足しているかもしれません',
  'list-broke-off': ({ list, url, delivered, total, why }) =>
    `${url} の ${list} の一覧が、${total} 件のうち ${delivered} 件で途切れました: ${why}`,
  'list-repeats': ({ url, list }) => `${url} の ${list} の一覧で、同じ内容が繰り返されています`,
  'list-ended-untold': ({ list, count, why }) =>
    `${list} の一覧が、トークンなしで、ちょうど ${count} 件で終わりました。${why}`,
  'list-cut-off-there': () =>
    'ほかの一覧にはさらにあるため、途中で切れています。resumptionToken を直すよう、リポジトリの管理者に依頼してください',
  'list-undivided': ({ count }) =>
    `これ以上分けられず、途中で切れているかもしれません。リポジトリにある件数と比べてください。それで全部なら、一ページに入るレコードの数（${count} より大きい数）を、ソースの pageSize に書いてください`,
  'list-started-again': ({ list, why }) => `${list} の一覧を最初から読み直しました: ${why}`,
  'list-in-one-piece': ({ list, why }) => `${list} の一覧を分割せずに読み取ります: ${why}`,
  'header-unreadable': ({ why }) => `ヘッダーを読み取れません: ${why}`,
  'record-not-had': ({ identifier, why }) =>
    `レコード ${identifier} は一覧にありますが、取得できません: ${why}`,
  'close-tag-unexpected': () => '対応しない終了タグがあります',
  'tag-unclosed': ({ tag }) => `タグ ${tag} が閉じていません`,
  'tag-unmatched': ({ tag }) => `終了タグ ${tag} に対応する開始タグがありません`,
  'character-disallowed': () => '使えない文字があります',
  'not-well-formed': ({ url, why }) => `${url} の応答は整形式の XML ではありません: ${why}`,
  'cut-before-end': ({ url }) => `${url} の応答が最後のタグの前で終わっています`,
  'response-cut-off': () => '応答が最後のタグの前で終わっています',
  'response-html': () => '応答は OAI-PMH ではなく HTML のページです',
};

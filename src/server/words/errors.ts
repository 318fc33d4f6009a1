import type { Texts } from './language.ts';
import { adviceInJapanese } from './refusals/advice.ts';

/** What a page says of a request that cannot be answered; whatever has no text of its own is told as in the problem. */
interface ErrorWords {
  /** By status. */
  readonly titles: Readonly<Record<number, string>>;
  /** By code: what to do next. */
  readonly advice: Readonly<Record<string, string>>;
  readonly versionHistory: string;
}

const en: ErrorWords = {
  titles: {},
  // What somebody types at a terminal is no help to whoever has filled in a form.
  advice: { usage: 'Go back, and correct what is named here.' },
  versionHistory: 'Version history',
};

const ja: ErrorWords = {
  titles: {
    400: 'リクエストに誤りがあります',
    401: '認証が必要です',
    403: 'アクセスできません',
    404: '見つかりません',
    405: 'この操作には対応していません',
    409: '現在の状態では実行できません',
    410: '公開を終了しました',
    412: '前提条件を満たしていません',
    414: 'アドレスが長すぎます',
    415: 'この形式のデータは受け付けていません',
    416: '指定された範囲のデータはありません',
    422: '前のリクエストと内容が異なります',
    429: 'アクセスが集中しています',
    500: 'サーバー内部でエラーが発生しました',
    502: '提供元のリポジトリから取得できませんでした',
    503: '現在ご利用いただけません',
    504: '提供元のリポジトリから時間内に応答がありませんでした',
  },
  // Those for readers; of anything else, and on the dashboard, what operators are told.
  advice: {
    ...adviceInJapanese,
    usage: '前のページに戻り、ここに示された箇所を修正してください。',
    'bad-request': 'アドレスと指定した条件をご確認ください。',
    'not-found': 'アドレスをご確認ください。公開中のものは、トップページからたどることができます。',
    gone: 'このアドレスの内容は削除されたか、公開を終了しました。手元の複製も削除してください。',
    'unknown-set':
      'この名前のセット（set）はありません。公開中のセットは「このサイトについて」に載っています。',
    'unknown-source': 'この名前のリポジトリは登録されていません。',
    'method-not-allowed': '閲覧（GETまたはHEAD）だけができます。',
    'precondition-failed': '条件を付けずに、もう一度取得してください。',
    'range-not-satisfiable': '存在する範囲を指定するか、全体を取得してください。',
    'not-ready': '時間をおいて、もう一度お試しください。',
    'uri-too-long': 'より短いアドレスを指定してください。これほど長いアドレスはこのサイトにはありません。',
    'content-damaged': '管理者にお知らせください。保存されている内容が壊れています。',
    'upstream-file-failed':
      '時間をおいて、もう一度お試しください。提供元のリポジトリでは公開されている可能性があります。',
    'upstream-file-timeout': '時間をおいて、もう一度お試しください。',
    'upstream-file-busy': '時間をおいて、もう一度お試しください。',
    'file-withheld': '提供元のリポジトリがこのファイルの公開を確認するまで、お待ちください。',
    'database-unavailable': '時間をおいて、もう一度お試しください。',
    'database-locked': '時間をおいて、もう一度お試しください。',
    'disk-full': '時間をおいて、もう一度お試しください。',
    'objects-unavailable': '時間をおいて、もう一度お試しください。',
    'objects-refused': '時間をおいて、もう一度お試しください。',
    'too-many-files': '時間をおいて、もう一度お試しください。',
    storage: '時間をおいて、もう一度お試しください。',
    internal: '管理者にお知らせください。原因はサーバーの記録にあります。',
  },
  versionHistory: '過去の版',
};

export const errorWords: Texts<ErrorWords> = { en, ja };

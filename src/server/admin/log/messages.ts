import type { Language } from '../../words/language.ts';

/** Lines of the log in Japanese, by their English message; `test/docs/codes.test.ts` tells which are missing. */
const japanese: Readonly<Record<string, string>> = {
  'SIGHUP is ignored: only rsbridge serve reads its configuration again':
    'SIGHUP を無視しました（設定を読み直すのは rsbridge serve だけです）',
  'Source Description not published': 'ソース記述（Source Description）を公開できませんでした',
  'a hub does not take a subscription': 'ハブが購読を受け付けません',
  'a list of an earlier time is rendered': '過去の時点のリストを作成しています',
  'a message could not be sent, and is given up': 'メールを送信できず、断念しました',
  'a message could not be sent; it is tried again': 'メールを送信できませんでした。もう一度試します',
  'a notification is signed by SHA-1, which is weak': '通知の署名が SHA-1 で、十分に安全ではありません',
  'a notification was ignored: its signature is not the hub’s':
    '通知を無視しました（署名がハブのものではありません）',
  'a process that answers requests does not start': '応答を行うプロセスを起動できません',
  'a process that answers requests ended, and is started again':
    '応答を行うプロセスが終了したため、起動し直します',
  'a published file is gone': '公開中のファイルがありません',
  'a readiness check failed': '稼働の確認に失敗しました',
  'a record was left out of an OAI-PMH response': 'OAI-PMH の応答から一件のレコードを除きました',
  'a round of alerts failed': '通知の確認に失敗しました',
  'a round of edits failed': 'デモの編集に失敗しました',
  'a source could not be looked at': 'ソースを調べられませんでした',
  'a source was removed before the set could say so: it begins anew':
    'セットが知らせる前にソースが削除されたため、セットを最初から作り直します',
  'a subscription could not be written down; its callback is asked again':
    '購読を記録できませんでした。購読者にもう一度確認します',
  'a thread ended': 'スレッドが終了しました',
  'a version is left out': '一つの版を除きました',
  'a warning from Node': 'Node からの警告',
  'a warning from a thread': 'スレッドからの警告',
  'alerts are to be sent': '通知を送信します',
  'alerts.pingUrl answers again': 'alerts.pingUrl が再び応答しました',
  'an answer could not be kept: sent again, its request is answered anew':
    '応答を保存できませんでした。同じ要求が再び送られると、もう一度実行します',
  'an unexpected error': '予期しないエラー',
  'another program made this process a part of a cluster: it answers alone (listen.processes)':
    'ほかのプログラムがこのプロセスをクラスターに組み込んだため、単独で応答します（listen.processes）',
  'answers ended because they were read more slowly than `listen.minBytesPerSecond`':
    '受け取りが `listen.minBytesPerSecond` より遅い応答を打ち切りました',
  'bytes of versions that were given up are removed': '手放した版のバイト列を削除しました',
  'bytes of versions that were given up stay': '手放した版のバイト列を削除できませんでした',
  'bytes of what was withdrawn are still there; the next round removes them':
    '公開を停止したもののバイト列が残っています。次の回で削除します',
  'cannot see what other processes ask of repositories: without that nothing new is asked of them':
    'ほかのプロセスによるリポジトリへの要求を確認できないため、新しい要求を控えます',
  'changes are not told of by the hub': 'ハブから変更の通知が届きません',
  'changes are told of by the hub': 'ハブから変更の通知が届くようになりました',
  'collections not read to the end': 'コレクションを最後まで読み取れませんでした',
  'communities are not listed; they are read level by level':
    'コミュニティの一覧がないため、階層ごとに読み取ります',
  'configuration read again': '設定を読み直しました',
  'private, or no more, by a configuration that this process has not read':
    '別のプロセスやコマンドが読み込んだ設定により、非公開の範囲が変わりました。このプロセスはその設定をまだ読んでいません',
  'cannot see what has become private': '非公開になったものを確認できません',
  'connections were closed: there are too many': '接続が多すぎるため、一部を切断しました',
  'damaged mirrored files are downloaded again': '壊れた複製ファイルをダウンロードし直します',
  'deletions accepted': '削除を承認しました',
  'digests are to be sent': '週次の報告を送信します',
  'dump not published': 'ダンプを公開できませんでした',
  'endpoint quirk': 'エンドポイントの特性',
  'everything is compared': 'すべてを照合します',
  'fewer items than are published': '公開中のものよりアイテムが少なくなっています',
  'file not available upstream': 'ファイルを提供元から取得できません',
  'files are asked for whose addresses are allowed by now': 'アドレスが許可されたファイルの取得を始めます',
  'files wait for room: quotaBytes is used up': '空きを待っているファイルがあります（quotaBytes の上限です）',
  'finishing current work': '処理中のものを終えています',
  'formats are not listed': '形式の一覧を取得できません',
  'harvest ended': 'ハーベストが終わりました',
  'harvest of identifiers ended': '識別子の照合が終わりました',
  'harvest of identifiers stopped': '識別子の照合が止まりました',
  'harvest stopped': 'ハーベストが止まりました',
  'PostgreSQL was not told what has grown':
    '増えたデータについて PostgreSQL に統計を更新させることができませんでした',
  'item read': 'アイテムを読み取りました',
  'items are being described, to be found by words': '検索の索引を作成しています',
  'items are described': '検索の索引を作成しました',
  'items could not be described; tried again': '検索の索引を作成できませんでした。もう一度試します',
  'items were not counted': 'アイテムを数えられませんでした',
  'landing pages of a host are left': 'ランディングページの読み取りを後に回しました',
  'lease not renewed': 'リースを更新できませんでした',
  'leftovers stay': '不要になったファイルを削除できませんでした',
  'list is read in windows': '一覧を期間に分けて読み取ります',
  'listed, but not exported': '一覧にありますが、書き出せませんでした',
  'lists of the past stay': '過去の時点のリストを削除できませんでした',
  'messages could not be sent': 'メールを送信できませんでした',
  'metrics are incomplete': 'メトリクスの一部を取得できません',
  'mirrored files are missing or damaged': '複製したファイルの一部がないか、壊れています',
  'mirrored files not checked': '複製したファイルを確認できませんでした',
  'more was published than the database knows: the Change Lists begin after that, and whoever follows has to compare with the Resource List':
    '公開済みのものの一部を、データベースが知りません。変更リストはその後から始まり、同期している相手はリソースリストと比べる必要があります',
  'no OAI-PMH endpoint found': 'OAI-PMH のエンドポイントが見つかりません',
  'no usable answer, waiting before the next attempt': '有効な応答がないため、待ってからもう一度試します',
  'nobody could be told that the database is away':
    'データベースに接続できないことを、だれにも通知できませんでした',
  'notifications cannot be sent; tried again': '変更の通知を送信できません。もう一度試します',
  'notifications were missed: the Change List has them':
    '受け取れなかった通知がありました（変更リストから補います）',
  notified: '通知を受け取りました',
  'packages that hold something withdrawn wait to be built':
    '公開を停止したものを含むパッケージが、作り直しを待っています',
  'record cannot be read': 'レコードを読み取れません',
  'records are being put in order for OAI-PMH': 'OAI-PMH のためにレコードを整列しています',
  'records are in order for OAI-PMH': 'OAI-PMH のためのレコードの整列が終わりました',
  'records could not be put in order; tried again': 'レコードを整列できませんでした。もう一度試します',
  'records could not be taken up for OAI-PMH of all sources; tried again':
    '全ソースの OAI-PMH にレコードを加えられませんでした。もう一度試します',
  'refused files not deleted yet': '拒否されたファイルを、まだ削除していません',
  'request failed': '要求に応答できませんでした',
  'request failed, trying again': '要求が失敗したため、もう一度試します',
  'rows could not be filled in; tried again': '行を補えませんでした。もう一度試します',
  'sets are not listed': 'セットの一覧を取得できません',
  'slow answer': '応答に時間がかかりました',
  'source removed': 'ソースを削除しました',
  'sources not begun': 'ソースの処理を始められませんでした',
  'the answer ended early': '応答が途中で終わりました',
  'the configuration is as before: the file cannot be used as it is':
    '設定は以前のままです（ファイルの内容に誤りがあります）',
  'the database has lost changes that may have been published, as when a standby took its place: all documents are written anew':
    'データベースから、公開済みかもしれない変更が失われています（待機系への切り替えなど）。すべての文書を書き直します',
  'the database is older than what is published, as after a backup was put back: all documents are written anew':
    'データベースが公開中のものより古くなっています（バックアップの復元など）。すべての文書を書き直します',
  'the draft of a source could not be written': 'ソースの下書きを保存できませんでした',
  'the file ended early at the repository': 'リポジトリでファイルが途中で終わりました',
  'the journals cannot be read': '変更の記録を読み取れません',
  'the mail server did not take all addresses': 'メールサーバーが一部の宛先を受け付けませんでした',
  'the publication is rendered anew': '公開する文書を作り直します',
  'the set is defined anew: its Change Lists begin now':
    'セットの定義が変わったため、変更リストを新たに始めます',
  'the whole index was rebuilt: its dates do not show what changed':
    '索引全体が作り直されたため、その日付からは変更が分かりません',
  'too many lists open, waiting': '開いている一覧が多すぎるため、待ちます',
  'versions are hidden from the login, too, or switched off':
    'ログインしても版の履歴が見えないか、無効になっています',
  'versions cannot be read': '版の履歴を読み取れません',
  'versions given up': '古い版を手放しました',
  'what became of a notification could not be written down; it is sent again':
    '通知の結果を記録できませんでした。もう一度送ります',
  'what has become private is announced as deleted': '非公開になったものを、削除として知らせました',
  'what is due can be read again': '予定を再び読み取れるようになりました',
  'the clock was set back; what is due is planned anew': '時計が戻されたため、予定を立て直します',
  'what is private is not announced yet': '非公開になったものを、まだ知らせていません',
  'what its endpoint taught us is not kept': 'エンドポイントについて分かったことを保存できませんでした',
  'who harvested by OAI-PMH could not be written down': 'OAI-PMH でハーベストした相手を記録できませんでした',
  'why it is not published is not kept': '公開できない理由を保存できませんでした',
  'work on files stopped': 'ファイルの処理が止まりました',
};

/** @returns undefined where it is told as it was logged */
export function messageIn(language: Language, message: string): string | undefined {
  if (language === 'en') return message;
  if (Object.hasOwn(japanese, message)) return japanese[message];
  // What was read again follows a colon, in the names of settings and sources.
  const [, place] = /^Server listening at (\S+)$/.exec(message) ?? [];
  if (place !== undefined) return `${place} で応答を始めました`;
  const [, known = '', rest] = /^(configuration read again): (.*)$/s.exec(message) ?? [];
  return rest === undefined ? undefined : `${japanese[known]}: ${rest}`;
}

/** For the test that tells which are missing. */
export const knownMessages: ReadonlySet<string> = new Set(Object.keys(japanese));

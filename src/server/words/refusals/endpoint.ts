import type { endpointSentences } from '../../../core/reasons/endpoint-sentences.ts';
import type { InJapanese } from './in-japanese.ts';

const allRead = '毎回、すべてのコレクションを読み取ります';

/** What an endpoint taught us. */
export const endpointInJapanese: InJapanese<keyof typeof endpointSentences> = {
  'address-moved': ({ url }) =>
    `アドレスが恒久的に ${url} へ転送されています。正しい移転先であることを確認し、設定の url をこのアドレスに変更してください。次のハーベストではすべてを読み取ります`,
  'endpoint-omits': () =>
    '個別に問い合わせると存在するレコードが、一覧から漏れることがあります。一覧にないものは、問い合わせて確認してから削除します',
  'endpoint-without-tombstones': () =>
    '削除の記録を永続的に保持する（persistent）としていますが、記録を残さずにレコードが消えています。一覧にないものは、問い合わせて存在しなければ削除します',
  'endpoint-has-fewer': ({ count }) =>
    `公開中のアイテムより ${count} 件少なくなっています。一件ずつ問い合わせたところ、存在していたか、明確な応答がありませんでした`,
  'dates-ignored': () => '指定した期間の外のレコードも一覧に含めるため、長い一覧も分割せずに取得します',
  'dates-refused': () => '期間を指定した一覧を拒否するため、長い一覧も分割せずに取得します',
  'dates-lossy': () => '期間で分けた一覧を合わせても全体と一致しないため、長い一覧も分割せずに取得します',
  'one-list-only': () => '複数の一覧を同時に開けないため、一つずつ順に取得します',
  'lists-cut-off': ({ count }) =>
    `一覧が ${count} 件で、トークンなしに打ち切られます。それより少なくなる期間に分けて取得します`,
  'set-forgotten': () =>
    '2 ページ目以降でセットの指定が失われます。ほかのセットだけを示すレコードは取り除きます',
  'other-dates': () =>
    'ヘッダーの日付が、選択に使われる日付と異なります。日付を理由にレコードを取り除くことはしません',
  'size-is-estimate': () => 'completeListSize が実際の件数より多いため、目安として扱います',
  'post-refused': ({ status }) => `POST には HTTP ${status} を返すため、長い要求も GET で送ります`,
  'gzip-broken': () => 'gzip 圧縮が途中で途切れるか、内容と合いません。圧縮せずに取得します',
  'bad-spots': ({ format, ranges, records }) =>
    `${format} の一覧は、${ranges} か所の期間で取得に失敗します${records === '' ? '' : `（原因のレコードは ${records} 件）`}。その期間は一件ずつ取得します`,
  'token-with-format': () => '2 ページ目以降で要求の条件が失われるため、トークンとともに形式を送ります',
  'token-with-all': () =>
    '2 ページ目以降で要求の条件が失われるため、トークンとともに形式、セット、日付を送ります',
  'token-with-selection': () =>
    '2 ページ目以降で要求の条件が失われるため、トークンとともにセットと日付を送ります',
  'token-unencoded': () => 'resumptionToken を復号せずに照合するため、エンコードせずに送ります',
  'days-only': ({ why }) => `時刻付きの日付を拒否するため（${why}）、日単位で取得します`,
  'no-dates': ({ why, day }) =>
    `要求の日付を拒否するため（${why}）、毎回すべてを取得します。日付は ${day} にもう一度試します`,
  'rest-api-at': ({ url }) => `REST API は ${url} にあります`,
  'rest-service-at': ({ url }) => `REST サービスは ${url} にあります`,
  'items-called': ({ host }) =>
    `アイテムの識別子は oai:${host}:HANDLE の形です（設定の identity で変更できます）`,
  'read-one-by-one': () => 'ファイルを含むアイテムは、少数でも一度には取得できないため、一件ずつ読み取ります',
  'fewer-with-files': ({ count }) =>
    `ファイルを含むアイテムは、一度に ${count} 件を超えると時間がかかりすぎるため、${count} 件ずつ取得します`,
  'fewer-items': ({ count }) => `一度に ${count} 件を超えると時間がかかりすぎるため、それ以上は求めません`,
  'fewer-rows': ({ rows, asked }) => `${asked} 行を求めても ${rows} 行しか返さないため、それ以上は求めません`,
  'no-alternatives': () => '検索で UUID の先頭部分を複数同時に指定できない（OR）ため、一つずつ問い合わせます',
  'short-queries': ({ count }) =>
    `検索で長い条件を受け付けないため、UUID の先頭部分は一度に ${count} 個までにします`,
  'alternatives-lossy': () =>
    '検索で UUID の先頭部分を複数同時に指定すると（OR）結果が不足するため、一つずつ問い合わせます',
  'search-without-or': () => '検索が OR を拒否するため、変更は索引の更新日時だけで調べます',
  'search-without-indexing': () =>
    '検索が索引の更新日時による条件を拒否するため、権限や関連の変更は全件ハーベストでだけ見つかります',
  'search-without-dates': () =>
    '検索の手前で日付の条件（角括弧）が拒否されるため、全件ハーベストまでは新しいアイテムだけが見つかります',
  'no-versions': () => 'アイテムとともに版を求める要求を拒否するため、過去の版は省きます',
  'no-languages': () =>
    'projection の allLanguages に対応していないため、メタデータは表示されるとおりに読み取ります',
  'cover-pages': () =>
    'PDF に表紙を付けて返すため（登録されている長さやハッシュと一致しません）、PDF は長さとハッシュなしで公開します',
  'not-anonymous': ({ names }) =>
    `リポジトリは、このマシンをネットワークアドレスにより ${names} の一員とみなしています。限られた人だけが読めるものまで公開とみなされます。別のアドレスからハーベストするか、リポジトリの側でこのアドレスを外してもらってください`,
  'lists-begin-anew': () =>
    'offset を指定しても一覧が先頭から始まるため（DSpace 5 の例）、一度に全体を求め、アイテムは一件ずつ読み取ります',
  'oai-tells-changes': ({ url }) => `変更は OAI-PMH のエンドポイント ${url} に問い合わせます`,
  'no-oai-endpoint': () =>
    `DSpace の通常の場所に OAI-PMH のエンドポイントがありません（設定の oai で指定できます）。${allRead}`,
  'changes-unknown': () =>
    `何が変更されたかを問い合わせる方法がありません。${allRead}。設定の oai で OAI-PMH のエンドポイントを指定すると問い合わせられます`,
  'records-of-own-source': ({ source, uri, via }) =>
    `ソース ${source} が直接読み取っているレコードも含まれています（${uri} の元は ${via}）。同じものが二重にあり、${source} から消えた後もここから受け取ったものは残ります。どちらか一方を外すか、それらを含まないセットを指定してください（resourcesync.set）`,
};

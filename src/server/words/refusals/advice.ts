/**
 * What to do next, by code of `core/errors.ts` and `http/errors.ts`, for those who run the bridge; `cli/reference.ts` does not compile where one is
 * missing. `docs/ja/errors.md` is written from it.
 */
export const adviceInJapanese = {
  'config-invalid': '設定ファイルを修正してください。`rsbridge check` は、何も変更せずに設定を確認します。',
  'config-missing':
    '`rsbridge init URL` で設定ファイルを書き出すか、`--config FILE` で既存のファイルを指定してください。',
  usage:
    '表示された内容に従って入力し直してください。引数とオプションは `rsbridge COMMAND --help` で確認できます。',
  'node-too-old':
    'Node.js 24 をインストールしてください（動作する最も古いバージョンは 20.19 です）。現在のバージョンは `node --version` で分かります。',
  'not-built':
    'クローンの中では `npm ci` を実行し（スクリプトの実行を禁じていなければビルドも行われます）、続けて `npm run build` を実行してください。インストールしたパッケージでこの表示が出る場合は壊れていますので、インストールし直してください。',
  'unknown-source': '設定にあるソースの名前を指定してください。',
  'unknown-item':
    'リポジトリが使っているとおりの識別子を指定してください（`rsbridge problems SOURCE` やアイテムのページで確認できます）。',
  'source-changed': '現在の設定を `rsbridge sources show SOURCE` で確認してから、変更し直してください。',
  'source-configured': '先に設定からこのソースを外し、それから `rsbridge remove SOURCE` を実行してください。',
  'unknown-set': '`rsbridge status` に表示されるセットの名前を指定してください。',
  'unknown-collection':
    '設定の `sets` を修正してください。ソースのコレクションは `/SOURCE/about` と `rsbridge check` で確認できます。',
  'unknown-resource':
    'リソースまたはアイテムの URI（リソースリストに載っています）か、リポジトリでのアイテムの識別子を指定してください。`rsbridge restore` ではバックアップのパスも指定できます。',
  'no-memento':
    'リソースの版は `rsbridge history URI` で、ある時点の内容は `rsbridge status --at DATETIME` で確認できます。',
  'already-withdrawn':
    '公開を停止しているものは `rsbridge status` に表示されます。`rsbridge restore URI` で公開を再開できます。',
  'not-withdrawn': '公開を停止しているものは `rsbridge status` に表示されます。',
  'search-too-broad': '検索語を増やすか、一つのリポジトリに絞ってください。',
  'port-in-use': 'そのポートを使っているプログラムを終了するか、`--port` で別のポートを指定してください。',
  'database-newer':
    'このデータベースを作成したバージョンの rsbridge か、それより新しいバージョンを使ってください。',
  'database-unavailable': 'データベースが動いていること、設定の `database` が正しいことを確認してください。',
  'sqlite-missing':
    'SQLite を備えた Node.js 24（または 22.16 以降）を使うか、古いバージョンでは `npm install @photostructure/sqlite` でパッケージを追加してください。',
  'database-locked':
    'ほかのプロセスがこの SQLite ファイルに書き込んでいます。終わるのを待つか、複数のプロセスで使う場合は PostgreSQL を使ってください。',
  'too-many-files':
    'プロセスが開けるファイルの数を増やしてください（`ulimit -n 4096`、systemd では `LimitNOFILE=4096`）。',
  storage:
    '破損している場合：どこが壊れているかは `rsbridge check` で分かります。動いているプロセスを止め、バックアップを戻してください（`rsbridge restore FILE`）。足りない分はリポジトリから取得できます。権限がない場合：データディレクトリの所有者として実行するか、所有者を変更してください。',
  'backup-refused':
    '`rsbridge backup FILE` は、書き込める場所に新しいファイルを作ります（既存のファイルは `--force` で置き換えます）。`rsbridge restore FILE` には、そのファイルを指定してください。',
  'disk-full': '空き容量を確保してください。公開済みのものは引き続き提供され、次の実行で続きから再開します。',
  'objects-unavailable':
    'オブジェクトストレージが応答しないか、利用できない状態です。失われるものはなく、応答が戻れば続きを行います。`rsbridge check` で確認できます。',
  'objects-refused':
    '`storage.s3` のエンドポイント、バケット、リージョン、認証情報とその権限（読み取り、書き込み、削除、一覧）、またはシステム時刻を修正し、`rsbridge check` で確認してください。',
  'alert-undelivered':
    '設定の `mail` または `alerts` の宛先、ポート、アカウントを修正してください。`rsbridge alert test` で、すべての送信方法を試せます。',
  'lease-held':
    'ほかのプロセスがこのソースを処理しています。終わるか、リースの期限が切れるまでお待ちください。実行中の `rsbridge serve` に次に読ませるには `rsbridge harvest SOURCE --by-serve` を使います。',
  'copy-busy':
    'そのプロセスが終わるのを待つか、終了させてください。済んだ分は残り、次の実行で続きを行います。',
  'lease-lost':
    'ほかのプロセスがこのソースを引き継いだか、データベースのサーバーが替わりました。この実行は、何も失わずに終了しました。',
  'upstream-unreachable':
    'アドレス、ネットワーク、https の場合は証明書を確認してください（認証局は `NODE_EXTRA_CA_CERTS=FILE` で追加できます）。次の実行で再試行します。',
  'upstream-busy':
    '相手のサーバーから、再試行の上限を超えて待つよう求められました。次の実行で続きを行います。',
  'upstream-cut-off': '応答が途中で終わりました。次の実行で、このページを取得し直します。',
  'upstream-too-slow':
    'サーバーからほとんどデータが届きません。管理者に問い合わせるか、`slowestBytesPerSecond` を下げてください。次の実行で続きを行います。',
  'upstream-status': 'アドレスをブラウザーで開いてください。サーバーが HTTP のエラーを返しています。',
  'upstream-html':
    'アドレスをブラウザーで開いてください。データの代わりに HTML のページ（プロキシ、ログイン画面、ボット対策など）が返されています。',
  'upstream-not-xml': 'アドレスをブラウザーで開いてください。応答が整形式の XML ではありません。',
  'upstream-not-json': 'アドレスをブラウザーで開いてください。応答が、求めた JSON ではありません。',
  'upstream-login-refused':
    'ソースの `login` を修正してください（版の履歴が非公開の場合にだけ必要なので、不要であれば削除してください）。公開済みのものはそのままです。',
  'upstream-protocol': '応答がプロトコルに沿っていません。アドレスを確認してください。',
  'upstream-file-failed':
    'リポジトリは現在このファイルを提供していません。改めて確認でき次第、リストに反映されます。',
  'upstream-pages-left':
    'ランディングページのサーバーが失敗するか、待つよう求めています。ファイルへのリンクは一日後に読み直し、公開済みのものはそのままです。ブラウザーで一つ開いて確認してください。',
  'upstream-file-timeout': 'リポジトリが時間内に応答しません。後でもう一度お試しください。',
  'file-withheld':
    'リポジトリがこのファイルの提供を拒んでおり、確認を続けています。数分以内に、または人が判断したとき（`rsbridge refused SOURCE`）に、公開が再開されるか削除されます。',
  'upstream-file-busy':
    'リポジトリまたはブリッジが混み合っています。`Retry-After` に従ってもう一度お試しください。',
  'upstream-forbidden-doctype': '応答に大きな DOCTYPE が含まれているため、安全のために受け付けません。',
  'response-too-large': 'これほど大きな応答が想定どおりであれば、`maxResponseBytes` を大きくしてください。',
  'out-of-memory':
    '一度に求める量を減らして、次の実行で再試行します。`workers: 0` にするとメインスレッドで読むため、より多くのメモリを使えることがあります。',
  'too-many-redirects': 'リダイレクト先のアドレスを使ってください。',
  'address-refused':
    'このアドレスを許可するには `network.allow` に加えてください。ソースの `allowPrivateAddresses: true` は、すべてのプライベートアドレスを許可します。',
  'oai-error': 'リポジトリが要求を拒みました。理由はメッセージにあります。',
  'oai-bad-resumption-token': 'リストを最初から読み直します。保存済みのものは失われません。',
  'oai-token-loop':
    'リポジトリが同じページを繰り返しています。管理者に知らせてください。何も削除していません。',
  'changes-incomplete':
    '前回のハーベストからの変更の一部が一覧にありません。すぐに全件を比べるので、失われるものはありません。',
  'oai-list-incomplete': 'リストが異常な形で終わりました。次の実行で読み直します。何も削除していません。',
  'oai-unknown-format': 'リポジトリが提供している形式を指定してください（`rsbridge check` で一覧できます）。',
  'deletions-refused':
    '何が、いつから、なぜ見つからないのかを `rsbridge vanished SOURCE` で確認し、`rsbridge harvest SOURCE --accept-deletions RUN` を実行してください。',
  'vanished-changed':
    '現在見つからないものを `rsbridge vanished SOURCE` で確認し、そこに示された実行を承認してください。',
  'publication-busy': 'ほかのプロセスがこのディレクトリに公開しています。終わるまでお待ちください。',
  'publication-failed':
    '公開済みのものは引き続き提供されています。原因を確認してから `rsbridge publish` を実行してください。',
  'export-refused':
    '空のディレクトリ、まだ存在しないディレクトリ、または以前の書き出し先を指定してください。',
  'content-damaged':
    '保存されている内容がハッシュ値と一致しません。どれかは `rsbridge check --blobs` で分かります。現在の内容は `rsbridge harvest SOURCE --full` で修復されます。壊れた過去の版は失われますが、その前後の版は引き続き提供されます。',
  'sign-in-busy':
    '多くの人がサインインしているか、だれかがパスワードを試しています。少し待ってからもう一度お試しください。',
  'not-found': '提供しているものは `/` からたどれます。',
  gone: '取り除かれました。現在のものは Link ヘッダーに、削除されたものは変更リストに示されています。',
  'bad-request': '要求を修正してください。',
  interrupted: '同じコマンドをもう一度実行してください。中断したところから続けます。',
  internal: 'rsbridge の不具合です。ログを添えて報告してください。',
  'method-not-allowed': 'ここでは GET と HEAD だけを受け付けます。',
  'precondition-failed': '条件を付けずに、もう一度取得してください。',
  'range-not-satisfiable': '存在する範囲を指定するか、全体を取得してください。',
  'not-ready': '`Retry-After` に従って、しばらくしてからもう一度取得してください。',
  'sign-in-needed':
    '`/admin` でサインインするか、`Authorization: Bearer TOKEN` を送ってください。トークンは `rsbridge admin tokens add` で作れます。',
  'token-needed':
    '`Authorization: Bearer TOKEN` を送るか、任意のユーザー名と、パスワードとしてトークンを入力してください。トークンはこのサイトの管理者が発行します。',
  'not-allowed': '権限 `admin` を持つ人に依頼するか、その権限を付けてもらってください。',
  'cross-site': '管理画面のページから操作してください。',
  'no-password-yet':
    'このソフトウェアが動いているマシンで `rsbridge admin password` を実行するか、そのマシンで `rsbridge admin link` が表示するリンクを開いてください。',
  'link-used': '`rsbridge admin link` で新しいリンクを発行してください。',
  'too-many-attempts': '`Retry-After` に示された時間だけ待ってから、もう一度お試しください。',
  'not-a-partner':
    'ここに送信できるサービスとそのアドレスは、このブリッジの管理者が `coarNotify.partners` で指定しています。',
  'media-type-refused': 'JSON-LD を `Content-Type: application/ld+json` で送信してください。',
  conflict: '状態が変わっています。もう一度確認してください。',
  'key-reused':
    '`Idempotency-Key` にはリクエストごとに別の値を指定し、同じリクエストを再送するときだけ同じ値を使ってください。',
  'key-busy': '同じリクエストを処理しています。`Retry-After` の秒数だけ待ってから、もう一度送ってください。',
  'answer-not-kept':
    '最初に送られたときに実行済みです。現在の状態を確認し、別のリクエストには別のキーを使ってください。',
  'uri-too-long': 'より短いアドレスを指定してください。これほど長いアドレスはありません。',
} as const;

/**
 * What is refused, and why, stands in logs, answers of the API and on terminals in the same English words; on pages it is said in the
 * language of whoever reads it. What is not here is told as it was said.
 */
type Sentence = readonly [said: RegExp, told: (...parts: (string | undefined)[]) => string];

const japanese: readonly Sentence[] = [
  // Times
  [
    /^"(.*)" is no time; write /s,
    (text) =>
      `「${text}」は日時として読み取れません。2026-12-01 のような日付、2026-12-01T12:00:00Z のような時刻、または「月曜」のような曜日を入力してください`,
  ],
  [
    /^(\S+) has passed; name a time in the future$/,
    (time) => `${time} は過ぎています。先の日時を指定してください`,
  ],
  // Sources
  [
    /^there is a source called (\S+) already; choose another name$/,
    (name) => `${name} という名前のソースはすでにあります。別の名前を付けてください`,
  ],
  [
    /^the bridge has a page of its own called (\S+); choose another name$/,
    (name) => `${name} はブリッジ自身のページの名前です。別の名前を付けてください`,
  ],
  [
    /^(\S+) is read already, as the source (\S+)$/,
    (url, name) => `${url} は、ソース ${name} としてすでに登録されています`,
  ],
  [/^(.+) is not a web address$/s, (address) => `「${address}」は Web のアドレスではありません`],
  [
    /^the address at (\S+) has a name and a password in it: /,
    (host) =>
      `${host} のアドレスにユーザー名とパスワードが含まれています。アドレスは公開されるので、除いてください`,
  ],
  [/^(\S+) is not a public address$/, (host) => `${host} は公開されたアドレスではありません`],
  [
    /^\S+ cannot be reached: there is no host named (\S+) \(ENOTFOUND\)$/,
    (host) => `${host} という名前のホストは見つかりません`,
  ],
  [
    /^\S+ cannot be reached: no program answers at (\S+) \(ECONNREFUSED\)$/,
    (place) => `${place} では、どのプログラムも応答しません`,
  ],
  [
    /^(?:\S+ answered: (.+?)\. )?Nothing to harvest by (.+?) was found at (\S+)\. (?:Then tried, where such interfaces usually are:((?:\n {2}[^\n]*)*)\n)?.*What helps: /s,
    (answer, wanted = '', address, others) => {
      const itself = answer === undefined ? '' : `このアドレスの応答: ${answer}。`;
      const tried =
        others === undefined ? '' : `インターフェースがよく置かれる次の場所も調べました。${others}\n`;
      return `${address} には、ハーベストできるもの（${wanted.replaceAll(/, | or /g, '、')}）が見つかりませんでした。${itself}${tried}OAI-PMH のベース URL、DSpace の REST のアドレス、または ResourceSync のケイパビリティリストのアドレスを指定してください（リポジトリの説明書に記載されているか、管理者に問い合わせると分かります）`;
    },
  ],
  [/^a protocol is one of (.+)$/, (protocols) => `プロトコルは次のいずれかです: ${protocols}`],
  [/^there is no group called (\S+) in the configuration$/, (name) => `グループ ${name} は設定にありません`],
  [
    /^nothing was found at this address yet; look for it first$/,
    () => 'このアドレスではまだ何も見つかっていません。先に確認してください',
  ],
  [
    /^it is being looked at already; wait until that is over$/,
    () => 'すでに確認中です。終わるまでお待ちください',
  ],
  [
    /^there is no such draft: /,
    () => 'この下書きはありません（30 日で削除されます）。もう一度ソースを追加してください',
  ],
  [
    /^(\S+) is configured in (.+); change it there, and type: rsbridge reload$/,
    (name, place) =>
      `${name} は ${place} に設定されています。そこで変更してから rsbridge reload を実行してください`,
  ],
  [/^(\S+) was changed meanwhile by somebody else$/, (name) => `${name} は、その間にほかの人が変更しました`],
  [
    /^there is no source called (\S+?)(?:; configured: (.*))?$/,
    (name, names) =>
      `${name} という名前のソースはありません${names === undefined ? '' : `。設定されているもの: ${names === 'none' ? 'なし' : names}`}`,
  ],
  // Deletions
  [
    /^run (\d+) does not show anything missing from (\S+), now$/,
    (run, name) => `実行 ${run} の時点で ${name} から消えていたものは、現在はありません`,
  ],
  [
    /^(\d+) resources? (?:is|are) no longer in the list of (\S+) and would be deleted, but that is more than (\S+) % of (\d+)$/,
    (count, name, share, total) =>
      `${name} の一覧から ${count} 件のリソースが消えています。${total} 件の ${share}% を超えるため、削除を保留しています`,
  ],
  [
    /^(\d+) resources? (?:is|are) no longer in the list of (\S+) and would be deleted, but the pass was not to be trusted in (\d+) places .*$/,
    (count, name, places) =>
      `${name} の一覧から ${count} 件のリソースが消えていますが、一覧に信頼できない箇所が ${places} か所あるため、削除を保留しています`,
  ],
  // Records, and what became of a task
  [
    /^The record (\S+) cannot be read: (.+?)\.?$/s,
    (record, why) => `レコード ${record} を読み取れません: ${why}`,
  ],
  [
    /^asked for (\d+), (\d+) deleted, (\d+) still there, (\d+) still missing$/,
    (asked, deleted, there, missing) =>
      `確認 ${asked} 件、削除したリソース ${deleted} 件、存在していたもの ${there} 件、確認できなかったもの ${missing} 件`,
  ],
  [
    /^stored: (\d+) created, (\d+) updated, (\d+) deleted$/,
    (created, updated, deleted) =>
      `読み取りました。新規 ${created} 件、変更 ${updated} 件、削除 ${deleted} 件`,
  ],
  [
    /^gone: (\d+) created, (\d+) updated, (\d+) deleted$/,
    (created, updated, deleted) =>
      `リポジトリにはもうありません。新規 ${created} 件、変更 ${updated} 件、削除 ${deleted} 件`,
  ],
  [
    /^(\d+) read or gone, (\d+) still not to be read$/,
    (read, unread) => `読み取れた（またはなくなっていた）もの ${read} 件、まだ読み取れないもの ${unread} 件`,
  ],
  [
    /^the repository does not have it any more: it stays deleted until it has$/,
    () => 'リポジトリにはもうありません。再び現れるまで、削除されたままです',
  ],
  // Taking down
  [
    /^the item (\S+) was withdrawn at (\S+?)(?: \((.*)\))?$/s,
    (item, at, why) => `アイテム ${item} は ${at} に公開を停止しています${inBrackets(why)}`,
  ],
  [
    /^(\S+) was withdrawn at (\S+?)(?: \((.*)\))?$/s,
    (uri, at, why) => `${uri} は ${at} に公開を停止しています${inBrackets(why)}`,
  ],
  [
    /^nothing of the item (\S+) is withdrawn$/,
    (item) => `アイテム ${item} に、公開を停止しているものはありません`,
  ],
  [/^(\S+) is not withdrawn$/, (uri) => `${uri} の公開は停止していません`],
  [
    /^(\S+) is not withdrawn by itself, but with its whole item: rsbridge restore (\S+)$/,
    (uri, page) => `${uri} は単独ではなく、アイテム全体として公開を停止しています: ${page}`,
  ],
  [
    /^no item or resource is named (.+); resources are below (\S+), sources: (.*)$/s,
    (text, base, names) =>
      `「${text}」というアイテムやリソースはありません。リソースのアドレスは ${base} で始まります。ソース: ${names}`,
  ],
  // Accounts, tokens, requests
  [
    /^there is no source or set called (.+); write SOURCE or SOURCE\/SET$/,
    (name) =>
      `${name} というソースやセットはありません。「ソース」または「ソース/セット」の形で入力してください`,
  ],
  [/^a scope is one of (.+)$/, (scopes) => `権限は次のいずれかです: ${scopes}`],
  [/^days are 1 to 9999$/, () => '日数は 1 から 9999 までです'],
  [
    /^(\S+) is the account that asks for it; another one can remove it$/,
    (account) => `${account} は現在お使いのアカウントです。ほかのアカウントから削除してください`,
  ],
  [
    /^this takes the scope (\S+); (.+) has (\S+)$/,
    (needed, who, has) => `この操作には権限 ${needed} が必要です。${who} の権限は ${has} です`,
  ],
  [/^the request comes from a page of another site$/, () => 'ほかのサイトのページからの要求です'],
  [/^the request does not say which page it comes from$/, () => 'どのページからの要求かが分かりません'],
  [
    /^nobody has set a password, so only this machine itself may look$/,
    () => 'パスワードがまだ設定されていないため、このマシン自身からだけ利用できます',
  ],
  [/^this takes a session or a token$/, () => 'サインインまたはトークンが必要です'],
  [
    /^this link was used before, or is older than a day$/,
    () => 'このリンクはすでに使われたか、発行から一日を過ぎています',
  ],
  [
    /^(\S+) cannot be called: /,
    (url) => `${url} には通知を送れません。公開された Web のアドレスを指定してください`,
  ],
  [/^a secret has 16 to (\d+) characters$/, (most) => `秘密の値は 16 文字以上 ${most} 文字以下です`],
  [
    /^nothing was told of (\S+) yet that could be sent$/,
    (topic) => `${topic} について送れる通知はまだありません`,
  ],
  [/^there is nothing at this address$/, () => 'このアドレスには何もありません'],
];

/** @returns undefined where it is told as it was said */
export function inJapanese(said: string): string | undefined {
  for (const [pattern, told] of japanese) {
    const found = pattern.exec(said);
    if (found) return told(...found.slice(1));
  }
  return undefined;
}

function inBrackets(text: string | undefined): string {
  return text === undefined ? '' : `（${text}）`;
}

import type { Texts } from '../../words/language.ts';

const en = {
  title: 'Taking down',
  intro:
    'What is taken down answers 410 at once, whatever the repository delivers; its bytes are removed, and the lists tell of it within a minute. Backups, and the copies of others, are not reached.',
  what: 'Its address here (of its page, a record or a file), or what the repository calls the item',
  look: 'Look what that is',
  would: (count: string) => `Addresses that would answer 410: ${count}`,
  more: (count: string) => `and ${count} more`,
  item: 'Item',
  source: 'Source',
  reason: 'Reason (for those who run the bridge)',
  withdraw: 'Take it down',
  cancel: 'Leave it',
  done: 'Taken down.',
  unannounced: 'Its source is being read: whoever does so tells the lists within a minute.',
  restored: 'It is no longer taken down. Its source is read no more, so nothing of it can be published.',
  now: 'What is taken down',
  none: 'Nothing is taken down.',
  older: 'Older',
  address: 'Address',
  since: 'Since',
  why: 'Reason',
  restore: 'Publish again',
  restoreHint:
    'Publishing again asks the repository for the item; earlier versions do not come back: their bytes are gone.',
};

const ja: typeof en = {
  title: '公開停止',
  intro:
    '公開を停止すると、リポジトリが何を配信してもただちに 410 を返します。保存している内容は取り除かれ、1 分以内にリストにも反映されます。バックアップと、ほかの利用者が取得した複製には及びません。',
  what: 'このサイトでのアドレス（ページ、レコード、ファイルのいずれか）、またはリポジトリでのアイテムの識別子',
  look: '対象を確認する',
  would: (count) => `410 を返すことになるアドレス：${count} 件`,
  more: (count) => `ほか ${count} 件`,
  item: 'アイテム',
  source: 'ソース',
  reason: '理由（運用者だけに表示されます）',
  withdraw: '公開を停止する',
  cancel: 'やめる',
  done: '公開を停止しました。',
  unannounced: 'ソースをハーベスト中です。1 分以内に、ハーベストしているプロセスがリストに反映します。',
  restored: '公開停止を解除しました。このソースはもうハーベストしていないため、公開されるものはありません。',
  now: '公開を停止しているもの',
  none: '公開を停止しているものはありません。',
  older: '以前に停止したもの',
  address: 'アドレス',
  since: '停止した日時',
  why: '理由',
  restore: '公開を再開する',
  restoreHint:
    '公開を再開すると、リポジトリからアイテムを取得し直します。過去の版の内容は取り除かれているため、元には戻りません。',
};

export const takedownWords: Texts<typeof en> = { en, ja };

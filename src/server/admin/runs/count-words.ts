import type { Texts } from '../../words/language.ts';

const en = {
  title: 'Counts over time',
  none: 'Nothing yet: what there is, is counted whenever a run has ended.',
  items: 'Items known here, deleted ones included',
  records: 'Records that harvests of everything read (solid), and the repository’s own count (dashed)',
  change: (first: string, firstDay: string, last: string, lastDay: string) =>
    `${first} on ${firstDay}, ${last} on ${lastDay}`,
  span: (least: string, most: string) => `between ${least} and ${most}`,
  one: (count: string, day: string) => `${count} on ${day}`,
  table: (days: number) =>
    `The same as a table (${days === 1 ? 'the one day that was' : `the last ${days} days that were`} counted)`,
  day: 'Day (UTC)',
  known: 'Items known',
  read: 'Records read',
  stated: 'Its own count',
  difference: 'Difference',
  same: (day: string, records: string) =>
    `On ${day} a harvest of everything read ${records} records: as many as the repository says that it has.`,
  fewer: (day: string, records: string, stated: string, difference: string) =>
    `On ${day} a harvest of everything read ${records} records: ${difference} fewer than the repository says that it has (${stated}).`,
  more: (day: string, records: string, stated: string, difference: string) =>
    `On ${day} a harvest of everything read ${records} records: ${difference} more than the repository says that it has (${stated}).`,
  notStated:
    'There is no count of the repository’s own to compare with: it does not say how many records it has in all, or no harvest of everything has ended since counts are kept.',
};

const ja: typeof en = {
  title: '件数の推移',
  none: 'まだありません。件数は、実行が終わるたびに記録されます。',
  items: 'ここで把握しているアイテム（削除されたものを含む）',
  records: '全件ハーベストで読み取ったレコード（実線）と、リポジトリ自身が示す件数（破線）',
  change: (first, firstDay, last, lastDay) => `${firstDay} に ${first} 件、${lastDay} に ${last} 件`,
  one: (count, day) => `${day} に ${count} 件`,
  span: (least, most) => `${least} 件から ${most} 件の間`,
  table: (days) => `表で見る（記録のある直近 ${days} 日）`,
  day: '日付（UTC）',
  known: '把握しているアイテム',
  read: '読み取ったレコード',
  stated: 'リポジトリの件数',
  difference: '差',
  same: (day, records) =>
    `${day} の全件ハーベストで ${records} 件のレコードを読み取りました。リポジトリ自身が示す件数と同じです。`,
  fewer: (day, records, stated, difference) =>
    `${day} の全件ハーベストで ${records} 件のレコードを読み取りました。リポジトリ自身が示す件数（${stated} 件）より ${difference} 件少なくなっています。`,
  more: (day, records, stated, difference) =>
    `${day} の全件ハーベストで ${records} 件のレコードを読み取りました。リポジトリ自身が示す件数（${stated} 件）より ${difference} 件多くなっています。`,
  notStated:
    'リポジトリ自身の件数とは比べられません。リポジトリが全体の件数を示さないか、記録を始めてから全件ハーベストがまだ終わっていません。',
};

/** How many there were of a source, day by day. */
export const countWords: Texts<typeof en> = { en, ja };

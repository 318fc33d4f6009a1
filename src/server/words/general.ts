import { counted } from './counted.ts';
import type { Texts } from './language.ts';

/** What many pages say. */
const en = {
  about: 'About',
  search: 'Search',
  language: 'Language',
  skip: 'Skip to the content',
  items: counted('en', { one: '# item', other: '# items' }),
  resources: counted('en', { one: '# resource', other: '# resources' }),
  files: counted('en', { one: '# file', other: '# files' }),
  records: counted('en', { one: '# record', other: '# records' }),
  changes: counted('en', { one: '# change', other: '# changes' }),
  versions: counted('en', { one: '# version', other: '# versions' }),
  entries: counted('en', { one: '# entry', other: '# entries' }),
  /** Where a time would stand. */
  never: 'never',
  previous: 'Previous',
  next: 'Next',
  page: (page: string, pages: string) => `page ${page} of ${pages}`,
  /** Behind parts of a sentence: what separates them. */
  comma: ', ',
};

const ja: typeof en = {
  about: 'このサイトについて',
  search: '検索',
  language: '言語',
  skip: '本文へ移動',
  items: counted('ja', { other: 'アイテム#件' }),
  resources: counted('ja', { other: 'リソース#件' }),
  files: counted('ja', { other: '本文ファイル#件' }),
  records: counted('ja', { other: 'レコード#件' }),
  changes: counted('ja', { other: '更新#件' }),
  versions: counted('ja', { other: '#版' }),
  entries: counted('ja', { other: '#件' }),
  never: 'まだありません',
  previous: '前のページ',
  next: '次のページ',
  page: (page, pages) => `${pages}ページ中${page}ページ目`,
  comma: '、',
};

export const generalWords: Texts<typeof en> = { en, ja };

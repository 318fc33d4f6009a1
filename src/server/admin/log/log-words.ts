import type { LogLevel } from '../../../store/presence/log-levels.ts';
import type { Texts } from '../../words/language.ts';

const en = {
  title: 'Log',
  intro: 'Warnings, errors and the milestones of runs, of all processes, of the last seven days.',
  when: 'When',
  level: 'Level',
  atLeast: 'At least',
  source: 'Source',
  run: 'Run',
  process: 'Process',
  message: 'What happened',
  words: 'Words',
  all: 'All',
  show: 'Show',
  newest: 'Newest',
  older: 'Older',
  none: 'There are no such lines.',
  download: 'Download these lines (NDJSON)',
  line: (id: number) => `Line ${id} of the log`,
  details: 'Details',
  around: 'What was logged before and after',
  gone: 'This line is older than seven days, or there never was one of this number.',
  levels: { info: 'information', warn: 'warning', error: 'error', fatal: 'fatal error' } satisfies Record<
    LogLevel,
    string
  > as Readonly<Record<LogLevel, string>>,
};

const ja: typeof en = {
  title: 'ログ',
  intro: 'すべてのプロセスの警告、エラー、実行の節目の記録です（直近 7 日間）。',
  when: '日時',
  level: 'レベル',
  atLeast: '下限',
  source: 'ソース',
  run: '実行',
  process: 'プロセス',
  message: '内容',
  words: '語',
  all: 'すべて',
  show: '表示',
  newest: '最新',
  older: '以前',
  none: '該当する行はありません。',
  download: 'これらの行をダウンロード（NDJSON）',
  line: (id) => `ログの行 ${id}`,
  details: '詳細',
  around: 'この前後の記録',
  gone: 'この行は 7 日より古いか、この番号の行は存在しません。',
  levels: { info: '情報', warn: '警告', error: 'エラー', fatal: '致命的エラー' },
};

/** The log that is kept. */
export const logWords: Texts<typeof en> = { en, ja };

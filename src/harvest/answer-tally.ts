/** How often repositories answered how, since this process began: by status, `429` and `503` apart; `failed`: no answer came. */
export interface AnswerTally {
  /** @param status undefined: none came */
  note(source: string, status: number | undefined): void;
  counts(): readonly AnswerCount[];
}

export interface AnswerCount {
  readonly source: string;
  readonly answer: AnswerClass;
  readonly count: number;
}

export type AnswerClass = '2xx' | '3xx' | '4xx' | '429' | '5xx' | '503' | 'failed';

export function createAnswerTally(): AnswerTally {
  const counts = new Map<string, Map<AnswerClass, number>>();
  return {
    note: (source, status) => {
      const known = counts.get(source) ?? new Map<AnswerClass, number>();
      counts.set(source, known);
      const answer = classOf(status);
      known.set(answer, (known.get(answer) ?? 0) + 1);
    },
    counts: () =>
      [...counts].flatMap(([source, ofSource]) =>
        [...ofSource].map(([answer, count]) => ({ source, answer, count })),
      ),
  };
}

/** Whatever a server sends as its status, there are seven of these. */
function classOf(status: number | undefined): AnswerClass {
  if (status === undefined) return 'failed';
  // Those by which it asks to be left alone.
  if (status === 429 || status === 503) return `${status}`;
  if (status < 300) return '2xx';
  if (status < 400) return '3xx';
  return status < 500 ? '4xx' : '5xx';
}

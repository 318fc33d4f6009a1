import type { ListedSource, ListProblem } from './listed-source.ts';

/** Sources, and what is none. */
export function partList(entries: readonly (ListedSource | ListProblem)[]): {
  readonly sources: readonly ListedSource[];
  readonly problems: readonly ListProblem[];
} {
  return {
    sources: entries.filter((entry) => 'url' in entry),
    problems: entries.filter((entry) => 'message' in entry),
  };
}

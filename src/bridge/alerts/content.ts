import type { AlertEntry, AlertNews } from '../../core/alerts/alert.ts';

/** What a message is made of, in no language yet; so it waits in the database. */
export type AlertContent = TestContent | NewsContent;

export interface TestContent {
  readonly kind: 'test';
  /** In milliseconds. */
  readonly at: number;
}

export interface NewsContent {
  readonly kind: 'alert';
  readonly at: number;
  readonly firing: Section;
  readonly recovered: Section;
  readonly lasting: Section;
  readonly isReminder: boolean;
}

/** Some of many: a message about eight hundred sources is read by a person. */
export interface Section {
  readonly entries: readonly AlertEntry[];
  readonly total: number;
  /** Of all sources that are not harvested: how many by which code, the most frequent first. */
  readonly causes: readonly { readonly code: string; readonly total: number }[];
}

const mostEntries = 100;

export function newsContent({ firing, recovered, lasting, isReminder }: AlertNews, at: number): NewsContent {
  return {
    ...{ kind: 'alert', at, isReminder },
    firing: section(firing),
    recovered: section(recovered),
    lasting: isReminder ? section(lasting) : { entries: [], total: lasting.length, causes: [] },
  };
}

function section(entries: readonly AlertEntry[]): Section {
  const counts = new Map<string, number>();
  for (const { kind, facts, until } of entries) {
    if (kind !== 'harvest' || until !== undefined) continue;
    const code = String(facts.code ?? 'unknown');
    counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  return {
    entries: entries.slice(0, mostEntries),
    total: entries.length,
    causes: [...counts].map(([code, total]) => ({ code, total })).sort((a, b) => b.total - a.total),
  };
}

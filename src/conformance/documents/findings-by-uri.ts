import { type Finding, FindingList, type Report } from './finding.ts';

/** Findings of many documents, each in its own list. */
export class FindingsByUri {
  readonly #lists = new Map<string, FindingList>();
  readonly #maximum: number;

  constructor(maximumPerRule: number) {
    this.#maximum = maximumPerRule;
  }

  at(uri: string, place = 'document'): Report {
    return (rules, message, severity) => {
      const list = this.#lists.get(uri) ?? new FindingList(this.#maximum);
      this.#lists.set(uri, list);
      list.place = () => place;
      list.report(rules, message, severity);
    };
  }

  uris(): readonly string[] {
    return [...this.#lists.keys()];
  }

  of(uri: string): readonly Finding[] {
    return this.#lists.get(uri)?.findings ?? [];
  }

  suppressedOf(uri: string): ReadonlyMap<string, number> {
    return this.#lists.get(uri)?.suppressed ?? new Map();
  }
}

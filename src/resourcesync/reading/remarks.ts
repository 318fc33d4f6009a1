import type { Report, Severity } from '../documents/report.ts';

/** What was wrong with a Source and read all the same: one rule, and the first place where it was broken. */
export interface Remark {
  /** Of the checklist, e.g. `RS-CL-04`. */
  readonly rule: string;
  readonly severity: Severity | undefined;
  readonly uri: string;
  readonly message: string;
  /** How often, in all documents. */
  readonly count: number;
}

/** Remarks of one reading, gathered by rule: a list of a million broken entries has one of each. */
export class Remarks {
  readonly #byRule = new Map<string, { -readonly [Key in keyof Remark]: Remark[Key] }>();

  /** For a document at this address. */
  at(uri: string): Report {
    return (rules, message, severity) => {
      // The most specific one says enough; `validate` names them all.
      const [rule = ''] = rules.split(' ');
      const known = this.#byRule.get(rule);
      if (known) known.count += 1;
      else this.#byRule.set(rule, { rule, severity, uri, message, count: 1 });
    };
  }

  list(): readonly Remark[] {
    return [...this.#byRule.values()];
  }
}

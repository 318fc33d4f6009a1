import type { Report, Severity } from '../../resourcesync/documents/report.ts';
import { severityOf } from './rule-levels.ts';

export type { Report } from '../../resourcesync/documents/report.ts';

/** What a check has to say: one rule of the checklist, broken in one place. */
export interface Finding {
  /** Of the checklist, e.g. `RS-CL-04`. */
  readonly rule: string;
  /** `error` where the standard says must, `warning` where it says should, or where it only follows. */
  readonly severity: Severity;
  /** `document`, or `entry 17: https://…`. */
  readonly place: string;
  readonly message: string;
}

/** Findings of one document, at most so many of a rule: a broken list of 50,000 has 50,000 of them. */
export class FindingList {
  readonly findings: Finding[] = [];
  /** By rule, how many more there are than `findings` holds. */
  readonly suppressed = new Map<string, number>();
  /** Where what is reported next stands; a function, because most entries have nothing to report. */
  place: () => string = () => 'document';
  readonly #maximum: number;
  readonly #counts = new Map<string, number>();

  constructor(maximumPerRule: number) {
    this.#maximum = maximumPerRule;
  }

  readonly report: Report = (rules, message, severity) => {
    const place = this.place();
    for (const rule of rules.split(' ')) {
      const count = (this.#counts.get(rule) ?? 0) + 1;
      this.#counts.set(rule, count);
      if (count > this.#maximum) this.suppressed.set(rule, count - this.#maximum);
      else this.findings.push({ rule, severity: severity ?? severityOf(rule), place, message });
    }
  };
}

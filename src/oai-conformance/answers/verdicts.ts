import { type CheckId, checkIds, checkTable } from '../checks/check-table.ts';
import { keptText } from './kept-text.ts';

/** One place where something is not as a check asks. */
export interface Finding {
  readonly check: CheckId;
  /** The address that was asked. */
  readonly request: string;
  /** What is there, in a sentence that begins in lower case. */
  readonly message: string;
}

/**
 * `failed`: there are findings. `unjudged`: some answer that it needs was inconclusive, and none showed a fault.
 * `absent`: there is nothing here that it could look at, such as sets.
 */
export type State = 'passed' | 'failed' | 'unjudged' | 'absent';

/** What came of one check. */
export interface Verdict {
  readonly check: CheckId;
  readonly state: State;
  readonly findings: readonly Finding[];
  /** Findings beyond those. */
  readonly suppressed: number;
  /** Why it could not be judged. */
  readonly reason: string | undefined;
}

interface Ledger {
  passed: boolean;
  readonly findings: Finding[];
  suppressed: number;
  reason: string | undefined;
}

/** Findings of one check that are kept: an endpoint that does something wrong does it in every answer. */
const shownPerCheck = 5;
/** Of what an endpoint wrote, as much as anybody would read. */
const longestMessage = 500;
const longestRequest = 1_000;

/** What was found, check by check; what was never looked at is not called right. */
export class Verdicts {
  readonly #ledgers = new Map<CheckId, Ledger>();

  /** @param fault what is wrong; undefined: it is as it should be */
  judge(check: CheckId, request: string, fault: string | undefined): void {
    const ledger = this.#ledgerOf(check);
    if (fault === undefined) {
      ledger.passed = true;
      return;
    }
    const message = keptText(fault, longestMessage);
    if (ledger.findings.length >= shownPerCheck || ledger.findings.some((one) => one.message === message))
      ledger.suppressed += 1;
    else ledger.findings.push({ check, request: keptText(request, longestRequest), message });
  }

  /** An answer that it needs says nothing. */
  leaveOpen(check: CheckId, reason: string): void {
    this.#ledgerOf(check).reason ??= keptText(reason, longestMessage);
  }

  /** In the order of the table. */
  all(): readonly Verdict[] {
    return checkIds.map((check) => {
      const { passed, findings, suppressed, reason } = this.#ledgerOf(check);
      const state =
        findings.length > 0 ? 'failed' : reason !== undefined ? 'unjudged' : passed ? 'passed' : 'absent';
      return { check, state, findings, suppressed, reason };
    });
  }

  #ledgerOf(check: CheckId): Ledger {
    const known = this.#ledgers.get(check);
    if (known) return known;
    const ledger: Ledger = { passed: false, findings: [], suppressed: 0, reason: undefined };
    this.#ledgers.set(check, ledger);
    return ledger;
  }
}

/** How many checks failed, by severity: what is wrong in every answer is one defect. */
export function countFailed(verdicts: readonly Verdict[]): {
  readonly errors: number;
  readonly warnings: number;
} {
  const failed = verdicts.filter(({ state }) => state === 'failed');
  const errors = failed.filter(({ check }) => checkTable[check].severity === 'error').length;
  return { errors, warnings: failed.length - errors };
}

/**
 * `ok`; `note`: nothing is wrong, and it could be better; `warning`: it works, and somebody should see to it; `error`: something
 * does not work.
 */
export type Severity = 'ok' | 'note' | 'warning' | 'error';

/** One thing that `doctor` looked at. */
export interface Diagnosis {
  readonly check: string;
  readonly severity: Severity;
  /** For people. */
  readonly message: string;
  /** What to type, or to write into the configuration; of everything that is not ok. */
  readonly mend?: string;
  /** Of the whole command, where it is another one than of what needs attention. */
  readonly exitCode?: number;
}

/** A diagnosis by whatever is wrong first, else that it is ok. */
export function diagnose(
  check: string,
  wrong: readonly (Omit<Diagnosis, 'check'> | false | undefined)[],
  message: string,
): readonly Diagnosis[] {
  const found = wrong.filter((one) => one !== false && one !== undefined);
  return found.length === 0 ? [{ check, severity: 'ok', message }] : found.map((one) => ({ check, ...one }));
}

import type { CrosswalkFinding } from './finding.ts';

/** What becomes of an item in one target. */
export interface Written {
  /** Undefined: it lacks what the target refuses every record without. */
  readonly document: string | undefined;
  readonly findings: readonly CrosswalkFinding[];
}

import type { RawRecord } from './raw-record.ts';

/** One bad record is a recorded problem, not a failed run. */
export interface Problem {
  readonly code: ProblemCode;
  /** One sentence for the operator. */
  readonly message: string;
  /** Undefined where the damage hides it. */
  readonly identifier?: string | undefined;
  readonly format?: string | undefined;
  /** Of a list that could not be read: which part of it; undefined: what the format says, or all. */
  readonly part?: ListPart | undefined;
  /** Of a list in doubt: it was read, and there was nothing in it. */
  readonly empty?: boolean | undefined;
  /** Of a record that could not be read: as it came, where it came. */
  readonly raw?: RawRecord | undefined;
}

/** Items with datestamps from one to the other (ISO UTC, both included), of one collection; undefined: any. */
export interface ListPart {
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  readonly collection?: string | undefined;
}

export type ProblemCode =
  /** Published, after illegal characters or the like were replaced. */
  | 'record-repaired'
  /** Not published; what was published before stays. */
  | 'record-quarantined'
  /** Listed, not deleted, but the upstream gave no metadata. */
  | 'record-without-metadata'
  /** A list ended in a way that proves nothing about what was not in it. */
  | 'list-doubtful'
  /** Something about the endpoint that the operator should know. */
  | 'endpoint-quirk';

/** Whether after this problem a full pass may not delete what it did not see. */
export function forbidsDeletions({ code, identifier }: Problem): boolean {
  return identifier === undefined && code !== 'endpoint-quirk';
}

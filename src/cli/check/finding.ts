/** One thing that `check` looked at. */
export interface Finding {
  readonly check: string;
  readonly ok: boolean;
  /** For people. */
  readonly message: string;
  /** Nothing is wrong with what was to be looked at: that was not done, for now. */
  readonly notAsked?: boolean;
  /** What to type, or to write into the configuration, where this is not ok, or could be better. */
  readonly mend?: string;
  /** Of the whole command, where this is not ok. */
  readonly exitCode?: number;
}

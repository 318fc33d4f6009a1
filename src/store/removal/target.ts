/** What is to be withdrawn. */
export interface Target {
  readonly source: string;
  readonly identifier: string;
  /** Undefined: the whole item. */
  readonly path: string | undefined;
}

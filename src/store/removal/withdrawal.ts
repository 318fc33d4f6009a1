import type { ResourceKind } from '../../core/resource.ts';

/** What is to be withdrawn. */
export interface Target {
  readonly source: string;
  readonly identifier: string;
  /** Undefined: the whole item. */
  readonly path: string | undefined;
}

/** A row of the table `withdrawal`. */
export interface WithdrawalRow {
  readonly id: number | string;
  readonly source: string;
  readonly identifier: string;
  /** Empty: the whole item. */
  readonly path: string;
  readonly kind: ResourceKind | null;
  readonly format: string | null;
  readonly upstream_url: string | null;
  readonly reason: string | null;
  readonly at: string;
}

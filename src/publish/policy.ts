import type { ResourceSet } from '../core/resource-set.ts';

/** What the operator decides about publishing (`publish` in the configuration). */
export interface Policy {
  /** What the flat Change List reaches back, days. */
  readonly changeListDays: number;
  /** How long a dated Change List stays open. */
  readonly changeListMinutes: number;
  /** Of one package of a Resource Dump. */
  readonly packageBytes: number;
  readonly archives: boolean;
  readonly retention: Retention;
  /** Where changes of a set can be subscribed to; none: its documents name no channels. */
  readonly hubsOf: (set: ResourceSet) => readonly string[];
}

/** What is removed, and when; `false`: never. */
export interface Retention {
  readonly changeListDays: number | false;
  readonly changeDumpDays: number | false;
  /** Snapshots, the current one included. */
  readonly resourceLists: number;
  readonly resourceDumps: number;
  readonly archiveDays: number | false;
}

export const defaultPolicy: Policy = {
  changeListDays: 30,
  changeListMinutes: 1440,
  packageBytes: 1024 ** 3,
  archives: false,
  retention: {
    changeListDays: 365,
    changeDumpDays: 90,
    resourceLists: 2,
    resourceDumps: 2,
    archiveDays: false,
  },
  hubsOf: () => [],
};

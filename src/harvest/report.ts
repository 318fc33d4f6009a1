import type { Run, RunMode, RunState } from '../store/runs.ts';

/** What a harvest did, for people and as JSON. */
export interface HarvestReport {
  readonly source: string;
  readonly runId: number;
  readonly mode: RunMode;
  readonly state: RunState;
  readonly pages: number;
  readonly items: number;
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  readonly unchanged: number;
  readonly problems: number;
  /** Resources a full pass did not see and that a person has to decide about. */
  readonly unseen: number;
}

export function toReport(
  source: string,
  run: Run,
  end: { state: RunState; deleted?: number; unseen?: number },
): HarvestReport {
  const { id: runId, mode, pages, items, created, updated, deleted, unchanged, problems } = run;
  return {
    source,
    runId,
    mode,
    state: end.state,
    pages,
    items,
    created,
    updated,
    deleted: deleted + (end.deleted ?? 0),
    unchanged,
    problems,
    unseen: end.unseen ?? 0,
  };
}

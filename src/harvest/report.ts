import type { Run, RunCounts, RunKind, RunState } from '../store/runs/runs.ts';

/** What a harvest did, for people and as JSON. */
export interface HarvestReport extends RunCounts {
  readonly source: string;
  readonly runId: number;
  readonly mode: RunKind;
  readonly state: RunState;
  /** Resources a full pass did not see and that a person has to decide about. */
  readonly unseen: number;
  /** Of them, items that may have vanished, and are not just in a part of the list that could not be read. */
  readonly suspected?: number | undefined;
}

export function toReport(
  source: string,
  run: Run<RunKind>,
  end: { state: RunState; deleted?: number; unseen?: number; suspected?: number },
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
    ...(end.suspected !== undefined && { suspected: end.suspected }),
  };
}

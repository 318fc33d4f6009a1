import type { Problem } from '../../../src/core/adapter.ts';
import type { Queryable } from '../../../src/store/engine/database.ts';
import { listProblemsOf } from '../../../src/store/runs/runs.ts';

/** The first problems of one run. */
export async function listProblems(db: Queryable, runId: number, limit: number): Promise<readonly Problem[]> {
  return (await listProblemsOf(db, [runId], limit)).get(runId) ?? [];
}

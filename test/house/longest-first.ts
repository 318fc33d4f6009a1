import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest of all, as they were measured last: each of them takes half a minute or more, and is nothing to begin with at the end. */
export const longest: readonly string[] = [
  'test/docs/commands.test.ts',
  'test/interop/resync.test.ts',
  'test/bridge/following/push-chain.test.ts',
  'test/hostile/tokens.test.ts',
  'test/bridge/push/websub.test.ts',
  'test/cli/export/export.test.ts',
  'test/dspace-house/server-bugs.test.ts',
  'test/store/schema/takeover.test.ts',
  'test/sync/faults.test.ts',
  'test/cli/commands.test.ts',
  'test/bridge/work/faults.test.ts',
  'test/harvest/politeness/shared-gate.test.ts',
  'test/dspace-house/bad-input.test.ts',
  'test/bridge/work/roles.test.ts',
  'test/cli/mending-service.test.ts',
  'test/interop/dashboard-work-browser.test.ts',
  'test/publish/bucket/machines.test.ts',
  'test/dspace-house/closed-parts.test.ts',
  'test/interop/dashboard-browser.test.ts',
  'test/cli/backup/backup.test.ts',
  'test/cli/terminal/secrets.test.ts',
  'test/bridge/alerts/rounds.test.ts',
  'test/bridge/work/failover.test.ts',
  'test/interop/nginx.test.ts',
  'test/harvest/vanished/vanished.test.ts',
  'test/cli/commands/reload.test.ts',
  'test/cli/kill.test.ts',
  'test/bridge/push/killed.test.ts',
  'test/interop/replica.test.ts',
  'test/interop/oai-clients.test.ts',
];

/** What a file works with that takes its time: random cases, processes, whole harvests, a DSpace. */
const lengthy = /\b(?:runs|rsbridge|createSampleRepository|demoCommand|openStage|House)\b.* from '/;

/**
 * The files that take long first, so that at the end no worker is left alone with one of them. How long each took is
 * known only where the suite has run before; elsewhere what a file imports tells enough of those that are not the longest.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const ranks = new Map(sorted.map((file) => [file, rankOf(file)] as const));
    return sorted.toSorted((one, other) => (ranks.get(one) ?? 0) - (ranks.get(other) ?? 0));
  }
}

function rankOf({ moduleId, project }: TestSpecification): number {
  const place = longest.indexOf(relative(project.config.root, moduleId).replaceAll('\\', '/'));
  if (place >= 0) return place;
  return longest.length + (lengthy.test(readFileSync(moduleId, 'utf8')) ? 0 : 1);
}

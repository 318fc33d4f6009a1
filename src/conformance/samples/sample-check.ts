import { toMilliseconds } from '../../core/datetime.ts';
import type { DocumentEntry } from '../../resourcesync/documents/document-model.ts';
import type { SourcePort } from '../../resourcesync/source-port.ts';
import type { FindingsByUri } from '../documents/findings-by-uri.ts';
import { toTime } from '../rules/time-rules.ts';
import type { SourceWalk } from '../survey/source-check.ts';
import { checkDeleted, checkPastChange, checkPatched, checkResource } from './resource-check.ts';
import type { ResourceContext } from './resource-context.ts';
import type { SetSamples } from './set-samples.ts';

/** Dereferences what was sampled. @returns how many URIs */
export async function checkSamples(
  samples: SetSamples,
  context: {
    readonly port: SourcePort;
    readonly walk: SourceWalk;
    readonly findings: FindingsByUri;
    readonly note: (message: string) => void;
    readonly onProgress?: (done: number, total: number) => void;
  },
): Promise<number> {
  const { port, walk, findings, note } = context;
  const step = stepOf(samples, context.onProgress);
  let checked = 0;
  const contextOf = (set: string, loc: string): ResourceContext => ({
    port,
    note,
    report: findings.at(set, `resource ${loc}`),
    coverage: (target, covered) => coverage(target, covered, walk),
  });
  for (const [set, { taken }] of samples.resources) {
    for (const entry of taken) {
      step();
      const [loc] = entry.locs;
      if (loc === undefined || hasChangedSince(walk, set, loc)) continue;
      await checkResource(entry, contextOf(set, loc));
      checked += 1;
    }
  }
  for (const [set, { taken }] of samples.deletions) {
    for (const loc of locsOf(taken)) {
      step();
      if (!isGone(walk, set, loc) || isListedElsewhere(walk, loc)) continue;
      await checkDeleted(loc, set, contextOf(set, loc));
      checked += 1;
    }
  }
  for (const [set, { taken }] of samples.patches) {
    for (const entry of taken) {
      step();
      const [loc] = entry.locs;
      if (loc === undefined || !isLatest(walk, set, entry)) continue;
      await checkPatched(entry, contextOf(set, loc));
      checked += 1;
    }
  }
  for (const [set, { taken }] of samples.mementos) {
    for (const entry of taken) {
      step();
      await checkPastChange(entry, contextOf(set, entry.locs[0] ?? ''));
      checked += 1;
    }
  }
  return checked;
}

function locsOf(entries: readonly DocumentEntry[]): ReadonlySet<string> {
  return new Set(entries.flatMap(({ locs }) => locs));
}

/** To be called before each of the samples. */
function stepOf(samples: SetSamples, onProgress: (done: number, total: number) => void = () => undefined) {
  const { resources, deletions, patches, mementos } = samples;
  let total = 0;
  for (const { taken } of deletions.values()) total += locsOf(taken).size;
  for (const all of [resources, patches, mementos])
    for (const { taken } of all.values()) total += taken.length;
  let done = 0;
  return () => {
    onProgress(done, total);
    done += 1;
  };
}

/** A list tells how things were at its `at`: what the Change Lists report since then explains any difference. */
function hasChangedSince({ inventories }: SourceWalk, set: string, loc: string): boolean {
  const inventory = inventories.get(set);
  const position = inventory?.changes.locs.find(loc) ?? -1;
  if (!inventory || position === -1) return false;
  const { at, kind } = inventory.lastChange(position);
  const snapshots = [...inventory.read.values()].flatMap(({ md: [md] }) =>
    md?.get('capability') === 'resourcelist' ? (toTime(md.get('at')) ?? []) : [],
  );
  return kind === 'undecidable' || snapshots.some((snapshot) => at >= toMilliseconds(snapshot));
}

/** No later change is known: what the entry says of the resource is so now. */
function isLatest(
  { inventories }: SourceWalk,
  set: string,
  { locs: [loc = ''], md }: DocumentEntry,
): boolean {
  const inventory = inventories.get(set);
  const time = toTime(md[0]?.get('datetime'));
  if (!inventory || inventory.full || time === undefined) return false;
  const position = inventory.changes.locs.find(loc);
  return position !== -1 && inventory.lastChange(position).at === toMilliseconds(time);
}

/** Deleted, as far as is known not created anew, and not in the current list. */
function isGone({ inventories }: SourceWalk, set: string, loc: string): boolean {
  const inventory = inventories.get(set);
  if (!inventory || inventory.full) return false;
  const position = inventory.changes.locs.find(loc);
  return position !== -1 && inventory.lastChange(position).kind === 'deleted' && !isListed(inventory, loc);
}

/** It left one set for another, or was in both. */
function isListedElsewhere({ inventories }: SourceWalk, loc: string): boolean {
  return [...inventories.values()].some((inventory) => isListed(inventory, loc));
}

function isListed(inventory: { resources: { locs: { find(loc: string): number } } }, loc: string): boolean {
  return inventory.resources.locs.find(loc) !== -1;
}

/** RS-DISC-05, -07: a Capability List covers a resource when its Resource Lists have it. */
async function coverage(target: string, loc: string, walk: SourceWalk) {
  await walk.from(target);
  const capabilityList = walk.survey.get(target)?.kind === 'CAP';
  const inventory = walk.inventories.get(target);
  const isKnown =
    inventory !== undefined && !inventory.full && !walk.cut && inventory.resources.locs.size > 0;
  return { capabilityList, covered: isKnown ? isListed(inventory, loc) : undefined };
}

import { toMilliseconds } from '../../core/datetime.ts';
import { noAttributes } from '../../resourcesync/documents/document-model.ts';
import type { Report } from '../documents/finding.ts';
import { toTime } from '../rules/time-rules.ts';
import type { ChangeSequence, LocRecord, Seen, SetInventory } from './set-inventory.ts';

/** The documents of one set that were read whole; undefined where some were not, and sets cannot be compared. */
export interface SetDocuments {
  readonly resourceLists: readonly string[] | undefined;
  readonly manifests: readonly string[] | undefined;
  readonly changeLists: readonly string[] | undefined;
}

/** Rules about all resources of a set at once: what one document says has to fit the others. */
export function checkUniformity(inventory: SetInventory, documents: SetDocuments, report: Report): void {
  if (inventory.full) return;
  compareSequences(inventory, report);
  const { resourceLists, manifests, changeLists } = documents;
  if (!resourceLists || !readThem(inventory, resourceLists)) return;
  checkDisjoint(inventory, resourceLists, report);
  const at = earliest(inventory, resourceLists, 'at');
  if (at === undefined) return;
  const changes = changeLists && readThem(inventory, changeLists) ? changeLists : undefined;
  const inLists = membership(inventory.resources, resourceLists);
  if (changes && covers(inventory, changes, at)) checkChanges(inventory, inLists, at, report);
  if (manifests && manifests.length > 0 && readThem(inventory, manifests)) {
    const dumpAt = earliest(inventory, manifests, 'at');
    const inDump = membership(inventory.dumped, manifests);
    if (dumpAt === at) checkDump(inventory, inLists, inDump, undefined, report);
    else if (dumpAt !== undefined && changes) {
      const [first, last] = [Math.min(at, dumpAt), Math.max(at, dumpAt)];
      const from = earliest(inventory, changes, 'from');
      const areKnown = from !== undefined && from <= first && covers(inventory, changes, last);
      if (areKnown) checkDump(inventory, inLists, inDump, first, report);
    }
  }
}

/** RS-RLI-09. */
function checkDisjoint(inventory: SetInventory, lists: readonly string[], report: Report): void {
  for (const { loc, first, second } of inventory.shared) {
    if (!lists.includes(first.list) || !lists.includes(second.list)) continue;
    report('RS-RLI-09', `${loc} is in two lists: ${tell(first)} and ${tell(second)}`, 'warning');
  }
}

/**
 * RS-CAP-12, RS-RL-12, as far as it can be decided: a resource whose last known change was before the list's `at` is
 * in the list, unless that change deleted it. Changes at that very second may be on either side (E-12).
 */
function checkChanges(inventory: SetInventory, inLists: Membership, at: number, report: Report): void {
  const { changes, resources } = inventory;
  for (let position = 0; position < changes.locs.size; position += 1) {
    const last = inventory.lastChange(position);
    if (last.kind === 'undecidable' || last.at >= at) continue;
    const listed = inLists(resources.locs.findOf(changes.locs, position));
    const change = tell(changes.at(position));
    if (listed && last.kind === 'deleted') {
      report('RS-CAP-12 RS-RL-12', `what was deleted by ${change} is in the Resource List all the same`);
    } else if (!listed && last.kind !== 'deleted') {
      report('RS-CAP-12', `what was ${last.kind} by ${change} is not in the Resource List`);
    }
  }
}

/**
 * RS-CAP-11: equal where `at` is equal; else each difference needs a change since the earlier of the two.
 * @param since that time; undefined where they are equal
 */
function checkDump(
  inventory: SetInventory,
  inLists: Membership,
  inDump: Membership,
  since: number | undefined,
  report: Report,
): void {
  const { resources, dumped, changes } = inventory;
  const isExplained = (from: LocRecord, position: number) => {
    const change = changes.locs.findOf(from.locs, position);
    if (since === undefined || change === -1) return false;
    const last = inventory.lastChange(change);
    return last.kind === 'undecidable' || last.at >= since;
  };
  for (let position = 0; position < resources.locs.size; position += 1) {
    if (!inLists(position) || isExplained(resources, position)) continue;
    if (inDump(dumped.locs.findOf(resources.locs, position))) continue;
    report('RS-CAP-11', `${tell(resources.at(position))} is not in the Resource Dump`);
  }
  for (let position = 0; position < dumped.locs.size; position += 1) {
    if (!inDump(position) || isExplained(dumped, position)) continue;
    if (inLists(resources.locs.findOf(dumped.locs, position))) continue;
    report('RS-CAP-11', `${tell(dumped.at(position))} is not in the Resource List`);
  }
}

/** Whether a position, -1 included, is of one of the lists that count: older ones may have been read, too. */
type Membership = (position: number) => boolean;

function membership(record: LocRecord, lists: readonly string[]): Membership {
  const counted = new Set(lists);
  return (position) => position !== -1 && counted.has(record.listOf(position));
}

/** RS-CAP-13, where just one Change List and one manifest have the same closed interval. */
function compareSequences({ sequences }: SetInventory, report: Report): void {
  for (const manifest of sequences.CDM) {
    const key = interval(manifest);
    const [list, otherList] = sequences.CL.filter((other) => interval(other) === key);
    const alone = sequences.CDM.filter((other) => interval(other) === key).length === 1;
    if (key === '' || !list || otherList || !alone) continue;
    if (list.count !== manifest.count || list.digest !== manifest.digest) {
      report(
        'RS-CAP-13 RS-CDM-04',
        `${manifest.uri} has other changes (${manifest.count}) than ${list.uri} (${list.count}) for the same interval`,
        'warning',
      );
    }
  }
}

function interval({ from, until }: ChangeSequence): string {
  return from === undefined || until === undefined ? '' : `${from} ${until}`;
}

function readThem({ read }: SetInventory, uris: readonly string[]): boolean {
  return uris.every((uri) => read.has(uri));
}

function earliest({ read }: SetInventory, uris: readonly string[], name: string): number | undefined {
  let found: number | undefined;
  for (const uri of uris) {
    const time = toTime((read.get(uri)?.md[0] ?? noAttributes).get(name));
    if (time !== undefined) found = Math.min(found ?? Number.POSITIVE_INFINITY, toMilliseconds(time));
  }
  return found;
}

/** The lists go beyond `at`: one is open, or ends later. */
function covers({ read }: SetInventory, lists: readonly string[], at: number): boolean {
  return lists.some((uri) => {
    const md = read.get(uri)?.md[0] ?? noAttributes;
    const until = toTime(md.get('until'));
    return !md.has('until') || (until !== undefined && toMilliseconds(until) >= at);
  });
}

function tell({ list, entry }: Seen): string {
  return `entry ${entry} of ${list}`;
}

import { earlier } from '../../core/datetime.ts';
import { isBridgeError } from '../../core/errors.ts';
import type { DocumentOpening, Member } from '../../resourcesync/reading/source-document.ts';
import type { Statement } from '../../resourcesync/reading/statement.ts';
import { isFullOfSmall, isSmallPackage } from '../choice/way.ts';
import { type DueResource, PassingResource } from '../state/due-resources.ts';
import { isAsStated } from './as-stated.ts';
import { type StagedChanges, stageChanges } from './change-stage.ts';
import { listPackages } from './dump-stage.ts';
import { Inventory } from './list-stage.ts';
import { addTally, type ComingPackage, type Filler, type Staging, type Tally } from './staging.ts';

interface WholeDump {
  /** Of the dump, and of each of its packages: what changed since is in Change Lists. */
  readonly from: string;
  /** Later than it nothing is known. */
  readonly clock: string;
  readonly packages: readonly Member[];
}

/**
 * Fills a copy that has nothing yet from Resource Dumps, without a Resource List beside them: their manifests say what
 * there is, and Change Lists what has changed since. Those are read first, so that nothing comes that is gone by now.
 * @returns undefined: it cannot be done, or not to the end. What came is in the copy, and lists have to say what is missing
 */
export async function fillFromDumps(
  dumps: readonly string[],
  changeLists: readonly string[],
  staging: Staging,
  filler: Filler,
): Promise<StagedChanges | undefined> {
  let whole: WholeDump | undefined;
  let changes: StagedChanges;
  try {
    whole = await wholeDumpOf(dumps, staging);
    if (whole === undefined) return undefined;
    changes = await stageChanges(changeLists, whole.from, staging);
  } catch (error) {
    if (!isBridgeError(error) || error.code === 'interrupted') throw error;
    return undefined;
  }
  if (changes.gap !== undefined) return undefined;
  const filled = await fill(whole, staging, filler);
  if (filled === undefined) return undefined;
  const sum = { ...changes };
  addTally(sum, filled);
  return sum;
}

/** @returns undefined: something of them is missing, says nothing of its time, or is large */
async function wholeDumpOf(uris: readonly string[], staging: Staging): Promise<WholeDump | undefined> {
  const packages: Member[] = [];
  let from: string | undefined;
  let clock = staging.now();
  for (const uri of uris) {
    const {
      at,
      incomplete,
      packages: listed,
      clock: served,
    } = await listPackages(uri, 'resourcedump', staging);
    if (at === undefined || incomplete !== undefined || !listed.every(isSmallPackage)) return undefined;
    const { known, since } = at;
    // What has changed since a dump of the future cannot be told.
    if (since !== known) return undefined;
    packages.push(...listed);
    const times = [known, ...listed.flatMap(({ times }) => times.at ?? [])];
    from = [...times, from ?? known].reduce(earlier);
    clock = served;
  }
  return from === undefined ? undefined : { from, clock, packages };
}

async function fill(
  { from, clock, packages }: WholeDump,
  staging: Staging,
  filler: Filler,
): Promise<Tally | undefined> {
  const { due } = staging;
  const highest = due.highestId();
  let chosen: DueResource | 'due' | undefined;
  let octets = 0;
  const inventory = new Inventory(staging, (statement, asOf) => {
    octets += statement.length ?? 0;
    const row = highest > 0 ? due.find(statement.loc) : undefined;
    // It is due by a change, which has its links; the newer statement counts.
    if (row !== undefined && isAsStated(statement, row) !== true) due.add(statement, asOf);
    chosen = row === undefined ? new PassingResource(statement, asOf) : 'due';
  });
  for await (const coming of oneAhead(packages, filler)) {
    let asOf = from;
    const trouble = await coming.fill({
      opened: ({ times }: DocumentOpening) => {
        asOf = earlier(times.at ?? from, clock);
      },
      choose: (statement: Statement) => {
        chosen = undefined;
        inventory.stage(statement, asOf);
        return chosen;
      },
    });
    // What changed between an older manifest and the dump is in none of what was read.
    if (trouble !== undefined || asOf < from || !isFullOfSmall({ ...inventory.tally, octets }))
      return undefined;
  }
  // What a package did not have as it says may be had elsewhere: the list has the links that lead there.
  return due.highestId() > highest ? undefined : inventory.tally;
}

/** While one is taken in, the next is on its way: network and copy do not wait for each other. */
async function* oneAhead(packages: readonly Member[], filler: Filler): AsyncGenerator<ComingPackage> {
  let next: ComingPackage | undefined;
  try {
    for (const [at, member] of packages.entries()) {
      const coming = next ?? filler.fetch(member);
      next = undefined;
      const following = (await coming.arrived) ? packages[at + 1] : undefined;
      next = following && filler.fetch(following);
      yield coming;
    }
  } finally {
    await next?.leave();
    filler.close();
  }
}

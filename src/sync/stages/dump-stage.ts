import { describeError, isBridgeError } from '../../core/errors.ts';
import { refuseOtherKind, refuseSilence } from '../../resourcesync/reading/capability.ts';
import { fetchDocument } from '../../resourcesync/reading/fetched-document.ts';
import type { Interval, Member } from '../../resourcesync/reading/source-document.ts';
import { type Moment, momentOf } from '../../resourcesync/reading/stated-time.ts';
import type { Staging } from './staging.ts';

export interface ListedPackages {
  readonly packages: readonly Member[];
  /** Intervals of documents that list none. */
  readonly empty: readonly Interval[];
  /** Of the dump, or of its index. */
  readonly at: Moment | undefined;
  /** The server's when it answered, or ours where it has none. */
  readonly clock: string;
  /** Why packages may be missing. */
  readonly incomplete: string | undefined;
}

const maximumDepth = 3;

export type DumpCapability = 'resourcedump' | 'changedump';

/**
 * The packages of a dump, over an index or not.
 * @param wants false: it is of no interest
 * @throws BridgeError where the dump itself cannot be read
 */
export async function listPackages(
  uri: string,
  capability: DumpCapability,
  { port, remarks, now }: Pick<Staging, 'port' | 'remarks' | 'now'>,
  wants: (member: Member) => boolean = () => true,
): Promise<ListedPackages> {
  const packages: Member[] = [];
  const empty: Interval[] = [];
  let incomplete: string | undefined;
  const read = async (place: string, depth: number) => {
    const fetched = await fetchDocument(port, place, {}, remarks.at(place));
    refuseOtherKind(place, fetched?.document, capability);
    if (fetched) refuseSilence(place, fetched.document, fetched.document.members.length, capability);
    const { members = [], isIndex = false, isStated = false, times } = fetched?.document ?? {};
    if (members.length === 0 && isStated && times !== undefined) empty.push(times);
    for (const member of members) {
      if (!wants(member)) continue;
      if (!isIndex) packages.push(member);
      else if (depth >= maximumDepth) incomplete ??= `${member.uri} lies too deep in indexes`;
      else await readPart(member.uri, depth + 1);
    }
    return { at: times?.at, servedAt: fetched?.servedAt };
  };
  const readPart = async (place: string, depth: number) => {
    try {
      await read(place, depth);
    } catch (error) {
      if (!isBridgeError(error) || error.code === 'interrupted') throw error;
      incomplete ??= `${place}: ${describeError(error)}`;
    }
  };
  const { at, servedAt: clock = now() } = await read(uri, 1);
  const believed = at === undefined ? undefined : momentOf(at, clock, remarks.at(uri));
  return { packages, empty, at: believed, clock, incomplete };
}

import type { Bridge } from '../../bridge/bridge.ts';
import {
  type ContentComparison,
  compareContents,
  largestComparable,
} from '../../core/comparison/comparison.ts';
import { BridgeError, describeError, isBridgeError } from '../../core/errors.ts';
import { parseMoment } from '../../core/time/moment-text.ts';
import { type PastVersion, type ResourcePast, versionAt } from '../../core/time/resource-past.ts';
import type { ResourceHistory } from '../../store/history/timelines.ts';
import { readContents } from '../../store/payloads/contents.ts';

export type VersionPair = readonly [PastVersion, PastVersion];

export interface VersionDifference {
  readonly pair: VersionPair;
  /** Undefined where the two cannot be compared but by length and hash. */
  readonly comparison?: ContentComparison | undefined;
  /** A version whose bytes are not what they were. */
  readonly damage?: { readonly number: number; readonly message: string } | undefined;
}

const changesShown = 100;

/**
 * @param range `A..B`, numbers or datetimes in any order that is meant; default: the last two that can be had
 * @returns undefined where there are no two
 * @throws BridgeError `usage`, `no-memento`
 */
export function chooseVersions(past: ResourcePast, range: string | undefined): VersionPair | undefined {
  if (range === undefined) {
    const known = past.versions.filter(({ state }) => state === 'kept' || state === 'elsewhere');
    const [before, after] = [known.at(-2), known.at(-1)];
    return before && after && [before, after];
  }
  const [from, until, ...more] = range.split('..');
  if (!from || !until || more.length > 0) {
    throw new BridgeError('usage', '--diff takes two versions, A..B: their numbers, or datetimes');
  }
  return [versionCalled(past, from.trim()), versionCalled(past, until.trim())];
}

function versionCalled(past: ResourcePast, text: string): PastVersion {
  const { versions } = past;
  if (/^\d{1,9}$/.test(text) && !parseMomentOf(text)) {
    const version = versions[Number(text) - 1];
    if (version) return version;
    throw new BridgeError('no-memento', `there is no version ${text}, they are 1 to ${versions.length}`);
  }
  const at = parseMoment(text);
  if (at === undefined) {
    throw new BridgeError(
      'usage',
      `--diff takes numbers of versions, or datetimes: ${JSON.stringify(text)} is neither`,
    );
  }
  const version = versionAt(past, at);
  if (version) return version;
  throw new BridgeError('no-memento', `there was no version at ${at}`);
}

/** Eight digits are a date. */
function parseMomentOf(text: string): string | undefined {
  return text.length === 8 ? parseMoment(text) : undefined;
}

/** What changed; of a version that is damaged, that it is. */
export async function compareVersions(
  bridge: Bridge,
  history: ResourceHistory,
  pair: VersionPair,
  all: boolean,
): Promise<VersionDifference> {
  const [before, after] = pair;
  const isReadable = ({ state, length = 0 }: PastVersion) => state === 'kept' && length <= largestComparable;
  if (!pair.every(isReadable)) return { pair };
  const contents: Uint8Array[] = [];
  for (const version of pair) {
    try {
      contents.push(await readVersion(bridge, history, version));
    } catch (error) {
      if (!isBridgeError(error, 'content-damaged')) throw error;
      return { pair, damage: { number: version.number, message: describeError(error) } };
    }
  }
  const [old, now] = contents;
  if (!old || !now || before.hash === after.hash) return { pair };
  const comparison = compareContents(old, now, all ? Number.POSITIVE_INFINITY : changesShown);
  return { pair, comparison };
}

async function readVersion(
  { database, config }: Bridge,
  { path }: ResourceHistory,
  { hash, length }: PastVersion,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const { content } of readContents(database.reader, config.directory, [{ path, hash, length }])) {
    if (content.coding !== 'file') chunks.push(content.bytes);
    else for await (const chunk of content.chunks) chunks.push(Uint8Array.from(chunk));
  }
  return Buffer.concat(chunks);
}

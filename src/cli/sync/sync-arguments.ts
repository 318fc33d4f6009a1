import { relative, resolve } from 'node:path';
import { BridgeError } from '../../core/errors.ts';
import { parseSelection, type Selection } from '../../sync/choice/selection.ts';
import type { Way } from '../../sync/choice/way.ts';
import { type PlaceRule, safeFolder } from '../../sync/places/loc-path.ts';
import type { SyncOptions } from '../../sync/sync-options.ts';
import { parseAddress } from '../validate/validate-address.ts';
import type { SyncFlags } from './sync-flags.ts';

/**
 * What was typed: `URI DIR`, or `URI=DIR` as resync-sync has it, of which several map addresses below the first directory.
 * @throws BridgeError `usage`
 */
export function readArguments(
  url: string,
  directories: readonly string[],
  flags: SyncFlags,
  cwd: string,
): SyncOptions {
  const { address, directory, pairs } = readPlaces(url, directories);
  const root = resolve(cwd, directory);
  const { dryRun, set, deleteExcluded, maxDelete, backupDir, transfers, maxSize, host: hosts, sink } = flags;
  const places = [
    ...(flags.map ?? []).map(placeOf),
    ...pairs.map((pair) => ({
      base: pair.base,
      folder: folderIn(root, resolve(cwd, pair.directory), pair.base),
    })),
  ];
  return {
    ...{ address: parseAddress(address), directory: root, way: wayOf(flags), isDryRun: dryRun, set, hosts },
    ...{ transfers, sink, selection: selectionOf(flags.only), dropsExcluded: deleteExcluded },
    ...{ maximumDeletions: maxDelete, maximumOctets: maxSize ?? Number.MAX_SAFE_INTEGER },
    places: places.length === 0 ? undefined : places,
    maximumTransfer: flags.maxTransfer,
    quota: { octets: flags.quota, resources: flags.quotaResources },
    combined: combinedOf(flags, cwd),
    backup: backupDir === undefined ? undefined : resolve(cwd, backupDir),
  };
}

interface Pair {
  readonly base: string;
  readonly directory: string;
}

function readPlaces(
  url: string,
  directories: readonly string[],
): { readonly address: string; readonly directory: string; readonly pairs: readonly Pair[] } {
  const [directory, ...more] = directories;
  if (directory !== undefined && pairOf(directory) === undefined) {
    if (more.length > 0)
      throw new BridgeError('usage', `${more[0]} is one directory too many; quote names that have spaces`);
    return { address: url, directory, pairs: [] };
  }
  const pairs = [url, ...directories].map((text) => {
    const pair = pairOf(text);
    if (pair === undefined) throw new BridgeError('usage', `${text}: give URL DIR, or URL=DIR`);
    return pair;
  });
  const [first] = pairs;
  if (first === undefined) throw new BridgeError('usage', 'give URL DIR, or URL=DIR');
  return { address: first.base, directory: first.directory, pairs };
}

/** `https://rs.example.org/kyushu=copy` */
function pairOf(text: string): Pair | undefined {
  const at = text.lastIndexOf('=');
  const [base, directory] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)];
  if (!/^https?:\/\//.test(base) || !URL.canParse(base) || directory === '') return undefined;
  return { base: new URL(base).href, directory };
}

function folderIn(root: string, directory: string, base: string): string {
  const inside = relative(root, directory).replaceAll('\\', '/');
  const folder = safeFolder(inside);
  if (folder === undefined || inside.startsWith('..'))
    throw new BridgeError(
      'usage',
      `${base}=${directory}: give a folder in ${root}, the directory of the first pair`,
    );
  return folder;
}

function combinedOf({ audit, combined }: SyncFlags, cwd: string): string | undefined {
  if (combined !== undefined && !audit)
    throw new BridgeError('usage', '--combined says what an audit finds: give --audit, too');
  return combined === undefined ? undefined : resolve(cwd, combined);
}

/** The verbs of resync-sync. */
function wayOf({ baseline, incremental, audit }: SyncFlags): Way | undefined {
  if (baseline) return 'baseline';
  if (incremental) return 'incremental';
  return audit ? 'audit' : undefined;
}

function selectionOf(only: readonly string[] | undefined): Selection | undefined {
  if (only === undefined) return undefined;
  // `--only all` is how a selection is given up.
  const selection = parseSelection(only.filter((word) => word !== 'all'));
  if ('refused' in selection) throw new BridgeError('usage', `--only ${selection.refused}: ${selection.why}`);
  return selection;
}

/** `https://repo.example.org/rs=records`. */
function placeOf(text: string): PlaceRule {
  const at = text.lastIndexOf('=');
  const base = text.slice(0, Math.max(0, at));
  const folder = safeFolder(text.slice(at + 1));
  if (!/^https?:\/\//.test(base) || !URL.canParse(base) || folder === undefined)
    throw new BridgeError(
      'usage',
      `--map ${text}: give BASE=FOLDER, an address and a folder in the copy (. for itself)`,
    );
  return { base: new URL(base).href, folder };
}

import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { toIso } from '../../core/datetime.ts';
import { BridgeError, isBridgeError, refusal } from '../../core/errors.ts';
import type { Actor } from '../../store/admin/audit.ts';
import { primaryOf } from '../../store/admin/primary.ts';
import {
  changeKeptSource,
  findKeptSource,
  forgetKeptSource,
  type KeptSource,
  keepSources,
} from '../../store/sources/kept-sources.ts';
import { parseKept } from '../config/kept-config.ts';
import { originsBelow } from '../config/origins.ts';
import type { StoredBridge } from '../stored-bridge.ts';
import { askAgain } from './ask-again.ts';
import { refuseKnown, refuseTaken } from './new-source.ts';
import { noteAct } from './source-acts.ts';

type Stored = Pick<StoredBridge, 'config' | 'database' | 'clock' | 'origins' | 'reload'>;
type Settings = KeptSource['settings'];

/** @throws BridgeError `usage` naming what is wrong with it: it was typed, and stands in no file */
export function refuseUnusable(source: KeptSource, { config }: Pick<Stored, 'config'>): void {
  try {
    parseKept([source], config);
  } catch (cause) {
    if (!isBridgeError(cause, 'config-invalid')) throw cause;
    throw new BridgeError('usage', cause.message, { cause });
  }
}

/**
 * Keeps a source in the database; every process works by it soon, this one at once.
 * @throws BridgeError `usage` where the name is taken, the address is read already, or the settings are none of a source
 */
export async function addKept(bridge: Stored, source: KeptSource, by: Actor): Promise<void> {
  const { name, settings } = source;
  refuseTaken(bridge, name);
  refuseUnusable(source, bridge);
  refuseKnown(bridge, String(settings.url));
  const kept = await keepSources(bridge.database, [source], toIso(bridge.clock.now()));
  // Another process may not have told us yet.
  if (kept.length === 0) throw refusal('usage', 'name-taken', { name });
  await noteAct(bridge, by, 'added a source', `${name} ${String(settings.url)}`);
  await bridge.reload();
}

/**
 * Changes the settings of a source of the database; what would not be a source any more changes nothing.
 * @param expected a tag of the settings as somebody has seen them; undefined: whatever they are
 * @throws BridgeError `usage`, `unknown-source`, `source-changed`
 */
export async function changeKept(
  bridge: Stored,
  name: string,
  change: (before: Settings) => Settings,
  by: Actor,
  expected?: string,
): Promise<Settings> {
  await refuseOfFile(bridge, name);
  let settings: Settings = {};
  let changed: readonly string[] = [];
  await changeKeptSource(
    bridge.database,
    name,
    (before) => {
      refuseOther(name, before, expected);
      settings = change(before);
      changed = differences(before, settings);
      refuseUnusable({ name, settings }, bridge);
      return settings;
    },
    toIso(bridge.clock.now()),
  );
  await askAgain(bridge, [name]);
  await noteAct(bridge, by, 'changed a source', `${name}: ${changed.join(', ')}`);
  await bridge.reload();
  return settings;
}

/**
 * Takes a source out of the database. What was harvested stays.
 * @throws BridgeError `usage`, `unknown-source`, `source-changed`
 */
export async function removeKept(bridge: Stored, name: string, by: Actor, expected?: string): Promise<void> {
  const kept = await refuseOfFile(bridge, name);
  refuseOther(name, kept.settings, expected);
  await forgetKeptSource(bridge.database, name);
  await noteAct(bridge, by, 'removed a source', name);
  await bridge.reload();
}

/**
 * @returns the source as it is kept
 * @throws BridgeError `usage`, `unknown-source`
 */
export async function refuseOfFile(
  { config, database, origins }: Pick<Stored, 'config' | 'database' | 'origins'>,
  name: string,
): Promise<KeptSource> {
  const kept = await findKeptSource(primaryOf(database), name);
  if (kept) return kept;
  if (Object.hasOwn(config.sources, name)) {
    const [origin] = originsBelow(origins(), `sources.${name}`).values();
    const where = origin === undefined ? 'a file' : origin.place;
    throw refusal('usage', 'source-in-file', { name, place: where });
  }
  const names = Object.keys(config.sources).join(', ') || 'none';
  throw refusal('unknown-source', 'source-unknown', { name, names });
}

/** Another tag for other settings: for `ETag` and `If-Match`. */
export function tagOfSettings(settings: Settings): string {
  return createHash('sha256').update(JSON.stringify(settings)).digest('base64url').slice(0, 22);
}

function refuseOther(name: string, settings: Settings, expected: string | undefined): void {
  if (expected === undefined || expected === tagOfSettings(settings)) return;
  throw refusal('source-changed', 'source-changed', { name });
}

function differences(before: Settings, after: Settings): readonly string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].filter((key) => !isDeepStrictEqual(before[key], after[key])).sort();
}

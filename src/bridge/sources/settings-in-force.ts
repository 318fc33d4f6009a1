import { isDeepStrictEqual } from 'node:util';
import { parseSources, type SourceConfig } from '../../core/config/config.ts';
import { sourceSchema } from '../../core/config/source-schema.ts';
import type { Setting, SourceSettings } from '../../server/deps.ts';
import { primaryOf } from '../../store/admin/primary.ts';
import { findKeptSource } from '../../store/sources/kept-sources.ts';
import { leaves, type Origin, originAt, originsBelow } from '../config/origins.ts';
import { shownSettings } from '../config/shown-settings.ts';
import type { StoredBridge } from '../stored-bridge.ts';
import { refuseUnknown } from './source-acts.ts';

/**
 * The settings of a source as they are in force, each with where it comes from.
 * @throws BridgeError `unknown-source`
 */
export async function settingsInForce(
  { config, database, origins }: Pick<StoredBridge, 'config' | 'database' | 'origins'>,
  name: string,
): Promise<SourceSettings> {
  refuseUnknown({ config }, [name]);
  const source = config.sources[name] as SourceConfig;
  const known = origins();
  const ofFile = originsBelow(known, `sources.${name}`);
  // What a file says of a name counts.
  const kept = ofFile.size > 0 ? undefined : await findKeptSource(primaryOf(database), name);
  const own = kept ? new Set([...leaves(kept.settings)].map(([path]) => path.join('.'))) : new Set<string>();
  const isOwn = (key: string) => own.has(key) || [...own].some((path) => key.startsWith(`${path}.`));
  const group = source.group === undefined ? undefined : config.groups[source.group];
  const ofGroup = new Map([...leaves(group)].map(([path, value]) => [path.join('.'), value]));
  const defaults = new Map(
    [...leaves(parseSources({ [name]: { url: source.url, adapter: source.adapter } }, config)[name])].map(
      ([path, value]) => [path.join('.'), value],
    ),
  );
  const originOf = (key: string, value: unknown): Omit<Setting, 'key' | 'value'> => {
    const said = originAt(ofFile, key);
    if (said) return said;
    if (isOwn(key)) return { from: 'database' };
    if (isDeepStrictEqual(ofGroup.get(key), value)) return { from: 'group', place: source.group ?? '' };
    return { from: isDeepStrictEqual(defaults.get(key), value) ? 'default' : 'command' };
  };
  const settings = shownSettings(sourceSchema, source).map(
    ([key, value]): Setting => ({ key, value, ...originOf(key, value) }),
  );
  const [first] = ofFile.values();
  return { from: kept ? 'database' : 'file', ...placeOf(first), settings };
}

function placeOf(origin: Origin | undefined): { readonly place?: string } {
  return origin === undefined ? {} : { place: origin.place };
}

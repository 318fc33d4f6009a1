import { isDeepStrictEqual } from 'node:util';
import { configSchema, parseConfig } from '../../core/config/config.ts';
import type { Setting } from '../../server/deps.ts';
import { leaves, originAt } from '../config/origins.ts';
import { shownSettings } from '../config/shown-settings.ts';
import type { StoredBridge } from '../stored-bridge.ts';

/** Relative ones were made absolute. */
const paths = new Set(['directory', 'database.file']);

/** The settings of the installation as they are in force, each with where it comes from; each source says its own. */
export function installationSettings({
  config,
  origins,
}: Pick<StoredBridge, 'config' | 'origins'>): readonly Setting[] {
  const known = origins();
  const { sources: _, groups: __, sets: ___, include: ____, ...settings } = config;
  const defaults = new Map([...leaves(parseConfig({}))].map(([path, value]) => [path.join('.'), value]));
  return shownSettings(configSchema, settings).map(([key, value]): Setting => {
    const origin = originAt(known, key);
    if (origin) return { key, value, ...origin };
    const usual = defaults.get(key);
    const isDefault =
      isDeepStrictEqual(value, usual) || (paths.has(key) && String(value).endsWith(`/${String(usual)}`));
    return { key, value, from: isDefault ? 'default' : 'command' };
  });
}

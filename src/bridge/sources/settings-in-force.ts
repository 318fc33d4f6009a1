import { isDeepStrictEqual } from 'node:util';
import { parseSources } from '../../core/config/config.ts';
import type { Setting } from '../../server/deps.ts';
import { listKeptSources } from '../../store/sources/kept-sources.ts';
import type { StoredBridge } from '../stored-bridge.ts';
import { refuseUnknown } from './source-acts.ts';

/**
 * The settings of a source as they are in force, each with where it comes from.
 * @throws BridgeError `unknown-source`
 */
export async function settingsInForce(
  { config, database }: Pick<StoredBridge, 'config' | 'database'>,
  name: string,
): Promise<{ readonly from: 'file' | 'database'; readonly settings: readonly Setting[] }> {
  refuseUnknown({ config }, [name]);
  const source = config.sources[name] as NonNullable<(typeof config.sources)[string]>;
  const kept = (await listKeptSources(database.reader)).find((one) => one.name === name);
  const from = kept ? 'database' : 'file';
  const defaults = parseSources({ [name]: { url: source.url, adapter: source.adapter } }, config)[name];
  const group = source.group === undefined ? undefined : config.groups[source.group];
  const settings = Object.entries(masked(source)).map(([key, value]): Setting => {
    const own = kept && Object.hasOwn(kept.settings, key);
    const isGroups = !own && group !== undefined && Object.hasOwn(group, key);
    const isDefault =
      !own &&
      isDeepStrictEqual(value, (defaults as Readonly<Record<string, unknown>> | undefined)?.[key]) &&
      key !== 'url';
    return { key, value, from: isGroups ? `group ${source.group}` : isDefault ? 'default' : from };
  });
  return { from, settings };
}

/** Secrets are nobody's business, who may see them in the configuration. */
function masked<Source extends { headers?: object | undefined; login?: { user: string } | undefined }>(
  source: Source,
): Source {
  const hidden = '[secret]';
  return {
    ...source,
    ...(source.headers
      ? { headers: Object.fromEntries(Object.keys(source.headers).map((key) => [key, hidden])) }
      : {}),
    ...(source.login ? { login: { user: source.login.user, password: hidden } } : {}),
  };
}

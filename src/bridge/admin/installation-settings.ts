import { isDeepStrictEqual } from 'node:util';
import { type Config, parseConfig } from '../../core/config/config.ts';
import { isObject } from '../../core/config/schema-faults.ts';
import type { Setting } from '../../server/deps.ts';

/** Each source says its own. */
const ofSources = new Set(['sources', 'groups', 'sets', 'include']);
const secrets = new Set([
  'adminPassword',
  'database.url',
  'storage.s3.accessKeyId',
  'storage.s3.secretAccessKey',
  'storage.s3.sessionToken',
]);
/** Relative ones were made absolute. */
const paths = new Set(['directory', 'database.file']);

/** The settings of the installation as they are in force: the default, or what a file, the environment or a flag says. */
export function installationSettings(config: Config): readonly Setting[] {
  const defaults = new Map(flat(parseConfig({}), ''));
  return flat(config, '').map(([key, value]) => {
    const usual = defaults.get(key);
    const isDefault =
      isDeepStrictEqual(value, usual) ||
      (paths.has(key) && typeof value === 'string' && value.endsWith(`/${String(usual)}`));
    return {
      key,
      value: secrets.has(key) ? '[secret]' : value,
      from: isDefault ? 'default' : 'configuration',
    };
  });
}

function flat(value: object, place: string): readonly (readonly [string, unknown])[] {
  return Object.entries(value).flatMap(([key, inner]) => {
    if (inner === undefined || (place === '' && ofSources.has(key))) return [];
    const path = `${place}${key}`;
    return isObject(inner) ? flat(inner, `${path}.`) : [[path, inner] as const];
  });
}

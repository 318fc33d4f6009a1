import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, parse, resolve, sep } from 'node:path';
import { isObject } from '../../core/config/schema-faults.ts';
import { BridgeError, describeError } from '../../core/errors.ts';

type Settings = Record<string, unknown>;

/** What a file may have that another one includes: the rest is said once for all sources, in the one place. */
const shared = ['sources', 'groups'] as const;

/**
 * A configuration with the sources and groups of the files that its `include` names.
 * @param file where it stands; paths are relative to it
 * @param read what such a file says
 * @throws BridgeError `config-invalid` where a file is missing, has other settings, or a name that another has too
 */
export function include(settings: Settings, file: string, read: (file: string) => Settings): Settings {
  const patterns = [settings.include ?? []].flat().filter((pattern) => typeof pattern === 'string');
  const places = new Map<string, string>();
  for (const key of shared) for (const name of namesOf(settings[key])) places.set(`${key}.${name}`, file);
  const merged = { ...settings };
  for (const included of new Set(patterns.flatMap((pattern) => filesOf(pattern, file)))) {
    const more = read(included);
    refuseOthers(more, included);
    for (const key of shared) {
      for (const name of namesOf(more[key])) {
        const place = `${key}.${name}`;
        const before = places.get(place);
        if (before !== undefined)
          throw new BridgeError('config-invalid', `${place} is in ${before} and in ${included}; remove one`);
        places.set(place, included);
      }
      // What is no mapping is left to be refused with the rest.
      if (more[key] !== undefined && !isObject(more[key]))
        throw new BridgeError(
          'config-invalid',
          `${included}: ${key} has no names; write NAME: { … } below it`,
        );
      if (isObject(more[key])) merged[key] = { ...(merged[key] as Settings | undefined), ...more[key] };
    }
  }
  return merged;
}

function namesOf(value: unknown): readonly string[] {
  return isObject(value) ? Object.keys(value) : [];
}

function refuseOthers(settings: Settings, file: string): void {
  const other = Object.keys(settings).find((key) => !(shared as readonly string[]).includes(key));
  if (other === undefined) return;
  throw new BridgeError(
    'config-invalid',
    `${file}: ${other} cannot be set here, because this file is included by another; write only sources and groups here, and ${other} there`,
  );
}

/** In the order of their names. A name without * has to be there; of a pattern there may be none yet. */
function filesOf(pattern: string, file: string): readonly string[] {
  const whole = resolve(dirname(file), pattern);
  const { root } = parse(whole);
  let found = [root];
  for (const segment of whole.slice(root.length).split(sep)) {
    found = segment.includes('*')
      ? found.flatMap((directory) => namesLike(segment, directory).map((name) => join(directory, name)))
      : found.map((directory) => join(directory, segment));
  }
  if (pattern.includes('*')) return found.filter((one) => one !== file && existsSync(one));
  if (!existsSync(whole))
    throw new BridgeError('config-invalid', `include: there is no ${whole}; correct the path, or remove it`);
  return found;
}

function namesLike(pattern: string, directory: string): readonly string[] {
  const parts = pattern.split('*').map((part) => part.replace(/[\\^$.+?()[\]{}|]/g, '\\$&'));
  const like = new RegExp(`^${parts.join('.*')}$`);
  try {
    // As in a shell, * is not for what is hidden.
    return readdirSync(directory)
      .filter((name) => like.test(name) && (!name.startsWith('.') || pattern.startsWith('.')))
      .sort();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw new BridgeError(
      'config-invalid',
      `include: ${describeError(cause)}; let rsbridge read ${directory}`,
      {
        cause,
      },
    );
  }
}

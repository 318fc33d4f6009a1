import { privateSetOf } from '../../core/access/private-sets.ts';
import { type Config, parseSources } from '../../core/config/config.ts';
import { isObject } from '../../core/config/schema-faults.ts';
import { BridgeError, isBridgeError } from '../../core/errors.ts';
import type { KeptSource } from '../../store/sources/kept-sources.ts';
import { checkSchedules } from './schedules.ts';

export interface KeptConfig {
  readonly config: Config;
  /** Of those in the database that are not used, a sentence each. */
  readonly problems: readonly string[];
}

/** Secrets are not for a database, which is copied and backed up. */
const ofFiles = ['headers', 'login', 'access.token', 'access.tokens'];

/** A configuration with the sources that are kept in the database. What a file says of a name counts. */
export function withKept(config: Config, kept: readonly KeptSource[]): KeptConfig {
  const problems: string[] = [];
  const others = kept.filter(({ name }) => {
    const isTwice = Object.hasOwn(config.sources, name);
    if (isTwice)
      problems.push(
        `sources.${name} is in a file and in the database; the file counts; rsbridge sources remove ${name} takes it out of the database`,
      );
    return !isTwice;
  });
  const sources = { ...config.sources, ...parseAll(others, config, problems) };
  return { config: { ...config, sources }, problems };
}

/** All at once, and one by one where that fails: one that cannot be used does not keep the others from work. */
function parseAll(kept: readonly KeptSource[], config: Config, problems: string[]): Config['sources'] {
  try {
    return parseKept(kept, config);
  } catch (error) {
    if (!isBridgeError(error, 'config-invalid')) throw error;
  }
  const sources: Config['sources'] = {};
  for (const source of kept) {
    try {
      Object.assign(sources, parseKept([source], config));
    } catch (error) {
      if (!isBridgeError(error, 'config-invalid')) throw error;
      problems.push(`${error.message}; rsbridge sources edit ${source.name} changes it`);
    }
  }
  return sources;
}

/**
 * Sources of the database, by the groups of the configuration and with all defaults.
 * @throws BridgeError `config-invalid` naming every fault
 */
export function parseKept(kept: readonly KeptSource[], config: Config): Config['sources'] {
  for (const { name, settings } of kept) {
    const secret = ofFiles.find((key) => has(settings, key.split('.')));
    if (secret !== undefined)
      throw new BridgeError(
        'config-invalid',
        `sources.${name}.${secret}: secrets are not kept in the database; write this source into rsbridge.yaml or a file that it includes`,
      );
  }
  const raw = Object.fromEntries(kept.map(({ name, settings }) => [name, settings]));
  const sources = parseSources(raw, config);
  refusePrivateSets(sources, raw);
  checkSchedules(sources);
  return sources;
}

/** Each is a source of its own, whose name is to be free wherever the configuration is read. */
function refusePrivateSets(sources: Config['sources'], raw: Readonly<Record<string, unknown>>): void {
  const added = Object.keys(sources).find((name) => !Object.hasOwn(raw, name));
  const part = added === undefined ? undefined : privateSetOf(sources, added);
  if (part !== undefined)
    throw new BridgeError(
      'config-invalid',
      `sources.${part.source}.sets.${part.set}.access: private sets are not kept in the database; write this source into rsbridge.yaml or a file that it includes`,
    );
}

function has(settings: unknown, [key = '', ...rest]: readonly string[]): boolean {
  if (!isObject(settings) || !Object.hasOwn(settings, key)) return false;
  return rest.length === 0 || has(settings[key], rest);
}

import { isDeepStrictEqual } from 'node:util';
import type { Config } from '../../core/config/config.ts';

/** A configuration whose sources may be replaced while it is in use: whoever asks it for them gets the newest. */
export interface LiveConfig {
  readonly config: Config;
  /** Takes the sources of another configuration; all else stays until the process is started again. */
  replaceSources(next: Config): ConfigChanges;
}

export interface ConfigChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly ChangedSource[];
  /** Settings that differ, and count after a restart only. */
  readonly later: readonly string[];
}

export interface ChangedSource {
  readonly name: string;
  /** Which of its settings. */
  readonly settings: readonly string[];
}

/** What says something about sources, and nothing else. */
const ofSources = new Set(['sources', 'groups', 'include']);

export function liveConfig(first: Config): LiveConfig {
  let { sources, groups } = first;
  const config: Config = {
    ...first,
    get sources() {
      return sources;
    },
    get groups() {
      return groups;
    },
  };
  return {
    config,
    replaceSources(next) {
      const before = sources;
      ({ sources, groups } = next);
      const names = Object.keys(sources);
      return {
        added: names.filter((name) => !Object.hasOwn(before, name)),
        removed: Object.keys(before).filter((name) => !Object.hasOwn(sources, name)),
        changed: names
          .filter((name) => Object.hasOwn(before, name))
          .map((name) => ({ name, settings: differences(before[name], sources[name]) }))
          .filter(({ settings }) => settings.length > 0),
        later: differences(first, next).filter((key) => !ofSources.has(key)),
      };
    },
  };
}

/** The names of what is not the same. */
function differences(a: object | undefined, b: object | undefined): readonly string[] {
  const [before, after] = [new Map(Object.entries(a ?? {})), new Map(Object.entries(b ?? {}))];
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((key) => !isDeepStrictEqual(before.get(key), after.get(key)))
    .sort();
}

/** `added kyushu; changed osaka (schedule, formats); removed tokyo`, or that there is nothing new. */
export function describeChanges({ added, removed, changed, later }: ConfigChanges): string {
  const parts = [
    added.length > 0 ? `added ${added.join(', ')}` : [],
    changed.length > 0
      ? `changed ${changed.map(({ name, settings }) => `${name} (${settings.join(', ')})`).join(', ')}`
      : [],
    removed.length > 0 ? `removed ${removed.join(', ')}` : [],
    later.length > 0 ? `${later.join(', ')}: differs, and counts after a restart` : [],
  ].flat();
  return parts.length === 0 ? 'nothing has changed' : parts.join('; ');
}

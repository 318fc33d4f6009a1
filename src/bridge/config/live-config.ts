import { isDeepStrictEqual } from 'node:util';
import type { Config } from '../../core/config/config.ts';
import type { Pause } from '../../store/sources/pauses.ts';

/** A configuration whose sources may be replaced while it is in use: whoever asks it for them gets the newest. */
export interface LiveConfig {
  readonly config: Config;
  /** A source that is to be left alone at this moment (ISO), whatever its schedule says. */
  pauseOf(source: string, now: string): Pause | undefined;
  /** Takes the sources of another configuration; all else stays until the process is started again. */
  replaceSources(next: Config, pauses: ReadonlyMap<string, Pause>): ConfigChanges;
}

export interface ConfigChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly ChangedSource[];
  readonly paused: readonly string[];
  readonly resumed: readonly string[];
  /** Sets across sources that came, went, or are others than they were. */
  readonly sets: readonly string[];
  /** Settings that differ, and count after a restart only. */
  readonly later: readonly string[];
}

export interface ChangedSource {
  readonly name: string;
  /** Which of its settings. */
  readonly settings: readonly string[];
}

/** What says something about sources, and nothing else. */
const ofSources = new Set(['sources', 'groups', 'sets', 'include']);

export function liveConfig(first: Config): LiveConfig {
  let { sources, groups, sets } = first;
  let pauses: ReadonlyMap<string, Pause> = new Map();
  const config: Config = {
    ...first,
    get sources() {
      return sources;
    },
    get groups() {
      return groups;
    },
    get sets() {
      return sets;
    },
  };
  return {
    config,
    pauseOf(source, now) {
      const pause = pauses.get(source);
      return pause && (pause.until === undefined || pause.until > now) ? pause : undefined;
    },
    replaceSources(next, nextPauses) {
      const [before, setsBefore, pausedBefore] = [sources, sets, pauses];
      ({ sources, groups, sets } = next);
      pauses = nextPauses;
      const names = Object.keys(sources);
      return {
        added: names.filter((name) => !Object.hasOwn(before, name)),
        removed: Object.keys(before).filter((name) => !Object.hasOwn(sources, name)),
        changed: names
          .filter((name) => Object.hasOwn(before, name))
          .map((name) => ({ name, settings: differences(before[name], sources[name]) }))
          .filter(({ settings }) => settings.length > 0),
        paused: [...pauses.keys()].filter((name) => !pausedBefore.has(name)),
        resumed: [...pausedBefore.keys()].filter((name) => !pauses.has(name)),
        sets: differences(setsBefore, sets),
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
export function describeChanges(changes: ConfigChanges): string {
  const { changed, later } = changes;
  const parts = [
    listed('added', changes.added),
    listed(
      'changed',
      changed.map(({ name, settings }) => `${name} (${settings.join(', ')})`),
    ),
    listed('removed', changes.removed),
    listed('paused', changes.paused),
    listed('resumed', changes.resumed),
    listed('changed the sets', changes.sets),
    ...(later.length > 0 ? [`${later.join(', ')}: differs, and counts after a restart`] : []),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? 'nothing has changed' : parts.join('; ');
}

function listed(what: string, names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : `${what} ${names.join(', ')}`;
}

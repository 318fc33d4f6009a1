import { isObject } from '../../../core/config/schema-faults.ts';
import { BridgeError } from '../../../core/errors.ts';
import { type Entry, listedEntry } from './listed-entry.ts';
import { columnOf } from './listed-settings.ts';
import type { SourceList } from './listed-source.ts';
import { partList } from './part-list.ts';

/**
 * A list of addresses or of objects; our own `{ "sources": { NAME: … } }`; or what OpenDOAR answers, `{ "items": [ … ] }`.
 * @throws BridgeError `usage`
 */
export function jsonList(text: string): SourceList {
  const { kind, entries } = read(parse(text));
  const keys = new Set(entries.flatMap(({ values }) => Object.keys(values)));
  return {
    kind,
    ...partList(entries.map(listedEntry)),
    unused: [...keys].filter((key) => columnOf(key) === undefined),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new BridgeError('usage', `it begins as JSON does, but is none: ${(cause as Error).message}`, {
      cause,
    });
  }
}

function read(json: unknown): { kind: string; entries: readonly Entry[] } {
  if (isObject(json) && isObject(json.sources)) {
    const named = Object.entries(json.sources).map(([name, source]) => ({
      place: name,
      values: { ...(isObject(source) ? source : {}), name },
    }));
    return { kind: 'JSON of sources', entries: named };
  }
  const list = Array.isArray(json) ? json : isObject(json) ? json.items : undefined;
  if (!Array.isArray(list))
    throw new BridgeError(
      'usage',
      'there is no list of repositories in this JSON; write [{ "url": … }, …], { "sources": { NAME: … } }, or what OpenDOAR answers',
    );
  const isOpenDoar = list.some((entry) => isObject(entry) && isObject(entry.repository_metadata));
  return {
    kind: isOpenDoar ? 'JSON of OpenDOAR' : 'JSON',
    entries: list.map((entry: unknown, index) => ({ place: `entry ${index + 1}`, values: valuesOf(entry) })),
  };
}

function valuesOf(entry: unknown): Entry['values'] {
  if (typeof entry === 'string') return { url: entry };
  if (!isObject(entry)) return {};
  const { repository_metadata: metadata } = entry;
  if (!isObject(metadata)) return entry;
  // Its names are by language, its endpoint may be missing; then its home page leads there.
  const { oai_url: oai, url, name } = metadata;
  return { url: oai || url, title: nameOf(name) };
}

function nameOf(names: unknown): string | undefined {
  const all = (Array.isArray(names) ? names : []).filter(isObject);
  const preferred = all.find(({ preferred }) => preferred === 'name') ?? all[0];
  return typeof preferred?.name === 'string' ? preferred.name : undefined;
}

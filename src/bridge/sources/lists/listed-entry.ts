import { isObject } from '../../../core/config/schema-faults.ts';
import { type Column, columnOf } from './listed-settings.ts';
import type { ListedSource, ListProblem } from './listed-source.ts';

/** An entry of a list with what its keys say, in whatever words. */
export interface Entry {
  readonly place: string;
  /** By key. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** The repository that it names, or why it names none. */
export function listedEntry({ place, values }: Entry): ListedSource | ListProblem {
  const settings: Record<string, unknown> = {};
  const taken = new Map<string, Column>();
  for (const [key, value] of Object.entries(values)) {
    const column = columnOf(key);
    if (!column || isEmpty(value)) continue;
    const path = column.path.join('.');
    const before = taken.get(path);
    if (before && before.rank <= column.rank) continue;
    taken.set(path, column);
    put(settings, column.path, value);
  }
  const { url, name, ...others } = settings;
  const found = typeof url === 'string' ? webAddress(url) : undefined;
  if (found === undefined) return { place, message: refusal(url) };
  const isName = typeof name === 'string' && /^[a-z0-9-]+$/.test(name);
  const title = others.title ?? (isName ? undefined : name);
  return {
    place,
    ...found,
    name: isName ? name : undefined,
    settings: title === undefined ? others : { ...others, title: String(title) },
  };
}

function refusal(url: unknown): string {
  if (url === undefined)
    return 'there is no address; write that of its OAI-PMH endpoint, or of its home page, as url';
  // Whatever is before an @ may be a password.
  const told = typeof url === 'string' && !url.includes('@') ? JSON.stringify(url) : 'the given address';
  return `${told} is not one that can be read; write one that begins with http:// or https://, without a name and password`;
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '';
}

function put(settings: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [key = '', ...rest] = path;
  if (rest.length === 0) {
    settings[key] = value;
    return;
  }
  const inner = isObject(settings[key]) ? settings[key] : {};
  settings[key] = inner;
  put(inner, rest, value);
}

/** Without a request that somebody left in it (`?verb=Identify`). */
function webAddress(text: string): Pick<ListedSource, 'url' | 'address'> | undefined {
  const trimmed = text.trim();
  const hasScheme = /^[a-z][a-z0-9+.-]*:/i.test(trimmed) && !/^[\w.-]+:\d/.test(trimmed);
  const whole = hasScheme ? trimmed : `https://${trimmed}`;
  if (!URL.canParse(whole)) return undefined;
  const url = new URL(whole);
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  if (!url.hostname.includes('.') && !/^(?:localhost|\[.*\])$/.test(url.hostname)) return undefined;
  url.hash = '';
  if (url.searchParams.has('verb')) url.search = '';
  return { url: url.href, ...(hasScheme ? {} : { address: url.href.slice('https://'.length) }) };
}

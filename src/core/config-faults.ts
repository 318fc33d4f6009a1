import type { TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { acceptedPlaces, parseAllowedPlace } from './network-allow.ts';
import { reservedNames } from './uris.ts';

/** Everything that is wrong with a configuration, a sentence each: where, what, and the nearest known key. */
export function* findFaults(value: unknown, schema: TSchema): Generator<string> {
  yield* unknownKeys(value, schema, '');
  const seen = new Set<string>();
  // Finding out what is wrong takes several times as long as whether anything is.
  for (const error of Value.Check(schema, value) ? [] : Value.Errors(schema, value)) {
    const place = error.path.slice(1).replaceAll('/', '.');
    // Unknown keys are reported above with a suggestion; one fault per place is enough.
    if (/unexpected property/i.test(error.message) || seen.has(place)) continue;
    seen.add(place);
    const fault =
      choiceFault(error.schema, error.value) ?? `${error.message.toLowerCase()}${describeValue(error.value)}`;
    yield `${place || 'configuration'}: ${fault}`;
  }
  const { sources, baseUrl, listen, network } = value as Readonly<Record<string, unknown>>;
  yield* networkFaults(network);
  yield* listenFaults(listen);
  const basePath =
    typeof baseUrl === 'string' ? baseUrl.replace(/^https?:\/\/[^/]*\/?/, '').split('/')[0] : '';
  for (const name of Object.keys(isObject(sources) ? sources : {})) {
    // Behind a proxy that strips the path, /rs/… would be this source's address.
    if (name === basePath) yield `sources.${name}: the path of baseUrl begins with this name; choose another`;
    if (reservedNames.has(name))
      yield `sources.${name}: this name is taken by an address of our own; choose another`;
    else if (!/^[a-z0-9-]+$/.test(name)) yield `sources.${name}: a source's name is made of a-z, 0-9 and -`;
    const source = (sources as Record<string, unknown>)[name];
    yield* setFaults(`sources.${name}`, source);
    yield* dspaceFaults(`sources.${name}`, source);
  }
}

function* networkFaults(network: unknown): Generator<string> {
  const { allow } = isObject(network) ? network : {};
  for (const [index, entry] of (Array.isArray(allow) ? allow : []).entries()) {
    if (typeof entry === 'string' && parseAllowedPlace(entry) === undefined) {
      yield `network.allow.${index}: ${JSON.stringify(entry)} is none of what can be allowed: ${acceptedPlaces}`;
    }
  }
}

function* listenFaults(listen: unknown): Generator<string> {
  const { trustedProxies } = isObject(listen) ? listen : {};
  for (const [index, entry] of (Array.isArray(trustedProxies) ? trustedProxies : []).entries()) {
    const place = typeof entry === 'string' ? parseAllowedPlace(entry) : undefined;
    if (!place || !('range' in place) || place.port !== undefined)
      yield `listen.trustedProxies.${index}: ${JSON.stringify(entry)} is no address and no range such as 10.0.0.0/8`;
  }
}

/** Whatever everybody may not read must not come in at all. */
const credentialHeaders = /^(?:authorization|cookie|proxy-authorization|rest-dspace-token)$/i;

function* dspaceFaults(place: string, source: unknown): Generator<string> {
  if (!isObject(source)) return;
  const { adapter, formats, headers, timeZone } = source;
  if (adapter !== 'dspace' && adapter !== 'dspace-legacy') {
    const own = ['login', 'oai', 'entityTypes'].filter((key) => source[key] !== undefined);
    if (own.length > 0) yield `${place}.${own[0]}: this belongs to the adapter dspace; here it is ${adapter}`;
    const fromOai = isObject(formats) || (Array.isArray(formats) && formats.some(isObject));
    if (fromOai) yield `${place}.formats: everything comes from OAI-PMH here; write the names alone`;
    return;
  }
  for (const name of Object.keys(isObject(headers) ? headers : {})) {
    if (credentialHeaders.test(name))
      yield `${place}.headers.${name}: a DSpace is read as everybody sees it, so that nothing else is published; for hidden version histories use \`login\``;
  }
  const names = (Array.isArray(formats) ? formats : []).map((format) =>
    isObject(format) ? format.name : format,
  );
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) yield `${place}.formats: ${String(twice)} is there twice`;
  if (typeof timeZone === 'string' && !isTimeZone(timeZone))
    yield `${place}.timeZone: there is no time zone "${timeZone}"; write it as Europe/Berlin or UTC`;
}

function isTimeZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}

const ownSets = ['all', 'metadata'];

function* setFaults(place: string, source: unknown): Generator<string> {
  const { sets, dumps } = isObject(source) ? source : {};
  const names = Object.keys(isObject(sets) ? sets : {});
  for (const name of names) {
    const set = isObject(sets) ? sets[name] : undefined;
    if (ownSets.includes(name)) yield `${place}.sets.${name}: every source has this set; choose another name`;
    else if (!/^[a-z0-9-]+$/.test(name))
      yield `${place}.sets.${name}: a set's name is made of a-z, 0-9 and -`;
    if (isObject(set) && set.collections === undefined && set.formats === undefined) {
      yield `${place}.sets.${name}: say what is in it, by collections, by formats, or by both`;
    }
  }
  const known = [...ownSets, ...names];
  for (const name of Array.isArray(dumps) ? dumps : []) {
    if (!known.includes(name))
      yield `${place}.dumps: there is no set "${name}"${suggest(String(name), known)}`;
  }
}

/** Undefined where the schema is no choice of literals. */
function choiceFault(schema: TSchema, value: unknown): string | undefined {
  const choices = ((schema.anyOf as TSchema[] | undefined) ?? []).map(wordOf);
  if (choices.length === 0 || choices.includes(undefined)) return undefined;
  const words = choices.map(String);
  const nearest = typeof value === 'string' ? nearestOf(value, words) : undefined;
  const meant = nearest === undefined ? '' : didYouMean(nearest);
  return `expected one of ${words.join(', ')}${describeValue(value)}${meant}`;
}

/** `all`, or `{ last: … }` of an object with one key; undefined where a word would not do. */
function wordOf({ const: word, properties }: TSchema): unknown {
  const keys = isObject(properties) ? Object.keys(properties) : [];
  return keys.length === 1 ? `{ ${keys[0]}: … }` : word;
}

function describeValue(value: unknown): string {
  if (value === undefined) return '';
  const text =
    typeof value === 'string' && value.includes('://') ? 'the given address' : JSON.stringify(value);
  return `, not ${text.length > 60 ? `${text.slice(0, 57)}…` : text}`;
}

function* unknownKeys(value: unknown, schema: TSchema, place: string): Generator<string> {
  if (Array.isArray(value) && schema.items) {
    for (const [index, child] of value.entries()) {
      yield* unknownKeys(child, schema.items as TSchema, `${place}${index}.`);
    }
  }
  if (!isObject(value)) return;
  const record = schema.patternProperties as Record<string, TSchema> | undefined;
  if (record) {
    const [inner] = Object.values(record);
    for (const [key, child] of Object.entries(value))
      if (inner) yield* unknownKeys(child, inner, `${place}${key}.`);
    return;
  }
  const alternatives = (schema.anyOf as TSchema[] | undefined) ?? [schema];
  const chosen = alternatives.find((option) => matchesLiterals(value, option)) ?? alternatives[0];
  const properties = chosen?.properties as Record<string, TSchema> | undefined;
  if (!properties) return;
  for (const [key, child] of Object.entries(value)) {
    const inner = properties[key];
    if (inner) yield* unknownKeys(child, inner, `${place}${key}.`);
    else yield `${place}${key}: unknown key${suggest(key, Object.keys(properties))}`;
  }
}

export function matchesLiterals(value: Record<string, unknown>, schema: TSchema): boolean {
  const properties = schema.properties as Record<string, TSchema> | undefined;
  return Object.entries(properties ?? {}).every(
    ([key, child]) => child.const === undefined || child.const === value[key],
  );
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** ` (did you mean "schedule"?)` for the nearest of the known words, or nothing. */
export function suggest(word: string, known: readonly string[]): string {
  const nearest = nearestOf(word, known);
  return nearest === undefined ? `; known are ${known.join(', ')}` : didYouMean(nearest);
}

function didYouMean(word: string): string {
  return ` (did you mean "${word}"?)`;
}

function nearestOf(word: string, known: readonly string[]): string | undefined {
  let nearest: string | undefined;
  let least = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < least) [nearest, least] = [candidate, distance];
  }
  return nearest;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

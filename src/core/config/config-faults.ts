import type { TSchema } from '@sinclair/typebox';
import { hiddenCollections, isInAny, privateSourceName } from '../access/private-sets.ts';
import { say } from '../reasons/reason.ts';
import { pageNames, reservedNames } from '../uris.ts';
import { jointPath } from './joint-sets.ts';
import { acceptedPlaces, parseAllowedPlace } from './network-allow.ts';
import { isAdminEmail, offeredOai, upstreamOai } from './oai-schema.ts';
import { isObject, schemaFaults } from './schema-faults.ts';
import { groupFaults } from './source-groups.ts';
import type { SourceConfig } from './source-schema.ts';
import { nearestOf, suggestion } from './suggestion.ts';

/** Everything that is wrong with a configuration, a sentence each: where it is, and what to write there. */
export function* findFaults(value: unknown, schema: TSchema): Generator<string> {
  yield* schemaFaults(schema, value);
  const all = value as Readonly<Record<string, unknown>>;
  const { sources, groups, sets, baseUrl, listen, network, storage, admin, pages, timeZone } = all;
  yield* networkFaults(network);
  yield* rangeFaults('listen.trustedProxies', isObject(listen) ? listen.trustedProxies : undefined);
  yield* adminFaults(admin);
  if (isObject(listen) && listen.metrics === false && !hasListener(admin))
    yield 'listen.metrics: there is no other port for /metrics; write admin.listen with a port, or leave this out';
  yield* storageFaults(storage);
  yield* mailFaults(all);
  yield* timeZoneFaults('timeZone', timeZone);
  // Where it has none of its own it is the one above.
  if (isObject(pages) && pages.timeZone !== timeZone) yield* timeZoneFaults('pages.timeZone', pages.timeZone);
  yield* groupFaults(sources, groups);
  const basePath =
    typeof baseUrl === 'string' ? baseUrl.replace(/^https?:\/\/[^/]*\/?/, '').split('/')[0] : '';
  yield* jointSetFaults(sets, { sources, groups, basePath });
  yield* jointOaiFaults(all);
  yield* notifyFaults(all);
  for (const name of Object.keys(isObject(sources) ? sources : {})) {
    // Behind a proxy that strips the path, /rs/… would be this source's address.
    if (name === basePath) yield `sources.${name}: ${say('name-begins-base', {})}`;
    if (reservedNames.has(name)) yield `sources.${name}: ${say('name-is-an-address', {})}`;
    else if (!/^[a-z0-9-]+$/.test(name)) yield `sources.${name}: ${say('name-of-source', {})}`;
    const source = (sources as Record<string, unknown>)[name];
    if (pageNames.has(name) && isObject(source) && source.access !== undefined)
      yield `sources.${name}.access: ${say('page-would-close', { name })}`;
    yield* setFaults(`sources.${name}`, source);
    yield* privateSetFaults(name, source, { sources, basePath });
    yield* dspaceFaults(`sources.${name}`, source);
    yield* oaiFaults(`sources.${name}`, source, all.contact);
  }
}

function* networkFaults(network: unknown): Generator<string> {
  const { allow } = isObject(network) ? network : {};
  for (const [index, entry] of (Array.isArray(allow) ? allow : []).entries()) {
    if (typeof entry === 'string' && parseAllowedPlace(entry) === undefined) {
      yield `network.allow.${index}: ${JSON.stringify(entry)} cannot be allowed; write ${acceptedPlaces}`;
    }
  }
}

function* storageFaults(storage: unknown): Generator<string> {
  const { s3, ...places } = isObject(storage) ? storage : {};
  for (const [name, place] of Object.entries(places))
    if (place === 's3' && s3 === undefined)
      yield `storage.${name}: there is no bucket; write storage.s3 with its endpoint and bucket, or ${name}: ${name === 'payloads' ? 'database' : 'disk'}`;
  const { accessKeyId, secretAccessKey } = isObject(s3) ? s3 : {};
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined))
    yield 'storage.s3: accessKeyId and secretAccessKey belong together; write both or neither';
}

/** Whoever is to be written to needs a server that takes it. */
function* mailFaults({ mail, alerts, sources }: Readonly<Record<string, unknown>>): Generator<string> {
  if (isObject(mail) && (mail.user === undefined) !== (mail.password === undefined))
    yield 'mail: user and password belong together; write both or neither';
  if (isObject(mail) && mail.password !== undefined && mail.security === 'none')
    yield 'mail.security: a password is not sent in clear; write starttls or tls, or leave out user and password';
  if (mail !== undefined) return;
  const missing = say('no-mail-server', {});
  if (isObject(alerts) && alerts.to !== undefined) yield `alerts.to: ${missing}`;
  for (const [name, source] of Object.entries(isObject(sources) ? sources : {}))
    if (isObject(source) && source.digestTo !== undefined) yield `sources.${name}.digestTo: ${missing}`;
}

function* rangeFaults(path: string, ranges: unknown): Generator<string> {
  for (const [index, entry] of (Array.isArray(ranges) ? ranges : []).entries()) {
    const place = typeof entry === 'string' ? parseAllowedPlace(entry) : undefined;
    if (!place || !('range' in place) || place.port !== undefined)
      yield `${path}.${index}: ${JSON.stringify(entry)} is neither an address nor a range; write one such as 10.0.0.0/8`;
  }
}

/** A service that could be two would be believed as either. */
function* notifyFaults({ coarNotify, sources }: Readonly<Record<string, unknown>>): Generator<string> {
  const { partners } = isObject(coarNotify) ? coarNotify : {};
  const named = new Map<unknown, string>();
  for (const [name, partner] of Object.entries(isObject(partners) ? partners : {})) {
    const place = `coarNotify.partners.${name}`;
    const { from, service } = isObject(partner) ? partner : {};
    yield* rangeFaults(`${place}.from`, from);
    const other = named.get(service);
    if (other !== undefined) yield `${place}.service: ${other} has the same; write a service once`;
    named.set(service, name);
  }
  if (isObject(partners) && isObject(sources) && Object.hasOwn(sources, 'inbox'))
    yield 'sources.inbox: the inbox of coarNotify is at /inbox; call the source something else';
}

function* adminFaults(admin: unknown): Generator<string> {
  const { proxyLogin } = isObject(admin) ? admin : {};
  yield* rangeFaults('admin.proxyLogin.from', isObject(proxyLogin) ? proxyLogin.from : undefined);
}

function hasListener(admin: unknown): boolean {
  return isObject(admin) && admin.enabled !== false && isObject(admin.listen);
}

/** Whatever everybody may not read must not come in at all. */
const credentialHeaders = /^(?:authorization|cookie|proxy-authorization|rest-dspace-token)$/i;

function* dspaceFaults(place: string, source: unknown): Generator<string> {
  if (!isObject(source)) return;
  const { adapter, formats, headers, timeZone } = source;
  if (adapter !== 'resourcesync' && source.resourcesync !== undefined)
    yield `${place}.resourcesync: ${say('setting-of-adapter', { adapter: String(adapter) })}`;
  if (adapter !== 'dspace' && adapter !== 'dspace-legacy') {
    const own = ['login', 'oai', 'entityTypes', 'crosswalk'].filter((key) =>
      key === 'oai'
        ? upstreamOai(source.oai as SourceConfig['oai']) !== undefined
        : source[key] !== undefined,
    );
    if (own.length > 0) yield `${place}.${own[0]}: ${say('setting-of-dspace', { adapter: String(adapter) })}`;
    const fromOai = isObject(formats) || (Array.isArray(formats) && formats.some(isObject));
    if (fromOai) yield `${place}.formats: ${say('formats-from-oai', { example: '[oai_dc, jpcoar]' })}`;
    return;
  }
  for (const name of Object.keys(isObject(headers) ? headers : {})) {
    if (credentialHeaders.test(name)) yield `${place}.headers.${name}: ${say('header-of-account', {})}`;
  }
  const names = (Array.isArray(formats) ? formats : []).map((format) =>
    isObject(format) ? format.name : format,
  );
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) yield `${place}.formats: ${say('value-twice', { text: String(twice) })}`;
  yield* timeZoneFaults(`${place}.timeZone`, timeZone);
}

function* jointOaiFaults({ oai, contact, groups }: Readonly<Record<string, unknown>>): Generator<string> {
  if (oai === undefined || oai === false) return;
  const settings = isObject(oai) ? oai : {};
  if (![settings.adminEmail, contact].some((address) => typeof address === 'string' && isAdminEmail(address)))
    yield 'oai: harvesters have to know whom to write to; write oai: { adminEmail: repository@example.ac.jp }, or such an address as contact';
  yield* unknownGroups('oai.groups', settings.groups, groups);
}

/** OAI-PMH wants an address of somebody who reads it. */
function* oaiFaults(place: string, source: unknown, contact: unknown): Generator<string> {
  if (!isObject(source)) return;
  const offered = offeredOai(source.oai as SourceConfig['oai']);
  const addresses = [offered?.adminEmail, source.contact, contact];
  if (offered && !addresses.some((address) => typeof address === 'string' && isAdminEmail(address)))
    yield `${place}.oai: ${say('oai-without-address', { example: 'oai: { adminEmail: repository@example.ac.jp }' })}`;
}

function* timeZoneFaults(place: string, timeZone: unknown): Generator<string> {
  if (typeof timeZone !== 'string' || isTimeZone(timeZone)) return;
  const meant = nearestOf(timeZone, Intl.supportedValuesOf('timeZone')) ?? '';
  yield `${place}: ${say('no-time-zone', { text: timeZone, meant })}`;
}

function isTimeZone(timeZone: string): boolean {
  // Some versions of Node take `+09:00`, too, and others do not.
  if (!/^[A-Za-z]/.test(timeZone)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}

/** Documents of a set across sources are where a source could be. */
function* jointSetFaults(
  sets: unknown,
  { sources, groups, basePath }: { sources: unknown; groups: unknown; basePath: string | undefined },
): Generator<string> {
  for (const [name, set] of Object.entries(isObject(sets) ? sets : {})) {
    const [place = ''] = jointPath(name).split('/');
    if (!/^[a-z0-9-]+$/.test(name)) yield `sets.${name}: ${say('name-of-set', {})}`;
    if (place === basePath)
      yield `sets.${name}: the path of baseUrl begins with ${place}, as the addresses of this set do; choose another`;
    if (isObject(sources) && Object.hasOwn(sources, place))
      yield `sets.${name}: its documents would be at /${jointPath(name)}, where the source ${place} is; call one of them something else`;
    yield* unknownGroups(`sets.${name}.groups`, isObject(set) ? set.groups : undefined, groups);
  }
}

function* unknownGroups(place: string, named: unknown, groups: unknown): Generator<string> {
  const known = Object.keys(isObject(groups) ? groups : {});
  for (const group of Array.isArray(named) ? named : [])
    if (typeof group === 'string' && !group.includes('*') && !known.includes(group))
      yield `${place}: ${say('no-group', { text: group, ...suggestion(group, known) })}`;
}

const ownSets = ['all', 'metadata'];

/** Whether an item is in a private set is said by its collections alone, and it is in no other part of its source then. */
function* privateSetFaults(
  name: string,
  source: unknown,
  { sources, basePath }: { sources: unknown; basePath: string | undefined },
): Generator<string> {
  if (!isObject(source) || !isObject(source.sets)) return;
  const choices = Object.entries(source.sets).map(([set, choice]) => [set, readSet(choice)] as const);
  const hidden = hiddenCollections({ sets: Object.fromEntries(choices) });
  for (const [set, { access, collections, formats }] of choices) {
    const place = `sources.${name}.sets.${set}`;
    if (access === undefined) {
      const shut = collections.find((spec) => isInAny([spec], hidden));
      if (shut !== undefined)
        yield `${place}.collections: everything in ${shut} is in a private set, and in no other; remove ${shut} here`;
      continue;
    }
    if (source.access !== undefined)
      yield `${place}.access: the whole source is private, and a token for ${name}/${set} reads this set alone; remove this access`;
    if (collections.length === 0)
      yield `${place}.collections: what is private is said by collections; write those of the set`;
    if (formats !== undefined)
      yield `${place}.formats: an item is private in all its formats, or in none; remove formats`;
    const open = collections.find((spec) => spec.endsWith('*'));
    if (open !== undefined)
      yield `${place}.collections: the collections of a private set are read one by one; write each by its whole name instead of ${open}`;
    const own = privateSourceName({ source: name, set });
    if (own === basePath)
      yield `${place}: it would be at /${own}, as the path of baseUrl; call the set something else`;
    const others = Object.entries(isObject(sources) ? sources : {});
    const isTaken = others.some(
      ([other, one]) =>
        other === own || (other !== name && isObject(one) && setsNamed(one.sets, other).includes(own)),
    );
    if (isTaken)
      yield `${place}: it would be at /${own}, where another source is; call the set something else`;
  }
}

/** The sources that private sets of another one are. */
function setsNamed(sets: unknown, source: string): readonly string[] {
  return Object.entries(isObject(sets) ? sets : {}).flatMap(([set, choice]) =>
    isObject(choice) && choice.access !== undefined ? [privateSourceName({ source, set })] : [],
  );
}

/** What is of another kind is told by the schema. */
function readSet(choice: unknown) {
  const { access, collections, formats } = isObject(choice) ? choice : {};
  const specs = (Array.isArray(collections) ? collections : []).filter((spec) => typeof spec === 'string');
  return { access: isObject(access) ? access : undefined, collections: specs as string[], formats };
}

function* setFaults(place: string, source: unknown): Generator<string> {
  const { sets, dumps } = isObject(source) ? source : {};
  const names = Object.keys(isObject(sets) ? sets : {});
  for (const name of names) {
    const set = isObject(sets) ? sets[name] : undefined;
    if (ownSets.includes(name)) yield `${place}.sets.${name}: ${say('set-of-every-source', {})}`;
    else if (!/^[a-z0-9-]+$/.test(name)) yield `${place}.sets.${name}: ${say('name-of-set', {})}`;
    if (isObject(set) && set.collections === undefined && set.formats === undefined) {
      yield `${place}.sets.${name}: ${say('set-without-content', {})}`;
    }
  }
  const known = [...ownSets, ...names];
  for (const name of Array.isArray(dumps) ? dumps : []) {
    if (typeof name === 'string' && !known.includes(name))
      yield `${place}.dumps: ${say('no-set', { text: name, ...suggestion(name, known) })}`;
  }
}

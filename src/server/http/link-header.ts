import type { FastifyReply } from 'fastify';
import { toHttpDate } from '../../core/datetime.ts';
import type { Link } from '../../core/resource.ts';
import type { ServerDeps } from '../deps.ts';

/** Proxies and clients give all headers together 8–16 kB (WL-14). */
const budget = 8000;

const token = /^[a-z][a-z0-9.-]*$/i;
const extensionRelation = /^[a-z][a-z0-9+.-]*:[\x21\x23-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a~]+$/i;
const mediaType = /^[A-Za-z0-9!#$&^_.+-]+\/[A-Za-z0-9!#$&^_.+-]+$/;

export interface HeaderLink extends Omit<Link, 'type'> {
  readonly type?: string | undefined;
  /** What the target conforms to: the namespace of an XML document (FAIR Signposting). */
  readonly profile?: string | undefined;
  /** Of a memento, ISO (ME-09). */
  readonly datetime?: string | undefined;
  /** What a TimeMap covers, ISO (ME-10). */
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  /** One of many: without room for all of them, none is sent, and the link set has them. */
  readonly many?: boolean;
}

/**
 * One RFC 8288 field value, in the order given, as far as the budget goes. What an upstream wrote into a
 * link cannot end a header, a target or a parameter.
 */
export function formatLinks(links: readonly HeaderLink[]): string | undefined {
  const formatted: (string | undefined)[] = [];
  const roomForMany = hasRoomForMany(links, formatted);
  for (let at = 0; at < links.length; at += 1) {
    const link = links[at] as HeaderLink;
    if (link.many && !roomForMany) formatted[at] = undefined;
    else if (at >= formatted.length) formatted.push(formatLink(link));
  }
  return joinLinks(formatted);
}

/** The same of values that are written already. */
export function joinLinks(values: readonly (string | undefined)[]): string | undefined {
  let all = '';
  let size = 0;
  for (const value of values) {
    if (value === undefined || size + sizeOf(value) > budget) continue;
    all += size === 0 ? value : `, ${value}`;
    size += sizeOf(value);
  }
  return size === 0 ? undefined : all;
}

/**
 * There may be thousands: no more of them are looked at than would fit.
 * @param formatted is given those that were, in their order
 */
function hasRoomForMany(links: readonly HeaderLink[], formatted: (string | undefined)[]): boolean {
  let size = 0;
  for (let last = links.findLastIndex(({ many }) => many), at = 0; at <= last; at += 1) {
    const value = formatLink(links[at] as HeaderLink);
    formatted.push(value);
    size += sizeOf(value);
    if (size > budget) return false;
  }
  return true;
}

function sizeOf(value: string | undefined): number {
  return value === undefined ? 0 : value.length + 2;
}

/**
 * One link value; undefined when the relation is none.
 * @param anchor where it comes from, if not from what it is sent with
 */
export function formatLink(link: HeaderLink, anchor?: string): string | undefined {
  const parameters = parametersOf(link);
  if (parameters === undefined) return undefined;
  const from = anchor === undefined ? '' : `; anchor="${encodeTarget(anchor)}"`;
  return `<${encodeTarget(link.href)}>${from}${parameters}${formatTimes(link)}`;
}

/** By relation, type and profile, of which there are few: each is looked at once. */
const knownParameters = new Map<string, Map<string | undefined, Map<string | undefined, string>>>();
let parametersKept = 0;
const mostParameters = 500;

/** Undefined: there is no relation among them. */
function parametersOf(link: HeaderLink): string | undefined {
  const { rel, type, profile } = link;
  // One text for all three would have to be made for each link.
  const known = knownParameters.get(rel)?.get(type)?.get(profile);
  if (known !== undefined) return known;
  const relations = rel
    .split(' ')
    .filter((relation) => token.test(relation) || extensionRelation.test(relation));
  if (relations.length === 0) return undefined;
  const typed = type !== undefined && mediaType.test(type) ? `; type="${type}"` : '';
  const conforming = profile === undefined ? '' : `; profile="${encodeTarget(profile)}"`;
  const parameters = `; rel="${relations.join(' ')}"${typed}${conforming}`;
  const length = rel.length + (type?.length ?? 0) + (profile?.length ?? 0);
  if (length <= longestKept) keepParameters(link, parameters);
  return parameters;
}

/** What an upstream wrote may be of any length. */
const longestKept = 500;

function keepParameters({ rel, type, profile }: HeaderLink, parameters: string): void {
  if (parametersKept >= mostParameters) {
    knownParameters.clear();
    parametersKept = 0;
  }
  const byType = knownParameters.get(rel) ?? new Map();
  const byProfile = byType.get(type) ?? new Map();
  knownParameters.set(rel, byType.set(type, byProfile.set(profile, parameters)));
  parametersKept += 1;
}

/** When what a link leads to was, or from when until when, as parameters. */
export function formatTimes({
  datetime,
  from,
  until,
}: Pick<HeaderLink, 'datetime' | 'from' | 'until'>): string {
  if (datetime === undefined && from === undefined && until === undefined) return '';
  const said = datetime === undefined ? '' : `; datetime="${toHttpDate(datetime)}"`;
  const begin = from === undefined ? '' : `; from="${toHttpDate(from)}"`;
  return `${said}${begin}${until === undefined ? '' : `; until="${toHttpDate(until)}"`}`;
}

const plain = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]*$/;

/** Percent-encodes every octet that RFC 3986 has no place for; a `%` that begins no escape is one of them. */
export function encodeTarget(uri: string): string {
  // Nearly all of them.
  if (plain.test(uri)) return uri;
  return uri.replace(/%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+/g, (illegal) =>
    Array.from(
      Buffer.from(illegal, 'utf8'),
      (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    ).join(''),
  );
}

/** Where there is more (RFC 8288). @param query undefined: there is no more */
export function linkNext(
  { baseUrl }: Pick<ServerDeps, 'baseUrl'>,
  reply: FastifyReply,
  path: string,
  query: object | undefined,
): void {
  if (!query) return;
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) params.set(key, String(value));
  reply.header('link', `<${baseUrl}${path}?${params}>; rel="next"`);
}

import type { FastifyReply } from 'fastify';

interface Preference {
  readonly name: string;
  readonly weight: number;
}

/** The elements of an Accept or Accept-Encoding field; those with an illegible weight do not count. */
function parsePreferences(header: string): readonly Preference[] {
  return header.split(',').flatMap((element) => {
    const [name = '', ...parameters] = element.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))?.replace(/^q\s*=\s*/, '') ?? '1';
    return name === '' || !/^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight)
      ? []
      : [{ name, weight: Number(weight) }];
  });
}

/**
 * Whether the answer goes out gzipped. Only when gzip is asked for by name, or identity is refused: there are
 * clients that send `*` and cannot decode anything, and none that suffers from the plain bytes.
 */
export function wantsGzip(acceptEncoding: string | undefined): boolean {
  const preferences = parsePreferences(acceptEncoding ?? '');
  const weightOf = (...names: string[]) => preferences.find(({ name }) => names.includes(name))?.weight;
  const any = weightOf('*');
  const gzip = weightOf('gzip', 'x-gzip');
  const identity = weightOf('identity');
  if (gzip !== undefined) return gzip > 0 && gzip >= (identity ?? 0);
  return any !== undefined && any > 0 && identity === 0;
}

/** The media type among `offers` that an Accept field prefers; the first of equals, and of none. */
export function preferredType<Offer extends string>(
  accept: string | undefined,
  offers: readonly [Offer, ...Offer[]],
): Offer {
  const preferences = parsePreferences(accept ?? '*/*');
  let [best] = offers;
  let most = 0;
  for (const offer of offers) {
    const weight = weightOfType(preferences, offer);
    if (weight > most) [best, most] = [offer, weight];
  }
  return best;
}

/**
 * Whether a page is asked for in the place of a document, whose bytes are meant for programs. Names HTML, and prefers it
 * to XML; but not what Java's own client says of itself unasked, which takes pictures as gladly.
 */
export function asksForHtml(accept: string | undefined): boolean {
  const preferences = parsePreferences(accept ?? '');
  const names = preferences.map(({ name }) => name);
  if (!names.includes('text/html')) return false;
  const isBrowser = names.includes('application/xhtml+xml');
  if (!isBrowser && names.includes('image/gif')) return false;
  const html = weightOfType(preferences, 'text/html');
  return ['application/xml', 'text/xml'].every((type) => {
    const xml = weightOfType(preferences, type);
    return html > xml || (html > 0 && html === xml && !names.includes(type));
  });
}

/** The most specific range that fits decides (RFC 9110 §12.5.1). */
function weightOfType(preferences: readonly Preference[], type: string): number {
  const [major] = type.split('/', 1);
  for (const range of [type, `${major}/*`, '*/*']) {
    const found = preferences.find(({ name }) => name === range);
    if (found) return found.weight;
  }
  return 0;
}

/** Adds to Vary; the only way it is written. */
export function varyBy(
  reply: FastifyReply,
  field:
    | 'Accept'
    | 'Accept-Encoding'
    | 'Accept-Language'
    | 'Authorization'
    | 'Cookie'
    | 'User-Agent'
    | 'accept-datetime',
): void {
  const present = reply.getHeader('vary');
  const fields = typeof present === 'string' ? present.split(', ') : [];
  if (!fields.includes(field)) reply.header('vary', [...fields, field].join(', '));
}

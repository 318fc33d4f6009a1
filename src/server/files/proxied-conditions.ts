import { type ConditionalRequest, isNotNewer, isStrongDate, matches, parseDate } from '../http/conditions.ts';

/** What our own data say of a file whose bytes are elsewhere. */
export interface StatedValidators {
  /** Strong, from the stated hash; undefined where none, or no length to hold it against, is stated. */
  readonly etag: string | undefined;
  /** ISO UTC seconds. */
  readonly lastModified: string;
}

/** What to answer once the file is seen to be handed out, or what to ask. */
export type ProxiedDecision =
  | { readonly kind: 'not-modified'; readonly etag: string | undefined }
  | { readonly kind: 'precondition-failed' }
  | ProxiedQuestion;

export interface ProxiedQuestion {
  readonly kind: 'ask';
  readonly range?: string | undefined;
  /** Upstream's own entity tags. */
  readonly ifRange?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
  /** The `If-Match` of the request, to be held against what comes. */
  readonly ifMatch?: string | undefined;
  /** The part is wanted of the stated bytes alone. */
  readonly onlyAsStated: boolean;
}

/**
 * RFC 9110 §13.2.2 where two parties have validators: ours decide, as long as the file is handed out; an entity
 * tag that came from upstream is given back to it.
 */
export function decideProxied(request: ConditionalRequest, stated: StatedValidators): ProxiedDecision {
  const { headers } = request;
  const { etag, lastModified } = stated;
  const isStated = (field: string, comparison: 'strong' | 'weak') =>
    matches(field, etag ?? '', comparison) && (etag !== undefined || field.trim() === '*');
  const ifMatch = headers['if-match'];
  let later: string | undefined;
  if (ifMatch !== undefined) {
    if (!isStated(ifMatch, 'strong')) {
      if (upstreamTags(ifMatch).length === 0) return { kind: 'precondition-failed' };
      later = ifMatch;
    }
  } else {
    const since = parseDate(headers['if-unmodified-since']);
    if (since !== undefined && lastModified > since) return { kind: 'precondition-failed' };
  }
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch !== undefined) {
    if (isStated(ifNoneMatch, 'weak')) return { kind: 'not-modified', etag };
  } else {
    const since = parseDate(headers['if-modified-since']);
    if (since !== undefined && isNotNewer({ lastModified }, since)) return { kind: 'not-modified', etag };
  }
  const known = upstreamTags(ifNoneMatch ?? '');
  return {
    kind: 'ask',
    ...(known.length > 0 && { ifNoneMatch: known.slice(0, 20).join(', ') }),
    ...(later !== undefined && { ifMatch: later }),
    ...selectRange(request, stated),
  };
}

function selectRange(
  { method, headers, now }: ConditionalRequest,
  { etag, lastModified }: StatedValidators,
): Pick<ProxiedQuestion, 'range' | 'ifRange' | 'onlyAsStated'> {
  const range = readRange(headers.range);
  if (method !== 'GET' || range === undefined) return { onlyAsStated: false };
  const condition = headers['if-range'];
  if (typeof condition !== 'string') return { range, onlyAsStated: false };
  if (condition.trim() === etag || isStrongDate(condition, lastModified, now)) {
    return { range, onlyAsStated: true };
  }
  const [ifRange] = upstreamTags(condition);
  return ifRange?.startsWith('"') ? { range, ifRange, onlyAsStated: false } : { onlyAsStated: false };
}

/** One range of bytes; anything else is as if it were not there. */
function readRange(field: string | undefined): string | undefined {
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(field ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first !== '' && last !== '' && Number(first) > Number(last)) return undefined;
  return `bytes=${first}-${last}`;
}

/** Ours that is made of upstream's; it cannot be taken for one that is made of a hash. */
export function fromUpstreamTag(tag: string | undefined): string | undefined {
  return tag?.replace('"', '"u.');
}

function upstreamTags(field: string): readonly string[] {
  return Array.from(
    field.matchAll(/(W\/)?"u\.([\x21\x23-\x7e]{1,200})"/g),
    ([, weak = '', tag]) => `${weak}"${tag}"`,
  );
}

import { BridgeError, isBridgeError } from '../../../src/core/errors.ts';

/** What a failed list asks for: smaller lists, fewer at a time, or the end of the run. */
export type Remedy = 'narrow' | 'fewer' | 'stop';

/** Elasticsearch and Solr in their own words, wherever they come through (quirk 20). */
const exhausted =
  /too many (?:open )?(?:scroll|search) contexts|scroll contexts? (?:is |are )?exhausted|exhausted\W+scroll/i;

export function isExhausted(text: string): boolean {
  return exhausted.test(text);
}

/** The server keeps a list open for every chain of tokens, and has no place for another. */
export function exhaustedError(url: string, status: number): BridgeError {
  return new BridgeError(
    'upstream-status',
    `${url} has too many scroll contexts open (HTTP status ${status})`,
    {
      retryable: true,
    },
  );
}

/**
 * Whether a narrower list may do better: a slow query, a record that breaks its page, too many records (quirks
 * 12-14). What says something about the endpoint as a whole ends the run: it cannot be reached, it is busy, it
 * wants a login, it shows an HTML page (quirk 39).
 */
export function remedyFor(error: unknown): Remedy {
  if (!isBridgeError(error)) return 'stop';
  if (isExhausted(error.message)) return 'fewer';
  switch (error.code) {
    case 'upstream-status':
      return error.retryable || / 413$/.test(error.message) ? 'narrow' : 'stop';
    case 'upstream-unreachable':
      return diedMidway(error) ? 'narrow' : 'stop';
    case 'upstream-cut-off':
    case 'upstream-not-xml':
    case 'response-too-large':
    case 'out-of-memory':
    case 'oai-bad-resumption-token':
    case 'oai-list-incomplete':
    case 'oai-token-loop':
      return 'narrow';
    case 'oai-unknown-format':
      return error.retryable ? 'narrow' : 'stop';
    case 'oai-error':
      return error.retryable || isTooWide(error.message) ? 'narrow' : 'stop';
    default:
      return 'stop';
  }
}

/** Whether the server may have said in its own way that it does not take what it was asked with. */
export function isRefusal(error: unknown): boolean {
  if (!isBridgeError(error) || isExhausted(error.message)) return false;
  if (error.code === 'upstream-status') return !/ 40[137]$/.test(error.message);
  return ['upstream-html', 'upstream-not-xml', 'upstream-protocol', 'upstream-cut-off'].includes(error.code);
}

const tooWide =
  /too (?:many|large|big|wide)|narrow|time(?:d )?.?out|out of memory|limit (?:is|of|exceeded|reached)|exceeds? [^.]*(?:limit|maximum)/i;

/** Of errors whose code has another meaning: the list is too long for the repository, by its own words. */
export function isTooWide(text: string): boolean {
  return tooWide.test(text);
}

function diedMidway(error: unknown): boolean {
  for (let current = error; current instanceof Error; current = current.cause) {
    const code = (current as { code?: unknown }).code;
    if (typeof code === 'string' && midway.has(code)) return true;
  }
  return false;
}

/** The server was there, and had nothing to say in time, or hung up over the question. */
const midway: ReadonlySet<string> = new Set([
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_SOCKET',
  'ECONNRESET',
]);

export function isAboutProtocol(error: unknown): boolean {
  return isBridgeError(error, 'oai-error') || isBridgeError(error, 'upstream-protocol');
}

/** A single record may be anything, an HTML page included; but a login, or no answer at all, is for all. */
export function isAboutEndpoint(error: unknown): boolean {
  if (!isBridgeError(error)) return true;
  switch (error.code) {
    case 'upstream-status':
      return / 40[137]$/.test(error.message);
    case 'upstream-unreachable':
      return remedyFor(error) === 'stop';
    case 'upstream-busy':
    case 'address-refused':
    case 'too-many-redirects':
      return true;
    default:
      return false;
  }
}

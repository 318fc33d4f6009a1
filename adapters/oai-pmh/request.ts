/** The arguments of one request; absent and empty ones are left out (quirk 40). */
export interface RequestArguments {
  readonly metadataPrefix?: string | undefined;
  readonly identifier?: string | undefined;
  readonly set?: string | undefined;
  readonly from?: string | undefined;
  readonly resumptionToken?: string | undefined;
}

export type Verb = 'Identify' | 'ListMetadataFormats' | 'ListSets' | 'ListRecords' | 'GetRecord';

export interface RequestOptions {
  /** For servers that compare tokens before decoding them (quirks 8, 9). */
  readonly rawToken?: boolean;
}

/** The address of a request: verb first, every value encoded exactly once, the base URL's own query kept. */
export function requestUrl(
  baseUrl: string,
  verb: Verb,
  given: RequestArguments = {},
  options: RequestOptions = {},
): string {
  const base = baseUrl.replace(/#.*$/s, '');
  let url = `${base}${base.includes('?') ? (/[?&]$/.test(base) ? '' : '&') : '?'}verb=${verb}`;
  for (const name of ['metadataPrefix', 'identifier', 'set', 'from', 'resumptionToken'] as const) {
    const value = given[name];
    if (value === undefined || value === '') continue;
    const raw = name === 'resumptionToken' && options.rawToken === true;
    url += `&${name}=${raw ? withoutBreaks(value) : encodeURIComponent(wellFormed(value))}`;
  }
  return url;
}

/** Raw, but still one URL: what would end the query or the request line is encoded all the same. */
function withoutBreaks(token: string): string {
  return wellFormed(token).replace(/[^!-~]|[#<>"]/gu, (character) => encodeURIComponent(character));
}

/** encodeURIComponent throws at lone surrogates. */
function wellFormed(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}

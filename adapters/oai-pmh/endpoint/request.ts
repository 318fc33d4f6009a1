/** The arguments of one request; absent and empty ones are left out (quirk 40). */
export interface RequestArguments {
  readonly metadataPrefix?: string | undefined;
  readonly identifier?: string | undefined;
  readonly set?: string | undefined;
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  readonly resumptionToken?: string | undefined;
}

export type Verb =
  | 'Identify'
  | 'ListMetadataFormats'
  | 'ListSets'
  | 'ListRecords'
  | 'ListIdentifiers'
  | 'GetRecord';

export interface RequestOptions {
  /** For servers that compare tokens before decoding them (quirks 8, 9). */
  readonly rawToken?: boolean;
}

/** Some take verb and arguments in this order only (quirk 40). */
const order = ['metadataPrefix', 'identifier', 'set', 'from', 'until', 'resumptionToken'] as const;

/** The address of a request: verb first, every value encoded exactly once, the base URL's own query kept. */
export function requestUrl(
  baseUrl: string,
  verb: Verb,
  given: RequestArguments = {},
  options: RequestOptions = {},
): string {
  const base = withoutFragment(baseUrl);
  let url = `${base}${base.includes('?') ? (/[?&]$/.test(base) ? '' : '&') : '?'}verb=${verb}`;
  for (const [name, value] of present(given)) {
    const raw = name === 'resumptionToken' && options.rawToken === true;
    url += `&${name}=${raw ? withoutBreaks(value) : encodeURIComponent(wellFormed(value))}`;
  }
  return url;
}

/** The same as a form for the base URL, where an address would be too long. */
export function requestForm(
  baseUrl: string,
  verb: Verb,
  given: RequestArguments,
): { readonly url: string; readonly form: URLSearchParams } {
  const form = new URLSearchParams({ verb });
  for (const [name, value] of present(given)) form.append(name, wellFormed(value));
  return { url: withoutFragment(baseUrl), form };
}

function present(given: RequestArguments): readonly (readonly [keyof RequestArguments, string])[] {
  const found: [keyof RequestArguments, string][] = [];
  for (const name of order) {
    const value = given[name];
    if (value) found.push([name, value]);
  }
  return found;
}

function withoutFragment(url: string): string {
  const at = url.indexOf('#');
  return at < 0 ? url : url.slice(0, at);
}

/** Raw, but still one URL: what would end the query or the request line is encoded all the same. */
function withoutBreaks(token: string): string {
  return wellFormed(token).replace(/[^!-~]|[#<>"]/gu, (character) => encodeURIComponent(character));
}

/** encodeURIComponent throws at lone surrogates. */
function wellFormed(text: string): string {
  return /[\ud800-\udfff]/.test(text) ? Buffer.from(text, 'utf8').toString('utf8') : text;
}

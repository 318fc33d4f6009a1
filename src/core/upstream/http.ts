/**
 * The outgoing HTTP port: polite (per-host concurrency, `Retry-After` on 429 and 503, User-Agent with
 * contact), safe (redirects and addresses checked, credentials kept on their host), content decoded.
 */
export interface Http {
  /**
   * GETs a URL. Any final status comes back as a response: the body decides first, the status second.
   * @throws BridgeError `upstream-unreachable`, `upstream-busy`, `address-refused`, `too-many-redirects`
   */
  get(url: string, options: HttpOptions): Promise<HttpResponse>;

  /** The same without a body. */
  head(url: string, options: HttpOptions): Promise<HttpResponse>;

  /** POSTs a form, for requests that do not fit into a URL; redirects are followed as the method allows. */
  post(url: string, form: URLSearchParams, options: HttpOptions): Promise<HttpResponse>;
}

export interface HttpOptions {
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent to the origin of the URL alone, not to where it redirects; never logged. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** `reported`: a redirect is the answer; default `followed`. */
  readonly redirects?: 'followed' | 'reported';
  /** `sniffed`, the default: what is gzip is unpacked; `declared`: only where `Content-Encoding` says so, too; `never`: identity is asked for, and the bytes are as they come. */
  readonly decode?: 'sniffed' | 'declared' | 'never';
  /** False: 429, 503 and failed connections are the caller's business at once; default true. */
  readonly patient?: boolean;
  /** Instead of the configured one. */
  readonly maxBytes?: number;
  /** GET: many octets are expected; they come in large chunks, with as little work for each as can be; up to `whole` octets in one piece. Default false. */
  readonly bulk?: boolean | { readonly whole: number };
  /** Milliseconds for the whole exchange, waits for a place at the host not counted. */
  readonly deadline?: number;
}

export interface HttpResponse {
  readonly status: number;
  /** The URL that answered, after redirects. */
  readonly url: string;
  /** The same, where each redirect on the way there is for good (301, 308). */
  readonly movedTo?: string;
  /** Lower-case names; repeated headers joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** The server may have seen the request before, and answered it, but nothing came. */
  readonly retried?: boolean;
  /**
   * The body, content coding removed (by its magic number, whatever the header says, unless `decode` is `declared`).
   * Iterating throws BridgeError `upstream-cut-off` when the connection ends early and
   * `response-too-large` past the size limit. Must be consumed or `discard()`ed.
   */
  readonly body: AsyncIterable<Uint8Array>;
  discard(): Promise<void>;
}

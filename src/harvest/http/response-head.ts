/** The head of a response of the simplest kind: HTTP/1.1, final, its body as many octets as it says. */
export interface ResponseHead {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** Octets of the body. */
  readonly length: number;
  /** Another request may follow. */
  readonly isKept: boolean;
}

const statusLine = /^HTTP\/1\.1 ([2-5]\d\d)(?: (?:\t|\P{Cc})*)?$/u;
const headerLine = /^([\w!#$%&'*+.^`|~-]+):[ \t]*((?:\t|\P{Cc})*)$/u;

/**
 * Reads a head by the letter of RFC 9112 alone.
 * @param bytes up to the empty line
 * @returns undefined for everything else: a complete parser is to look at it
 */
export function parseHead(bytes: Buffer): ResponseHead | undefined {
  const [first = '', ...lines] = bytes.toString('utf8').split('\r\n');
  const status = Number(statusLine.exec(first)?.[1] ?? 0);
  if (status === 0 || status === 204 || status === 304) return undefined;
  const headers = new Map<string, string | string[]>();
  for (const line of lines) {
    const [, written, text = ''] = headerLine.exec(line) ?? [];
    if (written === undefined) return undefined;
    const name = written.toLowerCase();
    const value = text.trimEnd();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : [before, value].flat());
  }
  const length = headers.get('content-length');
  if (typeof length !== 'string' || !/^\d{1,15}$/.test(length)) return undefined;
  if (headers.has('transfer-encoding') || headers.has('upgrade')) return undefined;
  const connection = headers.get('connection') ?? 'keep-alive';
  return {
    status,
    headers: Object.fromEntries(headers),
    length: Number(length),
    isKept: typeof connection === 'string' && connection.toLowerCase() === 'keep-alive',
  };
}

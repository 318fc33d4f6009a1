/** A final answer of a connection that stays, with all of its body. */
export interface WholeAnswer {
  readonly status: number;
  /** By name in lower case; what comes several times is one value, with commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
}

/** Of what is read here; whoever sends longer ones is asked in another way. */
const longestHead = 32_768;
const headEnd = Buffer.from('\r\n\r\n');
const statusLine = /^HTTP\/1\.1 ([2-5]\d\d)(?: |$)/;
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * Reads the answers of one connection, in order (RFC 9112): those alone that say how long they are, and are not longer
 * than that may be. All others are odd, and so is the connection from there on.
 */
export class AnswerReader {
  readonly #longestBody: number;
  #chunks: Buffer[] = [];
  #held = 0;
  /** Octets without which there is nothing to read. */
  #needed = 1;

  constructor(longestBody: number) {
    this.#longestBody = longestBody;
  }

  /** Something of an answer has come, and not all of it. */
  get isMidway(): boolean {
    return this.#held > 0;
  }

  /**
   * @param chunk kept: nobody may write to it any more
   * @returns the answers that it completes; the last one may be `'odd'`
   */
  take(chunk: Buffer): readonly (WholeAnswer | 'odd')[] {
    this.#chunks.push(chunk);
    this.#held += chunk.byteLength;
    if (this.#held < this.#needed) return [];
    const bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    const answers: (WholeAnswer | 'odd')[] = [];
    let at = 0;
    for (this.#needed = 1; at < bytes.byteLength; ) {
      const found = this.#read(bytes, at);
      if (typeof found === 'number') {
        this.#needed = found;
        break;
      }
      answers.push(found.answer);
      if (found.answer === 'odd') break;
      at = found.end;
    }
    const rest = at === 0 ? bytes : bytes.subarray(at);
    this.#chunks = rest.byteLength === 0 ? [] : [rest];
    this.#held = rest.byteLength;
    return answers;
  }

  /** @returns how many octets are needed to read on, where there are fewer */
  #read(
    bytes: Buffer,
    at: number,
  ): { readonly answer: WholeAnswer; readonly end: number } | { readonly answer: 'odd' } | number {
    const end = bytes.indexOf(headEnd, at);
    const length = end < 0 ? bytes.byteLength - at : end - at;
    if (length > longestHead) return { answer: 'odd' };
    if (end < 0) return length + 1;
    const head = readHead(bytes.toString('utf8', at, end));
    if (head === undefined || head.length > this.#longestBody) return { answer: 'odd' };
    const from = end + headEnd.byteLength;
    const to = from + head.length;
    if (to > bytes.byteLength) return to - at;
    const { status, headers } = head;
    return { answer: { status, headers, bytes: bytes.subarray(from, to) }, end: to };
  }
}

/** @returns undefined: it is odd */
function readHead(
  head: string,
): (Pick<WholeAnswer, 'status' | 'headers'> & { readonly length: number }) | undefined {
  const lines = head.split('\r\n');
  const [, status] = statusLine.exec(lines[0] ?? '') ?? [];
  // Whatever a header is called, nothing is inherited.
  const headers: Record<string, string> = Object.create(null);
  for (let index = 1; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const colon = line.indexOf(':');
    const name = nameOf(line.slice(0, Math.max(0, colon)));
    if (name === undefined) return undefined;
    const value = line.slice(colon + 1).trim();
    const known = headers[name];
    headers[name] = known === undefined ? value : `${known}, ${value}`;
  }
  const { 'content-length': length = '', 'transfer-encoding': coding } = headers;
  // 204 and 304 have no body, whatever their length says.
  const isPlain = status !== undefined && status !== '204' && status !== '304' && coding === undefined;
  if (!isPlain || !/^\d{1,9}$/.test(length)) return undefined;
  return { status: Number(status), headers, length: Number(length) };
}

/** Names as they were written, and in lower case: a server writes each answer with the same ones. */
const namesSeen = new Map<string, string>();
const keptNames = 200;

/** @returns in lower case; undefined: it is none */
function nameOf(given: string): string | undefined {
  const seen = namesSeen.get(given);
  if (seen !== undefined) return seen;
  if (!headerName.test(given)) return undefined;
  const name = given.toLowerCase();
  if (namesSeen.size >= keptNames) namesSeen.clear();
  namesSeen.set(given, name);
  return name;
}

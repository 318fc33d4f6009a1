import { parseHttpDate } from '../../core/datetime.ts';
import { BridgeError, isBridgeError } from '../../core/errors.ts';
import type { Report } from '../documents/report.ts';
import { essenceOf, type SourcePort } from '../source-port.ts';
import {
  type DocumentOpening,
  parseSourceDocument,
  type SourceDocument,
  type StatementHandler,
} from './source-document.ts';

/** What a server said of a document, to ask for it again only if it is another. */
export interface Validators {
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

export interface FetchedDocument {
  readonly document: SourceDocument;
  readonly validators: Validators;
  /** The server's clock when it answered, ISO UTC; undefined: it does not say. */
  readonly servedAt: string | undefined;
}

/**
 * GETs a document and reads it.
 * @param known of an earlier answer
 * @returns undefined: it is the same as then
 * @throws BridgeError `upstream-status` for any other answer than 200, `upstream-html` for a web page, what the way out
 * throws, and what reading throws
 */
export async function fetchDocument(
  port: SourcePort,
  uri: string,
  handler: StatementHandler,
  report: Report,
  known: Validators = {},
): Promise<FetchedDocument | undefined> {
  const response = await port.get(uri, 'document', conditions(known));
  const { status, headers, url } = response;
  if (status !== 200) {
    await response.discard();
    if (status === 304 && (known.etag ?? known.lastModified) !== undefined) return undefined;
    throw new BridgeError('upstream-status', `${uri} answers ${status}`, { retryable: status >= 500 });
  }
  try {
    const { etag, 'last-modified': lastModified, date } = headers;
    const servedAt = date === undefined ? undefined : parseHttpDate(date);
    let isDocument = false;
    const opened = (opening: DocumentOpening) => {
      isDocument = true;
      handler.opened?.({ ...opening, uri }, servedAt);
    };
    const reading = parseSourceDocument(response.body, url, { ...handler, opened }, report);
    const document = await reading.catch((error: unknown) => {
      const isPage = !isDocument && essenceOf(headers['content-type']) === 'text/html';
      throw isBridgeError(error, 'upstream-html') || (isPage && isUnreadable(error))
        ? webPage(uri, url)
        : error;
    });
    // What is relative was relative to where it came from; it is known by the address that leads there.
    return { document: { ...document, uri }, validators: { etag, lastModified }, servedAt };
  } finally {
    await response.discard();
  }
}

function isUnreadable(error: unknown): boolean {
  return isBridgeError(error, 'upstream-not-xml') || isBridgeError(error, 'upstream-protocol');
}

/** A login as a rule, and at an address of its own. */
function webPage(uri: string, url: string): BridgeError {
  const where = url === uri ? '' : ` (that of ${url})`;
  return new BridgeError('upstream-html', `${uri} answers with a web page${where}, and with no list`);
}

function conditions({ etag, lastModified }: Validators): Readonly<Record<string, string>> {
  if (etag !== undefined) return { 'if-none-match': etag };
  return lastModified === undefined ? {} : { 'if-modified-since': lastModified };
}

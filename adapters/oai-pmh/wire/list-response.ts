import type { HttpResponse } from '../../../src/core/adapter.ts';
import { BridgeError, isBridgeError, refusal } from '../../../src/core/errors.ts';
import { DeclaredPrefixes, declaredIn } from '../namespaces/declared-prefixes.ts';
import { decodeXml } from './decode.ts';
import { RecordCutter } from './record-cutter.ts';
import type { CutRecord, Envelope } from './record-parser.ts';
import { exhaustedError, isExhausted } from './trouble.ts';

/** Records without a name in one response, beyond which it is no list. */
const maximumNameless = 1000;
/** What is looked at of a body that is no list. */
const headLength = 4096;

/**
 * One response to ListRecords, ListIdentifiers or GetRecord, read while it arrives. The body decides first and the status
 * second: errors of the protocol come as 404, 422 and 500, HTML pages as 200 (quirks 22-24, 27).
 */
export class ListResponse implements AsyncIterable<CutRecord[]> {
  readonly #response: HttpResponse;
  readonly #cutter: RecordCutter;
  #head = '';

  /** @param list stands for the list that it is a page of, or what that has declared; undefined: it stands alone */
  constructor(response: HttpResponse, list: object = response) {
    this.#response = response;
    this.#cutter = new RecordCutter(list instanceof DeclaredPrefixes ? list : declaredIn(list));
  }

  /** Complete once the iteration has ended. */
  get envelope(): Envelope {
    return this.#cutter.envelope;
  }

  /** The records in the order of the response, some at a time. @throws BridgeError */
  async *[Symbol.asyncIterator](): AsyncGenerator<CutRecord[]> {
    let nameless = 0;
    try {
      for await (const records of this.#read()) {
        nameless += records.filter(({ identifier }) => identifier === '').length;
        if (nameless > maximumNameless) {
          const what = `answered with more than ${maximumNameless} records without an identifier`;
          throw new BridgeError('upstream-protocol', `${this.#response.url} ${what}`);
        }
        yield records;
      }
    } catch (error) {
      const { url, status } = this.#response;
      throw isBridgeError(error) && isExhausted(this.#head)
        ? exhaustedError(url, status)
        : judgeStatus(this.#response, error);
    } finally {
      await this.#response.discard();
    }
    const { status, url } = this.#response;
    if (this.envelope.errors.length > 0) return;
    if (status >= 400) throw statusError(status, url);
    // An answer to another question is not an empty list.
    if (!this.#cutter.hasList) throw refusal('upstream-protocol', 'answered-no-list', { url });
  }

  async *#read(): AsyncGenerator<CutRecord[]> {
    const cutter = this.#cutter;
    let start = '';
    try {
      for await (const { text, damaged } of decodeXml(
        this.#response.body,
        this.#response.headers['content-type'],
      )) {
        if (start === '') {
          // A byte order mark, or blank lines, before the XML declaration (quirk 77).
          start = text.replace(/^[\uFEFF\s]+/, '');
          this.#head = start.slice(0, headLength);
          if (looksLikeHtml(start)) throw htmlError(this.#response.url);
          cutter.write(start, damaged);
        } else {
          cutter.write(text, damaged);
        }
        const records = cutter.take();
        if (records.length > 0) yield records;
        // What follows the document, notices of PHP for one, is not worth waiting for (quirk 37).
        if (cutter.complete) return;
      }
    } catch (error) {
      // Complete ones are worth having; the caller knows that the page was not.
      const records = cutter.take();
      if (records.length > 0 && isBridgeError(error, 'upstream-cut-off')) yield records;
      throw error;
    }
    if (start === '') {
      throw refusal('upstream-cut-off', 'answered-nothing', { url: this.#response.url }, { retryable: true });
    }
    cutter.end();
    const records = cutter.take();
    if (records.length > 0) yield records;
  }
}

export function looksLikeHtml(text: string): boolean {
  return /^(?:<\?[^>]*>\s*|<!--[\s\S]{0,2000}?-->\s*)*<(?:!doctype\s+html|html|head|body|script|meta|title)\b/i.test(
    text.slice(0, 4096),
  );
}

export function htmlError(url: string): BridgeError {
  return refusal('upstream-html', 'answered-html', { url, wanted: 'OAI-PMH' }, { retryable: true });
}

export function statusError(status: number, url: string, cause?: unknown): BridgeError {
  return refusal('upstream-status', 'answered-status', { url, status }, { cause, retryable: status >= 500 });
}

/** A body that is not OAI-PMH explains nothing when the status already says that something failed. */
export function judgeStatus(response: HttpResponse, error: unknown): unknown {
  const aboutBody =
    isBridgeError(error, 'upstream-html') ||
    isBridgeError(error, 'upstream-not-xml') ||
    isBridgeError(error, 'upstream-protocol') ||
    isBridgeError(error, 'upstream-cut-off') ||
    isBridgeError(error, 'upstream-forbidden-doctype') ||
    isBridgeError(error, 'response-too-large');
  return response.status >= 400 && aboutBody ? statusError(response.status, response.url) : error;
}

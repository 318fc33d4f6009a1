import type { HttpResponse } from '../../../core/adapter.ts';
import { isBitstreamContent } from '../../../core/addresses/bitstream-address.ts';
import { describeError, isBridgeError } from '../../../core/errors.ts';
import { isPageInsteadOfFile } from '../../../core/files/page-instead-of-file.ts';
import type { DueFile } from '../../../store/files/due-files.ts';
import { readFacts } from './answer-facts.ts';

/** What an answer, or its absence, tells about a file. */
export type Verdict =
  | { readonly outcome: 'confirmed' }
  | {
      readonly outcome: 'refused' | 'gone' | 'unreachable';
      /** One clause, for people. */
      readonly reason: string;
      /** The server asked for patience: its other files are better left alone, too. */
      readonly busy?: boolean;
      /** For how long, as it says itself (RFC 9110 §10.2.3). */
      readonly retryAfter?: string | undefined;
      /** It is the file that is wrong, not its server. */
      readonly hostAnswers?: boolean;
    };

const confirmed: Verdict = { outcome: 'confirmed' };

const refusals: Readonly<Record<number, string>> = {
  204: 'it is empty',
  401: 'it asks for a login',
  402: 'it asks for a payment',
  403: 'it is forbidden',
  404: 'it is not there',
  410: 'it is gone',
  451: 'it is withheld',
};

/** There is nothing, for nobody: that is not a matter of who asks. */
const absences = new Set([404, 410]);

/** 4xx that may be different an hour later. */
const passing = new Set([408, 421, 423, 425, 429]);

/**
 * DSpace says no in JSON: a page at the address of its bytes is that of a bot check or a firewall before it, and says nothing of the file.
 * @param response final, redirects followed
 */
export function judgeAnswer(
  { url, stated }: Pick<DueFile, 'url' | 'stated'>,
  { status, url: answered, headers }: Pick<HttpResponse, 'status' | 'url' | 'headers'>,
): Verdict {
  if (status === 200 || status === 203 || status === 206) {
    const answer = {
      asked: url,
      answered,
      contentType: headers['content-type'],
      contentDisposition: headers['content-disposition'],
      length: readFacts({ status, headers }).length,
    };
    if (!isPageInsteadOfFile(answer, { ...stated, name: lastSegment(url) })) return confirmed;
    return answered === url && isBitstreamContent(url)
      ? { outcome: 'unreachable', reason: `a page answers that is not the repository's (${status})` }
      : { outcome: 'refused', reason: 'an HTML page is returned instead' };
  }
  if (status >= 500 || passing.has(status) || (status < 300 && status !== 204)) {
    const busy = status === 429 || status === 503;
    const retryAfter = busy ? headers['retry-after'] : undefined;
    return { outcome: 'unreachable', reason: `the server answers ${status}`, busy, retryAfter };
  }
  const said = refusals[status];
  const outcome = absences.has(status) ? 'gone' : 'refused';
  return { outcome, reason: said ? `${said} (${status})` : `the server answers ${status}` };
}

/**
 * @param error what an exchange threw
 * @throws the error itself, where it says nothing about the file
 */
export function judgeError(error: unknown): Verdict {
  if (!isBridgeError(error)) throw error;
  switch (error.code) {
    case 'address-refused':
    case 'too-many-redirects':
      return { outcome: 'refused', reason: error.message };
    case 'upstream-unreachable':
    case 'upstream-cut-off':
    case 'upstream-too-slow':
    case 'upstream-busy':
      return { outcome: 'unreachable', reason: describeError(error).slice(0, 300) };
    default:
      throw error;
  }
}

function lastSegment(url: string): string {
  return URL.canParse(url) ? (new URL(url).pathname.split('/').at(-1) ?? '') : '';
}

import { TextDecoder } from 'node:util';
import type { Http, HttpResponse } from '../../core/adapter.ts';
import { sitemapsOf } from '../../resourcesync/discovery/look.ts';
import { type Answer, recognise } from './endpoint-answer.ts';

/** More of an answer is not read: what it is shows earlier. */
const readAtMost = 1024 * 1024;

const accepted = {
  json: 'application/json',
  any: 'text/xml, application/xml;q=0.9, application/json;q=0.8, text/html;q=0.7, */*;q=0.1',
} as const;

export interface LookOptions {
  readonly accept: keyof typeof accepted;
  /** A mere guess is not waited for, and not asked twice. */
  readonly isGuess: boolean;
  /** Milliseconds for the whole exchange. */
  readonly deadline: number;
  readonly signal: AbortSignal;
}

export interface Seen {
  readonly answer: Answer;
  /** The address that answered, after redirects. */
  readonly url: string;
  /**
   * It names Capability Lists of ResourceSync, in its header (RS-DISC-06) or its head (RS-DISC-04); a robots.txt names
   * Sitemaps (RS-DISC-09).
   */
  readonly advertises?: boolean;
}

/** One request, and what its answer is. @throws BridgeError when there is none */
export async function lookAt(
  http: Http,
  url: string,
  { accept, isGuess, deadline, signal }: LookOptions,
): Promise<Seen> {
  const asked = { accept: accepted[accept] };
  const response = await http.get(url, { signal, headers: asked, deadline, patient: !isGuess });
  const { status, headers, url: answered } = response;
  const text = await readBeginning(response);
  const isRobots = status === 200 && new URL(answered).pathname === '/robots.txt';
  const advertises =
    advertised.header.test(headers.link ?? '') ||
    advertised.page.test(text) ||
    (isRobots && sitemapsOf(text).length > 0);
  return { answer: recognise(status, headers['content-type'], text), url: answered, advertises };
}

const advertised = {
  header: /;\s*rel\s*=\s*"?[^",;]*\bresourcesync\b/i,
  page: /<link\b[^>]{0,2000}\brel\s*=\s*["']?resourcesync\b/i,
};

/** OAI-PMH takes a request for it, and everything else passes over what it does not know. */
export function identifyRequest(url: string): string {
  const request = new URL(url);
  request.searchParams.set('verb', 'Identify');
  return request.href;
}

/** Its answer says what items are called. */
export function listRequest(url: string): string {
  const request = new URL(url);
  request.searchParams.set('verb', 'ListIdentifiers');
  request.searchParams.set('metadataPrefix', 'oai_dc');
  return request.href;
}

async function readBeginning(response: HttpResponse): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of response.body) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length >= readAtMost) break;
    }
    return text + decoder.decode();
  } finally {
    await response.discard();
  }
}

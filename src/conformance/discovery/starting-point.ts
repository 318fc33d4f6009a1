import type { HttpResponse } from '../../core/adapter.ts';
import { isBridgeError } from '../../core/errors.ts';
import { htmlLinkTargets, linkTargets } from '../../resourcesync/discovery/link-field.ts';
import { beginningOf, essenceOf, type SourcePort } from '../../resourcesync/source-port.ts';
import type { FindingsByUri } from '../documents/findings-by-uri.ts';
import { wellKnownPath } from './discovery-check.ts';

export interface StartingPoint {
  readonly uri: string;
  /** What a page or a header advertises as Capability Lists: RS-DISC-04, -06. */
  readonly advertised: readonly { readonly rule: string; readonly page: string; readonly target: string }[];
}

interface Answer {
  readonly status: number;
  readonly isPage: boolean;
  readonly isDocument: boolean;
  readonly advertised: StartingPoint['advertised'];
}

/**
 * From what somebody typed to a document of ResourceSync: the address itself, the well-known URI below it or of its
 * host, or what a page there links to.
 * @returns undefined where there is none; that is a finding
 * @throws BridgeError where the address itself cannot be reached
 */
export async function findStart(
  address: URL,
  port: SourcePort,
  findings: FindingsByUri,
): Promise<StartingPoint | undefined> {
  const bare = address.pathname === '/' && address.search === '';
  const wellKnown = new URL(wellKnownPath, address).href;
  if (bare && (await isDocument(wellKnown, port))) return { uri: wellKnown, advertised: [] };
  const { status, ...answer } = await look(address.href, port);
  const { advertised } = answer;
  // What is no page is meant to be a document, and may be a broken one.
  if (answer.isDocument || (status === 200 && !answer.isPage)) return { uri: address.href, advertised };
  const below = `${address.origin}${address.pathname.replace(/\/$/, '')}${wellKnownPath}`;
  for (const uri of new Set([below, wellKnown, ...advertised.map(({ target }) => target)])) {
    if (await isDocument(uri, port)) return { uri, advertised };
  }
  const what =
    status === 200 ? 'it is a page that leads to no document of ResourceSync' : `it answers ${status}`;
  findings.at(address.href)('RS-DISC-01', what);
  findings.at(wellKnown)('RS-DISC-02', 'there is no Source Description');
  return undefined;
}

async function isDocument(uri: string, port: SourcePort): Promise<boolean> {
  try {
    return (await look(uri, port)).isDocument;
  } catch (error) {
    if (isBridgeError(error)) return false;
    throw error;
  }
}

async function look(uri: string, port: SourcePort): Promise<Answer> {
  const response = await port.get(uri, 'document');
  const { status, headers, url } = response;
  const text = await beginning(response);
  const isDocument = status === 200 && /<(?:[\w.-]+:)?(?:urlset|sitemapindex)[\s>/]/.test(text);
  const isPage =
    !isDocument &&
    (essenceOf(headers['content-type']) === 'text/html' || /<(!doctype\s+)?html\b/i.test(text));
  const inPage = isPage ? htmlLinkTargets(text, 'resourcesync', url) : [];
  const inHeader = linkTargets(headers.link, 'resourcesync', url);
  const advertised = [
    ...inPage.map((target) => ({ rule: 'RS-DISC-04', page: uri, target })),
    ...inHeader.map((target) => ({ rule: 'RS-DISC-06', page: uri, target })),
  ];
  return { status, isPage, isDocument, advertised };
}

/** What ends early may still be looked at. */
async function beginning(response: HttpResponse): Promise<string> {
  return beginningOf({ ...response, body: asFarAsItCame(response.body) }, 65_536);
}

async function* asFarAsItCame(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    if (!isBridgeError(error)) throw error;
  }
}

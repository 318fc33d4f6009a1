import { isBridgeError } from '../../core/errors.ts';
import { type Look, look, wellKnownPath } from '../../resourcesync/discovery/look.ts';
import type { SourcePort } from '../../resourcesync/source-port.ts';
import type { FindingsByUri } from '../documents/findings-by-uri.ts';

export interface StartingPoint {
  readonly uri: string;
  /** What a page or a header advertises as Capability Lists: RS-DISC-04, -06. */
  readonly advertised: Look['advertised'];
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

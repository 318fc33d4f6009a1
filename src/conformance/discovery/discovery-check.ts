import { describeError, isBridgeError } from '../../core/errors.ts';
import { sitemapsOf, wellKnownPath } from '../../resourcesync/discovery/look.ts';
import { beginningOf, type SourcePort } from '../../resourcesync/source-port.ts';
import type { FindingsByUri } from '../documents/findings-by-uri.ts';
import { checkDocument, describeKind } from '../rules/document-check.ts';
import type { SourceWalk } from '../survey/source-check.ts';

/** What a host says of its Source at places that everybody knows. */

export interface DiscoveryContext {
  readonly port: SourcePort;
  readonly walk: SourceWalk;
  readonly findings: FindingsByUri;
  readonly note: (message: string) => void;
}

const maximumSitemaps = 20;

/** RS-DISC-01, RS-DISC-02, RS-SD-01. */
export async function checkWellKnown(start: string, context: DiscoveryContext): Promise<void> {
  const { walk, findings, port, note } = context;
  const descriptions = [...walk.survey.values()].filter(({ kind }) => kind === 'SD' || kind === 'SDI');
  // What is not known may be one.
  const isUnknown = walk.broken.size > 0 || [...walk.survey.values()].some(({ isUnclear }) => isUnclear);
  if (descriptions.length === 0 && !isUnknown) {
    findings.at(start)('RS-DISC-01', 'from here no Source Description can be reached');
  }
  const uri = new URL(wellKnownPath, descriptions[0]?.uri ?? start).href;
  const report = findings.at(uri);
  if (walk.broken.has(uri)) return;
  const walked = walk.survey.get(uri);
  if (walked) {
    if (walked.kind !== 'SD' && walked.kind !== 'SDI' && !walked.isUnclear) {
      report('RS-SD-01 RS-DISC-01', `there is ${describeKind(walked.kind)}, no Source Description`);
    }
    return;
  }
  try {
    const response = await port.get(uri, 'document');
    const text = await beginningOf(response, 65_536);
    if (response.status !== 200) {
      const elsewhere = descriptions[0] ? `; the Source Description is ${descriptions[0].uri}` : '';
      const remedy = 'a redirect from the root of the host to it is enough';
      report('RS-DISC-02', `it answers ${response.status}${elsewhere}: ${remedy}`);
    } else if (!/<[^>]*\bcapability\s*=\s*["']description["']/.test(text)) {
      report('RS-DISC-02 RS-SD-01', 'there is no Source Description', 'warning');
    }
  } catch (error) {
    if (!isBridgeError(error)) throw error;
    note(`${uri} was not asked for: ${describeError(error)}`);
  }
}

/** RS-DISC-09…12. */
export async function checkRobots(start: string, context: DiscoveryContext): Promise<void> {
  const { port, findings, note } = context;
  const uri = new URL('/robots.txt', start).href;
  let text: string;
  try {
    const response = await port.get(uri, 'document');
    text = await beginningOf(response, 512 * 1024);
    if (response.status !== 200) return;
  } catch (error) {
    if (!isBridgeError(error)) throw error;
    note(`${uri} was not asked for: ${describeError(error)}`);
    return;
  }
  const sitemaps = sitemapsOf(text);
  for (const given of new Set(sitemaps.slice(0, maximumSitemaps))) {
    if (URL.canParse(given)) await checkSitemapLine(given, uri, context);
    else findings.at(uri, `Sitemap: ${given}`)('RS-DISC-09', 'it is not an absolute URL');
  }
  if (sitemaps.length > maximumSitemaps) note(`${uri}: only ${maximumSitemaps} of its sitemaps were read`);
}

async function checkSitemapLine(sitemap: string, robots: string, context: DiscoveryContext): Promise<void> {
  const { findings, note } = context;
  const report = findings.at(robots, `Sitemap: ${sitemap}`);
  const found = await readHead(sitemap, context);
  if (found === undefined) {
    note(`${sitemap}, listed in ${robots}, could not be read`);
    return;
  }
  // What has no capability is a sitemap like any other.
  if (found.capability === undefined) return;
  if (found.capability !== 'resourcelist') {
    report('RS-DISC-12', `its capability is ${found.capability}; only Resource Lists are for crawlers`);
    return;
  }
  const capabilityList = found.up === undefined ? undefined : await readHead(found.up, context);
  const top = capabilityList?.up === undefined ? undefined : await readHead(capabilityList.up, context);
  // Of what they could not be told, it has been said.
  if ([found.up, capabilityList?.up].some((uri) => uri !== undefined && isUnknown(uri, context.walk))) return;
  if (capabilityList?.capability !== 'capabilitylist' || top?.capability !== 'description') {
    report('RS-DISC-11', 'up does not lead to a Capability List and from there to a Source Description');
  }
}

function isUnknown(uri: string, { broken, survey }: SourceWalk): boolean {
  return broken.has(uri) || survey.get(uri)?.isUnclear === true;
}

interface FoundHead {
  readonly capability: string | undefined;
  readonly up: string | undefined;
}

/** Of a document that the walk may not have met. */
async function readHead(uri: string, { port, walk }: DiscoveryContext): Promise<FoundHead | undefined> {
  const known = walk.survey.get(uri);
  if (known) return { capability: known.md.get('capability'), up: known.up };
  try {
    const response = await port.get(uri, 'document');
    if (response.status !== 200) {
      await response.discard();
      return undefined;
    }
    const { head } = await checkDocument(response.body, { maximumFindings: 0 });
    const up = head?.links.find((link) => link.get('rel') === 'up')?.get('href');
    return head ? { capability: head.md[0]?.get('capability'), up } : undefined;
  } catch (error) {
    if (!isBridgeError(error)) throw error;
    return undefined;
  }
}

import type { HttpResponse } from '../../core/adapter.ts';
import { describeError, isBridgeError } from '../../core/errors.ts';
import { htmlLinkTargets, linkTargets } from '../../resourcesync/discovery/link-field.ts';
import { type DocumentEntry, noAttributes } from '../../resourcesync/documents/document-model.ts';
import { beginningOf, essenceOf } from '../../resourcesync/source-port.ts';
import type { Report } from '../documents/finding.ts';
import { measure } from '../documents/fixity.ts';
import { checkLinks } from './linked-check.ts';
import { checkMemento, checkTimeGeneric, linkOf } from './memento-check.ts';
import { checkLastModified, checkRepresentation, resourceRules } from './representation-rules.ts';
import type { ResourceContext } from './resource-context.ts';

/** Dereferences a sampled resource and what it links to, and holds them against what their entry says. */
export async function checkResource(entry: DocumentEntry, context: ResourceContext): Promise<void> {
  const [loc = ''] = entry.locs;
  const md = entry.md[0] ?? noAttributes;
  const { report, note } = context;
  const response = await fetchResource(loc, context);
  if (!response) return;
  checkLastModified(entry.lastmods[0], 'lastmod', response, 'RS-TIME-11', report);
  checkTimeGeneric(entry, response, report);
  const fields = linkTargets(response.headers.link, 'resourcesync', response.url);
  await checkAdvertised(fields, ['RS-DISC-06', 'RS-DISC-07'], loc, context);
  try {
    const unchecked = await checkRepresentation(response, md, resourceRules, report);
    if (unchecked !== undefined) note(`${loc}: ${unchecked}, could not be checked`);
    if (essenceOf(response.headers['content-type']) === 'text/html') await checkPage(loc, context);
  } catch (error) {
    if (!isBridgeError(error)) throw error;
    if (error.code === 'response-too-large') note(`${loc}: ${error.message}`);
    else report('RS-RL-07', `it could not be read: ${describeError(error)}`, 'warning');
  }
  await checkLinks(entry, context);
}

async function fetchResource(loc: string, { port, report, note }: ResourceContext) {
  let response: HttpResponse;
  try {
    response = await port.get(loc, 'resource');
  } catch (error) {
    if (!isBridgeError(error)) throw error;
    if (error.code === 'address-refused') note(`resources at ${new URL(loc).host}: ${error.message}`);
    else report('RS-RL-07', `it cannot be fetched: ${describeError(error)}`, 'warning');
    return undefined;
  }
  if (response.status === 200) return response;
  await response.discard();
  const rule = response.status === 404 || response.status === 410 ? 'RS-RL-12' : 'RS-RL-07';
  report(rule, `it answers ${response.status}`, 'warning');
  return undefined;
}

/** RS-DISC-04, -05: a resource for people may advertise its Capability List in its head. */
async function checkPage(loc: string, context: ResourceContext): Promise<void> {
  const html = await beginningOf(await context.port.get(loc, 'resource'), 65_536);
  const targets = htmlLinkTargets(html, 'resourcesync', loc);
  await checkAdvertised(targets, ['RS-DISC-04', 'RS-DISC-05'], loc, context);
}

async function checkAdvertised(
  targets: readonly string[],
  [kindRule, coverRule]: readonly [string, string],
  loc: string,
  { coverage, report }: ResourceContext,
): Promise<void> {
  for (const target of targets) {
    const { capabilityList, covered } = await coverage(target, loc);
    if (!capabilityList) report(kindRule, `the resourcesync link leads to ${target}, no Capability List`);
    else if (covered === false) report(coverRule, `${target}, which it links to, does not cover it`);
  }
  if (new Set(targets).size < targets.length) {
    report('RS-DISC-13', 'it links to one Capability List more than once');
  }
}

/**
 * RS-CL-18. What only left this set lives on: another set lists it, or it says itself to which it belongs.
 * @param set the Capability List of the set that it was deleted from
 */
export async function checkDeleted(
  loc: string,
  set: string,
  { port, report, note, coverage }: ResourceContext,
): Promise<void> {
  try {
    const { status, headers, url, discard } = await port.get(loc, 'resource');
    await discard();
    if (status === 404 || status === 410) return;
    const sets = linkTargets(headers.link, 'resourcesync', url);
    if (status === 200 && !sets.some((target) => target === set || target === normalised(set))) {
      for (const target of sets) if ((await coverage(target, loc)).capabilityList) return;
    }
    report('RS-CL-18', `what was deleted answers ${status}`);
  } catch (error) {
    if (!isBridgeError(error)) throw error;
    note(`${loc} could not be asked for: ${describeError(error)}`);
  }
}

function normalised(uri: string): string {
  return URL.canParse(uri) ? new URL(uri).href : uri;
}

/** RS-LN-14: beside the patch, the new state itself is there. */
export async function checkPatched(
  entry: DocumentEntry,
  { port, report, note }: ResourceContext,
): Promise<void> {
  const [loc = ''] = entry.locs;
  try {
    const response = await port.get(loc, 'resource');
    if (response.status !== 200) {
      await response.discard();
      report('RS-LN-14', `what has a patch answers ${response.status}`);
      return;
    }
    const { wrongHash } = await measure(response.body, entry.md[0]?.get('hash'));
    if (wrongHash !== undefined) report('RS-LN-14', `what has a patch does not fit ${wrongHash}`);
  } catch (error) {
    if (!isBridgeError(error)) throw error;
    note(`${loc} could not be asked for: ${describeError(error)}`);
  }
}

/**
 * RS-LN-19, -20: a change leads to the state that it made, whatever came later. Not compared is what is in it: a later
 * change of the same second has the same memento. One that is gone may have had its time.
 */
export async function checkPastChange(
  entry: DocumentEntry,
  { port, report: own, note }: ResourceContext,
): Promise<void> {
  const link = linkOf(entry, 'memento') ?? noAttributes;
  const href = link.get('href') ?? '';
  if (!/^https?:/i.test(href)) return;
  const report: Report = (rules, message, severity) => own(rules, `memento ${href}: ${message}`, severity);
  try {
    const response = await port.get(href, 'resource');
    await response.discard();
    if (response.status !== 200) report('RS-LN-19', `it answers ${response.status}`, 'warning');
    else checkMemento(link, entry, response, report);
  } catch (error) {
    if (!isBridgeError(error)) throw error;
    note(`links to ${new URL(href).host}: ${describeError(error)}`);
  }
}

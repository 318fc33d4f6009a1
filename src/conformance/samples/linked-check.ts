import type { HttpResponse } from '../../core/adapter.ts';
import { describeError, isBridgeError } from '../../core/errors.ts';
import {
  type Attributes,
  type DocumentEntry,
  noAttributes,
} from '../../resourcesync/documents/document-model.ts';
import type { Report } from '../documents/finding.ts';
import { measure } from '../documents/fixity.ts';
import { acceptDatetime, checkMemento, checkTimeGate, pastRelations } from './memento-check.ts';
import { checkLastModified, checkRepresentation, linkedRules } from './representation-rules.ts';
import type { ResourceContext } from './resource-context.ts';
import { checkTimeMap } from './timemap-check.ts';

const facts = ['hash', 'length', 'type', 'encoding', 'modified'];
/** Identify something, or describe another Source's resource: nothing here is said of what they answer. */
const namesOnly = ['via', 'profile', 'up', 'index'];
/** The rule broken where a link of this relation leads nowhere. */
const presence: Readonly<Record<string, string>> = {
  memento: 'RS-LN-19',
  timegate: 'RS-LN-22',
  timemap: 'RS-LN-24',
  describedby: 'RS-LN-16',
  describes: 'RS-LN-16',
  duplicate: 'RS-LN-06',
};

/** Of an entry, beside those to its past. */
const checkedLinks = 8;

/** Dereferences the links of a sampled entry of which anything is said that can be checked by that. */
export async function checkLinks(entry: DocumentEntry, context: ResourceContext): Promise<void> {
  const links = entry.links.filter(isCheckable);
  const isPast = (link: Attributes) => pastRelations.includes(link.get('rel') ?? '');
  const others = links.filter((link) => !isPast(link)).slice(0, checkedLinks);
  for (const link of [...others, ...links.filter(isPast).slice(0, checkedLinks)]) {
    await checkLinked(link, entry, context);
  }
}

function isCheckable(link: Attributes): boolean {
  const [rel = '', href = ''] = [link.get('rel'), link.get('href')];
  const isStated = facts.some((name) => link.has(name));
  return !namesOnly.includes(rel) && (presence[rel] !== undefined || isStated) && /^https?:/i.test(href);
}

async function checkLinked(link: Attributes, entry: DocumentEntry, context: ResourceContext): Promise<void> {
  const [rel = '', href = ''] = [link.get('rel'), link.get('href')];
  const { report: own, note } = context;
  const report: Report = (rules, message, severity) => own(rules, `${rel} ${href}: ${message}`, severity);
  try {
    const headers = rel === 'timegate' ? acceptDatetime(entry) : {};
    const response = await context.port.get(href, 'resource', headers);
    if (response.status !== 200) {
      await response.discard();
      const severity = pastRelations.includes(rel) ? undefined : 'warning';
      report(presence[rel] ?? 'RS-ATTR-22', `it answers ${response.status}`, severity);
    } else {
      const unchecked = await checkAnswer(rel, link, entry, response, context, report);
      if (unchecked !== undefined) note(`${href}: ${unchecked}, could not be checked`);
    }
  } catch (error) {
    if (!isBridgeError(error)) throw error;
    note(`links to ${new URL(href).host}: ${describeError(error)}`);
  }
}

async function checkAnswer(
  rel: string,
  link: Attributes,
  entry: DocumentEntry,
  response: HttpResponse,
  { port }: ResourceContext,
  report: Report,
): Promise<string | undefined> {
  switch (rel) {
    case 'timegate':
      checkTimeGate(entry, response, report);
      return discarded(response);
    case 'timemap':
      return checkTimeMap(link, entry, response, port, report);
    case 'memento':
      checkMemento(link, entry, response, report);
      return checkRepresentation(response, link, linkedRules, report);
    case 'duplicate': {
      const { wrongHash } = await measure(response.body, (entry.md[0] ?? noAttributes).get('hash'));
      if (wrongHash !== undefined) report('RS-LN-06', `it is not the same as the resource: ${wrongHash}`);
      return undefined;
    }
    default:
      checkLastModified(link.get('modified'), 'modified', response, 'RS-ATTR-21', report);
      return link.has('hash') || link.has('length') || link.has('type') || link.has('encoding')
        ? checkRepresentation(response, link, linkedRules, report)
        : await discarded(response);
  }
}

async function discarded(response: HttpResponse): Promise<undefined> {
  await response.discard();
  return undefined;
}

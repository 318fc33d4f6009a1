import type { HttpResponse } from '../../core/adapter.ts';
import { parseHttpDate, toHttpDate } from '../../core/datetime.ts';
import { describeError, isBridgeError } from '../../core/errors.ts';
import { type Attributes, type DocumentEntry, noAttributes } from './document-model.ts';
import type { Report } from './finding.ts';
import { measure } from './fixity.ts';
import { checkLastModified, checkRepresentation, linkedRules } from './representation-rules.ts';
import type { ResourceContext } from './resource-check.ts';
import { essenceOf } from './source-port.ts';
import { toTime } from './time-rules.ts';

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

/** Dereferences one link of a sampled entry, if anything is said that can be checked by that. */
export async function checkLinked(
  link: Attributes,
  entry: DocumentEntry,
  context: ResourceContext,
): Promise<void> {
  const [rel = '', href = ''] = [link.get('rel'), link.get('href')];
  const isStated = facts.some((name) => link.has(name));
  if (namesOnly.includes(rel) || (presence[rel] === undefined && !isStated)) return;
  if (!/^https?:/i.test(href)) return;
  const { report: own, note } = context;
  const report: Report = (rules, message, severity) => own(rules, `${rel} ${href}: ${message}`, severity);
  try {
    const headers = rel === 'timegate' ? acceptDatetime(entry) : {};
    const response = await context.port.get(href, 'resource', headers);
    if (response.status !== 200) {
      await response.discard();
      const severity = rel === 'memento' || rel === 'timegate' || rel === 'timemap' ? undefined : 'warning';
      report(presence[rel] ?? 'RS-ATTR-22', `it answers ${response.status}`, severity);
    } else {
      const unchecked = await checkAnswer(rel, link, entry, response, report);
      if (unchecked !== undefined) note(`${href}: ${unchecked}, could not be checked`);
    }
  } catch (error) {
    if (!isBridgeError(error)) throw error;
    note(`links to ${new URL(href).host}: ${describeError(error)}`);
  }
}

/** A TimeGate is asked for the state that the entry is about. */
function acceptDatetime({ lastmods }: DocumentEntry): Record<string, string> {
  const time = toTime(lastmods[0]);
  return time === undefined ? {} : { 'accept-datetime': toHttpDate(time) };
}

async function checkAnswer(
  rel: string,
  link: Attributes,
  entry: DocumentEntry,
  response: HttpResponse,
  report: Report,
): Promise<string | undefined> {
  const mementoAt = parseHttpDate(response.headers['memento-datetime'] ?? '');
  switch (rel) {
    case 'timegate':
      await response.discard();
      if (mementoAt === undefined) report('RS-LN-22', 'no memento comes back', 'warning');
      return undefined;
    case 'timemap': {
      await response.discard();
      const served = essenceOf(response.headers['content-type']);
      const stated = essenceOf(link.get('type')) ?? 'application/link-format';
      if (served !== stated) report('RS-LN-24', `type is ${stated}, Content-Type is ${served ?? 'absent'}`);
      return undefined;
    }
    case 'memento': {
      const modified = toTime(link.get('modified'));
      if (mementoAt === undefined) report('RS-LN-19', 'it has no Memento-Datetime');
      else if (modified !== undefined && modified !== mementoAt) {
        report('RS-LN-20', `modified is ${modified}, Memento-Datetime is ${mementoAt}`);
      }
      return checkRepresentation(response, link, linkedRules, report);
    }
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

import { isNamespace } from '../../oai/identify.ts';
import { shown } from '../answers/answer-form.ts';
import { keptText } from '../answers/kept-text.ts';
import type { OaiAnswer } from '../answers/oai-answer.ts';
import { type Granularity, granularityOf } from '../answers/oai-dates.ts';
import type { Visit } from '../answers/visit.ts';
import { childOf, childrenOf, descendants, textOf, type XmlElement } from '../answers/xml-element.ts';
import { faultOfPost } from './post.ts';

/** What an endpoint says of itself, as far as it is of use. */
export interface Identity {
  readonly name: string;
  /** As stated, or else as the earliest datestamp shows it. */
  readonly granularity: Granularity;
  /** Undefined where it is no date. */
  readonly earliest: string | undefined;
  readonly deletedRecord: string;
  /** `oai:<repositoryIdentifier>:` of its description. */
  readonly identifierStart: string | undefined;
  /** Its descriptions, all their text. */
  readonly texts: string;
}

const granularities: Readonly<Record<string, Granularity>> = {
  'YYYY-MM-DD': 'day',
  'YYYY-MM-DDThh:mm:ssZ': 'second',
};
const identifierNamespaces = [
  'http://www.openarchives.org/OAI/2.0/oai-identifier',
  'http://www.openarchives.org/OAI/1.1/oai-identifier',
];

/** Asks an endpoint who it is. @returns undefined where it is no endpoint, or says nothing now */
export async function checkIdentify(visit: Visit): Promise<Identity | undefined> {
  const answer = await visit.ask({ verb: 'Identify' }, ['identify-answers']);
  if (!answer) return undefined;
  const { content } = answer;
  visit.judge(
    'identify-answers',
    answer,
    content ? undefined : `it is answered with ${answer.errors[0]?.code ?? 'something else'}`,
  );
  if (!content) return undefined;
  judgeFields(visit, answer, content);
  const identity = readIdentity(content);
  await checkCompression(visit, content);
  const post = await visit.ask({ verb: 'Identify' }, ['post-identify'], { method: 'POST' });
  if (post) visit.judge('post-identify', post, faultOfPost(answer, post));
  return identity;
}

function judgeFields(visit: Visit, answer: OaiAnswer, content: XmlElement): void {
  const judge = (check: Parameters<Visit['judge']>[0], fault: string | undefined) =>
    visit.judge(check, answer, fault);
  const version = textOf(content, 'protocolVersion');
  judge('identify-version', version === '2.0' ? undefined : `protocolVersion is ${shown(version)}`);
  const baseUrl = textOf(content, 'baseURL');
  judge('identify-base-url', isSame(baseUrl, visit.url) ? undefined : `baseURL is ${shown(baseUrl)}`);
  visit.baseUrl = baseUrl;
  const emails = childrenOf(content, 'adminEmail').map(({ text }) => text.trim());
  const email = emails.find((one) => faultOfEmail(one) !== undefined);
  judge(
    'identify-admin-email',
    emails.length === 0 ? 'there is no adminEmail' : email !== undefined ? faultOfEmail(email) : undefined,
  );
  const granularity = textOf(content, 'granularity');
  judge(
    'identify-granularity',
    granularities[granularity] ? undefined : `granularity is ${shown(granularity)}`,
  );
  judgeEarliest(visit, answer, content);
  const deleted = textOf(content, 'deletedRecord');
  judge(
    'identify-deleted-record',
    ['no', 'transient', 'persistent'].includes(deleted) ? undefined : `deletedRecord is ${shown(deleted)}`,
  );
  const strange = childrenOf(content, 'compression').find(({ text }) => !isCoding(text.trim()));
  judge('identify-compression', strange && `compression is ${shown(strange.text.trim())}`);
  judge('identify-oai-identifier', faultOfOaiIdentifier(content));
}

function judgeEarliest(visit: Visit, answer: OaiAnswer, content: XmlElement): void {
  const text = textOf(content, 'earliestDatestamp');
  const form = granularityOf(text);
  const stated = granularities[textOf(content, 'granularity')];
  visit.judge(
    'identify-earliest',
    answer,
    form === undefined
      ? `earliestDatestamp is ${shown(text)}`
      : stated !== undefined && form !== stated
        ? `earliestDatestamp is ${shown(text)}, not at the granularity that is stated`
        : undefined,
  );
  if (form === undefined) return;
  const now = visit.port.now().toISOString();
  const isCredible = text > '1990' && text.slice(0, 10) <= now.slice(0, 10);
  visit.judge('identify-earliest-credible', answer, isCredible ? undefined : `earliestDatestamp is ${text}`);
}

/** An address without a path was asked as one with a slash: there is no other way to ask. */
function isSame(stated: string, asked: string): boolean {
  return stated === asked || (`${stated}/` === asked && new URL(asked).pathname === '/');
}

function faultOfEmail(text: string): string | undefined {
  if (/^mailto:/i.test(text)) return `adminEmail begins with mailto: (${shown(text)})`;
  if (/@localhost$/i.test(text)) return `adminEmail is at localhost (${shown(text)})`;
  if (!/^[^\s@]+@[^\s@]+\.[A-Za-z]{2,}$/.test(text)) return `adminEmail is ${shown(text)}`;
  // Mail would arrive; the validator takes no `+`, and no single letter.
  return /^\w[\w.-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}$/.test(text)
    ? undefined
    : `adminEmail is ${shown(text)}, which the validator of openarchives.org does not take for an address`;
}

function isCoding(text: string): boolean {
  return /^[a-z][a-z0-9.+-]*$/i.test(text) && text.toLowerCase() !== 'identity';
}

function faultOfOaiIdentifier(content: XmlElement): string | undefined {
  const found = oaiIdentifiers(content);
  if (found.length > 1) return `there are ${found.length} oai-identifier descriptions`;
  const [description] = found;
  if (!description) return undefined;
  if (!identifierNamespaces.includes(description.namespace))
    return `oai-identifier is in the namespace ${shown(description.namespace)}`;
  if (!description.attributes.some(({ name }) => /^xmlns(?::|$)/.test(name)))
    return 'oai-identifier does not declare its namespace itself';
  const namespace = textOf(description, 'repositoryIdentifier');
  return isNamespace(namespace) ? undefined : `repositoryIdentifier is ${shown(namespace)}`;
}

function oaiIdentifiers(content: XmlElement): readonly XmlElement[] {
  return childrenOf(content, 'description').flatMap((one) => childrenOf(one, 'oai-identifier'));
}

function readIdentity(content: XmlElement): Identity {
  const earliest = textOf(content, 'earliestDatestamp');
  const form = granularityOf(earliest);
  const namespace = textOf(oaiIdentifiers(content)[0], 'repositoryIdentifier');
  return {
    name: keptText(textOf(content, 'repositoryName'), 200),
    granularity: granularities[textOf(content, 'granularity')] ?? form ?? 'day',
    earliest: form === undefined ? undefined : earliest,
    deletedRecord: textOf(content, 'deletedRecord'),
    identifierStart: namespace === '' ? undefined : `oai:${namespace}:`,
    texts: [...descendants(content)].map(({ text }) => text).join(' '),
  };
}

/** Whether what is promised is kept. */
async function checkCompression(visit: Visit, content: XmlElement): Promise<void> {
  if (!childOf(content, 'compression') || !childrenOf(content, 'compression').some(isGzip)) return;
  const headers = { 'accept-encoding': 'gzip, identity;q=0.5' };
  const answer = await visit.ask({ verb: 'Identify' }, ['http-compression'], { headers });
  if (!answer) return;
  const coding = answer.headers['content-encoding'] ?? '';
  visit.judge(
    'http-compression',
    answer,
    /\bgzip\b/i.test(coding)
      ? undefined
      : `compression names gzip, and the answer is ${coding || 'not compressed'}`,
  );
}

function isGzip({ text }: XmlElement): boolean {
  return text.trim().toLowerCase() === 'gzip';
}

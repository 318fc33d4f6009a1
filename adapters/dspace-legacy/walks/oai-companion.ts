import { XMLParser } from 'fast-xml-parser';
import type { Adapter, AdapterContext, AdapterSettings } from '../../../src/core/adapter.ts';
import { isOaiHost, readOaiName } from '../../../src/core/dspace/oai-name.ts';
import { BridgeError, isBridgeError } from '../../../src/core/errors.ts';
import { say } from '../../../src/core/reasons/reason.ts';

/** How the OAI-PMH endpoint of the same repository introduces itself. */
export interface Introduction {
  readonly name: string | undefined;
  /** Of its identifiers; undefined: it does not say. */
  readonly host: string | undefined;
}

export interface OaiCompanion {
  readonly url: string;
  readonly adapter: Adapter;
  readonly introduction: Introduction;
}

export interface OaiSearch {
  /** Of the REST service. */
  readonly base: string;
  /** As it was a moment ago. */
  readonly known: OaiCompanion | undefined;
  /** That there is none is doubted, too. */
  readonly anew: boolean;
}

const lesson = 'oai-endpoint';
const none = 'none';

/**
 * The repository's OAI-PMH endpoint: as configured, or as found once where DSpace has it.
 * @returns undefined: there is none, or it is not to be used
 * @throws BridgeError when it cannot be asked, or what is configured is none
 */
export async function findOai(
  { oaiUrl }: Pick<AdapterSettings, 'oaiUrl'>,
  context: AdapterContext,
  { base, known, anew }: OaiSearch,
  signal: AbortSignal,
): Promise<OaiCompanion | undefined> {
  const { oaiAt, lessons } = context;
  if (oaiUrl === false || oaiAt === undefined) return undefined;
  if (known !== undefined) return known;
  const meet = async (url: string): Promise<OaiCompanion | undefined> => {
    const introduction = await introduce(url, context, signal);
    return introduction && { url, introduction, adapter: oaiAt(url) };
  };
  if (oaiUrl !== undefined) {
    const configured = await meet(oaiUrl);
    if (configured !== undefined) return configured;
    throw new BridgeError(
      'upstream-protocol',
      `${oaiUrl} (\`oai\` in the configuration) is no OAI-PMH endpoint`,
    );
  }
  const learnt = lessons.get(lesson);
  if (learnt === none && !anew) return undefined;
  const usual = usualAddresses(base);
  const addresses = learnt === undefined || learnt === none ? usual : [...new Set([learnt, ...usual])];
  for (const url of addresses) {
    const found = await meet(url).catch((error: unknown) => {
      // Its identifiers are what ours are made like: a guess that is wrong would stay for ever.
      throw isBridgeError(error) && !signal.aborted ? leaveAlone(error) : error;
    });
    if (found === undefined) continue;
    lessons.learn(lesson, url, say('oai-tells-changes', { url }));
    return found;
  }
  const sentence = say('no-oai-endpoint', {});
  lessons.learn(lesson, none, sentence);
  return undefined;
}

function leaveAlone(error: BridgeError): BridgeError {
  const message = `its OAI-PMH endpoint cannot be asked (\`oai: false\` in the configuration leaves it alone): ${error.message}`;
  return new BridgeError(error.code, message, { cause: error, retryable: true });
}

/**
 * What host the names of its items are made with: a record says so for sure, its introduction from a file that may never
 * have been edited.
 * @throws BridgeError where neither can be had: a guess would stay for ever
 */
export async function hostOfNames(
  { adapter, introduction }: OaiCompanion,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    for await (const { entries } of adapter.identifiers({}, signal)) {
      const hosts = entries.flatMap(({ identifier }) => readOaiName(identifier)?.host ?? []);
      return hosts.find(isOaiHost) ?? introduction.host;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (introduction.host === undefined || !isBridgeError(error)) throw error;
  }
  return introduction.host;
}

/** Beside the REST service, or at the root of the host. */
function usualAddresses(base: string): readonly string[] {
  const beside = base.replace(/\/rest$/i, '');
  return [...new Set([`${beside}/oai/request`, `${new URL(base).origin}/oai/request`])];
}

/**
 * Asks the endpoint who it is.
 * @returns undefined: there is none
 * @throws BridgeError when it cannot be asked
 */
async function introduce(
  url: string,
  { http }: Pick<AdapterContext, 'http'>,
  signal: AbortSignal,
): Promise<Introduction | undefined> {
  const address = new URL(url);
  address.searchParams.set('verb', 'Identify');
  const options = { signal, deadline: 60_000, maxBytes: 1024 * 1024 };
  const response = await http.get(address.href, options);
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of response.body) text += decoder.decode(chunk, { stream: true });
  } finally {
    await response.discard();
  }
  if (response.status >= 500) {
    throw new BridgeError('upstream-status', `${url} answered ${response.status}`, { retryable: true });
  }
  return response.status < 300 ? parseIntroduction(text + decoder.decode()) : undefined;
}

const parser = new XMLParser({
  ignoreAttributes: true,
  removeNSPrefix: true,
  parseTagValue: false,
  htmlEntities: false,
  isArray: (name) => name === 'description',
});

function parseIntroduction(text: string): Introduction | undefined {
  // Nothing in such a document needs one.
  if (/<!DOCTYPE|<!ENTITY/i.test(text)) return undefined;
  let document: unknown;
  try {
    document = parser.parse(text);
  } catch {
    return undefined;
  }
  const identify = within(within(document, 'OAI-PMH'), 'Identify');
  if (identify === undefined) return undefined;
  const descriptions = within(identify, 'description');
  const hosts = (Array.isArray(descriptions) ? descriptions : []).flatMap((description) => {
    const scheme = within(description, 'oai-identifier');
    const sample = readOaiName(textOf(within(scheme, 'sampleIdentifier')))?.host;
    return sample ?? textOf(within(scheme, 'repositoryIdentifier')) ?? [];
  });
  const host = hosts.find(isOaiHost);
  return { name: textOf(within(identify, 'repositoryName'))?.slice(0, 300), host };
}

function within(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

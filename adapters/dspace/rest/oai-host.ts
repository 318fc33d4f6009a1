import { XMLParser, XMLValidator } from 'fast-xml-parser';
import type { AdapterContext, AdapterSettings } from '../../../src/core/adapter.ts';
import {
  isOaiHost,
  knownOaiHost,
  oaiHostLesson,
  readOaiName,
  toOaiName,
} from '../../../src/core/dspace/oai-name.ts';
import { BridgeError, describeError, failure } from '../../../src/core/errors.ts';
import { say } from '../../../src/core/reasons/reason.ts';
import { asText } from './json-value.ts';
import type { RestService } from './rest-service.ts';

/** What an item is called: by its handle, where it has one and nobody wants it otherwise, else by its UUID. */
export type IdentifierOf = (handle: string | undefined, uuid: string) => string;

const handleForm = /^[^\s\p{C}]+$/u;

/** Where the OAI-PMH endpoint is, or would usually be; undefined: it is not to be used. */
export function oaiUrlOf(settings: Pick<AdapterSettings, 'oaiUrl'>, base: string): string | undefined {
  const { oaiUrl } = settings;
  if (oaiUrl === false) return undefined;
  return oaiUrl ?? `${base.replace(/\/api$/, '')}/oai/request`;
}

/**
 * Finds out how items are to be called.
 * @throws BridgeError when a configured OAI-PMH endpoint, which would know, cannot be read
 */
export async function decideIdentifiers(
  rest: RestService,
  settings: AdapterSettings,
  context: AdapterContext,
  signal: AbortSignal,
): Promise<IdentifierOf> {
  if (settings.identity === 'uuid') return (_handle, uuid) => uuid;
  const host = await decideHost(rest, settings, context, signal);
  return (handle, uuid) => (handle !== undefined && handleForm.test(handle) ? toOaiName(host, handle) : uuid);
}

async function decideHost(
  rest: RestService,
  settings: AdapterSettings,
  context: AdapterContext,
  signal: AbortSignal,
): Promise<string> {
  const known = await knownOaiHost(settings, context);
  if (known !== undefined) return known;
  const told = await askOaiPmh(rest, settings, context, signal);
  const host = told ?? hostOfUi(rest);
  const why = told === undefined ? 'there is no OAI-PMH endpoint to ask' : 'so does its OAI-PMH endpoint';
  const sentence = say('items-called', { host, why });
  context.lessons.learn(oaiHostLesson, host, sentence);
  return host;
}

/** As DSpace itself does, unless it was told otherwise: `dspace.hostname` is the host of its pages. */
function hostOfUi({ root, base }: RestService): string {
  for (const address of [asText(root.dspaceUI), base]) {
    try {
      const { hostname, protocol } = new URL(address ?? '');
      if (/^https?:$/.test(protocol) && isOaiHost(hostname)) return hostname;
    } catch {
      // The next one.
    }
  }
  return 'localhost';
}

/** A record says for sure what it is called; `Identify` says it from a file that may never have been edited. */
async function askOaiPmh(
  { base }: RestService,
  settings: AdapterSettings,
  { http, log }: AdapterContext,
  signal: AbortSignal,
): Promise<string | undefined> {
  const url = oaiUrlOf(settings, base);
  if (url === undefined) return undefined;
  for (const question of ['verb=ListIdentifiers&metadataPrefix=oai_dc', 'verb=Identify']) {
    try {
      const response = await http.get(`${url}?${question}`, {
        signal,
        headers: { accept: 'text/xml, application/xml' },
        deadline: 60_000,
        maxBytes: 8 * 1024 * 1024,
      });
      let text = '';
      const decoder = new TextDecoder();
      for await (const chunk of response.body) text += decoder.decode(chunk, { stream: true });
      const host = response.status < 300 ? hostInDocument(text) : undefined;
      if (host !== undefined) return host;
    } catch (error) {
      signal.throwIfAborted();
      if (settings.oaiUrl !== undefined) {
        const sentence = `what its items are called could not be asked: ${describeError(error)}`;
        throw new BridgeError('upstream-unreachable', `${url}: ${sentence}`, {
          cause: error,
          retryable: true,
        });
      }
      log.info({ url, ...failure(error) }, 'no OAI-PMH endpoint found');
      return undefined;
    }
  }
  return undefined;
}

const parser = new XMLParser({
  removeNSPrefix: true,
  ignoreAttributes: true,
  parseTagValue: false,
  processEntities: false,
});

/** In a list of identifiers or the description of a repository; undefined: it is in no such thing. */
function hostInDocument(text: string): string | undefined {
  // The parser takes what was cut off for whole.
  if (XMLValidator.validate(text) !== true) return undefined;
  const texts = textsOf(parser.parse(text), 0);
  const samples = texts.filter(([name]) => name === 'identifier' || name === 'sampleIdentifier');
  const stated = texts.find(([name]) => name === 'repositoryIdentifier')?.[1];
  const hosts = [...samples.map(([, value]) => readOaiName(value)?.host), stated];
  return hosts.find((host) => host !== undefined && isOaiHost(host));
}

/** Every element's name and text. */
function textsOf(value: unknown, depth: number, name = ''): readonly (readonly [string, string])[] {
  if (typeof value === 'string') return [[name, value.trim()]];
  if (typeof value !== 'object' || value === null || depth > 20) return [];
  if (Array.isArray(value)) return value.flatMap((entry) => textsOf(entry, depth + 1, name));
  return Object.entries(value).flatMap(([key, entry]) => textsOf(entry, depth + 1, key));
}

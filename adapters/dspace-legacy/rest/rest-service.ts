import type { AdapterContext, AdapterSettings, HttpResponse } from '../../../src/core/adapter.ts';
import { movedAddress } from '../../../src/core/addresses/moved-address.ts';
import { parseHttpDate, toIso } from '../../../src/core/datetime.ts';
import { BridgeError, describeError, isBridgeError } from '../../../src/core/errors.ts';
import { say } from '../../../src/core/reasons/reason.ts';
import { asObject, asText } from './json-value.ts';
import { RestError } from './rest-error.ts';

/** Name and value of each part of a query, unencoded. */
export type Query = readonly (readonly [string, string])[];

/** Milliseconds for one answer: past them less is asked for. */
const deadline = 90_000;

const lesson = 'rest-base';

/** What is asked of the service as such. */
const probes: ReadonlySet<string> = new Set(['/status', '/test']);

/** Octets; of larger pages fewer items are asked for. */
const largestBody = 16 * 1024 * 1024;

/**
 * The `/rest` of a DSpace 5 or 6, as everybody sees it. URLs are made from the base and ids alone: the `link` and
 * `retrieveLink` of answers lead astray wherever the service was put under another path.
 */
export class LegacyRest {
  /** Without slash at the end: `https://repo.example.org/rest`. */
  readonly base: string;
  /** As the service itself states it; undefined: not at all, as DSpace 5 and many 6 do. */
  readonly version: string | undefined;
  readonly #context: AdapterContext;
  #answeredAt: string | undefined;
  #moved: string | false | undefined;

  private constructor(base: string, version: string | undefined, context: AdapterContext) {
    this.base = base;
    this.version = version;
    this.#context = context;
  }

  /**
   * Looks for the service at the configured address and in `/rest` below it.
   * @throws BridgeError of the transport as it is; `upstream-protocol` when it is at neither
   */
  static async open(
    settings: Pick<AdapterSettings, 'url'>,
    context: AdapterContext,
    signal: AbortSignal,
  ): Promise<LegacyRest> {
    const given = settings.url.replace(/[?#].*$/s, '').replace(/\/+$/, '');
    const usual = [given, `${given}/rest`];
    const learnt = context.lessons.get(lesson);
    const candidates = learnt === usual[1] ? [...usual].reverse() : usual;
    const failures: unknown[] = [];
    for (const base of candidates) {
      try {
        const rest = await LegacyRest.#probe(base, context, signal);
        if (base === given) context.lessons.forget(lesson);
        else context.lessons.learn(lesson, base, say('rest-service-at', { url: base }));
        return rest;
      } catch (error) {
        signal.throwIfAborted();
        if (!isBridgeError(error) || !speaksOfPath(error)) throw error;
        failures.push(error);
      }
    }
    throw new BridgeError(
      'upstream-protocol',
      `no REST service of a DSpace 5 or 6 answers at ${candidates.join(' or ')} (for DSpace 7 and later use the adapter dspace): ${failures.map(describeError).join('; ')}`,
      { retryable: failures.some((error) => isBridgeError(error) && error.retryable) },
    );
  }

  /** `status` knows the version, `test` is older. */
  static async #probe(base: string, context: AdapterContext, signal: AbortSignal): Promise<LegacyRest> {
    const unversioned = new LegacyRest(base, undefined, context);
    let failure: unknown;
    try {
      const status = asObject(await unversioned.get('/status', [], signal));
      if (typeof status?.okay === 'boolean') {
        const versioned = new LegacyRest(base, asText(status.sourceVersion)?.slice(0, 40), context);
        versioned.#moved = unversioned.#moved;
        return versioned;
      }
    } catch (error) {
      failure = error;
      if (!isBridgeError(error) || !speaksOfPath(error)) throw error;
    }
    if (await unversioned.isRunning(signal)) return unversioned;
    throw failure ?? new BridgeError('upstream-protocol', `${base} is no REST service of a DSpace 5 or 6`);
  }

  /** As in `RepositoryInfo`. */
  get moved(): string | false | undefined {
    return this.#moved;
  }

  /** By the server's clock, when it first answered; ISO UTC. */
  get answeredAt(): string {
    return this.#answeredAt ?? toIso(this.#context.clock.now());
  }

  /**
   * GETs `base` + `path`, e.g. `/items/12`.
   * @returns JSON that nobody has looked at; undefined: 204
   * @throws RestError; BridgeError `upstream-html`, `upstream-not-json`, `upstream-unreachable`, …
   */
  async get(path: string, query: Query, signal: AbortSignal): Promise<unknown> {
    const response = await this.#request(path, query, 'application/json', signal);
    if (response.status === 204) {
      await response.discard();
      return undefined;
    }
    const text = await readText(response);
    if (/^\s*<(?:!doctype|html)/i.test(text) || /\bhtml\b/i.test(response.headers['content-type'] ?? '')) {
      throw new BridgeError('upstream-html', `${shown(response.url)} returned an HTML page instead of JSON`, {
        retryable: true,
      });
    }
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw new BridgeError(
        'upstream-not-json',
        `${shown(response.url)} returned something that is not JSON`,
        {
          cause,
          retryable: true,
        },
      );
    }
  }

  /** Whether the service as such answers, whatever is wrong with one object. */
  async isRunning(signal: AbortSignal): Promise<boolean> {
    try {
      const accept = 'application/json, text/plain;q=0.9, */*;q=0.1';
      return /REST api is running/i.test(await readText(await this.#request('/test', [], accept, signal)));
    } catch (error) {
      signal.throwIfAborted();
      if (isBridgeError(error)) return false;
      throw error;
    }
  }

  async #request(path: string, query: Query, accept: string, signal: AbortSignal): Promise<HttpResponse> {
    const parts = query.map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll('%2C', ',')}`);
    const url = `${this.base}${path}${parts.length === 0 ? '' : `?${parts.join('&')}`}`;
    // Otherwise it would answer in XML.
    const response = await this.#context.http.get(url, {
      signal,
      deadline,
      maxBytes: largestBody,
      headers: { accept },
    });
    this.#answeredAt ??= parseHttpDate(response.headers.date ?? '');
    const { movedTo } = response;
    if (probes.has(path)) this.#moved = movedTo !== undefined && movedAddress(url, movedTo, path);
    if (response.status < 300) return response;
    throw new RestError(response.status, shown(url), await readBeginning(response));
  }
}

/** A handle as a part of a path. */
export function handlePath(handle: string): string {
  return `/handle/${handle.split('/').map(encodeURIComponent).join('/')}`;
}

async function readText({ body, discard }: HttpResponse): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of body) text += decoder.decode(chunk, { stream: true });
  } finally {
    await discard();
  }
  return text + decoder.decode();
}

const beginning = 65_536;

/** Of an error's page; the status says enough where it cannot be read. */
async function readBeginning(response: HttpResponse): Promise<string> {
  let text = '';
  try {
    for await (const chunk of response.body) {
      text += Buffer.from(chunk).toString('latin1');
      if (text.length > beginning) break;
    }
  } catch {
    // Half a page is none the worse for it.
  } finally {
    await response.discard();
  }
  return text;
}

/** Another address may answer better; a host that cannot be reached has no other. */
function speaksOfPath({ code }: BridgeError): boolean {
  return ['upstream-status', 'upstream-html', 'upstream-not-json', 'upstream-protocol'].includes(code);
}

function shown(url: string): string {
  return url.replace(/[?#].*$/s, '').slice(0, 300);
}

import type { AdapterContext, AdapterSettings, HttpResponse } from '../../../src/core/adapter.ts';
import { failure, isBridgeError } from '../../../src/core/errors.ts';
import { say } from '../../../src/core/reasons/reason.ts';
import { largestBody, readJsonBody } from './json-body.ts';
import { asObject, asText, asUuid, type JsonObject } from './json-value.ts';
import { isRestError } from './rest-error.ts';
import { findRoot, type Root, restHeaders } from './root.ts';

export { RestError } from './rest-error.ts';

/** Name and value of each part of a query, unencoded; names may be repeated. */
export type Query = readonly (readonly [string, string])[];

export interface RestOptions {
  readonly signal: AbortSignal;
  /** Milliseconds for the whole exchange; past it BridgeError `upstream-unreachable` or `upstream-cut-off`. */
  readonly deadline?: number | undefined;
  /** False: whoever asks has a better answer to a 500 than asking the same again; default true. */
  readonly patient?: boolean | undefined;
}

/** The REST API of one DSpace, as everybody sees it: nothing that it does takes a login along. */
export interface RestService {
  /** Without slash at the end: `https://repo.example.org/server/api`. */
  readonly base: string;
  /** Of `GET {base}`. */
  readonly root: JsonObject;
  /** As in `RepositoryInfo`. */
  readonly moved?: string | false | undefined;
  /** The `Date` header of its latest answer, as it came: the upstream's clock. */
  readonly date?: string | undefined;
  /**
   * GETs `base` + `path`, e.g. `/core/items/…`.
   * @returns undefined: 204, there is none
   * @throws RestError; BridgeError `upstream-html`, `upstream-not-json`, `upstream-unreachable`, …
   */
  get(path: string, query: Query, options: RestOptions): Promise<JsonObject | undefined>;
  /**
   * The UUID of the item that a handle leads to; undefined: to none, or to something else.
   * @throws as `get`
   */
  findByHandle(handle: string, signal: AbortSignal): Promise<string | undefined>;
  /** HEAD of a bitstream's content, with a Range so that it does not count as a download. */
  headContent(uuid: string, signal: AbortSignal): Promise<HttpResponse>;
}

/**
 * Looks where the API is.
 * @throws BridgeError of the transport, `upstream-html`, `upstream-protocol`, …
 */
export async function openRestService(
  settings: Pick<AdapterSettings, 'url'>,
  context: AdapterContext,
  signal: AbortSignal,
): Promise<RestService> {
  return new HttpRestService(await findRoot(settings, context, signal), context);
}

/** URLs are built from the base alone: what answers call theirs is from behind a proxy, or hostile. */
export function restUrl(base: string, path: string, query: Query): string {
  const parts = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return parts.length === 0 ? base + path : `${base}${path}?${parts.join('&')}`;
}

const projection = 'projection';
const versionEmbed = 'version-embed';
const allLanguages = ['projection', 'allLanguages'] as const;

/** Milliseconds before each further attempt at what failed for no reason of the request's own. */
const pauses = [2000, 10_000];

class HttpRestService implements RestService {
  readonly base: string;
  readonly root: JsonObject;
  readonly moved: string | false | undefined;
  date: string | undefined;
  readonly #context: AdapterContext;
  /** Metadata can be had in all languages at once, as far as is known. */
  #projects = true;
  /** False where a request that asks for versions, too, fails as a whole, as on servers put together in unusual ways. */
  #embedsVersions = true;

  constructor({ base, json, date, moved }: Root, context: AdapterContext) {
    this.base = base;
    this.root = json;
    this.moved = moved;
    this.date = date;
    this.#context = context;
    // Another version may have learnt it.
    if (context.lessons.get(projection) === this.#version) this.#projects = false;
    if (context.lessons.get(versionEmbed) === this.#version) this.#embedsVersions = false;
  }

  async get(path: string, query: Query, options: RestOptions): Promise<JsonObject | undefined> {
    const lesser = withoutVersions(query);
    if (lesser.length === query.length || !this.#embedsVersions) {
      return this.#getProjected(path, lesser, options);
    }
    try {
      return await this.#getProjected(path, query, options);
    } catch (error) {
      if (!isRestError(error, 400)) throw error;
    }
    const answer = await this.#getProjected(path, lesser, options);
    this.#embedsVersions = false;
    const sentence = say('no-versions', {});
    this.#context.lessons.learn(versionEmbed, this.#version, sentence);
    return answer;
  }

  async #getProjected(path: string, query: Query, options: RestOptions): Promise<JsonObject | undefined> {
    if (!this.#projects) return this.#patiently(path, query, options);
    try {
      const answer = await this.#patiently(path, [...query, allLanguages], options);
      this.#context.lessons.forget(projection);
      return answer;
    } catch (error) {
      // Not every answer before this one need have looked at it.
      if (!isRestError(error, 400)) throw error;
    }
    const answer = await this.#patiently(path, query, options);
    this.#projects = false;
    const sentence = say('no-languages', {});
    this.#context.lessons.learn(projection, this.#version, sentence);
    return answer;
  }

  async findByHandle(handle: string, signal: AbortSignal): Promise<string | undefined> {
    const url = restUrl(this.base, '/pid/find', [['id', `hdl:${handle}`]]);
    const { http } = this.#context;
    const response = await http.get(url, {
      signal,
      headers: restHeaders,
      redirects: 'reported',
      maxBytes: largestBody,
    });
    if (response.status >= 300 && response.status < 400) {
      await response.discard();
      return uuidAtEnd(response.headers.location);
    }
    try {
      const json = await readJsonBody(response);
      return json?.type === 'item' ? asUuid(json.uuid) : undefined;
    } catch (error) {
      // This one is answered without a word (IdentifierRestController); a proxy would have sent a page.
      if (isRestError(error, 404, 410)) return undefined;
      throw error;
    }
  }

  headContent(uuid: string, signal: AbortSignal): Promise<HttpResponse> {
    return this.#context.http.head(`${this.base}/core/bitstreams/${uuid}/content`, {
      signal,
      headers: { range: 'bytes=0-0', 'accept-language': restHeaders['accept-language'] },
      // Lengths and hashes are compared with it: no coding may change them.
      decode: 'never',
    });
  }

  get #version(): string {
    return asText(this.root.dspaceVersion) ?? 'unknown version';
  }

  /** As often as it makes sense: an answer that came too late is no accident, but for the caller to ask for less. */
  async #patiently(path: string, query: Query, options: RestOptions): Promise<JsonObject | undefined> {
    const { clock, log } = this.#context;
    for (let failures = 0; ; failures += 1) {
      const startedAt = clock.now().getTime();
      try {
        return await this.#once(path, query, options);
      } catch (error) {
        options.signal.throwIfAborted();
        const pause = pauses[failures];
        const isLate = clock.now().getTime() - startedAt >= (options.deadline ?? Number.POSITIVE_INFINITY);
        if (pause === undefined || options.patient === false || isLate || !isAccident(error)) throw error;
        log.warn(
          { url: this.base + path, ...failure(error), seconds: pause / 1000 },
          'no usable answer, waiting before the next attempt',
        );
        await clock.sleep(pause, options.signal);
      }
    }
  }

  async #once(
    path: string,
    query: Query,
    { signal, deadline }: RestOptions,
  ): Promise<JsonObject | undefined> {
    const response = await this.#context.http.get(restUrl(this.base, path, query), {
      signal,
      headers: restHeaders,
      maxBytes: largestBody,
      ...(deadline === undefined ? {} : { deadline }),
    });
    this.date = response.headers.date ?? this.date;
    return readJsonBody(response);
  }
}

function withoutVersions(query: Query): Query {
  return query.filter(([name, value]) => name !== 'embed' || !/(?:^|\/)version\/versionhistory$/.test(value));
}

/** 504 is a time limit of theirs: the same again would end the same. */
function isAccident(error: unknown): boolean {
  return isRestError(error, 500, 502) || isBridgeError(error, 'upstream-cut-off');
}

/** The last part of a URL's path, if it is that of an item. */
function uuidAtEnd(location: string | undefined): string | undefined {
  if (location === undefined) return undefined;
  const path = location.replace(/[?#].*$/s, '').replace(/\/+$/, '');
  return /\/items\/[^/]+$/.test(path) ? asUuid(path.slice(path.lastIndexOf('/') + 1)) : undefined;
}

/** The id at the end of a link in an answer, of which nothing else is believed; undefined: there is none. */
export function uuidOfLink(json: JsonObject, relation: string): string | undefined {
  const href = asText(asObject(asObject(json._links)?.[relation])?.href);
  return href === undefined ? undefined : asUuid(/([^/?#]+)\/?(?:[?#].*)?$/s.exec(href)?.[1]);
}

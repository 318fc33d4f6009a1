import type { AdapterContext, HttpResponse, Login } from '../../../src/core/adapter.ts';
import { parseHttpDate, toMilliseconds } from '../../../src/core/datetime.ts';
import { BridgeError } from '../../../src/core/errors.ts';
import { largestBody, readJsonBody, shown } from './json-body.ts';
import { asObject, type JsonObject } from './json-value.ts';
import { isRefused, isRestError, RestError } from './rest-error.ts';
import { type Query, restUrl } from './rest-service.ts';
import { restHeaders } from './root.ts';

/** Milliseconds before its end at which a token is renewed. */
const reserve = 60_000;

/** Milliseconds that a token is used which does not say when it ends; DSpace's own choice is half an hour. */
const shortLife = 600_000;
const longLife = 86_400_000;

interface Token {
  readonly bearer: string;
  /** Milliseconds since the epoch, by our clock. */
  readonly endsAt: number;
}

/**
 * The configured account at one DSpace: for version histories that are hidden from the public, and for nothing that is
 * published. Neither the password nor a token is part of any message.
 */
export class Session {
  readonly #base: string;
  readonly #login: Login;
  readonly #context: Pick<AdapterContext, 'http' | 'clock'>;
  /** What DSpace last gave out against forged requests; it comes as a header and goes back as header and cookie. */
  #csrf: string | undefined;
  #token: Promise<Token> | undefined;

  /** @param base of the REST API, without slash at the end */
  constructor(base: string, login: Login, context: Pick<AdapterContext, 'http' | 'clock'>) {
    this.#base = base;
    this.#login = login;
    this.#context = context;
  }

  /**
   * Logs in, if that is not done yet.
   * @throws BridgeError `upstream-login-refused`; of the transport
   */
  async open(signal: AbortSignal): Promise<void> {
    await this.#current(signal);
  }

  /**
   * GETs `base` + `path` as the account.
   * @returns undefined: 204
   * @throws RestError also where even the account may not see it; BridgeError `upstream-login-refused`, …
   */
  async get(path: string, query: Query, signal: AbortSignal): Promise<JsonObject | undefined> {
    const token = await this.#current(signal);
    try {
      return await this.#ask(path, query, token, signal);
    } catch (error) {
      if (!isRefused(error)) throw error;
      // A token that does not count any more makes us anonymous without a word (§1.2).
      if (await this.#isAuthenticated(token, signal)) throw error;
    }
    this.#token = undefined;
    return this.#ask(path, query, await this.#current(signal), signal);
  }

  /** One login at a time, whoever asks. */
  async #current(signal: AbortSignal): Promise<Token> {
    const known = await this.#token;
    if (known !== undefined && this.#now() < known.endsAt) return known;
    // Somebody else may have begun while we looked.
    const begun = this.#token;
    if (begun !== undefined && (await begun) !== known) return begun;
    const next = this.#renew(known, signal);
    this.#token = next;
    try {
      return await next;
    } catch (error) {
      if (this.#token === next) this.#token = undefined;
      throw error;
    }
  }

  async #renew(known: Token | undefined, signal: AbortSignal): Promise<Token> {
    if (known !== undefined) {
      const renewed = await this.#post(undefined, known, signal);
      const token = renewed.status === 200 ? this.#tokenOf(renewed) : undefined;
      await renewed.discard();
      if (token !== undefined && (await this.#isAuthenticated(token, signal))) return token;
    }
    const token = await this.#logIn(signal);
    if (await this.#isAuthenticated(token, signal)) return token;
    throw new BridgeError(
      'upstream-login-refused',
      `${this.#base} accepts the login, but answers as to an anonymous client (a proxy may drop the Authorization header)`,
    );
  }

  async #logIn(signal: AbortSignal): Promise<Token> {
    this.#csrf ??= (await this.#askForCsrf(signal)) ?? crypto.randomUUID();
    const form = new URLSearchParams({ user: this.#login.user, password: this.#login.password });
    for (let attempt = 1; ; attempt += 1) {
      const before: string | undefined = this.#csrf;
      const response = await this.#post(form, undefined, signal);
      try {
        if (response.status >= 200 && response.status < 300) {
          const token = this.#tokenOf(response);
          if (token !== undefined) return token;
          throw new BridgeError('upstream-protocol', `${this.#base} answered a login without a token`);
        }
        // DSpace 8 and 9 give the first one out with their refusal (DSpace#9774).
        if (response.status === 403 && attempt === 1 && this.#csrf !== before) continue;
        throw this.#withoutSecrets(await refusal(response, this.#base));
      } finally {
        await response.discard();
      }
    }
  }

  /** @param form undefined: the token is renewed */
  async #post(
    form: URLSearchParams | undefined,
    token: Token | undefined,
    signal: AbortSignal,
  ): Promise<HttpResponse> {
    this.#csrf ??= crypto.randomUUID();
    const response = await this.#context.http.post(
      `${this.#base}/authn/login`,
      form ?? new URLSearchParams(),
      {
        signal,
        headers: restHeaders,
        credentials: {
          'x-xsrf-token': this.#csrf,
          cookie: `DSPACE-XSRF-COOKIE=${this.#csrf}`,
          ...(token === undefined ? {} : { authorization: token.bearer }),
        },
        // A form that follows a redirect takes the password along.
        redirects: 'reported',
        maxBytes: 1024 * 1024,
      },
    );
    this.#keepCsrf(response);
    return response;
  }

  /** Where it is asked for (7.6.2, 8.0 and later), then where it used to come along. */
  async #askForCsrf(signal: AbortSignal): Promise<string | undefined> {
    for (const path of ['/security/csrf', '/authn/status']) {
      const response = await this.#context.http.get(this.#base + path, {
        signal,
        headers: restHeaders,
        redirects: 'reported',
        maxBytes: 1024 * 1024,
      });
      await response.discard();
      this.#keepCsrf(response);
      if (this.#csrf !== undefined) return this.#csrf;
    }
    return undefined;
  }

  #keepCsrf({ headers }: HttpResponse): void {
    const cookie = /\bDSPACE-XSRF-COOKIE=([\w.~+/=-]+)/.exec(headers['set-cookie'] ?? '')?.[1];
    const given = /^[\w.~+/=-]+$/.exec(headers['dspace-xsrf-token'] ?? '')?.[0];
    this.#csrf = given ?? cookie ?? this.#csrf;
  }

  #tokenOf({ headers }: HttpResponse): Token | undefined {
    const bearer = /^Bearer [\w.~+/=-]+$/.exec(headers.authorization ?? '')?.[0];
    if (bearer === undefined) return undefined;
    const now = this.#now();
    const date = parseHttpDate(headers.date ?? '');
    const life = lifeOf(bearer, date === undefined ? now : toMilliseconds(date)) ?? shortLife;
    return { bearer, endsAt: now + life };
  }

  async #isAuthenticated(token: Token, signal: AbortSignal): Promise<boolean> {
    try {
      return (await this.#ask('/authn/status', [], token, signal))?.authenticated === true;
    } catch (error) {
      if (isRefused(error)) return false;
      throw error;
    }
  }

  async #ask(path: string, query: Query, token: Token, signal: AbortSignal): Promise<JsonObject | undefined> {
    const response = await this.#context.http.get(restUrl(this.#base, path, query), {
      signal,
      headers: restHeaders,
      credentials: { authorization: token.bearer },
      maxBytes: largestBody,
    });
    try {
      return await readJsonBody(response);
    } catch (error) {
      throw this.#withoutSecrets(error, token);
    }
  }

  /** The words of an error are the server's, which may repeat what it was told. */
  #withoutSecrets(error: unknown, token?: Token): unknown {
    const secrets = [this.#login.password, token?.bearer.replace(/^Bearer /, '')];
    const tells =
      error instanceof Error && secrets.some((secret) => secret && error.message.includes(secret));
    if (!tells) return error;
    if (error instanceof RestError) return new RestError(error.status, this.#base, 'its words are left out');
    return new BridgeError('upstream-login-refused', `${this.#base} refused the login`);
  }

  #now(): number {
    return this.#context.clock.now().getTime();
  }
}

/** What a login came to that was not accepted. @throws BridgeError where it was not that which was judged */
async function refusal(response: HttpResponse, base: string): Promise<BridgeError> {
  const { status, headers } = response;
  if (status >= 300 && status < 400) {
    const target = headers.location === undefined ? '' : ` to ${shown(headers.location)}`;
    const why = 'the login is sent to no other address than the configured one';
    return new BridgeError('upstream-protocol', `${base}/authn/login redirects${target}: ${why}`);
  }
  try {
    await readJsonBody(response);
  } catch (error) {
    if (!isRestError(error, 400, 401, 403, 422)) throw error;
    return new BridgeError('upstream-login-refused', `the login was refused: ${error.message}`);
  }
  return new BridgeError('upstream-protocol', `${base} answered a login with ${status}`);
}

/**
 * Until when a JWT is used, by our clock, however wrong theirs is. Nobody here can verify it, and nothing depends on it
 * but when it is renewed.
 * @param now of the server, in milliseconds since the epoch
 * @returns milliseconds from now on; undefined: it does not say
 */
function lifeOf(bearer: string, now: number): number | undefined {
  const payload = bearer.replace(/^Bearer /, '').split('.')[1];
  if (payload === undefined) return undefined;
  try {
    const exp = asObject(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')))?.exp;
    const life = typeof exp === 'number' ? exp * 1000 - now : Number.NaN;
    return life > 0 ? Math.max(Math.min(life, longLife) - reserve, life / 2) : undefined;
  } catch {
    return undefined;
  }
}

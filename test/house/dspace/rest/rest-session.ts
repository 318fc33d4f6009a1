import { createHmac, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from '../refusal.ts';
import type { Account, Viewer } from '../viewer.ts';
import { type Face, type Json, typed } from './rest-json.ts';

/** Login as DSpace 7 and later have it: double-submitted CSRF tokens and short-lived JWTs. */
export class RestSession {
  readonly #face: Face;
  readonly #accounts: readonly Account[];
  readonly #secret = randomUUID();
  /** Logins that succeeded. */
  logins = 0;
  /** Tokens issued until then are no longer valid (`iat` in ms). */
  #notBefore = 0;

  constructor(face: Face, accounts: readonly Account[]) {
    this.#face = face;
    this.#accounts = accounts;
  }

  /** Every token issued so far is worthless from now on, though its `exp` says otherwise. */
  forgetLogins(): void {
    this.#notBefore = this.#face.repository.now() + 1;
  }

  /** Whom a request comes from. @throws Refusal where the server says so */
  viewer(request: IncomingMessage): Viewer {
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (token === undefined) return undefined;
    const viewer = this.#read(token);
    if (viewer === undefined && this.#face.switches.expiredToken === '401') throw new Refusal(401);
    return viewer;
  }

  /** Tokens are issued to whoever has none, or only when one is missed (#9774). */
  offerToken(request: IncomingMessage, response: ServerResponse): void {
    const lazy = this.#face.switches.lazyCsrf ?? this.#face.profile.lazyCsrf;
    if (!lazy && cookie(request) === undefined) issueToken(response);
  }

  /** @throws Refusal 403, with a token for the next attempt */
  checkToken(request: IncomingMessage, response: ServerResponse): void {
    const sent = request.headers['x-xsrf-token'];
    if (sent !== undefined && sent === cookie(request)) return;
    issueToken(response);
    throw new Refusal(403, 'Access is denied. Invalid CSRF token.');
  }

  /** @throws Refusal 401 */
  login(form: URLSearchParams, viewer: Viewer, response: ServerResponse): void {
    const account =
      form.has('user') || viewer === undefined
        ? this.#accounts.find(
            ({ user, password }) => user === form.get('user') && password === form.get('password'),
          )
        : viewer;
    if (account === undefined) throw new Refusal(401, 'Authentication failed!');
    this.logins += 1;
    issueToken(response);
    response.setHeader('authorization', `Bearer ${this.#issue(account)}`);
  }

  status(viewer: Viewer): Json {
    const { api } = this.#face;
    const eperson =
      viewer === undefined ? `${api}/authn/status/eperson` : `${api}/eperson/epersons/${epersonId}`;
    return {
      id: null,
      okay: true,
      authenticated: viewer !== undefined,
      authenticationMethod: viewer === undefined ? null : 'password',
      ...typed(this.#face, 'status', 'authn'),
      _links: {
        eperson: { href: eperson },
        specialGroups: { href: `${api}/authn/status/specialGroups` },
        self: { href: `${api}/authn/status` },
      },
    };
  }

  #issue(account: Account): string {
    const now = this.#face.repository.now();
    const claims = {
      eid: account.user,
      sg: [],
      iat: now,
      exp: Math.floor((now + this.#face.switches.tokenLife) / 1000),
      authenticationMethod: 'password',
    };
    const body = [{ alg: 'HS256' }, claims].map((part) => base64(JSON.stringify(part))).join('.');
    return `${body}.${this.#sign(body)}`;
  }

  #read(token: string): Viewer {
    const [head, claims, signature] = token.split('.');
    if (claims === undefined || signature !== this.#sign(`${head}.${claims}`)) return undefined;
    const { eid, exp, iat } = JSON.parse(Buffer.from(claims, 'base64url').toString());
    if (exp * 1000 <= this.#face.repository.now() || iat < this.#notBefore) return undefined;
    return this.#accounts.find(({ user }) => user === eid);
  }

  #sign(body: string): string {
    return createHmac('sha256', this.#secret).update(body).digest('base64url');
  }
}

const epersonId = '335647b6-8a52-4ecb-a8c1-7ebabb199bda';

function base64(text: string): string {
  return Buffer.from(text).toString('base64url');
}

export function issueToken(response: ServerResponse): void {
  const token = randomUUID();
  response.setHeader('dspace-xsrf-token', token);
  response.setHeader('set-cookie', `DSPACE-XSRF-COOKIE=${token}; Path=/server; HttpOnly`);
}

function cookie(request: IncomingMessage): string | undefined {
  return /(?:^|;\s*)DSPACE-XSRF-COOKIE=([^;]+)/.exec(request.headers.cookie ?? '')?.[1];
}

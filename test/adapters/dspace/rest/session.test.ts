import { afterEach, describe, expect, it } from 'vitest';
import { Session } from '../../../../adapters/dspace/rest/session.ts';
import { describeError } from '../../../../src/core/errors.ts';
import { createContext } from '../../../house/adapters/http-double.ts';
import {
  type Answer,
  html,
  type Route,
  serveRoutes,
  springError,
} from '../../../house/adapters/routed-server.ts';
import { type RestServer, sampleAccounts, startRestServer } from '../../../house/dspace/rest/rest-server.ts';
import type { RestVersion } from '../../../house/dspace/rest/rest-version.ts';
import { sampleRepository } from '../../../house/dspace/sample-repository.ts';
import type { Switches } from '../../../house/dspace/switches.ts';

const { signal } = new AbortController();
const login = { user: 'admin@example.org', password: 'secret of the admin' };
const closing: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(closing.splice(0).map((server) => server.close()));
});

async function start(version: RestVersion, switches: Partial<Switches> = {}) {
  const repository = sampleRepository({ items: 3 });
  // The server's `Date` header is of today.
  let now = Date.now();
  repository.now = () => now;
  const server = await startRestServer({ repository, version, switches, accounts: sampleAccounts });
  closing.push(server);
  const context = { ...createContext(), clock: { now: () => new Date(now), sleep: async () => undefined } };
  const session = new Session(server.url, login, context);
  return { server, session, wait: (milliseconds: number) => (now += milliseconds) };
}

/** Who the last request was taken to come from. */
function viewer(server: RestServer): string | undefined {
  return server.requests.at(-1)?.viewer?.user;
}

async function failure(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => expect.fail('it went well'),
    (error: unknown) => error as Error,
  );
}

describe.each(['7.6', '8.2', '9.1', '10.1', 'cris'] as const)('an account at DSpace %s', (version) => {
  it('logs in once, whoever asks, and asks with it', async () => {
    const { server, session } = await start(version);
    await Promise.all([session.open(signal), session.open(signal), session.get('/authn/status', [], signal)]);
    expect(server.session.logins).toBe(1);
    expect(viewer(server)).toBe(login.user);
  });
});

describe('the token against forged requests', () => {
  it('comes with the refusal of the first login, where nobody gave one before', async () => {
    const { server, session } = await start('9.1', { lazyCsrf: true });
    server.fail({ when: ({ kind }) => kind === 'csrf', reply: 404 });
    await session.open(signal);
    const posts = server.requests.filter(({ method }) => method === 'POST');
    expect(posts.length).toBeLessThanOrEqual(2);
    expect(posts.at(-1)?.status).toBe(200);
  });

  it('is one of our own, where nobody gives one', async () => {
    const seen: string[] = [];
    const double = await served({
      '/api/authn/login': ({ headers }) => {
        seen.push(String(headers['x-xsrf-token']), String(headers.cookie));
        return { headers: { authorization: 'Bearer a.b.c' } };
      },
      '/api/authn/status': { json: { authenticated: true } },
    });
    await double.session.open(signal);
    expect(seen[0]).toMatch(/^[\da-f-]{36}$/);
    expect(seen[1]).toBe(`DSPACE-XSRF-COOKIE=${seen[0]}`);
  });
});

describe('a token', () => {
  it('is renewed before it ends', async () => {
    const { server, session, wait } = await start('8.2');
    await session.open(signal);
    wait(20 * 60_000);
    await session.open(signal);
    expect(server.session.logins).toBe(1);
    wait(9.5 * 60_000);
    await session.get('/authn/status', [], signal);
    expect(server.session.logins).toBe(2);
    expect(viewer(server)).toBe(login.user);
  });

  it('is renewed with the password when it ended long ago', async () => {
    const { server, session, wait } = await start('8.2');
    await session.open(signal);
    wait(3_600_000);
    await session.get('/authn/status', [], signal);
    expect(viewer(server)).toBe(login.user);
  });

  it.each(['anonymous', '401'] as const)(
    'that is forgotten (%s) is noticed when something is refused',
    async (expiredToken) => {
      const { server, session, wait } = await start('8.2', { versions: 'hidden', expiredToken });
      const history = '/versioning/versionhistories/1/versions';
      const { repository } = server;
      const [first] = repository.items;
      if (first === undefined) expect.fail('no item');
      repository.newVersion(first);
      expect(await session.get(history, [], signal)).toHaveProperty('page');
      server.session.forgetLogins();
      wait(10);
      expect(await session.get(history, [], signal)).toHaveProperty('page');
      expect(server.session.logins).toBe(2);
    },
  );

  it('that counts is no reason to log in again: what is refused, is refused', async () => {
    const { server, session } = await start('8.2', { versions: 'off' });
    const error = await failure(session.get('/versioning/versionhistories/1/versions', [], signal));
    expect(error).toMatchObject({ code: 'upstream-status' });
    expect(server.session.logins).toBe(1);
  });
});

async function served(routes: Readonly<Record<string, Route | Answer>>, password = login.password) {
  const server = await serveRoutes(routes);
  closing.push(server);
  const session = new Session(`${server.origin}/api`, { ...login, password }, createContext());
  return { server, session };
}

describe('a refusal', () => {
  it('of a wrong password names neither that nor a token', async () => {
    const { server } = await start('9.1');
    const wrong = new Session(server.url, { ...login, password: 'guessed wrong' }, createContext());
    const error = await failure(wrong.open(signal));
    expect(error).toMatchObject({ code: 'upstream-login-refused' });
    expect(describeError(error)).toContain('Authentication failed!');
    expect(describeError(error)).not.toContain('guessed wrong');
  });

  it('is left out where the server repeats what it was told', async () => {
    const { session } = await served({
      '/api/authn/login': ({ body }) => springError(401, `no: ${new URLSearchParams(body).get('password')}`),
    });
    const error = await failure(session.open(signal));
    expect(error).toMatchObject({ code: 'upstream-login-refused' });
    expect(describeError(error)).not.toContain(login.password);
    expect(JSON.stringify(error)).not.toContain(login.password);
  });

  it('by a proxy is none of DSpace', async () => {
    const { session } = await served({ '/api/authn/login': { ...html, status: 403 } });
    expect(await failure(session.open(signal))).toMatchObject({ code: 'upstream-html' });
  });

  it('is what a login comes to that nobody takes for one afterwards', async () => {
    const { session } = await served({
      '/api/authn/login': { headers: { authorization: 'Bearer a.b.c' } },
      '/api/authn/status': { json: { authenticated: false } },
    });
    const error = await failure(session.open(signal));
    expect(error).toMatchObject({ code: 'upstream-login-refused' });
    expect(error.message).not.toContain('a.b.c');
  });
});

it('does not follow a redirect with the password', async () => {
  const elsewhere = await served({ '/api/authn/login': {} });
  const { session } = await served({
    '/api/authn/login': {
      status: 307,
      headers: { location: `${elsewhere.server.origin}/api/authn/login?x=1` },
    },
  });
  expect(await failure(session.open(signal))).toMatchObject({ code: 'upstream-protocol' });
  expect(elsewhere.server.asked).toEqual([]);
});

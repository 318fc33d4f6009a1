import { afterEach, describe, expect, it } from 'vitest';
import { isNotFound, isRefused, isRestError } from '../../../../adapters/dspace/rest/rest-error.ts';
import { openRestService, type RestService } from '../../../../adapters/dspace/rest/rest-service.ts';
import { describeError } from '../../../../src/core/errors.ts';
import { type ContextDouble, createContext } from '../../../house/adapters/http-double.ts';
import {
  type Answer,
  html,
  type Route,
  type RoutedServer,
  rootJson,
  serveRoutes,
  springError,
} from '../../../house/adapters/routed-server.ts';

const { signal } = new AbortController();
const uuid = '0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d';
const servers: RoutedServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(routes: Readonly<Record<string, Route | Answer>>): Promise<RoutedServer> {
  const server = await serveRoutes(routes);
  servers.push(server);
  return server;
}

/** A service at /server/api that answers one path. */
async function openAt(
  path: string,
  route: Route | Answer,
  context = createContext(),
  root: object = rootJson(),
): Promise<{ rest: RestService; server: RoutedServer; context: ContextDouble }> {
  const server = await serve({ '/server/api': { json: root }, [`/server/api${path}`]: route });
  const rest = await openRestService({ url: `${server.origin}/server/api` }, context, signal);
  return { rest, server, context };
}

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('where the REST API is', () => {
  it('is the configured address, with one request', async () => {
    const { rest, server, context } = await openAt('/x', {});
    expect(rest.base).toBe(`${server.origin}/server/api`);
    expect(rest.root.dspaceName).toBe('A Repository');
    expect(server.lines).toEqual(['GET /server/api']);
    expect(context.lessons.get('rest-base')).toBeUndefined();
  });

  it('is found below a pasted address, and remembered', async () => {
    const server = await serve({ '/': html, '/server/api': { json: rootJson() } });
    const context = createContext();
    const settings = { url: `${server.origin}/` };
    expect((await openRestService(settings, context, signal)).base).toBe(`${server.origin}/server/api`);
    expect((await openRestService(settings, context, signal)).base).toBe(`${server.origin}/server/api`);
    expect(server.lines).toEqual(['GET /', 'GET /server/api', 'GET /server/api']);
  });

  it('is found at /api, too', async () => {
    const server = await serve({ '/api': { json: rootJson() } });
    const { base } = await openRestService({ url: server.origin }, createContext(), signal);
    expect(base).toBe(`${server.origin}/api`);
  });

  it('is where it moved on its host', async () => {
    const server = await serve({
      '/old/api': { status: 302, headers: { location: '/server/api' } },
      '/server/api': { json: rootJson() },
    });
    const context = createContext();
    // As the real port does, which follows redirects.
    const get: typeof context.http.get = async (url, options) => {
      const response = await context.http.get(url, options);
      const { location } = response.headers;
      return location === undefined ? response : get(new URL(location, url).href, options);
    };
    const following = { ...context, http: { ...context.http, get } };
    const rest = await openRestService({ url: `${server.origin}/old/api` }, following, signal);
    expect(rest.base).toBe(`${server.origin}/server/api`);
  });

  it('is not where another address was configured before', async () => {
    const server = await serve({ '/server/api': { json: rootJson() } });
    const context = createContext();
    context.lessons.learn('rest-base', 'https://other.example.org/server/api', 'It was there.');
    const { base } = await openRestService({ url: server.origin }, context, signal);
    expect(base).toBe(`${server.origin}/server/api`);
  });

  it('is nowhere: all that was tried is named', async () => {
    const server = await serve({ '/server/api': { json: { title: 'another API' } } });
    const error = await failure(openRestService({ url: server.origin }, createContext(), signal));
    expect(error).toMatchObject({ code: 'upstream-protocol' });
    expect(describeError(error)).toContain(`${server.origin}/server/api`);
    expect(describeError(error)).toContain('404');
  });

  it('is behind a bot check: that is said of the address that was configured', async () => {
    const server = await serve({ '/server/api': html });
    const error = await failure(
      openRestService({ url: `${server.origin}/server/api` }, createContext(), signal),
    );
    expect(error).toMatchObject({ code: 'upstream-html', retryable: true });
  });
});

describe('a request', () => {
  it('is built from the base, encoded, in one language, and says no Origin', async () => {
    const { rest, server } = await openAt('/discover/search/objects', { json: {} });
    await rest.get('/discover/search/objects', [['query', 'lastModified:[* TO "2026"]&x']], { signal });
    const asked = server.asked.at(-1);
    expect(asked?.url.searchParams.get('query')).toBe('lastModified:[* TO "2026"]&x');
    expect(asked?.headers['accept-language']).toBe('en');
    expect(asked?.headers.accept).toContain('application/hal+json');
    expect(asked?.headers.origin).toBeUndefined();
    expect(asked?.headers.authorization).toBeUndefined();
  });

  it('asks for all languages where the server knows how', async () => {
    const { rest, server, context } = await openAt('/core/items', { json: {} });
    await rest.get('/core/items', [], { signal });
    expect(server.asked.at(-1)?.url.search).toBe('?projection=allLanguages');
    expect(context.lessons.get('projection')).toBeUndefined();
  });

  it('learns where the server does not, until it is another version', async () => {
    const route: Route = ({ url }) =>
      url.searchParams.has('projection') ? springError(400, 'Request is invalid or incorrect') : { json: {} };
    const { rest, server, context } = await openAt('/core/items', route);
    await rest.get('/core/items', [], { signal });
    await rest.get('/core/items', [], { signal });
    expect(server.asked.map(({ url }) => url.search)).toEqual(['', '?projection=allLanguages', '', '']);
    expect(context.lessons.get('projection')).toBe('DSpace 8.2');

    const same = await openAt('/core/items', route, context);
    await same.rest.get('/core/items', [], { signal });
    expect(same.server.asked.map(({ url }) => url.search)).toEqual(['', '']);

    const newer = await openAt(
      '/core/items',
      { json: {} },
      context,
      rootJson({ dspaceVersion: 'DSpace 10.1' }),
    );
    await newer.rest.get('/core/items', [], { signal });
    expect(newer.server.asked.at(-1)?.url.search).toBe('?projection=allLanguages');
    expect(context.lessons.get('projection')).toBeUndefined();
  });

  it('does not blame the projection for a 400 of another reason', async () => {
    const { rest, context } = await openAt('/core/items', springError(400, 'nonsense'));
    expect(await failure(rest.get('/core/items', [], { signal }))).toMatchObject({ status: 400 });
    expect(context.lessons.get('projection')).toBeUndefined();
  });

  it('goes without versions where these make it fail as a whole', async () => {
    const { rest, server, context } = await openAt('/core/items', ({ url }) =>
      url.searchParams.getAll('embed').includes('version/versionhistory')
        ? springError(400, 'Request is invalid or incorrect')
        : { json: {} },
    );
    const embeds = [
      ['embed', 'bundles'],
      ['embed', 'version/versionhistory'],
    ] as const;
    expect(await rest.get('/core/items', embeds, { signal })).toEqual({});
    expect(context.lessons.get('version-embed')).toBe('DSpace 8.2');
    const asked = server.asked.length;
    await rest.get('/core/items', embeds, { signal });
    expect(server.asked.slice(asked).map(({ url }) => url.searchParams.getAll('embed'))).toEqual([
      ['bundles'],
    ]);
  });

  it('is repeated after an accident, and not for ever', async () => {
    let failures = 1;
    const { rest, context } = await openAt('/x', () => {
      failures -= 1;
      return failures < 0 ? { json: { id: 1 } } : springError(500, 'An exception has occurred');
    });
    expect(await rest.get('/x', [], { signal })).toEqual({ id: 1 });
    failures = 100;
    expect(await failure(rest.get('/x', [], { signal }))).toMatchObject({ status: 500, retryable: true });
    expect(context.sleeps).toEqual([2000, 2000, 10_000]);
  });

  it('is not repeated for who has something better to ask', async () => {
    const { rest, context } = await openAt('/x', springError(500, 'An exception has occurred'));
    await failure(rest.get('/x', [], { signal, patient: false }));
    expect(context.sleeps).toEqual([]);
  });
});

describe('an answer', () => {
  const answered = async (answer: Answer) => {
    const { rest } = await openAt('/x', answer);
    return failure(rest.get('/x', [], { signal }));
  };

  it('of 204 is nothing', async () => {
    const { rest } = await openAt('/x', { status: 204 });
    expect(await rest.get('/x', [], { signal })).toBeUndefined();
  });

  it('is an error in the words of the server', async () => {
    const error = await answered(springError(422, 'Invalid search\u001b[31m request'));
    expect(error).toMatchObject({ code: 'upstream-status', status: 422 });
    expect(describeError(error)).toMatch(/\/server\/api\/x answered 422: Invalid search \[31m request$/);
  });

  it('is refused or not found by the service alone, not by a proxy', async () => {
    expect(isRefused(await answered(springError(401, 'Authentication is required')))).toBe(true);
    expect(isNotFound(await answered(springError(404, 'Not Found')))).toBe(true);
    expect(isRefused(await answered({ status: 403, text: '' }))).toBe(false);
    expect(await answered({ ...html, status: 403 })).toMatchObject({ code: 'upstream-html' });
    expect(await answered({ ...html, status: 404 })).toMatchObject({ code: 'upstream-html' });
    expect(isRestError(await answered({ ...html, status: 504 }), 504)).toBe(true);
  });

  it('is a page for people, whatever its type says', async () => {
    expect(await answered(html)).toMatchObject({ code: 'upstream-html' });
    expect(await answered({ text: '<html></html>' })).toMatchObject({ code: 'upstream-html' });
  });

  it.each([
    ['text', 'hello'],
    ['half a document', '{"a": [1, 2'],
    ['a list', '[]'],
    ['null', 'null'],
  ])('is no object: %s', async (_what, text) => {
    expect(await answered({ text })).toMatchObject({ code: 'upstream-not-json' });
  });

  it('is not followed into endless depths', async () => {
    const text = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    expect(await answered({ text })).toMatchObject({ code: 'upstream-not-json' });
    const { rest } = await openAt('/x', { text: `{"a":"${'[{\\"'.repeat(500)}"}` });
    expect(await rest.get('/x', [], { signal })).toHaveProperty('a');
  });
});

describe('a handle', () => {
  const find = async (answer: Answer) => {
    const { rest, server } = await openAt('/pid/find', answer);
    return { found: await rest.findByHandle('123456789/1 2', signal), server };
  };
  const redirect = (location: string): Answer => ({ status: 302, headers: { location } });

  it('leads to an item, by the last part of a redirect that nobody follows', async () => {
    const { found, server } = await find(redirect(`https://evil.example.org/api/core/items/${uuid}?x=/y`));
    expect(found).toBe(uuid);
    expect(server.asked.at(-1)?.url.searchParams.get('id')).toBe('hdl:123456789/1 2');
    expect(server.lines).toHaveLength(2);
  });

  it('leads to a collection, to nothing legible, or to nothing', async () => {
    expect((await find(redirect(`/server/api/core/collections/${uuid}`))).found).toBeUndefined();
    expect((await find(redirect('/server/api/core/items/12'))).found).toBeUndefined();
    expect((await find({ status: 404 })).found).toBeUndefined();
  });

  it('is not denied by a proxy', async () => {
    await expect(find({ ...html, status: 404 })).rejects.toMatchObject({ code: 'upstream-html' });
  });
});

it('asks for the head of a file without downloading it', async () => {
  const { rest, server } = await openAt(`/core/bitstreams/${uuid}/content`, { status: 206 });
  expect((await rest.headContent(uuid, signal)).status).toBe(206);
  expect(server.asked.at(-1)).toMatchObject({ method: 'HEAD', headers: { range: 'bytes=0-0' } });
});

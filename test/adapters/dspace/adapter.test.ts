import { afterEach, describe, expect, it } from 'vitest';
import { dspace } from '../../../adapters/dspace/adapter.ts';
import { adapterKinds } from '../../../adapters/index.ts';
import type { Adapter, AdapterSettings, Page, PageRequest, SourceItem } from '../../../src/core/adapter.ts';
import { toIso } from '../../../src/core/datetime.ts';
import { describeError } from '../../../src/core/errors.ts';
import { createContext } from '../../house/adapters/http-double.ts';
import { type RoutedServer, rootJson, serveRoutes } from '../../house/adapters/routed-server.ts';
import { identifierOf, type SampleDspace, signal, startSample } from '../../house/adapters/sample-dspace.ts';
import type { RestServerOptions } from '../../house/dspace/rest/rest-server.ts';
import { sampleRepository } from '../../house/dspace/sample-repository.ts';

const closing: { close(): Promise<void> }[] = [];
const full: PageRequest = { mode: 'full' };

afterEach(async () => {
  await Promise.all(closing.splice(0).map((server) => server.close()));
});

async function start(
  more: Partial<AdapterSettings> = {},
  options: Partial<RestServerOptions> = {},
): Promise<SampleDspace & { adapter: Adapter }> {
  const sample = await startSample(more, options);
  closing.push(sample.server);
  return { ...sample, adapter: dspace.create(sample.settings, sample.context) };
}

async function itemsOf(adapter: Adapter, request = full): Promise<readonly SourceItem[]> {
  const pages: Page[] = [];
  for await (const page of adapter.pages(request, signal)) pages.push(page);
  return pages.flatMap(({ items }) => items);
}

async function failure(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => expect.fail('it went well'),
    (error: unknown) => error as Error,
  );
}

it('is one of the adapters', () => {
  expect(adapterKinds).toContain(dspace);
});

describe('a DSpace', () => {
  it('introduces itself in one request', async () => {
    const { adapter, server } = await start();
    expect(await adapter.identify(signal)).toMatchObject({
      name: 'Sample Repository',
      protocol: 'DSpace REST',
      protocolVersion: '8.2',
      baseUrl: server.url,
      deletedRecords: 'no',
      granularity: 'second',
      triage: 'each',
    });
    expect(server.requests).toHaveLength(1);
  });

  it('offers formats; those that are configured are taken, and others are told of', async () => {
    const { adapter } = await start({ formats: ['dim', 'mets'] });
    const { formats } = await adapter.identify(signal);
    const said = formats.map(({ name, selected, offered }) => [name, selected, offered]);
    expect(said).toEqual([
      ['oai_dc', false, true],
      ['dim', true, true],
      ['qdc', false, true],
      ['json', false, true],
      ['jpcoar_2.0', false, true],
      ['oai_openaire', false, true],
      ['mets', true, false],
    ]);
    const error = await failure(itemsOf(adapter));
    expect(error).toMatchObject({ code: 'oai-unknown-format' });
    expect(error.message).toContain('{ name: mets, from: oai }');
  });

  it('says how many items there are, of one collection too, and not of several', async () => {
    const counted = async (collections?: readonly string[]) => {
      const { adapter } = await start(collections ? { collections } : {});
      return [await adapter.count?.(signal), (await itemsOf(adapter)).length];
    };
    const { adapter } = await start();
    const specs: string[] = [];
    for await (const { spec } of adapter.collections(signal)) specs.push(spec);
    const [one = '', two = ''] = specs.filter((spec) => spec.startsWith('col_'));
    const [all] = await counted();
    expect(await counted()).toEqual([all, all]);
    const [some] = await counted([one]);
    expect(some).toBeGreaterThan(0);
    expect(some).toBeLessThan(all ?? 0);
    expect(await counted([one])).toEqual([some, some]);
    expect((await counted([one, two]))[0]).toBeUndefined();
  });

  it('is asked twice in a run in which nothing has changed', async () => {
    const { adapter, server, repository } = await start();
    await adapter.identify(signal);
    expect((await itemsOf(adapter)).length).toBe(repository.items.length);
    server.resetCounts();
    await adapter.identify(signal);
    const since = toIso(new Date(repository.now() + 3_600_000));
    expect(await itemsOf(adapter, { mode: 'incremental', since })).toEqual([]);
    expect(server.requests.map(({ kind }) => kind)).toEqual(['root', 'search']);
  });

  it('is read without loss or surplus, whatever is odd about its items', async () => {
    const repository = sampleRepository({ items: 60 });
    const { adapter } = await start({}, { repository, version: '10.1' });
    const visible = repository.items.filter((item) => {
      const newest = item.version?.history.versions.at(-1)?.item ?? item;
      return newest === item && item.inArchive && item.discoverable && item.read === 'anonymous';
    });
    const items = await itemsOf(adapter);
    expect(items.map(({ identifier }) => identifier).sort()).toEqual(visible.map(identifierOf).sort());
    const identifiers: string[] = [];
    for await (const page of adapter.identifiers({}, signal)) {
      identifiers.push(...page.entries.map(({ identifier }) => identifier));
    }
    expect(identifiers.sort()).toEqual(visible.map(identifierOf).sort());
  });

  it('lists its communities and collections', async () => {
    const { adapter, repository } = await start();
    const names: string[] = [];
    for await (const { name } of adapter.collections(signal)) names.push(name);
    expect(names).toHaveLength(repository.communities.length + repository.collections.length);
  });
});

describe('a login', () => {
  const password = 'secret of the admin';

  it('is tried before anything else, and never reads items', async () => {
    const { adapter, server } = await start({ login: { user: 'admin@example.org', password } });
    await adapter.identify(signal);
    expect(server.session.logins).toBe(1);
    server.resetCounts();
    await itemsOf(adapter);
    expect(server.requests.every(({ viewer }) => viewer === undefined)).toBe(true);
    expect(server.requests.some(({ headers }) => headers.authorization !== undefined)).toBe(false);
    await adapter.identify(signal);
    expect(server.session.logins).toBe(1);
  });

  it('that is refused stops the run, and is not spoken of in full', async () => {
    const { adapter, context } = await start({
      login: { user: 'admin@example.org', password: 'wrong-word' },
    });
    const error = await failure(adapter.identify(signal));
    expect(error).toMatchObject({ code: 'upstream-login-refused' });
    expect(describeError(error) + JSON.stringify(context.logged)).not.toContain('wrong-word');
    expect(await failure(itemsOf(adapter))).toMatchObject({ code: 'upstream-login-refused' });
  });

  it('by configured headers is no way to see what is published', async () => {
    const server = await serve({
      '/server/api': { json: rootJson() },
      '/server/api/authn/status': { json: { authenticated: true } },
    });
    const adapter = at(server);
    const error = await failure(itemsOf(adapter));
    expect(error).toMatchObject({ code: 'config-invalid' });
    expect(error.message).toContain('`headers`');
  });
});

it('tells of groups that the address of this machine is in', async () => {
  const { adapter, context, server } = await start();
  server.fail({
    when: ({ kind }) => kind === 'status',
    times: 1,
    reply: 200,
    contentType: 'application/hal+json',
    body: JSON.stringify({
      authenticated: false,
      _embedded: { specialGroups: { _embedded: { specialGroups: [{ name: 'Campus' }] } } },
    }),
  });
  await itemsOf(adapter);
  expect(context.lessons.get('special-groups')).toBe('Campus');
  await itemsOf(adapter);
  expect(context.lessons.get('special-groups')).toBeUndefined();
});

async function serve(...routes: Parameters<typeof serveRoutes>): Promise<RoutedServer> {
  const server = await serveRoutes(...routes);
  closing.push(server);
  return server;
}

function at(server: RoutedServer, more: Partial<AdapterSettings> = {}, context = createContext()): Adapter {
  const url = `${server.origin}/server/api`;
  return dspace.create({ url, overlapSeconds: 300, requestsPerHost: 2, files: {}, ...more }, context);
}

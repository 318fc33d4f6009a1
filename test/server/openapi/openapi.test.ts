import { Validator } from '@seriousme/openapi-schema-validator';
import type { TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toSegment } from '../../../src/core/segment.ts';
import { publicOperations } from '../../../src/server/openapi/public-operations.ts';
import * as schemas from '../../../src/server/openapi/view-schemas.ts';
import { type SampleService, startSampleService } from '../../house/server/sample-service.ts';

let service: SampleService;
let base = '';
beforeAll(async () => {
  service = await startSampleService('/rs');
  ({ base } = service);
  await service.edit(20);
}, 120_000);
afterAll(() => service?.close());

interface Described {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { operationId: string; responses: object }>>>
  >;
  readonly servers: readonly { url: string }[];
}

const json = async (path: string) =>
  (await fetch(`${base}${path}`, { headers: { accept: 'application/json' } })).json();

describe('the description of the API', () => {
  test('is valid OpenAPI 3.1, and has every operation once', async () => {
    const response = await fetch(`${base}/api/openapi.json`);
    expect(response.headers.get('content-type')).toContain('application/vnd.oai.openapi+json');
    const described = (await response.json()) as Described;
    const judged = await new Validator().validate(
      JSON.parse(JSON.stringify(described)) as Record<string, unknown>,
    );
    expect(judged.errors ?? []).toEqual([]);
    expect(judged.valid).toBe(true);
    expect(described.servers).toEqual([{ url: base }]);
    const names = Object.values(described.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(new Set(names).size).toBe(names.length);
    for (const name of Object.keys(publicOperations)) expect(names).toContain(name);
  });

  test('is found from the catalogue and from the home page (RFC 9727, RFC 8631)', async () => {
    const catalog = await fetch(`${base}/.well-known/api-catalog`);
    expect(catalog.headers.get('content-type')).toMatch(/^application\/linkset\+json/);
    const { linkset } = (await catalog.json()) as { linkset: Record<string, { href: string }[]>[] };
    const description = linkset[0]?.['service-desc']?.[0]?.href ?? '';
    expect((await fetch(description)).status).toBe(200);
    const home = await fetch(`${base}/`);
    expect(home.headers.get('link')).toContain(`<${description}>; rel="service-desc"`);
    expect(home.headers.get('link')).toContain(`<${base}/.well-known/api-catalog>; rel="api-catalog"`);
  });

  test('answers a condition', async () => {
    const etag = (await fetch(`${base}/api/openapi.json`)).headers.get('etag') ?? '';
    const again = await fetch(`${base}/api/openapi.json`, { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
  });
});

describe('what programs get in the place of pages is what the description says', () => {
  const holds = (schema: TSchema, value: unknown) => {
    const wrong = [...Value.Errors(schema, value)].map(({ path, message }) => `${path}: ${message}`);
    expect(wrong).toEqual([]);
  };

  test('home, sets, readiness, problems', async () => {
    holds(schemas.homeView, await json('/'));
    holds(schemas.aboutView, await json('/about'));
    for (const set of ['sample', 'sample/metadata']) holds(schemas.setAboutView, await json(`/${set}/about`));
    holds(schemas.readinessView, await json('/readyz'));
    const problem = (await json('/nothing/here')) as { code: string };
    holds(schemas.problemView, problem);
    expect(problem.code).toBe('not-found');
  });

  test('items, link sets, collections, searches', async () => {
    const rows: { identifier: string }[] = await service.bridge.database
      .reader('item')
      .select('identifier')
      .limit(40);
    let seen = 0;
    for (const { identifier } of rows) {
      const item = `/sample/items/${toSegment(identifier)}`;
      const view = (await json(item)) as { collections: { uri: string }[]; code?: string };
      if (view.code !== undefined) expect(view.code).toBe('gone');
      else {
        holds(schemas.itemView, view);
        holds(schemas.linksetView, await json(`${item}/linkset.json`));
        holds(schemas.resourceMapView, await json(`${item}/resourcemap.jsonld`));
        seen += 1;
      }
    }
    expect(seen).toBeGreaterThan(20);
    const specs: { spec: string }[] = await service.bridge.database
      .reader('collection')
      .select('spec')
      .limit(5);
    expect(specs.length).toBeGreaterThan(0);
    for (const { spec } of specs)
      holds(schemas.collectionView, await json(`/sample/collections/${toSegment(spec)}`));
    await expect
      .poll(async () => ((await json('/search')) as { items: object[] }).items.length, { timeout: 30_000 })
      .toBeGreaterThan(0);
    holds(schemas.searchView, await json('/search?q=a'));
    holds(schemas.searchView, await json('/search'));
  });
});

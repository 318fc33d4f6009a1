import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedMaterial } from '../adapters/shared-material.ts';
import { get } from './client.ts';
import { type RestServer, startRestServer } from './rest/rest-server.ts';
import { itemsWith, sampleRepository } from './sample-repository.ts';
import { missingPaths } from './shape.ts';

const fixtures = sharedMaterial('fixtures/dspace');

function fixture(path: string): unknown {
  return JSON.parse(readFileSync(join(fixtures ?? '', path), 'utf8'));
}

/** Neither says less nor more. */
function expectSameShape(ours: unknown, theirs: unknown, except?: RegExp): void {
  expect({
    tooLittle: missingPaths(ours, theirs, except),
    tooMuch: missingPaths(theirs, ours, except),
  }).toEqual({
    tooLittle: [],
    tooMuch: [],
  });
}

describe.skipIf(fixtures === undefined)('replies of the simulator', () => {
  const repository = sampleRepository({ items: 100 });
  let ten: RestServer;
  let seven: RestServer;

  beforeAll(async () => {
    ten = await startRestServer({ repository });
    seven = await startRestServer({ repository, version: '7.6' });
  });

  afterAll(async () => {
    await ten.close();
    await seven.close();
  });

  const open = repository.items[1];
  const item = `/core/items/${open?.uuid}`;

  it('have root documents like those of 7 and 10, if with fewer links', async () => {
    for (const [server, name] of [
      [ten, 'dspace10_root.json'],
      [seven, 'dspace7_root.json'],
    ] as const) {
      const { json } = await get(server.url);
      expect(missingPaths(fixture(`live/${name}`), json)).toEqual([]);
      expect(missingPaths(json, fixture(`live/${name}`), /^_links/)).toEqual([]);
    }
  });

  it('have search results like those of 7 and 10', async () => {
    const links = /_links\.(first|prev|next|last)|facets|hitHighlights/;
    for (const [server, name] of [
      [ten, 'dspace10_search_objects.json'],
      [seven, 'dspace7_search_objects.json'],
    ] as const) {
      const { json } = await get(`${server.url}/discover/search/objects?query=soil&dsoType=item&size=2`);
      expectSameShape(json, fixture(`live/${name}`), links);
      const facet = json._embedded.facets[0];
      const { _embedded } = fixture(`live/${name}`) as { _embedded: { facets: unknown[] } };
      expect(missingPaths(_embedded.facets[0], facet)).toEqual([]);
    }
    const { json } = await get(`${ten.url}/discover/search/objects?query=soil&dsoType=item&page=1&size=2`);
    const theirs = fixture('live/dspace10_search_objects_page1.json') as typeof json;
    expectSameShape(json._embedded.searchResult._links, theirs._embedded.searchResult._links);
    expect(json._embedded.searchResult._links.next.href).toMatch(/\?query=soil&dsoType=item&page=2&size=2$/);
    const empty = await get(
      `${ten.url}/discover/search/objects?query=lastModified:[2030-01-01T00:00:00.000Z TO *]&dsoType=item&size=100`,
    );
    expectSameShape(empty.json, fixture('constructed/search_empty.json'), /facets/);
  });

  it('have items like those of 7, 8 and 10', async () => {
    const related = await get(`${ten.url}${item}?embed=owningCollection,bundles`);
    expectSameShape(related.json, fixture('live/dspace10_item.json'), /bundles\._links\.(next|last)/);
    expect(related.json.lastModified).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3}|\.\d{6})?Z$/);
    const older = await get(`${seven.url}${item}`);
    expectSameShape(older.json, fixture('constructed/item_v7_v8_shape.json'), /_embedded/);
    expect(older.json.lastModified).toMatch(/\.\d{3}\+00:00$/);
    const full = await get(
      `${ten.url}${item}?embed=owningCollection&embed=bundles/bitstreams/format&embed=version`,
    );
    const theirs = fixture('constructed/item_full_embed.json');
    expect(missingPaths(theirs, full.json, /_embedded\.version/)).toEqual([]);
    expect(full.json._embedded.version).toBeNull();
  });

  it('have parts of items like those of 10', async () => {
    const bundles = await get(`${ten.url}${item}/bundles`);
    expectSameShape(bundles.json, fixture('live/dspace10_bundles.json'));
    const bundle = bundles.json._embedded.bundles[0].uuid;
    const bitstreams = await get(`${ten.url}/core/bundles/${bundle}/bitstreams`);
    expectSameShape(bitstreams.json, fixture('live/dspace10_bitstreams.json'));
    const bitstream = bitstreams.json._embedded.bitstreams[0].uuid;
    const format = await get(`${ten.url}/core/bitstreams/${bitstream}/format`);
    expectSameShape(format.json, fixture('live/dspace10_bitstreamformat.json'));
    const identifiers = await get(`${ten.url}/core/items/${repository.items[0]?.uuid}/identifiers`);
    expectSameShape(identifiers.json, fixture('live/dspace10_item_identifiers.json'));
    const access = await get(`${ten.url}${item}/accessStatus`);
    expectSameShape(access.json, fixture('constructed/accessStatus_unknown_v9.json'));
    const older = await get(`${seven.url}${item}/accessStatus`);
    expectSameShape(older.json, fixture('constructed/accessStatus_v7_no_embargoDate.json'));
  });

  it('have communities and collections like those of 10', async () => {
    const top = await get(
      `${ten.url}/communities`.replace('/communities', '/core/communities/search/top?size=1'),
    );
    const theirs = fixture('live/dspace10_communities_top.json');
    expectSameShape(top.json, theirs);
    const collections = await get(
      `${ten.url}/core/communities/${repository.communities[0]?.uuid}/collections?size=1`,
    );
    expectSameShape(collections.json, fixture('live/dspace10_community_collections.json'));
  });

  it('have versions like those of 10', async () => {
    const [second] = itemsWith(repository, 'newerVersion');
    const version = await get(`${ten.url}/core/items/${second?.uuid}/version?embed=versionhistory`);
    expectSameShape(version.json, fixture('constructed/item_version_embed_versionhistory.json'));
    const { id } = version.json._embedded.versionhistory;
    expect(typeof id).toBe('number');
    const list = await get(`${ten.url}/versioning/versionhistories/${id}/versions?embed=item`);
    expectSameShape(list.json, fixture('constructed/versionhistory_versions_embed_item.json'));
    expect(list.json._embedded.versions.map((row: { version: number }) => row.version)).toEqual([2, 1]);
  });

  it('have errors and states of login like those of 10', async () => {
    const malformed = await get(`${ten.url}/core/items/not-a-uuid`);
    const unknown = await get(`${ten.url}/core/items/00000000-0000-0000-0000-000000000000`);
    const list = await get(`${ten.url}/versioning/versions`);
    const search = await get(`${ten.url}/discover/search/objects?query=a:[`);
    for (const [seen, name] of [
      [malformed, 'live/dspace10_401_malformed_uuid.json'],
      [unknown, 'live/dspace10_404.json'],
      [list, 'constructed/error_405_versions_list.json'],
      [search, 'constructed/error_422_invalid_search.json'],
    ] as const) {
      const theirs = fixture(name) as Record<string, unknown>;
      expect(seen.status).toBe(theirs.status);
      expect({ ...seen.json, timestamp: '' }).toEqual({ ...theirs, timestamp: '' });
    }
    const status = await get(`${ten.url}/authn/status`);
    expectSameShape(status.json, fixture('live/dspace10_authn_status_anonymous.json'));
  });

  it('have relationships and linksets like those of the contract', async () => {
    const [related] = itemsWith(repository, 'related');
    const list = await get(`${ten.url}/core/items/${related?.uuid}/relationships?embed=relationshipType`);
    const type = /relationshipType\._embedded|uniqueType|rightwardValue/;
    expectSameShape(list.json._embedded.relationships[0], fixture('contract/relationship.json'), type);
    const linkset = await get(`${ten.serverUrl}/signposting/linksets/${open?.uuid}/json`);
    expectSameShape(linkset.json, fixture('contract/signposting_linkset.json'), /author|license|uniqueType/);
    const links = await get(`${ten.serverUrl}/signposting/links/${open?.uuid}`);
    expectSameShape(links.json, fixture('contract/signposting_links.json'));
  });
});

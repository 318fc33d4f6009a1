import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedMaterial } from '../../adapters/shared-material.ts';
import { get } from '../client.ts';
import type { Item } from '../model.ts';
import { itemsWith, sampleRepository } from '../sample-repository.ts';
import { missingPaths } from '../shape.ts';
import { localTime } from './legacy-json.ts';
import { type LegacyServer, startLegacyServer } from './legacy-server.ts';

const fixtures = sharedMaterial('fixtures/dspace');

function fixture(path: string): unknown {
  return JSON.parse(readFileSync(join(fixtures ?? '', path), 'utf8'));
}

describe('the simulated DSpace 5 and 6', () => {
  const repository = sampleRepository({ items: 100 });
  const json = { accept: 'application/json' };
  let five: LegacyServer;
  let six: LegacyServer;

  beforeAll(async () => {
    five = await startLegacyServer({ repository, version: '5', timeZone: 'Europe/Berlin' });
    six = await startLegacyServer({ repository, oai: true });
  });

  afterAll(async () => {
    await five.close();
    await six.close();
  });

  it.skipIf(fixtures === undefined)('answer in the form of the fixtures', async () => {
    const item = repository.items[1] as Item;
    const [file] = item.files;
    const expand = 'expand=metadata,bitstreams,parentCollectionList';
    const collection = item.collection.uuid;
    const pairs: [string, string, RegExp?][] = [
      [`${six.url}/items/${item.uuid}`, 'legacy/v6_item_no_expand.json'],
      [`${six.url}/bitstreams/${file?.uuid}`, 'legacy/v6_bitstream.json'],
      [`${six.url}/collections/${collection}`, 'legacy/v6_collection_by_handle.json', /introductoryText/],
      [`${six.url}/communities/${repository.communities[0]?.uuid}`, 'legacy/v6_community.json'],
      [`${six.url}/status`, 'legacy/v6_status.json'],
      [`${six.url}/items/${item.uuid}/bitstreams`, 'constructed/legacy_v6_item_bitstreams.json'],
      [
        `${six.url}/items?limit=3&${expand}`,
        'constructed/legacy_v6_items_page_expand_metadata_bitstreams_parentCollectionList.json',
      ],
      [`${five.url}/items/2`, 'legacy/v5_item_no_expand.json'],
      [`${five.url}/items/2/bitstreams`, 'legacy/v5_bitstream.json'],
      [`${five.url}/communities/1`, 'legacy/v5_community_relabelled_uuid.json', /^(uu)?id$/],
    ];
    for (const [url, path, except] of pairs) {
      const ours = (await get(url, json)).json;
      const theirs = fixture(path);
      const row = Array.isArray(ours) && !Array.isArray(theirs) ? ours[0] : ours;
      expect({
        path,
        lacks: missingPaths(row, theirs, except),
        adds: missingPaths(theirs, row, except),
      }).toEqual({
        path,
        lacks: [],
        adds: [],
      });
    }
    const hierarchy = await get(`${six.url}/hierarchy`, json);
    expect(missingPaths(fixture('legacy/v6_hierarchy.json'), hierarchy.json)).toEqual([]);
  });

  it('cut pages before they look who may read', async () => {
    const ids = new Set<number>();
    const lengths: number[] = [];
    for (let offset = 0; offset < 100; offset += 10) {
      const { json: rows } = await get(`${five.url}/items?limit=10&offset=${offset}`, json);
      lengths.push(rows.length);
      for (const row of rows) ids.add(row.id);
    }
    expect(ids.size).toBe(100 - 8);
    expect(Math.min(...lengths)).toBeLessThan(10);
    expect((await get(`${five.url}/items?limit=10&offset=100`, json)).json).toEqual([]);
  });

  it('tell local times, and links of several forms', async () => {
    expect(localTime(Date.parse('2017-03-23T10:15:28.610Z'), 'Europe/Berlin')).toBe('2017-03-23 11:15:28.61');
    const old = await get(`${five.url}/items/2?expand=bitstreams`, json);
    const [bitstream] = old.json.bitstreams;
    expect(bitstream.retrieveLink).toBe(`/bitstreams/${bitstream.id}/retrieve`);
    const bytes = await fetch(`${five.url}${bitstream.retrieveLink}`);
    expect(bytes.headers.get('content-length')).toBeNull();
    expect((await bytes.arrayBuffer()).byteLength).toBe(bitstream.sizeBytes);
    const { handle } = repository.items[1] as Item;
    const found = await get(`${six.url}/handle/${handle}?expand=bitstreams`, json);
    expect(found.json.bitstreams[0].retrieveLink).toMatch(/^\/rest\/bitstreams\/[0-9a-f-]{36}\/retrieve$/);
  });

  it('fail in HTML, answer in XML unless asked', async () => {
    const unknown = await get(`${six.url}/handle/1/nothing`, json);
    expect([unknown.status, unknown.headers.get('content-type')]).toEqual([500, 'text/html;charset=utf-8']);
    const restricted = itemsWith(repository, 'restrictedItem')[0];
    expect((await get(`${six.url}/items/${restricted?.uuid}`, json)).status).toBe(401);
    const plain = await get(`${six.url}/items/${repository.items[1]?.uuid}`);
    expect(plain.text).toMatch(/^<\?xml.*<item><uuid>/);
    expect((await get(`${six.url}/test`)).text).toBe('REST api is running.');
    expect(await (await fetch(`${six.oaiUrl}?verb=Identify`)).text()).toContain('<Identify>');
  });

  it('let people log in, each in its way', async () => {
    const [email, password] = ['staff@example.org', 'secret of the staff'];
    const restricted = itemsWith(repository, 'restrictedItem')[0];
    const body = JSON.stringify({ email, password });
    const token = await (await fetch(`${five.url}/login`, { method: 'POST', body })).text();
    const headers = { ...json, 'rest-dspace-token': token };
    expect((await get(`${five.url}/items/${restricted?.number}`, headers)).status).toBe(200);
    const form = new URLSearchParams({ email, password });
    const reply = await fetch(`${six.url}/login`, { method: 'POST', body: form });
    const cookie = reply.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect((await get(`${six.url}/items/${restricted?.uuid}`, { ...json, cookie })).status).toBe(200);
    expect((await fetch(`${six.url}/login`, { method: 'POST', body: new URLSearchParams() })).status).toBe(
      401,
    );
  });
});

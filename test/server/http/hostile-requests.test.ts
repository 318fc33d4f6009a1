import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  exchange,
  type House,
  openHouse,
  publishedSet,
  seedResource,
  sourceOverview,
} from '../../house/server/fixture.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
  house.sources.push(sourceOverview());
  house.publication.published.push(publishedSet());
  await house.publication.stage('kyushu/resourcelist.xml', '<urlset/>');
  await seedResource(house.database);
});
afterAll(() => house.close());

/** The status of a request whose target is sent as it stands. */
async function statusOf(target: string, headers = ''): Promise<number> {
  const answer = await exchange(
    await house.origin(),
    `GET ${target} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n${headers}\r\n`,
  );
  return Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);
}

describe('a hostile path', () => {
  const targets: readonly [string, number][] = [
    ['/kyushu//resourcelist.xml', 404],
    ['//kyushu/resourcelist.xml', 404],
    ['/kyushu/resourcelist.xml/', 404],
    ['/KYUSHU/resourcelist.xml', 404],
    ['/kyushu/Resourcelist.xml', 404],
    ['/kyushu%2Fresourcelist.xml', 404],
    ['/kyushu/x/../resourcelist.xml', 404],
    ['/kyushu/./resourcelist.xml', 404],
    ['/../../../etc/passwd', 404],
    ['/%2e%2e/%2e%2e/etc/passwd', 404],
    ['/%252e%252e/etc/passwd', 404],
    ['/kyushu/%72esourcelist.xml', 200],
    ['/kyushu/%2572esourcelist.xml', 404],
    ['/kyushu/items/%00/oai_dc.xml', 404],
    ['/kyushu/items/oai:repo.example.org:1/%00.xml', 404],
    ['/kyushu/items/', 404],
    ['/kyushu/items/%00', 404],
    ['/kyushu/items/~00', 404],
    ['/kyushu/items/~ED~A0~80', 404],
    ['/kyushu/items/..', 404],
    [`/kyushu/items/x~.${'0'.repeat(64)}`, 404],
    ['/ky%00shu/items/a', 404],
    ['/kyushu/items/%ff', 400],
    [`/kyushu/items/${'a'.repeat(2000)}`, 404],
    ['/kyushu/items/a?format=xml', 400],
    ['/static/..%2fresourcesync.css', 404],
    ['/kyushu/items//oai_dc.xml', 404],
    ['/kyushu/items/..%2f..%2f/oai_dc.xml', 404],
    ['/kyushu/collections/%00', 404],
    ['/kyushu/collections/~00', 404],
    ['/ky%00shu/collections/a', 404],
    ['/kyushu/collections/~ED~A0~80', 404],
    [`/kyushu/collections/x~.${'0'.repeat(64)}`, 404],
    ['/kyushu/%zz', 400],
    ['/kyushu/%ff', 400],
    ['/kyushu/collections/%c3%28', 400],
    ['/kyushu/\\..\\x', 404],
    ['/\\evil.example.org:99999/', 404],
    ['/__proto__', 404],
    ['/constructor/about', 404],
    ['/kyushu/resourcelist.xml#part', 404],
    ['/kyushu/resourcelist.xml;v=1', 404],
    ['/kyushu/resourcelist.xml?x=%00%zz', 200],
    ['/?format=%00', 400],
    ['/?format=json&format=html', 400],
    ['/?__proto__=1', 200],
    ['/kyushu/collections/a?after=%00', 400],
    ['http://elsewhere.example.org/kyushu/resourcelist.xml', 200],
    ['elsewhere', 400],
    [`/${'a'.repeat(3000)}`, 404],
    [`/${'a'.repeat(9000)}`, 414],
    [`/kyushu/collections/${'a'.repeat(2000)}`, 404],
    [`/${'%41'.repeat(3000)}`, 414],
    [`/${'a'.repeat(20_000)}`, 431],
    [`/${'/a'.repeat(2000)}`, 404],
  ];
  it.each(targets.map(([target, status]) => ({ target, status, name: target.slice(0, 60) })))(
    '$name → $status',
    async ({ target, status }) => {
      expect(await statusOf(target)).toBe(status);
    },
  );

  it.each(['\0', '\x01', '\xff', ' x'])('with a raw %j is refused', async (character) => {
    expect([400, 404]).toContain(await statusOf(`/a${character}b`));
  });

  it('has never made the server fail', () => {
    expect(house.log.filter(({ level }) => Number(level) >= 40)).toEqual([]);
  });
});

describe('a method other than GET and HEAD', () => {
  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND'])('%s → 405', async (method) => {
    for (const path of ['/', '/kyushu/resourcelist.xml', '/nowhere', '/livez']) {
      const answer = await exchange(await house.origin(), `${method} ${path} HTTP/1.1\r\nHost: h\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 405 /);
      expect(answer).toMatch(/^allow: GET, HEAD\r$/im);
    }
  });

  it('does not have its body read', async () => {
    const { statusCode, body } = await request(`${await house.origin()}/`, {
      method: 'POST',
      body: 'x'.repeat(5000),
    });
    expect(statusCode).toBe(405);
    expect(await body.json()).toMatchObject({ code: 'method-not-allowed' });
  });

  it('is refused for the server as a whole', async () => {
    const answer = await exchange(await house.origin(), 'OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 405 /);
  });
});

describe('bytes that are no request, or none that is clear', () => {
  it.each([
    ['nonsense\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\nHost: h\r\nBad Header: x\r\n\r\n', 400],
    // RFC 9112 §3.2.
    ['GET / HTTP/1.1\r\nHost: h\r\nhOST: h\r\n\r\n', 400],
    ['POST / HTTP/1.1\r\nHost: h\r\nHost: i\r\n\r\n', 400],
    ['GET /kyushu/resourcelist.xml HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n', 400],
  ])('%j → %i', async (bytes, status) => {
    expect(await exchange(await house.origin(), bytes)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });
});

describe('addresses in our output', () => {
  it('begin with baseUrl, whatever a proxy or a client says of hosts', async () => {
    const headers = {
      host: 'evil.example.org',
      'x-forwarded-host': 'evil.example.org',
      'x-forwarded-proto': 'ftp',
    };
    for (const url of ['/', '/about', '/kyushu/about', '/robots.txt', '/nowhere']) {
      const { body } = await house.app.inject({ url, headers: { ...headers, accept: 'text/html' } });
      expect(body).not.toContain('evil.example.org');
      expect(body).not.toContain('ftp:');
    }
  });
});

describe('the log', () => {
  it('has one line a request at debug, without headers and values of the query', async () => {
    house.log.length = 0;
    await house.app.inject({ url: '/?token=very-secret', headers: { authorization: 'Bearer hidden' } });
    expect(house.log).toHaveLength(1);
    expect(house.log[0]).toMatchObject({
      level: 20,
      msg: 'request',
      method: 'GET',
      path: '/',
      query: ['token'],
      operation: 'getHome',
      status: 200,
    });
    expect(JSON.stringify(house.log)).not.toMatch(/very-secret|hidden/);
  });
});

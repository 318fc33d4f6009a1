import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findSource, readSet } from '../../../src/resourcesync/discovery/found-source.ts';
import { Remarks } from '../../../src/resourcesync/reading/remarks.ts';
import { openSmallSource, type SmallSource } from '../../house/conformance/small-source.ts';
import { openLoopbackPort } from '../../house/resourcesync/loopback-port.ts';

let source: SmallSource;
let port: ReturnType<typeof openLoopbackPort>;

beforeEach(async () => {
  source = await openSmallSource();
  port = openLoopbackPort(source.origin);
});
afterEach(async () => {
  await port.close();
  await source.close();
});

const find = (path: string) => findSource(new URL(path, source.origin), port, new Remarks());
const setsOf = async (path: string) => (await find(path)).sets.map((uri) => uri.slice(source.origin.length));
const html = (head: string) => ({
  headers: { 'content-type': 'text/html' },
  body: `<!doctype html><html><head>${head}</head><body></body></html>`,
});
const xml = (body: string) => ({ headers: { 'content-type': 'application/xml' }, body });
const open = (root: string) =>
  `<?xml version="1.0"?><${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/">`;

describe('findSource', () => {
  it.each([
    ['a host', '/'],
    ['its Source Description', '/.well-known/resourcesync'],
    ['a Capability List', '/cap.xml'],
    ['a Resource List Index', '/rl.xml'],
    ['a part of it', '/rl-1.xml'],
    ['a Change List', '/cl.xml'],
    ['a dump', '/rd.xml'],
    ['a manifest', '/rdm.xml'],
  ])('finds the set from %s', async (_, path) => {
    expect(await setsOf(path)).toEqual(['/cap.xml']);
  });

  it('finds it from a page by the link of its head, or of its header', async () => {
    source.answers.delete('/.well-known/resourcesync');
    source.answers.set('/page', html('<link rel="resourcesync" href="cap.xml">'));
    expect(await setsOf('/page')).toEqual(['/cap.xml']);
    const { headers } = html('');
    const link = '</cap.xml>; rel="resourcesync"';
    source.answers.set('/other', { ...html(''), headers: { ...headers, link } });
    expect(await setsOf('/other')).toEqual(['/cap.xml']);
  });

  it('finds it below an address, before that of the host', async () => {
    const own = `${open('urlset')}<rs:md capability="description"/><url><loc>${source.origin}/own.xml</loc><rs:md capability="capabilitylist"/></url></urlset>`;
    source.answers.set('/part/.well-known/resourcesync', xml(own));
    expect(await setsOf('/part')).toEqual(['/own.xml']);
    expect(await setsOf('/part/')).toEqual(['/own.xml']);
  });

  it.each([401, 403, 404, 410, 500])(
    'takes no other set of the host for an address that answers %i',
    async (status) => {
      source.answers.set('/part', { status, body: '' });
      const { sets, elsewhere, statuses } = await find('/part');
      expect({ sets, elsewhere }).toEqual({ sets: [], elsewhere: [`${source.origin}/cap.xml`] });
      expect(statuses.get(`${source.origin}/part`)).toBe(status);
    },
  );

  it.each(['/data', '/data/'])(
    'finds the sets of the host that lie at or below %s, where nothing else is',
    async (path) => {
      const named = ['/data/cap.xml', '/data-2/cap.xml', '/cap.xml'].map(
        (name) => `<url><loc>${source.origin}${name}</loc><rs:md capability="capabilitylist"/></url>`,
      );
      const description = `${open('urlset')}<rs:md capability="description"/>${named.join('')}</urlset>`;
      source.answers.set('/.well-known/resourcesync', xml(description));
      expect(await setsOf(path)).toEqual(['/data/cap.xml']);
      // A folder that may not be listed is no private Source; one that asks for a login is.
      source.answers.set(path, { status: 403, body: '' });
      expect(await setsOf(path)).toEqual(['/data/cap.xml']);
      source.answers.set(path, { status: 401, body: '' });
      expect(await setsOf(path)).toEqual([]);
    },
  );

  it('does not follow the links of a page that says that nothing is there', async () => {
    source.answers.set('/typo', { ...html('<link rel="resourcesync" href="/cap.xml">'), status: 404 });
    expect(await setsOf('/typo')).toEqual([]);
  });

  it('finds it by robots.txt; a plain Sitemap stands for itself', async () => {
    source.answers.delete('/.well-known/resourcesync');
    expect(await setsOf('/')).toEqual(['/cap.xml']);
    source.answers.set('/robots.txt', { body: 'Sitemap: /sitemap.xml\nsitemap: /gone.xml' });
    source.answers.set(
      '/sitemap.xml',
      xml(`${open('urlset')}<url><loc>http://a.example/1</loc></url></urlset>`),
    );
    expect(await setsOf('/')).toEqual(['/sitemap.xml']);
  });

  it('reads several Sitemaps of robots.txt as one set, and says what of it is no list, or cannot be read', async () => {
    source.answers.delete('/.well-known/resourcesync');
    const plain = xml(`${open('urlset')}<url><loc>http://a.example/1</loc></url></urlset>`);
    source.answers.set('/one.xml', plain);
    source.answers.set('/two.xml', plain);
    source.answers.set('/busy.xml', { status: 503, body: '' });
    source.answers.set('/gone.xml', { status: 410, body: '' });
    source.answers.set('/list.txt', { body: 'https://a.example/1\r\nhttps://a.example/2\r\n' });
    const names = ['one.xml', 'busy.xml', 'gone.xml', 'list.txt', 'two.xml', 'one.xml', 'none.xml'];
    source.answers.set('/robots.txt', { body: names.map((name) => `Sitemap: /${name}`).join('\n') });
    for (const path of ['/', '/robots.txt']) {
      const { sets, ofRobots } = await find(path);
      expect(sets).toEqual(['one.xml', 'two.xml'].map((name) => `${source.origin}/${name}`));
      expect(ofRobots).toEqual({
        uri: sets[0],
        hasCapabilityList: false,
        lists: { resourcelist: sets, changelist: [], resourcedump: [], changedump: [] },
        robots: {
          uri: `${source.origin}/robots.txt`,
          named: 6,
          unread: [
            `${source.origin}/gone.xml answers 410`,
            expect.stringContaining('/list.txt is a Sitemap as text'),
          ],
          faults: [
            expect.stringContaining(`${source.origin}/busy.xml`),
            `${source.origin}/none.xml answers 404`,
          ],
        },
      });
    }
    source.answers.set('/robots.txt', { body: 'Sitemap: /one.xml' });
    expect((await find('/')).ofRobots).toBeUndefined();
    await expect(find('/list.txt')).rejects.toMatchObject({
      code: 'upstream-protocol',
      message: expect.stringContaining(`${source.origin}/list.txt is a Sitemap as text`),
    });
  });

  it('says what it looked for where nothing is', async () => {
    source.answers.clear();
    const { sets, looked } = await find('/page');
    expect(sets).toEqual([]);
    expect(looked.map((uri) => uri.slice(source.origin.length))).toEqual([
      '/page',
      '/page/.well-known/resourcesync',
      '/.well-known/resourcesync',
      '/robots.txt',
    ]);
  });

  it('does not take another set for a document whose place a web page has taken', async () => {
    for (const path of ['/rl.xml', '/LISTS/rl.XML.gz', '/.well-known/resourcesync']) {
      source.answers.set(path, html('<title>Log in</title>'));
      await expect(find(path)).rejects.toMatchObject({
        code: 'upstream-html',
        message: expect.stringContaining(`${source.origin}${path} answers with a web page`),
      });
    }
  });

  it('says that it looked elsewhere, where a page has no link', async () => {
    source.answers.set('/page', html(''));
    const remarks = new Remarks();
    const { sets } = await findSource(new URL('/page', source.origin), port, remarks);
    expect(sets).toEqual([`${source.origin}/cap.xml`]);
    expect(remarks.list()).toMatchObject([
      { uri: `${source.origin}/page`, message: expect.stringContaining('it is a web page') },
    ]);
  });

  it('says where it met web pages in place of documents', async () => {
    source.answers.clear();
    // Not well-formed, and without a document type.
    const page = { headers: { 'content-type': 'text/html; charset=utf-8' }, body: '<p>Maintenance<br>' };
    for (const path of ['/', '/.well-known/resourcesync']) source.answers.set(path, page);
    const { pages } = await find('/');
    expect(pages.map((uri) => uri.slice(source.origin.length)).sort()).toEqual([
      '/',
      '/.well-known/resourcesync',
    ]);
  });

  it('has all sets of a host, also over an index of Source Descriptions', async () => {
    const many = ['a', 'b'].map(
      (name) => `<url><loc>${source.origin}/${name}.xml</loc><rs:md capability="capabilitylist"/></url>`,
    );
    const description = `${open('urlset')}<rs:md capability="description"/>${many.join('')}</urlset>`;
    source.answers.set('/.well-known/resourcesync', xml(description));
    expect(await setsOf('/')).toEqual(['/a.xml', '/b.xml']);
    source.answers.set('/sd-1.xml', xml(description));
    const index = `${open('sitemapindex')}<rs:md capability="description"/><sitemap><loc>${source.origin}/sd-1.xml</loc></sitemap><sitemap><loc>${source.origin}/gone.xml</loc></sitemap></sitemapindex>`;
    source.answers.set('/.well-known/resourcesync', xml(index));
    expect(await setsOf('/')).toEqual(['/a.xml', '/b.xml']);
  });

  it('does not go round in circles, and stays where up leads nowhere', async () => {
    source.edit('/rl.xml', /rel="up" href="[^"]*"/, `rel="up" href="${source.origin}/rl-1.xml"`);
    source.edit('/rl-1.xml', /rel="up" href="[^"]*"/, `rel="up" href="${source.origin}/rl.xml"`);
    expect(await setsOf('/rl-1.xml')).toEqual(['/rl.xml']);
    source.edit('/cl.xml', /rel="up" href="[^"]*"/, `rel="up" href="${source.origin}/gone.xml"`);
    expect(await setsOf('/cl.xml')).toEqual(['/cl.xml']);
  });

  it('reads gzip without being told that it is', async () => {
    const text = String(source.answers.get('/cap.xml')?.body);
    source.answers.set('/cap.xml', { body: gzipSync(text) });
    expect(await setsOf('/cap.xml')).toEqual(['/cap.xml']);
  });

  it('refuses an address where nobody answers', async () => {
    await source.close();
    await expect(find('/')).rejects.toMatchObject({ code: 'upstream-unreachable' });
  });
});

describe('readSet', () => {
  it('has every list by its capability', async () => {
    const { lists, hasCapabilityList } = await readSet(`${source.origin}/cap.xml`, port, new Remarks());
    const at = (path: string) => [`${source.origin}${path}`];
    expect(hasCapabilityList).toBe(true);
    expect(lists).toEqual({
      resourcelist: at('/rl.xml'),
      changelist: at('/cl.xml'),
      resourcedump: at('/rd.xml'),
      changedump: at('/cd.xml'),
    });
  });

  it('of a document that belongs to no set, has that', async () => {
    const uri = `${source.origin}/cl.xml`;
    const { lists, hasCapabilityList } = await readSet(uri, port, new Remarks());
    expect(hasCapabilityList).toBe(false);
    expect(lists).toMatchObject({ changelist: [uri], resourcelist: [] });
  });
});

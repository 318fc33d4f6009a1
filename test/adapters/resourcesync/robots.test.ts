import { afterEach, beforeEach, expect, test } from 'vitest';
import { Level } from '../../house/chain/level.ts';
import {
  capabilityList,
  namespaces,
  resourceList,
  sha256,
  WrittenSource,
} from '../../house/resourcesync/written-source.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

let source: WrittenSource;
let level: Level | undefined;

beforeEach(async () => {
  source = await WrittenSource.open();
});
afterEach(async () => {
  await level?.close();
  level = undefined;
  await source.close();
});

const etag = (body: string) => ({ headers: { etag: `"${sha256(body).slice(8, 24)}"` } });
const sitemap = (path: string, ...names: readonly string[]) => {
  const entries = names.map((name) => {
    source.put(`/${name}.csv`, name, { type: 'text/csv' });
    return `<url><loc>${source.origin}/${name}.csv</loc><lastmod>2026-01-01</lastmod></url>`;
  });
  const body = `<urlset ${namespaces}>${entries.join('')}</urlset>`;
  source.put(path, body, etag(body));
};
const robots = (...paths: readonly string[]) =>
  source.put('/robots.txt', paths.map((path) => `Sitemap: ${source.origin}${path}`).join('\n'), {
    type: 'text/plain',
  });
const index = (path: string, ...parts: readonly string[]) =>
  source.put(
    path,
    `<sitemapindex ${namespaces}>${parts.map((part) => `<sitemap><loc>${source.origin}${part}</loc></sitemap>`).join('')}</sitemapindex>`,
  );

describeOnBoth('a host whose robots.txt names several Sitemaps', (database) => {
  const follow = async (name: string, path = '/') => {
    level = await Level.open(
      name,
      { adapter: 'resourcesync', url: source.origin + path, files: { mode: 'proxy' } },
      database().config,
    );
    return level;
  };
  const there = async (of: Level) =>
    [...(await of.files()).values()]
      .map(({ vias: [via = ''] }) => via.slice(source.origin.length + 1, -4))
      .sort();

  test('is followed as one list, whose pieces come and go', async () => {
    robots('/si.xml', '/s3.xml');
    index('/si.xml', '/s1.xml', '/s2.xml');
    sitemap('/s1.xml', 'a', 'b');
    sitemap('/s2.xml', 'c');
    sitemap('/s3.xml', 'd');
    const far = await follow('pieces');
    expect(await far.turn('full')).toMatchObject({ state: 'succeeded', deleted: 0 });
    expect(await there(far)).toEqual(['a', 'b', 'c', 'd']);
    // Of those that are known nothing has changed.
    robots('/si.xml', '/s3.xml', '/s4.xml');
    sitemap('/s4.xml', 'e');
    expect(await far.turn()).toMatchObject({ state: 'succeeded', created: 2 });
    sitemap('/s3.xml', 'f');
    await far.turn();
    expect(await there(far)).toEqual(['a', 'b', 'c', 'e', 'f']);
    robots('/si.xml', '/s4.xml');
    await far.turn();
    expect(await there(far)).toEqual(['a', 'b', 'c', 'e']);
  });

  test('is followed by the address of that, and one of them by its own', async () => {
    robots('/s1.xml', '/s2.xml');
    sitemap('/s1.xml', 'a');
    sitemap('/s2.xml', 'b');
    const far = await follow('named', '/robots.txt');
    await far.turn('full');
    expect(await there(far)).toEqual(['a', 'b']);
    await far.close();
    const near = await follow('single', '/s2.xml');
    await near.turn('full');
    expect(await there(near)).toEqual(['b']);
  });

  test('loses nothing while one of them cannot be read, or is cut off', async () => {
    robots('/s1.xml', '/s2.xml');
    sitemap('/s1.xml', 'a', 'b');
    sitemap('/s2.xml', 'c', 'd');
    const far = await follow('broken');
    await far.turn('full');
    sitemap('/s1.xml', 'a', 'e');
    const { body = '' } = source.answers.get('/s2.xml') ?? {};
    const pages = { type: 'text/html' };
    for (const [bad, more] of [
      ['busy', { status: 500 }],
      ['not here', { status: 404 }],
      ['<Error><Code>NoSuchKey</Code></Error>', {}],
      ['<!doctype html><p>Maintenance', pages],
      [body.slice(0, 40), {}],
      [body.slice(0, -60), {}],
    ] as const) {
      source.put('/s2.xml', bad, more);
      expect(await far.turn('full')).toMatchObject({ state: 'needs-attention', deleted: 0 });
      expect(await there(far)).toEqual(['a', 'b', 'c', 'd', 'e']);
      expect((await far.problems()).map(({ message }) => message)).toContainEqual(
        expect.stringMatching(/^a Sitemap was not read.*\/s2\.xml/),
      );
    }
    await far.restart();
    await far.turn('full');
    expect(await there(far)).toEqual(['a', 'b', 'c', 'd', 'e']);
    sitemap('/s2.xml', 'c', 'd');
    await far.turn();
    expect(await there(far)).toEqual(['a', 'c', 'd', 'e']);
    // None of them.
    for (const path of ['/s1.xml', '/s2.xml']) source.put(path, 'busy', { status: 500 });
    await expect(far.turn('full')).rejects.toThrow(
      /robots\.txt, which names what cannot be followed:\n.*s1\.xml answers 500\n.*s2/,
    );
    expect(await there(far)).toEqual(['a', 'c', 'd', 'e']);
  });

  test('says which of them are no lists, and goes on without them', async () => {
    robots('/s1.xml', '/gone.xml', '/sm.txt', '/feed.xml');
    sitemap('/s1.xml', 'a', 'b');
    source.put('/sm.txt', `${source.origin}/a.csv\n${source.origin}/b.csv\n`, { type: 'text/plain' });
    source.put('/feed.xml', '<?xml version="1.0"?>\n<!-- news -->\n<rss version="2.0"><channel/></rss>');
    source.put('/gone.xml', 'gone', { status: 410 });
    const far = await follow('dead');
    await far.turn('full');
    sitemap('/s1.xml', 'a');
    await far.turn('full');
    expect(await there(far)).toEqual(['a']);
    const said = (await far.problems()).map(({ code, message }) => [
      code,
      message.replace(`a Sitemap of its robots.txt is left out: ${source.origin}`, ''),
    ]);
    expect(said.map(([code]) => code)).toEqual(Array(3).fill('endpoint-quirk'));
    expect(said.map(([, message]) => message).sort()).toEqual([
      expect.stringMatching(/^\/feed\.xml/),
      '/gone.xml answers 410',
      expect.stringMatching(/^\/sm\.txt is a Sitemap as text/),
    ]);
  });

  test('names each of them once, though an index names it, too', async () => {
    robots('/s1.xml', '/si.xml', '/s2.xml');
    index('/si.xml', '/s1.xml', '/s2.xml');
    sitemap('/s1.xml', 'a');
    sitemap('/s2.xml', 'b');
    const far = await follow('twice');
    expect(await far.turn('full')).toMatchObject({ items: 2, created: 4 });
  });

  test('is left alone where one of them belongs to a set', async () => {
    robots('/s1.xml', '/list.xml');
    sitemap('/s1.xml', 'a');
    sitemap('/s2.xml', 'b');
    source.put('/cap.xml', capabilityList(source.origin, { resourcelist: '/list.xml' }));
    source.put(
      '/list.xml',
      resourceList(`<url><loc>${source.origin}/b.csv</loc></url>`).replace(
        '<rs:md',
        `<rs:ln rel="up" href="${source.origin}/cap.xml"/><rs:md`,
      ),
    );
    const far = await follow('set');
    await far.turn('full');
    expect(await there(far)).toEqual(['b']);
  });

  test('has to be told which, where Capability Lists lie beside each other, unless it was one before', async () => {
    const described = (...names: readonly string[]) =>
      source.put(
        '/.well-known/resourcesync',
        `<urlset ${namespaces}><rs:md capability="description"/>${names.map((name) => `<url><loc>${source.origin}/${name}.xml</loc><rs:md capability="capabilitylist"/></url>`).join('')}</urlset>`,
      );
    described('one', 'two');
    for (const name of ['one', 'two']) {
      source.put(`/${name}.xml`, capabilityList(source.origin, { resourcelist: `/${name}-list.xml` }));
      source.put(`/${name}.csv`, name, { type: 'text/csv' });
      source.put(`/${name}-list.xml`, resourceList(`<url><loc>${source.origin}/${name}.csv</loc></url>`));
    }
    const far = await follow('beside');
    await expect(far.turn('full')).rejects.toThrow(/has several sets; name one with `resourcesync.set`:/);
    described('one');
    await far.turn('full');
    described('one', 'two');
    await far.restart();
    expect(await far.turn('full')).toMatchObject({ state: 'succeeded', deleted: 0 });
    expect(await there(far)).toEqual(['one']);
  });
});

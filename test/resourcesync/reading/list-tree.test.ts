import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readTree } from '../../../src/resourcesync/reading/list-tree.ts';
import { Remarks } from '../../../src/resourcesync/reading/remarks.ts';
import type { Member } from '../../../src/resourcesync/reading/source-document.ts';
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

async function read(path: string, wants: (member: Member) => boolean = () => true) {
  const locs: string[] = [];
  const documents: string[] = [];
  const remarks = new Remarks();
  const short = (uri: string) => uri.slice(source.origin.length);
  const tree = await readTree(
    port,
    source.origin + path,
    {
      statement: ({ loc }) => locs.push(short(loc)),
      opened: ({ uri }) => documents.push(short(uri)),
      wants,
    },
    remarks,
  );
  const rules = remarks.list().map(({ rule }) => rule);
  return { tree, locs, documents, rules, faults: (tree?.faults ?? []).map(({ uri }) => short(uri)) };
}

const xml = (root: string, facts: string, inner: string) => ({
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0"?><${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/"><rs:md ${facts}/>${inner}</${root}>`,
});
const url = (path: string, md = '') => `<url><loc>${source.origin}${path}</loc>${md}</url>`;
const sitemap = (path: string) => `<sitemap><loc>${source.origin}${path}</loc></sitemap>`;

describe('readTree', () => {
  it('reads the parts of an index in their order, with what each says', async () => {
    const { locs, documents, tree, rules } = await read('/rl.xml');
    expect(locs).toEqual(['/r/1', '/r/2', '/r/3', '/r/4']);
    expect(documents).toEqual(['/rl-1.xml', '/rl-2.xml']);
    expect(tree).toMatchObject({ documents: 3, faults: [], times: { at: '2026-01-02T00:00:00Z' } });
    expect(rules).toEqual([]);
  });

  it('leaves out parts that are of no interest', async () => {
    const { locs } = await read('/rl.xml', ({ uri }) => uri.endsWith('rl-2.xml'));
    expect(locs).toEqual(['/r/3', '/r/4']);
  });

  it('reads parts that are gzip files', async () => {
    source.answers.set('/rl-1.xml', { body: gzipSync(String(source.answers.get('/rl-1.xml')?.body)) });
    expect((await read('/rl.xml')).locs).toHaveLength(4);
  });

  it.each([
    ['is not there', () => source.answers.delete('/rl-1.xml'), ['/r/3', '/r/4']],
    [
      'is damaged in the middle',
      () => source.edit('/rl-1.xml', `<url><loc>${source.origin}/r/2`, '<url><loc>a\u0001b'),
      ['/r/1', '/r/3', '/r/4'],
    ],
    [
      'is a login page',
      () => source.answers.set('/rl-1.xml', { body: '<html><body>Log in</body></html>' }),
      ['/r/3', '/r/4'],
    ],
  ])('goes on behind a part that %s, and says that it is missing', async (_, damage, expected) => {
    damage();
    const { locs, faults } = await read('/rl.xml');
    expect(locs).toEqual(expected);
    expect(faults).toEqual(['/rl-1.xml']);
  });

  it('refuses a list that cannot be read itself', async () => {
    source.answers.set('/rl.xml', { status: 503 });
    await expect(read('/rl.xml')).rejects.toMatchObject({ code: 'upstream-busy' });
    source.answers.delete('/rl.xml');
    await expect(read('/rl.xml')).rejects.toMatchObject({ code: 'upstream-status' });
  });

  it('reads an index that is written as a list, of changes and of resources', async () => {
    const facts = 'capability="changelist"';
    source.answers.set(
      '/weko/changelist.xml',
      xml('urlset', facts, url('/weko/20261101.xml') + url('/weko/20261102.xml')),
    );
    for (const day of ['20261101', '20261102'])
      source.answers.set(
        `/weko/${day}.xml`,
        xml('urlset', facts, url(`/r/${day}`, '<rs:md change="updated"/>')),
      );
    const { locs, rules, documents } = await read('/weko/changelist.xml');
    expect(locs).toEqual(['/r/20261101', '/r/20261102']);
    expect(documents).toEqual(['/weko/20261101.xml', '/weko/20261102.xml']);
    expect(rules).toContain('RS-GEN-06');
    source.answers.set(
      '/lists.xml',
      xml('urlset', 'capability="resourcelist" at="2026-11-01T00:00:00Z"', url('/resourcelist1.xml')),
    );
    source.answers.set(
      '/resourcelist1.xml',
      xml('urlset', 'capability="resourcelist" at="2026-11-01T00:00:00Z"', url('/r/1')),
    );
    expect((await read('/lists.xml')).locs).toEqual(['/r/1']);
    source.answers.set(
      '/organizations/resourcelist',
      xml('urlset', 'capability="resourcelist"', url('/organizations/a/marcxml', '<rs:md at="2026-11-01"/>')),
    );
    source.answers.set('/organizations/a/marcxml', xml('urlset', 'capability="resourcelist"', url('/r/2')));
    expect((await read('/organizations/resourcelist')).locs).toEqual(['/r/2']);
  });

  it('takes a list for a list, whatever its resources are called', async () => {
    source.answers.set(
      '/rl.xml',
      xml('urlset', 'capability="resourcelist"', url('/wishlist.xml') + url('/r/1')),
    );
    source.answers.set('/wishlist.xml', { body: '<wishes/>' });
    expect((await read('/rl.xml')).locs).toEqual(['/wishlist.xml', '/r/1']);
  });

  it('follows indexes in indexes to an end, and never in circles', async () => {
    const facts = 'capability="resourcelist" at="2026-11-01T00:00:00Z"';
    source.answers.set('/1.xml', xml('sitemapindex', facts, sitemap('/2.xml') + sitemap('/1.xml')));
    source.answers.set('/2.xml', xml('sitemapindex', facts, sitemap('/3.xml') + sitemap('/1.xml')));
    source.answers.set('/3.xml', xml('sitemapindex', facts, sitemap('/rl-1.xml') + sitemap('/4.xml')));
    source.answers.set('/4.xml', xml('sitemapindex', facts, sitemap('/5.xml')));
    const { locs, faults } = await read('/1.xml');
    expect(locs).toEqual(['/r/1', '/r/2']);
    expect(faults).toEqual(['/5.xml']);
  });

  describe('a list that is handed out page by page', () => {
    const facts = 'capability="resourcelist" at="2026-11-01T00:00:00Z"';
    const page = (entries: string, next?: string, stated = facts) =>
      xml('urlset', stated, (next === undefined ? '' : `<rs:ln rel="Next" href="${next}"/>`) + entries);

    const at = (path: string) => source.origin + path;

    it('is read to its last page, and never in circles (RS-GEN-06)', async () => {
      source.answers.set('/paged.xml', page(url('/r/1'), at('/paged.xml?page=2')));
      source.answers.set('/paged.xml?page=2', page(url('/r/2'), at('/paged.xml?page=3')));
      source.answers.set('/paged.xml?page=3', page(url('/r/3'), at('/paged.xml')));
      const { locs, tree, rules } = await read('/paged.xml');
      expect(locs).toEqual(['/r/1', '/r/2', '/r/3']);
      expect(tree).toMatchObject({ documents: 3, isPaged: true, faults: [], validators: {} });
      expect(rules).toEqual(['RS-GEN-06']);
      // Whether it is an index is asked of the first page alone.
      expect(source.asked.filter((path) => path.startsWith('/paged.xml?'))).toHaveLength(2);
    });

    it('is missing what a page that cannot be read would have, and what is another list', async () => {
      source.answers.set('/paged.xml', page(url('/r/1'), '?page=2'));
      expect(await read('/paged.xml')).toMatchObject({ locs: ['/r/1'], faults: ['/paged.xml?page=2'] });
      source.answers.set('/paged.xml?page=2', page(url('/r/2'), undefined, 'capability="changelist"'));
      expect(await read('/paged.xml')).toMatchObject({ locs: ['/r/1'], faults: ['/paged.xml?page=2'] });
    });

    it('lies as deep as its first page, in an index of indexes of indexes', async () => {
      source.answers.set('/i1.xml', xml('sitemapindex', facts, sitemap('/i2.xml')));
      source.answers.set('/i2.xml', xml('sitemapindex', facts, sitemap('/i3.xml')));
      source.answers.set('/i3.xml', xml('sitemapindex', facts, sitemap('/deep.xml')));
      source.answers.set('/deep.xml', page(url('/r/1'), at('/deep.xml?page=2')));
      source.answers.set('/deep.xml?page=2', page(url('/r/2')));
      expect(await read('/i1.xml')).toMatchObject({ locs: ['/r/1', '/r/2'], faults: [] });
    });

    it('is no such list where an index has all of its pages', async () => {
      source.answers.set('/rl.xml', xml('sitemapindex', facts, sitemap('/1.xml') + sitemap('/2.xml')));
      source.answers.set('/1.xml', page(url('/r/1'), '/2.xml'));
      source.answers.set('/2.xml', page(url('/r/2'), '/3.xml'));
      source.answers.set('/3.xml', page(url('/r/3')));
      const first = await read('/rl.xml', ({ uri }) => uri.endsWith('/1.xml'));
      expect(first).toMatchObject({ locs: ['/r/1'], tree: { isPaged: false } });
      expect((await read('/rl.xml')).locs).toEqual(['/r/1', '/r/2', '/r/3']);
    });
  });
});

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Level } from '../../house/chain/level.ts';
import {
  capabilityList,
  namespaces as head,
  resourceList as list,
  sha256,
  type WrittenAnswer,
  WrittenSource,
} from '../../house/resourcesync/written-source.ts';

let source: WrittenSource;
let origin: string;
let level: Level;

const payload = (n: number, salt = '') => `<dc xmlns="http://purl.org/dc/elements/1.1/">${n}${salt}</dc>`;
const entry = (n: number, more = '', loc = `${origin}/r/${n}.xml`) =>
  `<url><loc>${loc}</loc><lastmod>2026-01-01T00:00:00Z</lastmod><rs:md hash="${sha256(payload(n))}" length="${payload(n).length}" type="application/xml"/>${more}</url>`;
const put = (path: string, body: string, more: Omit<WrittenAnswer, 'body'> = {}) =>
  source.put(path, body, more);

beforeEach(async () => {
  source = await WrittenSource.open();
  ({ origin } = source);
  put('/cap.xml', capabilityList(origin, { resourcelist: '/list.xml' }));
  for (let n = 1; n <= 5; n += 1) put(`/r/${n}.xml`, payload(n));
  put('/list.xml', list([1, 2, 3, 4, 5].map((n) => entry(n)).join('')));
  level = await Level.open('odd', {
    adapter: 'resourcesync',
    url: `${origin}/cap.xml`,
    allowPrivateAddresses: false,
  });
});
afterEach(async () => {
  await level.close();
  await source.close();
});

const held = async () => [...(await level.metadata()).values()].map(({ hash }) => hash).sort();
const hashes = (...numbers: number[]) => numbers.map((n) => sha256(payload(n))).sort();

test('what is missing from a complete list goes; nothing that is the same is fetched again', async () => {
  await level.turn('full');
  expect(await held()).toEqual(hashes(1, 2, 3, 4, 5));
  source.turnPage();
  put('/list.xml', list([1, 2, 3, 5].map((n) => entry(n)).join('')));
  expect(await level.turn()).toMatchObject({ state: 'succeeded', deleted: 1, created: 0, updated: 0 });
  expect(await held()).toEqual(hashes(1, 2, 3, 5));
  expect(source.asked.filter((path) => path.startsWith('/r/'))).toEqual([]);
});

test.each([
  [
    'a list that is cut off',
    () => put('/list.xml', list([1, 2].map((n) => entry(n)).join('')).slice(0, -30)),
  ],
  [
    'a web page in place of the list',
    () => put('/list.xml', '<!doctype html><html><p>Please log in</p></html>', { type: 'text/html' }),
  ],
  ['an empty list', () => put('/list.xml', list(''))],
  [
    'a part that is a web page',
    () => {
      put(
        '/list.xml',
        `<sitemapindex ${head}><rs:md capability="resourcelist" at="2026-02-01T00:00:00Z"/><sitemap><loc>${origin}/1.xml</loc></sitemap><sitemap><loc>${origin}/2.xml</loc></sitemap></sitemapindex>`,
      );
      put('/1.xml', list(entry(1)));
      put('/2.xml', '<html><body>Error</body></html>', { type: 'text/html' });
    },
  ],
  ['a list that is not there', () => source.answers.delete('/list.xml')],
  [
    'a list in another encoding',
    () => {
      const entries = [1, 2, 3, 4].map((n) => entry(n)).join('') + entry(5, '', `${origin}/r/\u027d.xml`);
      put('/list.xml', `<?xml version="1.0" encoding="EUC-JP"?>${list(entries)}`);
      put('/r/%C9%BD.xml', payload(5));
    },
  ],
  [
    'a capability list that is a page',
    () => put('/cap.xml', '<html><body>Down</body></html>', { type: 'text/html' }),
  ],
])('%s deletes nothing', async (_what, spoil) => {
  await level.turn('full');
  spoil();
  await level.turn('full').then(
    (report) => expect(report.state).toBe('needs-attention'),
    (error: unknown) => expect(error).toMatchObject({ name: 'BridgeError' }),
  );
  expect(await held()).toEqual(hashes(1, 2, 3, 4, 5));
});

test('content that is not what is stated is not taken; what was there stays', async () => {
  await level.turn('full');
  put('/r/3.xml', payload(3, ' changed'));
  put(
    '/list.xml',
    list(
      `${[1, 2, 4, 5].map((n) => entry(n)).join('')}${entry(3).replace(sha256(payload(3)), sha256('else'))}`,
    ),
  );
  const report = await level.turn('full');
  expect(report).toMatchObject({ problems: 1, deleted: 0, updated: 0 });
  expect(await held()).toEqual(hashes(1, 2, 3, 4, 5));
  expect((await level.problems())[0]).toMatchObject({ code: 'record-quarantined' });
});

test('a login page with 200 is no record, and a refusal takes it away', async () => {
  await level.turn('full');
  put(
    '/list.xml',
    list(
      [1, 2, 3, 4, 5]
        .map((n) =>
          entry(n)
            .replace(/ hash="[^"]*"/, '')
            .replace('2026-01-01', '2026-01-02'),
        )
        .join(''),
    ),
  );
  put('/r/2.xml', '<html>Log in</html>', { type: 'text/html' });
  put('/r/4.xml', 'no', { status: 403 });
  await level.turn('full');
  expect(await held()).toEqual(hashes(1, 2, 3, 5));
  // Nor is what it was for anybody, until it is shown again.
  const refused = () =>
    level.bridge.database.reader('resource').whereNotNull('refused_at').pluck('withdrawn_at');
  expect(await refused()).toEqual([expect.any(String)]);
});

test('other hosts and private addresses are not asked', async () => {
  const more = [
    'http://10.0.0.1/x.xml',
    'http://[::1]:9/x.xml',
    'http://localhost:9/x.xml',
    'file:///etc/passwd',
  ];
  put('/list.xml', list(`${entry(1)}${more.map((loc) => entry(2, '', loc)).join('')}`));
  const report = await level.turn('full');
  expect(await held()).toEqual(hashes(1));
  expect(report.problems).toBe(4);
});

test('the same address twice is one record', async () => {
  put('/list.xml', list([1, 1, 2, 2].map((n) => entry(n)).join('')));
  expect(await level.turn('full')).toMatchObject({ created: 2, updated: 0 });
  expect(await level.turn('full')).toMatchObject({ created: 0, updated: 0, deleted: 0 });
});

test('one item is read again with its links, files and bytes; one that is in no list is not there', async () => {
  const thing = `${origin}/r/thing.pdf`;
  put('/r/thing.pdf', '0123456789', { type: 'application/pdf' });
  put(
    '/list.xml',
    list(
      `<url><loc>${thing}</loc><rs:md length="10" type="application/pdf"/><rs:ln rel="describedby" href="${origin}/r/1.xml"/></url>${entry(1, `<rs:ln rel="describes" href="${thing}"/><rs:ln rel="profile" href="http://www.loc.gov/mods/v3"/><rs:ln rel="via" href="http://example.org/1"/>`)}`,
    ),
  );
  await level.turn('full');
  source.turnPage();
  const { adapter } = level.bridge.source('odd');
  const item = await adapter.item(thing, new AbortController().signal);
  expect(item).toMatchObject({
    metadata: [{ format: 'mods', via: 'http://example.org/1' }],
    files: [{ url: thing, length: 10 }],
  });
  expect(source.asked).toContain('/r/1.xml');
  expect(await adapter.item('elsewhere', new AbortController().signal)).toBeUndefined();
});

test.each([
  ['a via', () => entry(6, `<rs:ln rel="via" href="${level.url}/odd/items/1/xml.xml"/>`)],
  ['an address', () => entry(6, '', `${level.url}/odd/items/1/xml.xml`)],
])('a Source that hands on what is ours, by %s, is refused', async (_what, own) => {
  put('/list.xml', list(`${entry(1)}${own()}`));
  await expect(level.turn('full')).rejects.toThrow(/which this bridge itself publishes.*in a circle/);
});

test('formats that describe one thing are one item with its file; what stands alone is a file with a record', async () => {
  const thing = `${origin}/r/thing.pdf`;
  put('/r/thing.pdf', '0123456789', { type: 'application/pdf' });
  put('/r/alone.csv', 'a,b\n1,2', { type: 'text/csv' });
  const describes = `<rs:ln rel="describes" href="${thing}"/>`;
  put(
    '/list.xml',
    list(
      `<url><loc>${thing}</loc><rs:md hash="md5:${'0'.repeat(32)}" length="10" type="application/pdf"/><rs:ln rel="describedby" href="${origin}/r/1.xml"/></url>` +
        entry(
          1,
          `${describes}<rs:ln rel="profile" href="http://www.openarchives.org/OAI/2.0/oai_dc/"/><rs:ln rel="collection" href="http://example.org/c/1"/>`,
        ) +
        entry(2, `${describes}<rs:ln rel="profile" href="http://www.loc.gov/mods/v3"/>`) +
        `<url><loc>${origin}/r/alone.csv</loc><lastmod>2026-01-01T00:00:00Z</lastmod><rs:md length="7" type="text/csv"/></url>`,
    ),
  );
  await level.turn('full');
  const paths = [...(await level.metadata()).keys()].map((path) => path.replace(/^.*~2Fr~2F/, ''));
  expect(paths.sort()).toEqual(['alone.csv/oai_dc.xml', 'thing.pdf/mods.xml', 'thing.pdf/oai_dc.xml']);
  const files = [...(await level.files()).entries()].map(([path, { length }]) => [
    path.replace(/^.*~2Fr~2F/, ''),
    length,
  ]);
  expect(files.sort()).toEqual([
    ['alone.csv/files/1-alone.csv', 7],
    ['thing.pdf/files/1-thing.pdf', 10],
  ]);
});

describe('changes', () => {
  const changes = (from: string, entries: string, until?: string) =>
    put(
      '/changes.xml',
      `<urlset ${head}><rs:md capability="changelist" from="${from}"${until ? ` until="${until}"` : ''}/>${entries}</urlset>`,
    );
  const change = (n: number, kind: string, at: string) =>
    `<url><loc>${origin}/r/${n}.xml</loc><rs:md change="${kind}" datetime="${at}"${kind === 'deleted' ? '' : ` hash="${sha256(payload(n))}" type="application/xml"`}/></url>`;
  beforeEach(() => {
    put('/cap.xml', capabilityList(origin, { resourcelist: '/list.xml', changelist: '/changes.xml' }));
    changes('2026-02-01T00:00:00Z', '');
    put('/r/6.xml', payload(6));
  });

  test('are followed without the list, deletions too', async () => {
    await level.turn('full');
    source.turnPage();
    changes(
      '2026-02-01T00:00:00Z',
      change(6, 'created', '2026-02-02T00:00:00Z') + change(2, 'deleted', '2026-02-02T00:00:00Z'),
    );
    expect(await level.turn()).toMatchObject({ state: 'succeeded', created: 1, deleted: 1 });
    expect(await held()).toEqual(hashes(1, 3, 4, 5, 6));
    expect(source.asked).not.toContain('/list.xml');
    source.turnPage();
    expect(await level.turn()).toMatchObject({ created: 0, updated: 0, deleted: 0 });
    expect(source.asked).toEqual(['/cap.xml', '/changes.xml']);
  });

  test('that came after the list was made are not taken for absent, nor what went for there', async () => {
    await level.turn('full');
    changes(
      '2026-02-01T00:00:00Z',
      change(6, 'created', '2026-02-02T00:00:00Z') + change(2, 'deleted', '2026-02-02T00:00:00Z'),
    );
    await level.turn();
    await level.turn('full');
    expect(await held()).toEqual(hashes(1, 3, 4, 5, 6));
  });

  test('of which some are missing lead to a comparison', async () => {
    await level.turn('full');
    source.turnPage();
    changes('2026-03-01T00:00:00Z', '');
    put('/list.xml', list([1, 3, 4, 5, 6].map((n) => entry(n)).join(''), '2026-03-02T00:00:00Z'));
    expect(await level.turn()).toMatchObject({ state: 'succeeded', created: 1, deleted: 1 });
    expect(await held()).toEqual(hashes(1, 3, 4, 5, 6));
    expect(source.asked.filter((path) => path.startsWith('/r/'))).toEqual(['/r/6.xml']);
  });

  test('of which some are missing since an old list was made take nothing away', async () => {
    await level.turn('full');
    changes('2026-03-01T00:00:00Z', '');
    put('/list.xml', list([1, 3, 4, 5].map((n) => entry(n)).join('')));
    expect(await level.turn()).toMatchObject({ state: 'needs-attention', deleted: 0 });
    expect(await held()).toEqual(hashes(1, 2, 3, 4, 5));
  });
});

test('a plain Sitemap: pages with Signposting are items with metadata and files, others mere records', async () => {
  const page = (n: number, lastmod = '2026-01-01') =>
    `<url><loc>${origin}/page/${n}</loc><lastmod>${lastmod}</lastmod></url>`;
  const sitemap = (...urls: string[]) =>
    put(
      '/sitemap.xml',
      `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('')}</urlset>`,
    );
  const links = `<link rel="describedby" type="application/xml" href="/meta/1.xml"><link rel="item" type="application/pdf" href="/file/1.pdf">`;
  const dc = '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"/>';
  put('/page/1', `<!doctype html><html><head>${links}</head></html>`, { type: 'text/html' });
  put('/page/2', '<!doctype html><html><head></head></html>', { type: 'text/html' });
  put('/meta/1.xml', dc);
  put('/file/1.pdf', '%PDF', { type: 'application/pdf' });
  sitemap(page(1), page(2));
  const plain = await Level.open('plain', { adapter: 'resourcesync', url: `${origin}/sitemap.xml` });
  try {
    expect(await plain.turn()).toMatchObject({ state: 'succeeded', problems: 0 });
    const metadata = await plain.metadata();
    expect([...metadata.keys()].map((path) => path.replace(/^.*~2Fpage~2F/, '')).sort()).toEqual([
      '1/oai_dc.xml',
      '2/oai_dc.xml',
    ]);
    expect([...metadata.values()].map(({ hash }) => hash)).toContain(sha256(dc));
    expect([...(await plain.files()).keys()].map((path) => path.replace(/^.*~2Fpage~2F/, ''))).toEqual([
      '1/files/1-1.pdf',
    ]);
    source.turnPage();
    expect(await plain.turn()).toMatchObject({ created: 0, updated: 0, deleted: 0 });
    expect(source.asked.filter((path) => path.startsWith('/page'))).toEqual([]);
    put('/page/1', `<!doctype html><html><head>${links.replace(/<link rel="item".*/, '')}</head></html>`, {
      type: 'text/html',
    });
    sitemap(page(1, '2026-01-02'));
    await plain.turn();
    expect([...(await plain.metadata()).keys()]).toHaveLength(1);
    expect((await plain.files()).size).toBe(0);
  } finally {
    await plain.close();
  }
});

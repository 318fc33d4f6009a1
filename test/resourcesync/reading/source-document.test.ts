import { describe, expect, it } from 'vitest';
import { Remarks } from '../../../src/resourcesync/reading/remarks.ts';
import { parseSourceDocument } from '../../../src/resourcesync/reading/source-document.ts';
import type { Statement } from '../../../src/resourcesync/reading/statement.ts';

const uri = 'https://repo.example.org/rs/list.xml';
const sitemap = 'http://www.sitemaps.org/schemas/sitemap/0.9';
const terms = 'http://www.openarchives.org/rs/terms/';

async function* inPieces(text: string, size = 64): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(text: string) {
  const remarks = new Remarks();
  const statements: Statement[] = [];
  const document = await parseSourceDocument(
    inPieces(text),
    uri,
    { statement: (statement) => statements.push(statement) },
    remarks.at(uri),
  );
  return { document, statements, rules: remarks.list().map(({ rule }) => rule) };
}

function list(head: string, entries: string, root = 'urlset', namespaces = [sitemap, terms]): string {
  const [own, rs] = namespaces;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="${own}" xmlns:rs="${rs}">${head}${entries}</${root}>`;
}

const md = (attributes: string) => `<rs:md ${attributes}/>`;
const resourceList = md('capability="resourcelist" at="2026-11-01T00:00:00Z"');
const changeList = md('capability="changelist" from="2026-11-01T00:00:00Z"');
const url = (inner: string) => `<url>${inner}</url>`;
const loc = (path: string) => `<loc>https://repo.example.org/${path}</loc>`;
const sha = 'a'.repeat(64);

describe('a document as it should be', () => {
  it('is read with all that it says of its resources', async () => {
    const entry = `${loc('1')}<lastmod>2026-10-31T00:00:00Z</lastmod>${md(`hash="md5:${'b'.repeat(32)} sha-256:${sha}" length="12" type="text/plain"`)}<rs:ln rel="duplicate" pri="2" href="https://mirror.example/1"/>`;
    const { document, statements, rules } = await read(list(resourceList, url(entry)));
    expect(rules).toEqual([]);
    expect(document).toMatchObject({
      capability: 'resourcelist',
      isStated: true,
      isIndex: false,
      times: { at: '2026-11-01T00:00:00Z' },
      statements: 1,
      members: [],
    });
    expect(statements).toEqual([
      {
        loc: 'https://repo.example.org/1',
        change: undefined,
        datetime: undefined,
        lastmod: '2026-10-31T00:00:00Z',
        hashes: [`md5:${'b'.repeat(32)}`, `sha-256:${sha}`],
        length: 12,
        type: 'text/plain',
        path: undefined,
        links: [
          { rel: 'duplicate', href: 'https://mirror.example/1', type: undefined, path: undefined, pri: 2 },
        ],
      },
    ]);
  });

  it('lists documents with their times, where it is an index', async () => {
    const member = `<sitemap>${loc('cl-1.xml')}${md('from="2026-11-01T00:00:00Z" until="2026-11-02T00:00:00Z"')}</sitemap>`;
    const { document } = await read(
      list(`<rs:ln rel="up" href="cap.xml"/>${changeList}`, member, 'sitemapindex'),
    );
    expect(document).toMatchObject({ isIndex: true, up: 'https://repo.example.org/rs/cap.xml' });
    expect(document.members).toMatchObject([
      {
        uri: 'https://repo.example.org/cl-1.xml',
        times: { from: '2026-11-01T00:00:00Z', until: '2026-11-02T00:00:00Z' },
      },
    ]);
  });

  it('may have whatever prefix, and a byte order mark', async () => {
    const text = `\ufeff<?xml version="1.0"?><s:urlset xmlns:s="${sitemap}" xmlns="${terms}"><md capability="changelist" from="2026-01-01T00:00:00Z"/><s:url><s:loc>https://a.example/1</s:loc><md change="deleted"/></s:url></s:urlset>`;
    const { statements, document } = await read(text);
    expect(document.capability).toBe('changelist');
    expect(statements).toMatchObject([{ loc: 'https://a.example/1', change: 'deleted' }]);
  });

  it('has nothing to be told of its namespace where that has a prefix', async () => {
    const entry = '<sm:url><sm:loc>https://a.example/1</sm:loc></sm:url>';
    const own = `xmlns:sm="${sitemap}" xmlns:rs="${terms}"`;
    const text = `<?xml version="1.0"?><sm:urlset ${own}>${resourceList}${entry}</sm:urlset>`;
    const { statements, rules } = await read(text);
    expect(statements).toMatchObject([{ loc: 'https://a.example/1' }]);
    expect(rules).toEqual([]);
    // What stands in it without one has none.
    expect((await read(text.replaceAll('sm:url>', 'url>'))).rules).toContain('RS-GEN-01');
  });
});

describe('what is wrong and can be used is used, with a remark', () => {
  it.each([
    ['a slash is missing', [`${sitemap}/`, terms], 'RS-GEN-01'],
    ['it is https', [sitemap.replace('http', 'https'), terms], 'RS-GEN-01'],
    ['of an older version', [sitemap, 'http://www.openarchives.org/rs/terms'], 'RS-GEN-16'],
    ['there is none', ['', terms], 'RS-GEN-01'],
  ])('namespaces: %s', async (_, namespaces, rule) => {
    const entries = `${url(loc('1') + md('length="3"'))}${url(loc('2'))}`;
    const { statements, rules, document } = await read(list(resourceList, entries, 'urlset', namespaces));
    expect(document.capability).toBe('resourcelist');
    expect(statements.map(({ length }) => length)).toEqual([3, undefined]);
    expect(rules).toContain(rule);
  });

  it.each([
    ['resourcesync', 'description'],
    ['changelist-index', 'changelist'],
    ['ResourceList', 'resourcelist'],
    ['resource_dump', 'resourcedump'],
    ['changedump-manifest', 'changedump-manifest'],
    ['capabilitylists', 'capabilitylist'],
  ])('the capability %s is %s', async (given, meant) => {
    const { document, rules } = await read(list(md(`capability="${given}"`), ''));
    expect(document.capability).toBe(meant);
    expect(rules.includes('RS-GEN-04')).toBe(given !== meant);
  });

  it.each([
    ['a plain Sitemap', '', url(loc('1')), 'resourcelist'],
    ['changes', '', url(loc('1') + md('change="updated"')), 'changelist'],
    ['a list of lists', '', url(loc('cl.xml') + md('capability="changelist"')), 'capabilitylist'],
    ['a list of sets', '', url(loc('cap.xml') + md('capability="capabilitylist"')), 'description'],
    ['a manifest', '', url(loc('1') + md('path="/1"')), 'resourcedump-manifest'],
    ['an empty list of changes', md('from="2026-01-01T00:00:00Z"'), '', 'changelist'],
  ])('what says nothing of itself is known by its content: %s', async (_, head, entries, meant) => {
    const { document, rules } = await read(list(head, entries));
    expect(document).toMatchObject({ capability: meant, isStated: false });
    expect(rules).toContain('RS-GEN-03');
  });

  it('times: at for datetime, from for at, days, local times, fractions, and none', async () => {
    const entries = [
      md('change="created" at="2026-11-02T00:00:00Z"'),
      md('change="updated" datetime="2026-11-02"'),
      md('change="updated" datetime="2026-11-02T09:00:00.123456789+09:00"'),
      md('change="updated" datetime="2026-11-02t00:00:00"'),
      md('change="updated" datetime="2026-11"'),
      md('change="updated" datetime="yesterday"'),
      md('change="deleted"'),
    ];
    const { statements, rules } = await read(
      list(changeList, entries.map((entry) => url(loc('1') + entry)).join('')),
    );
    expect(statements.map(({ datetime }) => datetime)).toEqual([
      ...['2026-11-02T00:00:00Z', '2026-11-02T00:00:00Z', '2026-11-02T00:00:00Z', '2026-11-02T00:00:00Z'],
      ...['2026-11-01T00:00:00Z', undefined, undefined],
    ]);
    expect(rules).toEqual(['RS-ATTR-01', 'RS-TIME-01']);
    const odd = await read(list(md('capability="resourcelist" from="2026-11-01T00:00:00Z"'), url(loc('1'))));
    expect(odd.document.times.at).toBe('2026-11-01T00:00:00Z');
  });

  it('hashes: capitals, base64, other names; what is none is left out', async () => {
    const digest = Buffer.from('0123456789abcdef0123456789abcdef', 'hex');
    const hashes = `MD5:${digest.toString('hex').toUpperCase()} md5:${digest.toString('base64')} SHA256:${sha} crc32:12 md5:12`;
    const { statements, rules } = await read(list(resourceList, url(loc('1') + md(`hash="${hashes}"`))));
    const hex = `md5:${digest.toString('hex')}`;
    expect(statements[0]?.hashes).toEqual([hex, hex, `sha-256:${sha}`]);
    expect(rules).toEqual(['RS-ATTR-08']);
  });

  it('relations, whatever their letters (RFC 8288); a URI is as it is', async () => {
    const patch = 'http://www.openarchives.org/rs/terms/patch';
    const links = `<rs:ln rel="describedBy" href="https://repo.example.org/m"/><rs:ln rel=" Collection " href="https://repo.example.org/s"/><rs:ln rel="${patch}" href="https://repo.example.org/p"/>`;
    const { document, statements } = await read(
      list(
        `<rs:ln rel="Up" href="https://repo.example.org/cap.xml"/>${resourceList}`,
        url(`${loc('1')}${links}`),
      ),
    );
    expect(document.up).toBe('https://repo.example.org/cap.xml');
    expect(statements[0]?.links.map(({ rel }) => rel)).toEqual(['describedby', 'collection', patch]);
  });

  it('addresses: relative, with spaces, in capitals, with fragments; none is left out', async () => {
    const locs = [
      '../r/1',
      ' https://A.example/2#part ',
      'https://a.example:443/3',
      '',
      'https://a b.example/',
    ];
    const { statements, rules } = await read(
      list(resourceList, locs.map((text) => url(`<loc>${text}</loc>`)).join('')),
    );
    expect(statements.map((statement) => statement.loc)).toEqual([
      'https://repo.example.org/r/1',
      'https://a.example/2',
      'https://a.example/3',
    ]);
    expect(rules).toEqual(['RS-GEN-08']);
  });
});

describe('an ampersand that nobody escaped', () => {
  it('is read as one, and said', async () => {
    const link = '<rs:ln rel="up" href="https://repo.example.org/?set=a&b=2&amp;c=&#38;"/>';
    const entry = `<loc>https://repo.example.org/?a=1&b=2&copy=3&amp;d=4&</loc>${link}`;
    const { statements, rules } = await read(list(resourceList, url(entry) + url(loc('2'))));
    expect(statements.map((statement) => statement.loc)).toEqual([
      'https://repo.example.org/?a=1&b=2&copy=3&d=4&',
      'https://repo.example.org/2',
    ]);
    expect(statements[0]?.links[0]?.href).toBe('https://repo.example.org/?set=a&b=2&c=&');
    expect(rules).toEqual(['RS-GEN-19']);
  });

  it('is told with the word that it stands in', async () => {
    const remarks = new Remarks();
    const text = list(resourceList, url('<loc>https://repo.example.org/?a=1&b=2</loc>'));
    await parseSourceDocument(inPieces(text), uri, {}, remarks.at(uri));
    expect(remarks.list()).toMatchObject([
      { rule: 'RS-GEN-19', severity: 'warning', message: expect.stringMatching(/\?a=1&b=2$/) },
    ]);
  });
});

describe('what cannot be used is refused', () => {
  it.each([
    ['a web page', '<!DOCTYPE html><html><body>Log in<br></body></html>', 'upstream-html'],
    ['a document type of its own', '<!DOCTYPE urlset><urlset/>', 'upstream-not-xml'],
    ['a web page in XML', '<html xmlns="http://www.w3.org/1999/xhtml"><body/></html>', 'upstream-html'],
    ['something else', '<feed xmlns="http://www.w3.org/2005/Atom"/>', 'upstream-protocol'],
    ['another capability', list(md('capability="framework-notification"'), ''), 'upstream-protocol'],
    ['nothing', '', 'upstream-not-xml'],
  ])('%s', async (_, text, code) => {
    await expect(read(text)).rejects.toMatchObject({ code });
  });

  it.each([
    [
      'a tag',
      (text: string) => text.replace('<url><loc>https://repo.example.org/3', '<url><loc>a</lastmod>'),
    ],
    ['an entity', (text: string) => text.replace('<url><loc>https://repo.example.org/3', '<url><loc>a&b;')],
    [
      'its end is missing',
      (text: string) => text.slice(0, text.indexOf('<url><loc>https://repo.example.org/3')),
    ],
    ['no UTF-8', (text: string) => text],
  ])('what stood before the damage was handed on: %s', async (what, damage) => {
    const entries = ['1', '2', '3', '4'].map((name) => url(loc(name))).join('');
    const text = damage(list(resourceList, entries));
    async function* bytes() {
      yield* inPieces(text);
      if (what === 'no UTF-8') yield Buffer.from([0xff, 0xfe]);
    }
    const locs: string[] = [];
    const handler = { statement: ({ loc: found }: Statement) => locs.push(found) };
    const reading = parseSourceDocument(bytes(), uri, handler, () => undefined);
    await expect(reading).rejects.toMatchObject({ code: 'upstream-not-xml' });
    expect(locs.slice(0, 2)).toEqual(['https://repo.example.org/1', 'https://repo.example.org/2']);
  });
});

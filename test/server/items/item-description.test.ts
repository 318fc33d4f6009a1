import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type House, now, openHouse, seedResource } from '../../house/server/fixture.ts';

let house: House;
const item = '/kyushu/items/oai:repo.example.org:1';
const uri = `https://bridge.example.org/rs${item}`;

beforeEach(async () => {
  house = await openHouse();
});
afterEach(() => house.close());

async function get(url: string, accept = 'text/html') {
  return house.app.inject({ url, headers: { accept } });
}

function dc(elements: string): string {
  return `<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">${elements}</oai_dc:dc>`;
}

const jpcoar = `<jpcoar:jpcoar xmlns:jpcoar="https://github.com/JPCOAR/schema/blob/master/2.0/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:datacite="https://schema.datacite.org/meta/kernel-4/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<dc:title xml:lang="ja">雪の結晶</dc:title><dc:title xml:lang="en">Snow crystals</dc:title>
<jpcoar:creator><jpcoar:creatorName xml:lang="ja">中谷, 宇吉郎</jpcoar:creatorName></jpcoar:creator>
<dc:rights rdf:resource="https://creativecommons.org/licenses/by/4.0/"/>
<datacite:description descriptionType="Abstract" xml:lang="ja">雪は天から送られた手紙である。</datacite:description>
<datacite:date dateType="Issued">1949-03-01</datacite:date><dc:language>jpn</dc:language>
<dc:type rdf:resource="http://purl.org/coar/resource_type/c_6501">journal article</dc:type>
<jpcoar:identifierRegistration identifierType="JaLC">10.14943/snow(1)</jpcoar:identifierRegistration>
<jpcoar:sourceTitle>低温科学</jpcoar:sourceTitle><jpcoar:volume>2</jpcoar:volume><jpcoar:issue>1</jpcoar:issue><jpcoar:pageStart>3</jpcoar:pageStart><jpcoar:pageEnd>9</jpcoar:pageEnd>
</jpcoar:jpcoar>`;

describe('an item with metadata that names it', () => {
  beforeEach(async () => {
    await seedResource(house.database, { content: dc('<dc:title>Snow</dc:title>') });
    await seedResource(house.database, { format: 'jpcoar_2.0', content: jpcoar });
    await seedResource(house.database, { kind: 'file', mediaType: 'application/pdf' });
  });

  it('has its title in heading and title, in its language, and its identifier second', async () => {
    const { body } = await get(item);
    expect(body).toContain('<h1 lang="ja" dir="auto">雪の結晶</h1>');
    expect(body).toContain('<title lang="ja">雪の結晶 — University of Example</title>');
    expect(body).toContain('lang="en" dir="auto">Snow crystals</p>');
    expect(body).toContain('<dt>Identifier</dt><dd class="mono">oai:repo.example.org:1</dd>');
    expect(body).toContain('<dd dir="auto">低温科学, 2 (1), pp. 3–9</dd>');
    expect(body).toContain(
      '<a rel="license" href="https://creativecommons.org/licenses/by/4.0/">CC BY 4.0</a>',
    );
    expect(body).toContain('<p lang="ja" dir="auto">雪は天から送られた手紙である。</p>');
  });

  it('says in its head how to cite it, for Google Scholar and Zotero', async () => {
    const { body } = await get(item);
    const fields = [...body.matchAll(/<meta name="(citation_\w+)" content="([^"]*)">/g)].map(
      ([, name, value]) => `${name} ${value}`,
    );
    expect(fields).toEqual([
      'citation_title 雪の結晶',
      'citation_author 中谷, 宇吉郎',
      'citation_publication_date 1949/03/01',
      'citation_journal_title 低温科学',
      'citation_volume 2',
      'citation_issue 1',
      'citation_firstpage 3',
      'citation_lastpage 9',
      'citation_doi 10.14943/snow(1)',
      'citation_language ja',
      'citation_abstract 雪は天から送られた手紙である。',
      `citation_abstract_html_url ${uri}`,
      `citation_pdf_url ${uri}/files/1-a.pdf`,
    ]);
  });

  it('and for programs that read schema.org', async () => {
    expect(linkedData((await get(item)).body)).toMatchObject({
      '@context': 'https://schema.org',
      '@type': 'ScholarlyArticle',
      '@id': 'https://doi.org/10.14943/snow(1)',
      url: uri,
      name: { '@value': '雪の結晶', '@language': 'ja' },
      alternateName: [{ '@value': 'Snow crystals', '@language': 'en' }],
      author: [{ '@type': 'Person', name: '中谷, 宇吉郎' }],
      datePublished: '1949-03-01',
      license: 'https://creativecommons.org/licenses/by/4.0/',
      isPartOf: { '@type': 'Periodical', name: '低温科学' },
      encoding: [{ contentUrl: `${uri}/files/1-a.pdf`, encodingFormat: 'application/pdf' }],
    });
  });

  it('RFC 8574: leads to the DOI that it states, in head, header and link set', async () => {
    const citeAs = 'https://doi.org/10.14943/snow(1)';
    const { body, headers } = await get(item);
    expect(body).toContain(`<link rel="cite-as" href="${citeAs}">`);
    expect(String(headers.link)).toContain(`<${citeAs}>; rel="cite-as"`);
    expect((await get(`${item}/linkset.json`)).json().linkset[0]['cite-as']).toEqual([{ href: citeAs }]);
  });

  it('tells programs the same', async () => {
    expect((await get(item, 'application/json')).json()).toMatchObject({
      identifier: 'oai:repo.example.org:1',
      citeAs: 'https://doi.org/10.14943/snow(1)',
      description: {
        title: { text: '雪の結晶', language: 'ja' },
        creators: ['中谷, 宇吉郎'],
        date: '1949-03-01',
      },
    });
  });
});

it('what is deleted or withdrawn names nothing, and neither does damage', async () => {
  await seedResource(house.database, { content: dc('<dc:title>Known</dc:title>') });
  await seedResource(house.database, { format: 'jpcoar_2.0', content: jpcoar, deletedAt: now });
  expect((await get(item)).body).toContain('<h1 dir="auto">Known</h1>');
  expect((await get(item)).body).not.toContain('雪');
  await house.database.writer('resource').update({ withdrawn_at: now }).where({ format: 'oai_dc' });
  await seedResource(house.database, { format: 'mods', content: '<mods/>', keep: false });
  const { statusCode, body } = await get(item);
  expect([statusCode, body.includes('<h1>oai:repo.example.org:1</h1>')]).toEqual([200, true]);
  expect(body).not.toContain('Known');
});

describe('hostile metadata', () => {
  const evil = '</script><script>alert(1)</script><!--"\'&\u2028\u202e';
  const escaped = evil.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

  it('is text, wherever it is shown', async () => {
    const content = dc(
      [
        'title',
        'creator',
        'date',
        'type',
        'description',
        'rights',
        'publisher',
        'subject',
        'language',
        'identifier',
      ]
        .map((name) => `<dc:${name}>${escaped}</dc:${name}>`)
        .join(''),
    );
    await seedResource(house.database, { content });
    const { body, headers } = await get(item);
    expect(body.match(/<script/g)).toEqual(['<script']);
    expect(body.match(/<\/script/g)).toHaveLength(1);
    expect(body).not.toContain('<!--');
    expect(body).not.toContain('\u202e');
    expect((linkedData(body) as { name: string }).name).toContain(
      '</script><script>alert(1)</script><!--"\'&',
    );
    expect(headers['content-security-policy']).not.toContain('script-src');
  });

  it('brings no address that runs something', async () => {
    const bad = 'javascript:alert(1)';
    const content = jpcoar
      .replaceAll('https://creativecommons.org/licenses/by/4.0/', bad)
      .replace('10.14943/snow(1)', bad);
    const links = [{ rel: 'describes', href: bad }];
    await seedResource(house.database, { content, links });
    const { body, headers } = await get(item);
    expect(body).not.toContain('href="javascript');
    expect(JSON.stringify(linkedData(body))).not.toContain('javascript');
    expect(String(headers.link)).not.toContain('javascript');
  });

  it('fills no page with a title of 100 kB', async () => {
    await seedResource(house.database, { content: dc(`<dc:title>${'long '.repeat(20_000)}</dc:title>`) });
    expect((await get(item)).body.length).toBeLessThan(20_000);
  });
});

function linkedData(body: string): object {
  const [, text = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(body) ?? [];
  return JSON.parse(text);
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import {
  describeMetadata,
  inOrderOfDetail,
  longestDescribed,
  sayingMost,
} from '../../../src/core/descriptions/describe.ts';
import { type Description, fullWeight, weightOf } from '../../../src/core/descriptions/description.ts';
import { toDim } from '../../../src/core/dspace/dim.ts';
import type { DspaceItem } from '../../../src/core/dspace/dspace-item.ts';
import { toItemJson } from '../../../src/core/dspace/item-json.ts';
import { toOaiDc } from '../../../src/core/dspace/oai-dc.ts';
import { toQdc } from '../../../src/core/dspace/qdc.ts';
import { sharedMaterial } from '../../house/adapters/shared-material.ts';

function read(text: string, mediaType = 'application/xml'): Description | undefined {
  return describeMetadata(Buffer.from(text), mediaType);
}

function dc(elements: string): string {
  return `<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">${elements}</oai_dc:dc>`;
}

function jpcoar(elements: string): string {
  return `<jpcoar:jpcoar xmlns:jpcoar="https://github.com/JPCOAR/schema/blob/master/2.0/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:datacite="https://schema.datacite.org/meta/kernel-4/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">${elements}</jpcoar:jpcoar>`;
}

const field = (name: string, value: string, language?: string) => {
  const [schema = '', element = '', qualifier] = name.split('.');
  return { schema, element, qualifier, value, language, authority: undefined, confidence: undefined };
};

const item: DspaceItem = {
  id: '0b7bb2d2-4ae5-4e69-8b70-5d5f0a9b3a52',
  handle: '2115/1',
  name: '雪の結晶',
  entityType: undefined,
  lastModified: undefined,
  metadata: [
    field('dc.contributor.author', '中谷, 宇吉郎'),
    field('dc.contributor.editor', 'Somebody Else'),
    field('dc.date.accessioned', '2024-01-02T03:04:05Z'),
    field('dc.date.available', '2024-01-02T03:04:05Z'),
    field('dc.date.issued', '1949-03'),
    field('dc.description.abstract', '雪は天から送られた手紙である。', 'ja'),
    field('dc.identifier.uri', 'https://hdl.handle.net/2115/1'),
    field('dc.language.iso', 'jpn'),
    field('dc.rights.uri', 'https://creativecommons.org/licenses/by/4.0/'),
    field('dc.title', '雪の結晶', 'ja'),
    field('dc.type', 'journal article'),
  ],
  bitstreams: [],
  collections: [],
};

describe('an item of a DSpace', () => {
  test.each([
    ['dim', toDim(item), 'application/xml'],
    ['qdc', toQdc(item), 'application/xml'],
    ['json', toItemJson(item), 'application/json'],
  ])('is described by %s', (_, text, mediaType) => {
    expect(read(text, mediaType)).toMatchObject({
      title: { text: '雪の結晶', language: 'ja' },
      creators: ['中谷, 宇吉郎'],
      date: '1949-03',
      type: 'journal article',
      abstract: { text: '雪は天から送られた手紙である。' },
      licence: { uri: 'https://creativecommons.org/licenses/by/4.0/' },
      language: 'ja',
      handle: '2115/1',
    });
  });

  it('is dated by its publication in oai_dc too, where the system times stand first', () => {
    expect(read(toOaiDc(item))).toMatchObject({
      title: { text: '雪の結晶', language: 'ja' },
      creators: ['中谷, 宇吉郎'],
      date: '1949-03',
    });
  });
});

describe('JPCOAR', () => {
  it('has the title as it is written, not as it is pronounced, and names in its language', () => {
    const found = read(
      jpcoar(`<dc:title xml:lang="ja-Kana">ユキ</dc:title><dc:title xml:lang="ja">雪</dc:title><dc:title xml:lang="en">Snow</dc:title>
        <jpcoar:creator><jpcoar:creatorName xml:lang="en">Nakaya, Ukichiro</jpcoar:creatorName><jpcoar:creatorName xml:lang="ja">中谷, 宇吉郎</jpcoar:creatorName><jpcoar:affiliation><jpcoar:affiliationName>x</jpcoar:affiliationName></jpcoar:affiliation></jpcoar:creator>
        <jpcoar:creator><jpcoar:familyName xml:lang="ja">寺田</jpcoar:familyName><jpcoar:givenName xml:lang="ja">寅彦</jpcoar:givenName></jpcoar:creator>
        <datacite:date dateType="Available">2020-01-01</datacite:date><datacite:date dateType="Issued">1938</datacite:date>
        <dc:rights rdf:resource="https://creativecommons.org/licenses/by/4.0/">CC BY</dc:rights>
        <jpcoar:identifierRegistration identifierType="JaLC">10.14943/1</jpcoar:identifierRegistration>
        <jpcoar:relation relationType="isVersionOf"><jpcoar:relatedIdentifier identifierType="DOI">10.1/other</jpcoar:relatedIdentifier></jpcoar:relation>`),
    );
    expect(found).toMatchObject({
      title: { text: '雪', language: 'ja' },
      otherTitles: [{ text: 'Snow', language: 'en' }],
      creators: ['中谷, 宇吉郎', '寺田, 寅彦'],
      date: '1938',
      licence: { text: 'CC BY', uri: 'https://creativecommons.org/licenses/by/4.0/' },
      doi: '10.14943/1',
    });
  });
});

describe('MODS', () => {
  it('tells the thing from its host, and a creator from an owner', () => {
    const found = read(`<modsCollection xmlns="http://www.loc.gov/mods/v3"><mods>
      <titleInfo type="translated" lang="eng"><title>Snow</title></titleInfo>
      <titleInfo><nonSort>The</nonSort><title>snow crystals</title><subTitle>a study</subTitle></titleInfo>
      <name><namePart type="given">Ukichiro</namePart><namePart type="family">Nakaya</namePart><role><roleTerm>aut</roleTerm></role></name>
      <name><namePart>A Library</namePart><role><roleTerm>own</roleTerm></role></name>
      <originInfo><dateCreated>1936</dateCreated><dateIssued keyDate="yes">1938-05</dateIssued></originInfo>
      <identifier type="hdl">2115/9</identifier>
      <relatedItem type="host"><titleInfo><title>Journal of Snow</title></titleInfo><identifier type="issn">1234-5678</identifier><identifier type="doi">10.1234/host</identifier><part><detail type="volume"><number>3</number></detail><extent unit="page"><start>1</start><end>9</end></extent></part></relatedItem>
      </mods></modsCollection>`);
    expect(found).toMatchObject({
      title: { text: 'The snow crystals: a study' },
      creators: ['Nakaya, Ukichiro'],
      date: '1938-05',
      doi: undefined,
      handle: '2115/9',
      journal: { title: 'Journal of Snow', issn: '1234-5678', volume: '3', firstPage: '1', lastPage: '9' },
    });
  });
});

describe('hostile metadata', () => {
  it('turns no text around: direction controls, tags and control characters are not in it', () => {
    const title = 'invoice\u202efdp.exe\u2066 \u0085x\ufeff\u{e0041}\u200b y';
    expect(read(dc(`<dc:title>${title}</dc:title>`))?.title?.text).toBe('invoicefdp.exe x y');
  });

  it('keeps the joiners that scripts need', () => {
    const title = 'نامه\u200cها 👩\u200d🔬';
    expect(read(dc(`<dc:title>${title}</dc:title>`))?.title?.text).toBe(title);
  });

  it('cuts a title of 100 kB at a character, and looks at no more of it', () => {
    const text = read(dc(`<dc:title>${'𝒳'.repeat(50_000)}</dc:title>`))?.title?.text ?? '';
    expect(text.length).toBeLessThanOrEqual(500);
    expect(text).toMatch(/^𝒳+…$/u);
  });

  it('takes addresses of the web alone for addresses', () => {
    for (const address of [
      'javascript:alert(1)',
      'data:text/html,x',
      'https://u:p@x.example/',
      '//x.example/',
    ]) {
      const rights = jpcoar(`<dc:title>x</dc:title><dc:rights rdf:resource="${address}">mine</dc:rights>`);
      expect(read(rights)?.licence).toEqual({ text: 'mine', uri: undefined });
    }
    const found = read(
      dc('<dc:title>x</dc:title><dc:identifier>https://doi.org/javascript:10.1234/x</dc:identifier>'),
    );
    expect(found?.doi).toBeUndefined();
  });

  it('leaves markup in a title as text, and tags of paragraphs out of an abstract', () => {
    const found = read(
      dc(
        '<dc:title>&lt;b&gt;x&lt;/b&gt;&lt;script&gt;</dc:title><dc:description>&lt;p&gt;One &lt;i&gt;two&lt;/i&gt;&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt;</dc:description>',
      ),
    );
    expect(found?.title?.text).toBe('<b>x</b><script>');
    expect(found?.abstract?.text).toBe('One two <script>alert(1)</script>');
  });

  it('does not follow depth, breadth or length without end', () => {
    expect(read(dc(`<dc:title>x</dc:title>${'<a>'.repeat(5000)}`))?.title?.text).toBe('x');
    const many = read(
      dc(Array.from({ length: 30_000 }, (_, n) => `<dc:creator>n${n}</dc:creator>`).join('')),
    );
    expect(many?.creators).toHaveLength(200);
    expect(read(dc(`<dc:title>x</dc:title>${' '.repeat(longestDescribed)}`))).toBeUndefined();
    expect(read('')).toBeUndefined();
    expect(read('<a')).toBeUndefined();
    expect(read('[1]', 'application/json')).toBeUndefined();
    expect(
      read(
        '{"metadata":{"dc.title":[{"value":7},null,"x"],"dc.__proto__":[{"value":"x"}]}}',
        'application/json',
      ),
    ).toBeUndefined();
  });

  it('takes no language that is none', () => {
    const lang = (stated: string) => read(dc(`<dc:title xml:lang="${stated}">x</dc:title>`))?.title?.language;
    expect([lang('en_US'), lang('jpn'), lang('x" onload="'), lang('other'), lang('')]).toEqual([
      'en-US',
      'ja',
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('the language that nobody states', () => {
  const title = (text: string, rest = '') => read(dc(`<dc:title>${text}</dc:title>${rest}`))?.title?.language;
  it('is Japanese where there are kana, and that of the item where there is Han alone', () => {
    expect(title('雪の結晶')).toBe('ja');
    expect(title('氷雪物理')).toBeUndefined();
    expect(title('氷雪物理', '<dc:language>jpn</dc:language>')).toBe('ja');
    expect(title('Snow', '<dc:language>jpn</dc:language>')).toBeUndefined();
  });
});

test('dates are as precise as they are stated', () => {
  const date = (text: string) => read(dc(`<dc:title>x</dc:title><dc:date>${text}</dc:date>`))?.date;
  expect(
    ['2024', '2024-5', '2024/05/31', '20240531', '2024-05-31T10:00:00Z', '[c1792?]', 'May 2, 1792'].map(date),
  ).toEqual(['2024', '2024-05', '2024-05-31', '2024-05-31', '2024-05-31', '1792', '1792']);
  expect(['', 'n.d.', '昭和13年', '99999', '0000-00-00'].map(date)).toEqual(Array(5).fill(undefined));
});

test('the format that says most speaks for the item; of those that say as much, the more detailed one', async () => {
  const poor = { format: 'oai_dc', text: dc('<dc:title>poor</dc:title>') };
  const rich = { format: 'x', text: dc('<dc:title>rich</dc:title><dc:creator>a</dc:creator>') };
  const equal = { format: 'jpcoar_2.0', text: jpcoar('<dc:title>equal</dc:title>') };
  const choose = async (...some: (typeof poor)[]) =>
    (await sayingMost(inOrderOfDetail(some), async ({ text }) => read(text)))?.candidate;
  expect(await choose(poor, rich, equal)).toBe(rich);
  expect(await choose(poor, equal)).toBe(equal);
  expect(await choose({ format: 'none', text: '<x/>' })).toBeUndefined();
});

test('nothing weighs more than what says everything', () => {
  const found = read(
    dc(
      '<dc:title>a</dc:title><dc:creator>b</dc:creator><dc:date>2024</dc:date><dc:type>c</dc:type><dc:description>d</dc:description><dc:rights>e</dc:rights><dc:identifier>doi:10.1234/x</dc:identifier>',
    ),
  );
  expect(found && weightOf(found)).toBe(fullWeight);
});

const shared = sharedMaterial('fixtures/oai');

describe.skipIf(shared === undefined)('records of real servers', () => {
  const payload = (name: string) => {
    const text = readFileSync(join(shared ?? '', name), 'utf8');
    const found = /<(?:\w+:)?metadata>\s*(<[\s\S]*?)\s*<\/(?:\w+:)?metadata>/.exec(text)?.[1] ?? text;
    return found.includes('xmlns:xsi') ? found : found.replace(/^<[^\s>]+/, '$& xmlns:xsi="x"');
  };
  test.each([
    [
      'JPCOAR+schema__jpcoar_1.0_03_journal_article_oa.xml',
      'Research Project on Cyber Infrastructure',
      'Adachi, Jun',
      '2015-10-01',
    ],
    ['JPCOAR+schema__jpcoar_2.0_12_digital_archive.xml', '和訓栞', '谷川, 士清', '1777'],
    [
      'JPCOAR+schema__jpcoar_2.1_02_journal_article_embargoed.xml',
      '情報爆発時代の研究基盤構想',
      '安達, 淳',
      '2015-10-01',
    ],
    [
      'MITLibraries+transmogrifier__datacite_records.xml',
      'The Impact of Maternal',
      'Banerji, Rukmini',
      '2017',
    ],
    [
      'afuetterer+oaipmh-scythe__zenodo_get_record_1.xml',
      'Research Data Management',
      'Klar, Jochen',
      '2023-12-11',
    ],
    ['DSpace+DSpace__derived_dim_cuni111006.xml', 'Evolučně-vývojové', 'Vosolsobě, Stanislav', '2019'],
    ['DSpace+DSpace__derived_qdc_cuni111006.xml', 'Evolučně-vývojové', 'Vosolsobě, Stanislav', '2019'],
    ['libris+swepub-redux__mau.xml', 'Grounded Zoomorphism', 'Westerlaken, Michelle', '2014'],
    ['dpla+ingestion3__mt.xml', 'Reading notes for 2nd Wind 2001', 'Goedicke, Patricia', '2001-10-07'],
    ['mloesch+sickle__GetRecord_utf8test.xml', 'Sample Title', '某人', '2011'],
  ])('%s', (name, title, creator, date) => {
    const found = read(payload(name));
    expect(found?.title?.text).toContain(title);
    expect(found?.creators[0]).toBe(creator);
    expect(found?.date).toBe(date);
  });
});

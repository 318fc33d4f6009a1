import { describe, expect, test } from 'vitest';
import { mayLinkFiles } from '../../../../../adapters/oai-pmh/files/formats/dublin-core.ts';
import { fileRank } from '../../../../../adapters/oai-pmh/files/index.ts';
import { statedFiles, statedUrls } from '../../../../house/adapters/payloads.ts';

const oaiDc = 'http://www.openarchives.org/OAI/2.0/oai_dc/';
const document = (...content: string[]) =>
  `<oai_dc:dc xmlns:oai_dc="${oaiDc}" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="${oaiDc} http://www.openarchives.org/OAI/2.0/oai_dc.xsd">${content.join('')}</oai_dc:dc>`;
const dc = (name: string, value: string) => `<dc:${name}>${value}</dc:${name}>`;
const identifier = (value: string) => document(dc('identifier', value));

describe('Of Dublin Core', () => {
  test.each([
    'https://repo.example/a/paper.PDF',
    'https://repo.example/bitstream/123456789/1/2/without-ending',
    'https://repo.example/xmlui/bitstream/handle/1/2/a.docx?sequence=1&amp;isAllowed=y',
    'https://repo.example/bitstreams/9121e795-0af3-4ff3-be2a-4b28418fb269/download',
    'https://repo.example/server/api/core/bitstreams/9121e795-0af3-4ff3-be2a-4b28418fb269/content',
    'https://repo.example/cgi/viewcontent.cgi?article=1000&amp;context=x',
    'https://repo.example/index.php/j/article/download/12/34',
    'https://repo.example/index.php/j/article/viewFile/12/34',
    'https://repo.example/record/17/files/a',
    'https://repo.example/api/records/17/files/a.zip/content',
    'https://repo.example/download/17/18',
    'https://repo.example/17/1/thesis.pdf',
    'https://repo.example/frontdoor/deliver/index/docId/1/file/a.pdf',
    'https://repo.example/smash/get/diva2:1/FULLTEXT01.pdf',
    'https://arxiv.org/pdf/1112.6130v2',
    'https://hal.example/hal-01234567/document',
    'https://ndownloader.figshare.com/files/123',
    'https://repo.example/ws/portalfiles/portal/123/a',
    'https://repo.example/api/access/datafile/12',
    'https://repo.example/download.php?file=a.pdf',
    'https://repo.example/?action=repository_action_common_download&amp;item_id=1&amp;file_no=1',
    'https://repo.example/publication/17/file/18',
    'https://repo.example/x:17/ATTACHMENT01',
    'https://repo.example/en/download/article-file/17',
    'https://repo.example/x/download/pdf/17',
    'https://repo.example/objectstore/9121e795-0af3-4ff3-be2a-4b28418fb269',
    'https://repo.example/pmc/articles/PMC17/pdf/',
    'https://repo.example/articles/PMC17?pdf=render',
    'https://repo.example/viewdoc/download?doi=10.1.1.1&amp;rep=rep1&amp;type=pdf',
    'https://repo.example/ptpmcrender.fcgi?accid=PMC17&amp;blobtype=pdf',
    'https://repo.example/bitstream/handle/1/2/a.pdf;jsessionid=A7CA?sequence=1',
    'HTTPS://repo.example:8443/a%20b.pdf',
    'https://repo.example/api/files/9121e795-0af3-4ff3-be2a-4b28418fb269/a',
    'https://repo.example/files/1234/final_version',
    'https://repo.example/utils/getfile/collection/a/id/1',
    'https://repo.example/digital/api/collection/a/id/1/download',
    'https://repo.example/article/a/1/1/1_1/_pdf/-char/ja',
    'https://repo.example/objects/uuid:1/files/m17',
    'https://repo.example/document/2/17',
    'https://repo.example/retrieve/17/a',
    'https://hrcak.srce.hr/file/17',
    'https://repo.example/?action=pages_view_main&amp;active_action=repository_action_common_download&amp;item_id=1',
    'https://repo.example/rule-of-thumb.pdf',
    'https://repo.example/land_cover.tif',
    'https://repo.example/cover-crops.pdf',
  ])('%s is a file', (url) => {
    const normal = url.replaceAll('&amp;', '&').replace('HTTPS', 'https');
    expect(statedUrls(oaiDc, identifier(url))).toEqual([normal]);
    expect(mayLinkFiles(identifier(url))).toBe(true);
  });

  test.each([
    'https://doi.org/10.1234/foo.pdf',
    'http://hdl.handle.net/1/2.pdf',
    'https://repo.example/',
    'https://repo.example/handle/123456789/1',
    'https://repo.example/items/9121e795-0af3-4ff3-be2a-4b28418fb269',
    'https://repo.example/entities/publication/9121e795-0af3-4ff3-be2a-4b28418fb269',
    'https://repo.example/record/123',
    'https://zenodo.org/records/123',
    'https://repo.example/17/',
    'https://repo.example/id/eprint/17',
    'https://repo.example/index.php/j/article/view/12',
    'https://arxiv.org/abs/1112.6130',
    'https://hal.example/hal-01234567',
    'https://repo.example/dataset.xhtml?persistentId=doi:10.1/A.PDF',
    'https://repo.example/frontdoor/index/index/docId/12',
    'https://repo.example/?action=repository_uri&amp;item_id=12',
    'https://repo.example/publications/a-title(9121e795-0af3-4ff3-be2a-4b28418fb269).html',
    'https://repo.example/goedicke/1008/thumbnail.jpg',
    'https://repo.example/utils/getthumbnail/collection/a/id/1.jpg',
    'https://repo.example/17/1.haspreviewThumbnailVersion/a.pdf',
    'https://repo.example/17/2/indexcodes.txt',
    'https://repo.example/17/3/lightbox.jpg',
    'https://repo.example/islandora/object/a/datastream/TN/view',
    'https://ieeexplore.example/document/17',
    'https://repo.example/article_covers/17.png',
    'https://repo.example/a_thumb.jpg',
    'https://repo.example/record/17/files/a.jpg?subformat=icon-640',
    'https://repo.example/uploads/r/x/1/a_142.jpg',
    'https://repo.example/bitstream/handle/1/2',
    'http://www.mdz-nbn-resolving.de/urn/resolver.pl?urn=a.pdf',
    'https://repo.example/bitstream/1/2/3/a.pdf.txt',
    'https://repo.example/bitstream/1/2/3/license.txt',
    'https://repo.example/bitstream/1/2/3/a.pdf.jpg',
    'https://github.com/someone/something/archive/v1.0.zip',
    'https://creativecommons.org/licenses/by/4.0/a.pdf',
    'https://repo.example/oai?verb=GetRecord&amp;x=a.pdf',
    'ftp://repo.example/a.pdf',
    'urn:nbn:de:a.pdf',
    'See https://repo.example/a.pdf',
    '/relative/a.pdf',
  ])('%s is none', (url) => {
    expect(statedUrls(oaiDc, identifier(url))).toEqual([]);
  });

  test('the viewer of a galley becomes its download', () => {
    const relation = dc('relation', 'https://j.example/index.php/j/article/view/12/34');
    const page = dc('identifier', 'https://j.example/index.php/j/article/view/12');
    expect(statedUrls(oaiDc, document(page, relation))).toEqual([
      'https://j.example/index.php/j/article/download/12/34',
    ]);
    expect(
      statedUrls(
        oaiDc,
        identifier(
          'https://j.example/index.php?journal=j&amp;page=article&amp;op=view&amp;path[]=12&amp;path[]=34',
        ),
      ),
    ).toEqual(['https://j.example/index.php?journal=j&page=article&op=download&path[]=12&path[]=34']);
  });

  test('one value may hold several links', () => {
    const urls = ['a', 'b', 'c'].map((name) => `https://repo.example/${name}.pdf`);
    for (const between of [';', ' ; ', ', ', ' ', '\n', ' | ']) {
      expect(statedUrls(oaiDc, identifier(urls.join(between)))).toEqual(urls);
    }
    // A link within a link is one.
    const archived = 'https://archive.example/web/2020/https://repo.example/a.pdf';
    expect(statedUrls(oaiDc, identifier(archived))).toEqual([archived]);
  });

  test('what calls itself a thumbnail is one', () => {
    const thumbnail = '<dc:identifier linktype="thumbnail">https://repo.example/a.png</dc:identifier>';
    expect(statedUrls(oaiDc, document(thumbnail))).toEqual([]);
  });

  test('a relation is a file of this work only on the site of an identifier, or in a repository', () => {
    const related = dc('relation', 'https://other.example/report.pdf');
    expect(statedUrls(oaiDc, document(dc('identifier', 'https://repo.example/x'), related))).toEqual([]);
    expect(statedUrls(oaiDc, document(dc('identifier', 'https://www.other.example/x'), related))).toEqual([
      'https://other.example/report.pdf',
    ]);
    expect(statedUrls(oaiDc, document(dc('relation', 'https://other.example/bitstream/1/2/3/a')))).toEqual([
      'https://other.example/bitstream/1/2/3/a',
    ]);
  });

  test('one format is the type of one file; rights and embargo are of the record', () => {
    const one = dc('identifier', 'https://repo.example/a.pdf');
    const facts = [
      dc('format', 'application/pdf'),
      dc('rights', 'All rights reserved'),
      dc('rights', 'info:eu-repo/semantics/embargoedAccess'),
      dc('date', '2020'),
      dc('date', 'info:eu-repo/date/embargoEnd/2031-02-03'),
      dc('type', 'info:eu-repo/semantics/acceptedVersion'),
    ];
    expect(statedFiles(oaiDc, document(one, ...facts))).toEqual([
      {
        url: 'https://repo.example/a.pdf',
        name: 'a.pdf',
        mediaType: 'application/pdf',
        access: 'embargoed',
        availableAt: '2031-02-03T00:00:00Z',
        version: 'info:eu-repo/semantics/acceptedVersion',
      },
    ]);
    const [first] = statedFiles(oaiDc, document(one, dc('source', 'https://repo.example/b.zip'), ...facts));
    expect(first?.mediaType).toBeUndefined();
  });

  test('where identifiers are resolvers’, the site is that of the pages among the relations', () => {
    const handle = dc('identifier', 'https://hdl.handle.net/1/2');
    const file = 'https://digital.repo.example/pdf/2.pdf';
    const page = dc('relation', 'https://repo.example/handle/1/1');
    expect(statedUrls(oaiDc, document(handle, page, dc('relation', file)))).toEqual([file]);
    expect(statedUrls(oaiDc, document(handle, dc('relation', file)))).toEqual([]);
  });

  test('in DOAJ a relation is the publisher’s copy', () => {
    const file = 'https://publisher.example/17.pdf';
    const article = dc('identifier', 'https://doaj.org/article/17');
    const journal = dc('relation', 'https://doaj.org/toc/1234-5678');
    expect(statedUrls(oaiDc, document(article, journal, dc('relation', file)))).toEqual([file]);
  });

  test('a part is held to be a file as a relation is', () => {
    const part = (url: string) =>
      `<q xmlns:t="urn:t"><t:hasPart>${url}</t:hasPart><t:identifier>https://repo.example/x</t:identifier></q>`;
    const qualified = 'http://purl.org/dc/terms/';
    const file = 'https://ndownloader.figshare.com/files/17';
    expect(statedUrls(qualified, part(file))).toEqual([file]);
    expect(statedUrls(qualified, part('https://other.example/a.pdf'))).toEqual([]);
    expect(statedUrls(qualified, part('https://doi.org/10.1/2'))).toEqual([]);
  });

  test.each([
    ['application/pdf, http://purl.org/utwente/fid/1140', 'http://purl.org/utwente/fid/1140'],
    ['pdf http://repo.example/archive/00000001/01/a', 'http://repo.example/archive/00000001/01/a'],
  ])('a format may have the link with it: %s', (format, url) => {
    const payload = document(dc('identifier', 'https://repo.example/x'), dc('format', format));
    expect(statedFiles(oaiDc, payload)).toMatchObject([{ url, mediaType: 'application/pdf' }]);
    expect(statedUrls(oaiDc, document(dc('format', 'text/html, http://repo.example/x')))).toEqual([]);
  });

  test.each([
    ['http://purl.org/dc/terms/', '<q xmlns:t="urn:t"><t:hasFormat>URL</t:hasFormat></q>'],
    ['http://dspace.org/qualifieddc/', '<q xmlns:t="urn:t"><t:identifier>URL</t:identifier></q>'],
    ['http://www.bl.uk/namespaces/oai_dcq/', '<q xmlns:t="urn:t"><t:hasFormat>URL</t:hasFormat></q>'],
    ['http://www.ndltd.org/standards/metadata/etdms/1.0/', '<thesis><identifier>URL</identifier></thesis>'],
    ['http://www.ndltd.org/standards/metadata/etdms/1.1/', '<thesis><identifier>URL</identifier></thesis>'],
    ['http://www.ndltd.org/standards/metadata/etdms/1-1', '<thesis><identifier>URL</identifier></thesis>'],
    ['http://ns.nsdl.org/nsdl_dc_v1.03/', '<nsdl_dc><identifier>URL</identifier></nsdl_dc>'],
    ['urn:home-made', '<dc><identifier>URL</identifier></dc>'],
    [
      'http://www.dspace.org/xmlns/dspace/dim',
      '<dim><field mdschema="dc" element="identifier" qualifier="uri">URL</field><field element="description">https://repo.example/b.pdf</field></dim>',
    ],
    [
      'http://www.openarchives.org/OAI/2.0/rdf/',
      '<rdf><Publication><identifier>URL</identifier></Publication></rdf>',
    ],
    [
      'http://oai.base-search.net/base_dc/',
      '<dc xmlns:b="urn:b"><b:link>URL</b:link><identifier>URL</identifier></dc>',
    ],
  ])('its wrappings say the same: %s', (namespace, payload) => {
    const url = 'https://repo.example/a.pdf';
    expect(statedUrls(namespace, payload.replaceAll('URL', url))).toEqual([url]);
    expect(fileRank(namespace, /<(?:\w+:)?(\w+)/.exec(payload)?.[1])).toBeGreaterThan(90);
  });
});

describe('The look at the bytes before they are read', () => {
  test('passes over records whose links are pages, and the namespaces', () => {
    expect(
      mayLinkFiles(
        document(
          dc('identifier', 'https://repo.example/record/17'),
          dc('identifier', 'https://doi.org/10.5281/zenodo.17'),
          dc('identifier', 'http://hdl.handle.net/123456789/17'),
          dc('description', 'An article about https://repo.example/a.pdf and files.'),
        ),
      ),
    ).toBe(false);
  });

  test('lets through every form of a link that may be a file', () => {
    for (const value of [
      'https://repo.example/a.pdf',
      '  \n HTTPS://repo.example/a.pdf ',
      '<![CDATA[https://repo.example/a b.pdf]]>',
      '&#32;https://repo.example/a.pdf',
      'https://repo.example/x?y=1&amp;file=a.pdf',
      'https://repo.example/x?file=a.7z',
    ]) {
      expect(mayLinkFiles(Buffer.from(identifier(value)))).toBe(true);
      expect(statedUrls(oaiDc, identifier(value))).toHaveLength(1);
    }
  });
});

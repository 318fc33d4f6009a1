import { describe, expect, test } from 'vitest';
import { statedFiles, statedUrls } from '../../../../house/adapters/payloads.ts';

const host = 'https://repo.example';

describe('Of MODS', () => {
  const mods = 'http://www.loc.gov/mods/v3';
  const document = (content: string) => `<m:mods xmlns:m="${mods}" xmlns="${mods}">${content}</m:mods>`;
  const location = (...urls: string[]) => `<location>${urls.join('')}</location>`;

  test('the object itself and full texts are files; previews, contexts and other works are not', () => {
    const own = location(
      `<url access="raw object">${host}/urn-3:1</url>`,
      `<url displayLabel="FULLTEXT" note="free">${host}/smash/get/diva2:1/FULLTEXT01</url>`,
      `<url displayLabel="fulltext" note="free/2031-01-01">${host}/x/2</url>`,
      '<url displayLabel="FULLTEXT">https://doi.org/10.1145/1.2</url>',
      `<url access="preview">${host}/t.jpg</url>`,
      `<url displayLabel="Thumbnail">${host}/u.jpg</url>`,
      `<url access="object in context" usage="primary display">${host}/9.pdf</url>`,
      `<url>${host}/record/1</url>`,
    );
    const other = `<relatedItem type="host">${location(`<url>${host}/journal.pdf</url>`)}</relatedItem>`;
    expect(statedFiles(mods, document(`${own}${other}`))).toEqual([
      { url: `${host}/urn-3:1`, name: 'urn-3:1' },
      { url: `${host}/smash/get/diva2:1/FULLTEXT01`, name: 'FULLTEXT01', access: 'open' },
      { url: `${host}/x/2`, name: '2', access: 'embargoed', availableAt: '2031-01-01T00:00:00Z' },
    ]);
  });

  test('a raw object that is the identifier, too, is the page', () => {
    const page = `${host}/item/7`;
    const raw = (url: string) => `<location><url access="raw object">${url}</url></location>`;
    const payload = (url: string) =>
      `<mods xmlns="${mods}"><identifier type="uri">${page}</identifier>${raw(url)}</mods>`;
    expect(statedUrls(mods, payload(page))).toEqual([]);
    expect(statedUrls(mods, payload(`${host}/object/7`))).toEqual([`${host}/object/7`]);
  });

  test('LibreCat lists each file as a part, with its type and restriction', () => {
    const part = (name: string, restricted: string) =>
      `<relatedItem type="constituent">${location(`<url displayLabel="${name}">${host}/download/1/2/${name}</url>`)}<physicalDescription><internetMediaType>application/pdf</internetMediaType></physicalDescription><accessCondition type="restrictionOnAccess">${restricted}</accessCondition></relatedItem>`;
    expect(statedFiles(mods, document(part('a.pdf', 'no') + part('b.pdf', 'yes')))).toEqual([
      { url: `${host}/download/1/2/a.pdf`, name: 'a.pdf', mediaType: 'application/pdf', access: 'open' },
      {
        url: `${host}/download/1/2/b.pdf`,
        name: 'b.pdf',
        mediaType: 'application/pdf',
        access: 'restricted',
      },
    ]);
  });
});

describe('Of MARC', () => {
  const marc = 'http://www.loc.gov/MARC21/slim';
  const field = (indicators: string, subfields: Record<string, string>, tag = '856') =>
    `<datafield tag="${tag}" ind1="${indicators[0]}" ind2="${indicators[1]}">${Object.entries(subfields)
      .map(([code, value]) => `<subfield code="${code[0]}">\n  ${value}  </subfield>`)
      .join('')}</datafield>`;
  const document = (...fields: string[]) => `<record xmlns="${marc}">${fields.join('')}</record>`;

  test.each([
    ['a media type says so', '40', { u: `${host}/x/1`, q: 'application/pdf' }],
    ['the words say so', '4 ', { u: `${host}/x/1`, '3': 'Volltext' }],
    ['the URL says so', '41', { u: `${host}/x/1.pdf` }],
  ])('856 is a file where %s', (_, indicators, subfields) => {
    expect(statedUrls(marc, document(field(indicators, subfields)))).toEqual([subfields.u]);
  });

  test.each([
    ['a related resource', '42', { u: `${host}/x/1.pdf` }],
    ['FTP', '1 ', { u: `${host}/x/1.pdf` }],
    ['a table of contents', '41', { u: `${host}/x/1.pdf`, '3': 'Table of contents' }],
    ['an Inhaltsverzeichnis', '4 ', { u: `${host}/04`, q: 'application/pdf', '3': 'Inhaltsverzeichnis' }],
    ['a cover', '4 ', { u: `${host}/1.jpg`, x: 'icon' }],
    ['a page', '40', { u: `${host}/record/17` }],
    ['a page by its type', '40', { u: `${host}/x/17`, q: 'text/html' }],
    ['a handle', '4 ', { u: 'http://hdl.handle.net/1/2', '3': 'Full text' }],
  ])('856 is none where it is %s', (_, indicators, subfields) => {
    expect(statedUrls(marc, document(field(indicators, subfields)))).toEqual([]);
  });

  test('access, length and checksum, where they are stated as such', () => {
    const files = statedFiles(
      marc,
      document(
        field('4 ', { u: `${host}/1.pdf`, x: 'Restricted access', s: '794 KB' }),
        field('4 ', { u: `${host}/2.pdf`, s: '17', z: `md5:${'c'.repeat(32)}` }),
        field('4 ', { u: `${host}/3.pdf`, '7': '0', s: '18 bytes' }),
        field('  ', { a: 'info:eu-repo/semantics/openAccess' }, '540'),
      ),
    );
    expect(files).toEqual([
      { url: `${host}/1.pdf`, name: '1.pdf', access: 'restricted' },
      { url: `${host}/2.pdf`, name: '2.pdf', length: 17, hash: `md5:${'c'.repeat(32)}`, access: 'open' },
      { url: `${host}/3.pdf`, name: '3.pdf', length: 18, access: 'open' },
    ]);
  });

  test('what libraries call a full text may be a shop or a resolver', () => {
    const field = (url: string) =>
      `<datafield tag="856" ind1="4" ind2="0"><subfield code="u">${url}</subfield><subfield code="3">Volltext</subfield></datafield>`;
    const urls = [
      'https://ebookcentral.proquest.com/lib/x/detail.action?docID=17',
      'http://mdz-nbn-resolving.de/urn:nbn:de:bvb:12-bsb17',
    ];
    const slim = 'http://www.loc.gov/MARC21/slim';
    expect(statedUrls(slim, `<record xmlns="${slim}">${urls.map(field).join('')}</record>`)).toEqual([]);
  });

  test('UNIMARC comes as MarcXchange', () => {
    const namespace = 'info:lc/xmlns/marcxchange-v1';
    const field = `<datafield tag="856" ind1="4" ind2=" "><subfield code="u">${host}/a.pdf</subfield></datafield>`;
    expect(statedUrls(namespace, `<record xmlns="${namespace}" format="UNIMARC">${field}</record>`)).toEqual([
      `${host}/a.pdf`,
    ]);
  });

  test('oai_marc says the same in other words', () => {
    const oaiMarc = 'http://www.openarchives.org/OAI/1.1/oai_marc';
    const document_ = `<oai_marc xmlns="${oaiMarc}"><varfield id="856" i1="4" i2="0"><subfield label="u">${host}/a.pdf</subfield></varfield></oai_marc>`;
    expect(statedUrls(oaiMarc, document_)).toEqual([`${host}/a.pdf`]);
  });
});

describe('Of DataCite', () => {
  test.each([
    ['http://datacite.org/schema/kernel-3', ''],
    ['http://datacite.org/schema/kernel-4', ''],
    ['http://schema.datacite.org/oai/oai-1.0/', 'wrapped'],
    ['http://schema.datacite.org/oai/oai-1.1/', 'wrapped'],
  ])('%s: parts that look like files are files, other works are not', (namespace, wrapped) => {
    const related = (type: string, relation: string, value: string) =>
      `<relatedIdentifier relatedIdentifierType="${type}" relationType="${relation}">${value}</relatedIdentifier>`;
    const resource = `<resource xmlns="http://datacite.org/schema/kernel-4"><identifier identifierType="DOI">10.1/x.zip</identifier>${related('URL', 'HasPart', `${host}/api/access/datafile/1`)}${related('URL', 'IsSupplementTo', `${host}/b.zip`)}${related('DOI', 'HasPart', '10.1/y')}${related('URL', 'HasPart', `${host}/records/2`)}<sizes><size>794 KB</size></sizes><rights rightsURI="info:eu-repo/semantics/openAccess"/></resource>`;
    const document = wrapped
      ? `<oai_datacite xmlns="${namespace}"><payload>${resource}</payload></oai_datacite>`
      : resource;
    expect(statedFiles(namespace, document)).toEqual([
      { url: `${host}/api/access/datafile/1`, name: '1', access: 'open' },
    ]);
  });
});

test('Of DOAJ, full texts in PDF are files; in HTML they are pages', () => {
  const doaj = 'http://doaj.org/features/oai_doaj/1.0/';
  const url = (format: string, path: string) =>
    `<fullTextUrl format="${format}">${host}/${path}</fullTextUrl>`;
  expect(
    statedFiles(
      doaj,
      `<doajArticle xmlns="${doaj}">${url('pdf', 'x/1')}${url('html', 'x/2')}${url('html', 'j/article/view/12/34')}</doajArticle>`,
    ),
  ).toEqual([
    { url: `${host}/x/1`, name: '1.pdf', mediaType: 'application/pdf', access: 'open' },
    {
      url: `${host}/j/article/download/12/34`,
      name: '34',
      mediaType: 'text/html',
      access: 'open',
    },
  ]);
});

describe('Of formats that only some repositories speak', () => {
  test('JATS: the article itself, typed or by its looks', () => {
    const jats = 'https://jats.nlm.nih.gov/publishing/1.2/';
    const uri = (attributes: string) => `<self-uri xmlns:x="urn:x" ${attributes}/>`;
    expect(
      statedUrls(
        jats,
        `<article xmlns="${jats}">${uri(`x:href="${host}/j/article/view/12"`)}${uri(`content-type="application/pdf" x:href="${host}/j/article/view/12/34"`)}${uri('content-type="pdf" x:href="relative.pdf"')}</article>`,
      ),
    ).toEqual([`${host}/j/article/download/12/34`]);
  });

  test('XMetaDissPlus: what the national library is to fetch', () => {
    const namespace = 'http://www.d-nb.de/standards/xmetadissplus/';
    expect(
      statedFiles(
        namespace,
        `<xMetaDiss xmlns="${namespace}" xmlns:b="urn:b"><b:fileProperties b:fileName="a.pdf"/><b:checksum b:type="MD5">${'d'.repeat(32)}</b:checksum><b:transfer b:type="dcterms:URI">${host}/oai/container/index/docId/1</b:transfer><b:identifier b:type="URL">${host}/frontdoor/index/index/docId/1</b:identifier><b:rights b:kind="free"/></xMetaDiss>`,
      ),
    ).toEqual([
      {
        url: `${host}/oai/container/index/docId/1`,
        name: 'a.pdf',
        hash: `md5:${'d'.repeat(32)}`,
        access: 'open',
      },
    ]);
  });

  test('epicur: resources that are no front page', () => {
    const namespace = 'urn:nbn:de:1111-2004033116';
    const resource = (type: string, path: string, format: string) =>
      `<resource><identifier scheme="url" ${type}>${host}/${path}</identifier><format scheme="imt">${format}</format></resource>`;
    expect(
      statedUrls(
        namespace,
        `<epicur xmlns="${namespace}"><record><identifier scheme="urn:nbn:de">urn:nbn:de:1</identifier>${resource('type="frontpage"', 'f.pdf', 'text/html')}${resource('', 'p/1', 'text/html')}${resource('', 'x/1', 'application/pdf')}</record></epicur>`,
      ),
    ).toEqual([`${host}/x/1`]);
  });

  test('DDI of Dataverse: data files and other materials', () => {
    const namespace = 'ddi:codebook:2_5';
    expect(
      statedFiles(
        namespace,
        `<codeBook xmlns="${namespace}"><fileDscr ID="f1" URI="${host}/api/access/datafile/1"><fileTxt><fileName>a.tab</fileName><fileType>text/tab-separated-values</fileType></fileTxt></fileDscr><otherMat URI="${host}/api/access/datafile/2"><labl>b.pdf</labl><notes type="DATAVERSE:CONTENTTYPE">application/pdf</notes></otherMat></codeBook>`,
      ),
    ).toEqual([
      { url: `${host}/api/access/datafile/1`, name: 'a.tab', mediaType: 'text/tab-separated-values' },
      { url: `${host}/api/access/datafile/2`, name: 'b.pdf', mediaType: 'application/pdf' },
    ]);
  });

  test('DDI of others: materials of a study are often pages', () => {
    const namespace = 'http://www.icpsr.umich.edu/DDI';
    const material = (path: string) => `<otherMat level="study" URI="${host}/${path}"/>`;
    expect(
      statedUrls(
        namespace,
        `<codeBook xmlns="${namespace}">${material('surveys')}${material('questionnaire.pdf')}</codeBook>`,
      ),
    ).toEqual([`${host}/questionnaire.pdf`]);
  });

  test('EDM and ORE in RDF: what is shown and aggregated, not the preview or the page', () => {
    const namespace = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
    expect(
      statedFiles(
        namespace,
        `<r:RDF xmlns:r="${namespace}" xmlns:e="urn:e" xmlns:o="http://www.openarchives.org/ore/terms/"><o:Aggregation><e:isShownBy r:resource="${host}/image/1"/><e:isShownAt r:resource="${host}/item.pdf"/><e:object r:resource="${host}/t.jpg"/><e:hasView r:resource="${host}/2.jpg"/><o:aggregates r:resource="${host}/3.pdf"/></o:Aggregation><e:WebResource r:about="${host}/2.jpg"><e:format>image/jpeg</e:format></e:WebResource></r:RDF>`,
      ),
    ).toEqual([
      { url: `${host}/image/1`, name: '1' },
      { url: `${host}/2.jpg`, name: '2.jpg', mediaType: 'image/jpeg' },
      { url: `${host}/3.pdf`, name: '3.pdf' },
    ]);
  });

  test('EDM and ESE: what it is shown by is the object, whatever its URL looks like', () => {
    const namespace = 'http://www.europeana.eu/schemas/ese/';
    expect(
      statedUrls(
        namespace,
        `<record xmlns="${namespace}"><isShownAt>${host}/1</isShownAt><object>${host}/2.jpg</object><isShownBy>${host}/thumb/500x500/3.jpg</isShownBy></record>`,
      ),
    ).toEqual([`${host}/thumb/500x500/3.jpg`]);
  });

  test('DCAT: what is to be downloaded, with its size', () => {
    const namespace = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
    expect(
      statedFiles(
        namespace,
        `<r:RDF xmlns:r="${namespace}" xmlns:d="urn:d"><d:Distribution><d:accessURL r:resource="${host}/x.pdf"/><d:byteSize>17</d:byteSize><d:downloadURL r:resource="${host}/records/1/files/a.pdf"/><d:mediaType r:resource="https://www.iana.org/assignments/media-types/application/pdf"/></d:Distribution></r:RDF>`,
      ),
    ).toEqual([
      { url: `${host}/records/1/files/a.pdf`, name: 'a.pdf', mediaType: 'application/pdf', length: 17 },
    ]);
  });

  test('CMDI: resources with a media type, not their metadata or pages', () => {
    const namespace = 'http://www.clarin.eu/cmd/1';
    const proxy = (type: string, attributes: string, ref: string) =>
      `<ResourceProxy><ResourceType ${attributes}>${type}</ResourceType><ResourceRef>${ref}</ResourceRef></ResourceProxy>`;
    expect(
      statedUrls(
        namespace,
        `<CMD xmlns="${namespace}"><Resources>${proxy('Resource', 'mimetype="audio/x-wav"', `${host}/x/1`)}${proxy('Resource', '', 'http://hdl.handle.net/1/2')}${proxy('Metadata', 'mimetype="application/x-cmdi+xml"', `${host}/x/2.zip`)}${proxy('Resource', 'mimetype="text/html"', `${host}/x/3`)}</Resources></CMD>`,
      ),
    ).toEqual([`${host}/x/1`]);
  });

  test('LOM: locations that look like files', () => {
    const namespace = 'http://ltsc.ieee.org/xsd/LOM';
    expect(
      statedFiles(
        namespace,
        `<lom xmlns="${namespace}"><technical><format>application/pdf</format><format>text/html</format><location>${host}/a.pdf</location><location>${host}/courses/17</location></technical></lom>`,
      ),
    ).toEqual([{ url: `${host}/a.pdf`, name: 'a.pdf', mediaType: 'application/pdf' }]);
  });

  test('Opencast: tracks, not previews or catalogues', () => {
    const namespace = 'http://mediapackage.opencastproject.org';
    expect(
      statedFiles(
        namespace,
        `<mediapackage xmlns="${namespace}"><media><track><mimetype>video/mp4</mimetype><url>\n${host}/a.mp4\n</url><checksum type="md5">${'e'.repeat(32)}</checksum></track></media><metadata><catalog><url>${host}/dc.xml</url></catalog></metadata><attachments><attachment><url>${host}/a.jpg</url></attachment></attachments></mediapackage>`,
      ),
    ).toEqual([
      { url: `${host}/a.mp4`, name: 'a.mp4', mediaType: 'video/mp4', hash: `md5:${'e'.repeat(32)}` },
    ]);
  });
});

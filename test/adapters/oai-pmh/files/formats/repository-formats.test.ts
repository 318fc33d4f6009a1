import { describe, expect, test } from 'vitest';
import { statedFiles, statedUrls } from '../../../../house/adapters/payloads.ts';

const host = 'https://repo.example';
const coar = (code: string) => `http://purl.org/coar/access_right/${code}`;

describe.each([
  'https://github.com/JPCOAR/schema/blob/master/1.0/',
  'https://github.com/JPCOAR/schema/blob/master/2.0/',
  'https://github.com/JPCOAR/schema/blob/master/2.1/',
  'https://irdb.nii.ac.jp/schema/jpcoar/1.0/',
])('Of JPCOAR, %s,', (jpcoar) => {
  const file = (type: string, name: string, more = '') =>
    `<j:file><j:URI objectType="${type}">${host}/record/1/files/${name}</j:URI><j:mimeType>application/pdf</j:mimeType><j:extent>794 KB</j:extent>${more}</j:file>`;
  const available = (date: string) => `<d:date dateType="Available">${date}</d:date>`;
  const rights = (code: string) => `<t:accessRights r:resource="${coar(code)}">whatever</t:accessRights>`;
  const document = (content: string) =>
    `<j:jpcoar xmlns:j="${jpcoar}" xmlns:d="urn:d" xmlns:t="urn:t" xmlns:r="urn:r">${content}</j:jpcoar>`;

  test('every file but a thumbnail is one, and an extent for people is no length', () => {
    expect(
      statedFiles(
        jpcoar,
        document(
          `<o:version xmlns:o="urn:o" r:resource="http://purl.org/coar/version/c_970fb48d4fbd8a85">VoR</o:version>${file('fulltext', 'a.pdf')}${file('thumbnail', 't.jpg')}${file('abstract', 'b.pdf')}<j:catalog>${file('fulltext', 'other.pdf')}</j:catalog>`,
        ),
      ),
    ).toEqual(
      ['a.pdf', 'b.pdf'].map((name) => ({
        url: `${host}/record/1/files/${name}`,
        name,
        mediaType: 'application/pdf',
        version: 'http://purl.org/coar/version/c_970fb48d4fbd8a85',
      })),
    );
  });

  test.each([
    ['open', rights('c_abf2'), '', { access: 'open' }],
    [
      'open, available from a date',
      rights('c_abf2'),
      available('2021-06-28'),
      { access: 'embargoed', availableAt: '2021-06-28T00:00:00Z' },
    ],
    [
      'embargoed, the file says until when',
      rights('c_f1cf') + available('2030'),
      available('2031-06-28'),
      { access: 'embargoed', availableAt: '2031-06-28T00:00:00Z' },
    ],
    [
      'embargoed, the record says until when',
      rights('c_f1cf') + available('2031-06-28'),
      '',
      { access: 'embargoed', availableAt: '2031-06-28T00:00:00Z' },
    ],
    ['restricted, whatever the date', rights('c_16ec'), available('2021-06-28'), { access: 'restricted' }],
    ['metadata only', rights('c_14cb'), '', { access: 'restricted' }],
  ])('access: %s', (_, record, ofFile, expected) => {
    expect(statedFiles(jpcoar, document(record + file('fulltext', 'a.pdf', ofFile)))).toEqual([
      { url: `${host}/record/1/files/a.pdf`, name: 'a.pdf', mediaType: 'application/pdf', ...expected },
    ]);
  });
});

describe.each([
  'http://irdb.nii.ac.jp/oai',
  'http://ju.nii.ac.jp/junii2',
  'http://irdb.nii.ac.jp/dspace-oai',
])('Of junii2, %s,', (junii2) => {
  test('each fullTextURL is a file; formats belong to them where there are as many', () => {
    const document = (...content: string[]) =>
      `<junii2 xmlns="${junii2}"><URI>${host}/page.pdf</URI>${content.join('')}</junii2>`;
    const urls = `<fullTextURL>${host}/a.pdf</fullTextURL><fullTextURL>${host}/b.zip</fullTextURL>`;
    expect(
      statedFiles(
        junii2,
        document(
          '<format>application/pdf</format><format>application/zip</format>',
          urls,
          '<textversion>ETD</textversion>',
        ),
      ),
    ).toEqual([
      { url: `${host}/a.pdf`, name: 'a.pdf', mediaType: 'application/pdf', version: 'ETD' },
      { url: `${host}/b.zip`, name: 'b.zip', mediaType: 'application/zip', version: 'ETD' },
    ]);
    expect(statedFiles(junii2, document('<format>application/pdf</format>', urls))).toEqual([
      { url: `${host}/a.pdf`, name: 'a.pdf' },
      { url: `${host}/b.zip`, name: 'b.zip' },
    ]);
    expect(statedUrls(junii2, document(`<fullTextURL>${host}/handle/1/2</fullTextURL>`))).toEqual([]);
  });
});

describe('Of OpenAIRE', () => {
  const oaire = 'http://namespace.openaire.eu/schema/oaire/';
  const document = (content: string) =>
    `<resource xmlns="${oaire}" xmlns:d="urn:d"><version uri="http://purl.org/coar/version/c_be7fb7dd8ff6fe43">NA</version>${content}</resource>`;
  const file = (attributes: string) =>
    `<file mimeType="application/pdf" ${attributes}>\n ${host}/1/a b.pdf \n</file>`;
  const expected = {
    url: `${host}/1/a%20b.pdf`,
    name: 'a b.pdf',
    mediaType: 'application/pdf',
    version: 'http://purl.org/coar/version/c_be7fb7dd8ff6fe43',
  };

  test('oaire:file with rights of its own or of the record', () => {
    expect(statedFiles(oaire, document(file(`accessRightsURI="${coar('c_abf2')}"`)))).toEqual([
      { ...expected, access: 'open' },
    ]);
    expect(
      statedFiles(oaire, document(`${file('')}<d:rights rightsURI="${coar('c_16ec')}">x</d:rights>`)),
    ).toEqual([{ ...expected, access: 'restricted' }]);
  });

  test('an embargo ends on the record’s date, which DSpace goes on stating when it is over', () => {
    const date = '<d:date dateType="Available">2020-02-03</d:date>';
    expect(statedFiles(oaire, document(file(`accessRightsURI="${coar('c_f1cf')}"`) + date))).toEqual([
      { ...expected, access: 'embargoed', availableAt: '2020-02-03T00:00:00Z' },
    ]);
  });

  test('without a namespace the root’s name tells', () => {
    expect(
      statedUrls('http://www.openarchives.org/OAI/2.0/', `<resource><file>${host}/a.pdf</file></resource>`),
    ).toEqual([`${host}/a.pdf`]);
  });
});

describe('Of RIOXX', () => {
  const two = 'http://www.rioxx.net/schema/v2.0/rioxx/';

  test('2, the identifier is the file, if it is no page', () => {
    const document = (identifier: string, format = 'application/pdf', more = '') =>
      `<rioxx xmlns="${two}" xmlns:a="urn:a"><format>${format}</format><identifier>${identifier}</identifier><version>AM</version>${more}</rioxx>`;
    const expected = {
      url: `${host}/79123/1/a.pdf`,
      name: 'a.pdf',
      mediaType: 'application/pdf',
      version: 'AM',
    };
    expect(statedFiles(two, document(expected.url))).toEqual([expected]);
    expect(statedFiles(two, document(expected.url, 'application/pdf', '<a:free_to_read/>'))).toEqual([
      { ...expected, access: 'open' },
    ]);
    expect(
      statedFiles(
        two,
        document(
          expected.url,
          'application/pdf',
          '<a:license_ref a:start_date="2031-01-01">x</a:license_ref>',
        ),
      ),
    ).toEqual([{ ...expected, access: 'embargoed', availableAt: '2031-01-01T00:00:00Z' }]);
    expect(statedUrls(two, document(`${host}/79123/`))).toEqual([]);
    expect(statedUrls(two, document(`${host}/something`, 'text/html'))).toEqual([]);
  });

  test.each(['http://www.rioxx.net/schema/v3.0/rioxx/', '', 'http://www.openarchives.org/OAI/2.0/'])(
    '3, items are relations (root in "%s")',
    (three) => {
      const document = (attributes: string) =>
        `<rioxx xmlns="${three}"><identifier>${host}/page.pdf</identifier><relation rel="cite-as">https://doi.org/10.1/a.pdf</relation><relation rel="item" type="application/pdf" coar_version="v" ${attributes}>${host}/a.pdf</relation></rioxx>`;
      const expected = { url: `${host}/a.pdf`, name: 'a.pdf', mediaType: 'application/pdf', version: 'v' };
      expect(statedFiles(three, document('access_rights=""'))).toEqual([expected]);
      expect(
        statedFiles(three, document(`access_rights="${coar('c_abf2')}" resource_exposed_date="2023-11-07"`)),
      ).toEqual([{ ...expected, access: 'open' }]);
      expect(
        statedFiles(three, document(`access_rights="${coar('c_f1cf')}" resource_exposed_date="2031-11-07"`)),
      ).toEqual([{ ...expected, access: 'embargoed', availableAt: '2031-11-07T00:00:00Z' }]);
    },
  );
});

describe('Of UKETD_DC', () => {
  const uketd = 'http://naca.central.cranfield.ac.uk/ethos-oai/2.0/';
  const document = (content: string) =>
    `<u:uketddc xmlns:u="${uketd}" xmlns:d="urn:d" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><d:isReferencedBy>${host}/3/</d:isReferencedBy>${content}</u:uketddc>`;
  const uri = (url: string) => `<d:identifier xsi:type="dcterms:URI">${url}</d:identifier>`;

  test('what follows an identifier is about it', () => {
    const files = statedFiles(
      uketd,
      document(
        `<d:identifier>uk.bl.ethos.1</d:identifier>${uri(`${host}/3/2/a.pdf`)}<d:format>text</d:format><d:accessRights>public</d:accessRights>${uri(`${host}/3/3/b`)}<d:format>application/pdf</d:format><d:accessRights>staffonly</d:accessRights><d:checksum xsi:type="u:MD5">${'b'.repeat(32)}</d:checksum>`,
      ),
    );
    expect(files).toEqual([
      { url: `${host}/3/2/a.pdf`, name: 'a.pdf', access: 'open' },
      {
        url: `${host}/3/3/b`,
        name: 'b.pdf',
        mediaType: 'application/pdf',
        hash: `md5:${'b'.repeat(32)}`,
        access: 'restricted',
      },
    ]);
  });

  test('an embargo stated once is about all, extracted text is none, and pages are none', () => {
    expect(
      statedFiles(
        uketd,
        document(
          `<d:hasFormat>${host}/bitstream/1/2/9/a.pdf.txt</d:hasFormat><d:checksum>x</d:checksum>${uri(`${host}/handle/1/2`)}<d:format>application/pdf</d:format>${uri(`${host}/a.pdf`)}${uri(`${host}/b.pdf`)}<d:embargodate>2031-04</d:embargodate>`,
        ),
      ),
    ).toEqual(
      ['a.pdf', 'b.pdf'].map((name) => ({
        url: `${host}/${name}`,
        name,
        access: 'embargoed',
        availableAt: '2031-05-01T00:00:00Z',
      })),
    );
  });
});

test.each(['https://www.openaire.eu/cerif-profile/1.1/', 'https://www.openaire.eu/cerif-profile/1.2/'])(
  'Of CERIF, %s, media are files',
  (cerif) => {
    expect(
      statedFiles(
        cerif,
        `<Publication xmlns="${cerif}"><URL>${host}/page.pdf</URL><Access xmlns="urn:x">${coar('c_16ec')}</Access><FileLocations><Medium><Title>A title</Title><URI>${host}/f/1</URI><MimeType>application/pdf</MimeType><Size>42</Size><Access>${coar('c_abf2')}</Access></Medium><Medium><URI>${host}/f/2</URI></Medium></FileLocations></Publication>`,
      ),
    ).toEqual([
      { url: `${host}/f/1`, name: 'A title', mediaType: 'application/pdf', length: 42, access: 'open' },
      { url: `${host}/f/2`, name: '2', access: 'restricted' },
    ]);
  },
);

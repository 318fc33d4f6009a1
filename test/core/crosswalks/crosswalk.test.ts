import fc from 'fast-check';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, test } from 'vitest';
import { create } from 'xmlbuilder2';
import { crosswalk, crosswalkFormats, usualFormats } from '../../../src/core/crosswalks/crosswalk.ts';
import type { DspaceItem, MetadataValue } from '../../../src/core/dspace/dspace-item.ts';
import { byFieldName } from '../../../src/core/dspace/field-name.ts';
import { itemJsonProfile } from '../../../src/core/dspace/item-json.ts';
import { legalAttribute, legalText } from '../../../src/core/dspace/xml-document.ts';
import { bitstream, item, value } from '../../house/core/items.ts';
import { runs } from '../../house/runs.ts';

const xsi = 'http://www.w3.org/2001/XMLSchema-instance';

function text(format: string, of: DspaceItem): string {
  return Buffer.from(crosswalk([format], of)[0]?.content ?? '').toString('utf8');
}

/** The lines between the root's tags. */
function lines(format: string, metadata: readonly MetadataValue[], more: Partial<DspaceItem> = {}): string[] {
  return text(format, item(metadata, more))
    .split('\n')
    .slice(2, -2)
    .map((line) => line.trim());
}

describe('every format', () => {
  test('says what it is', () => {
    const of = item([value('dc.title', 'A')]);
    expect(
      crosswalk(usualFormats, of).map(({ format, mediaType, profile }) => [format, mediaType, profile]),
    ).toEqual([
      ['oai_dc', 'application/xml', 'http://www.openarchives.org/OAI/2.0/oai_dc/'],
      ['dim', 'application/xml', 'http://www.dspace.org/xmlns/dspace/dim'],
      ['qdc', 'application/xml', 'http://purl.org/dc/terms/'],
      ['json', 'application/json', itemJsonProfile],
    ]);
    expect(itemJsonProfile).toMatch(
      /^urn:uuid:[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/,
    );
    expect(() => crosswalk(['mets'], of)).toThrow('oai_dc, dim, qdc, json, jpcoar_2.0, oai_openaire');
  });

  test('leaves out what is internal', () => {
    const of = item([
      value('dc.title', 'A'),
      value('dc.description.provenance', 'SECRET provenance'),
      value('person.email', 'SECRET@example.org'),
      value('dspace.agreements.end-user', 'SECRET agreement'),
      value('dspace.object.owner', 'SECRET owner'),
      value('dspace.entity.type', 'Person'),
    ]);
    for (const { name } of crosswalkFormats) expect(text(name, of)).not.toContain('SECRET');
    expect(text('oai_dc', of)).not.toContain('Person');
    expect(text('qdc', of)).not.toContain('Person');
    expect(text('dim', of)).toContain(
      '<dim:field mdschema="dspace" element="entity" qualifier="type">Person</dim:field>',
    );
  });

  test('an item without metadata is an empty document', () => {
    for (const name of ['oai_dc', 'dim', 'qdc']) {
      const empty = text(name, item([]));
      expect(XMLValidator.validate(empty)).toBe(true);
      expect(empty).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<[a-z_]+:[a-z]+ [^>]*\/>\n$/);
    }
  });
});

describe('oai_dc', () => {
  test('has the order of the crosswalk of DSpace, and no qualifiers', () => {
    const metadata = [
      'dc.source.uri',
      'dc.source',
      'dc.publisher.place',
      'dc.publisher',
      'dc.coverage.spatial',
      'dc.format.extent',
      'dc.format',
      'dc.rights.uri',
      'dc.rights',
      'dc.relation.ispartof',
      'dc.language.iso',
      'dc.identifier.uri',
      'dc.identifier',
      'dc.type.version',
      'dc.type',
      'dc.date.issued',
      'dc.date',
      'dc.description.abstract',
      'dc.description',
      'dc.subject.ddc',
      'dc.subject',
      'dc.contributor',
      'dc.contributor.advisor',
      'dc.contributor.author',
      'dc.creator',
      'dc.title.alternative',
      'dc.title',
      'dc.audience',
      'dcterms.abstract',
      'local.note',
    ].map((name) => value(name, name, { language: 'en' }));
    const files = [
      bitstream('a'),
      bitstream('b'),
      bitstream('c', { mimeType: 'text/csv', format: 'text/csv; header=present' }),
      bitstream('d', { mimeType: undefined }),
      bitstream('e', { mimeType: 'text/plain', bundleName: 'LICENSE' }),
    ];
    expect(lines('oai_dc', metadata, { bitstreams: files })).toEqual([
      '<dc:title>dc.title</dc:title>',
      '<dc:title>dc.title.alternative</dc:title>',
      '<dc:creator>dc.creator</dc:creator>',
      '<dc:creator>dc.contributor.author</dc:creator>',
      '<dc:contributor>dc.contributor.advisor</dc:contributor>',
      '<dc:contributor>dc.contributor</dc:contributor>',
      '<dc:subject>dc.subject</dc:subject>',
      '<dc:subject>dc.subject.ddc</dc:subject>',
      '<dc:description>dc.description</dc:description>',
      '<dc:description>dc.description.abstract</dc:description>',
      '<dc:date>dc.date</dc:date>',
      '<dc:date>dc.date.issued</dc:date>',
      '<dc:type>dc.type</dc:type>',
      '<dc:type>dc.type.version</dc:type>',
      '<dc:identifier>dc.identifier</dc:identifier>',
      '<dc:identifier>dc.identifier.uri</dc:identifier>',
      '<dc:language>dc.language.iso</dc:language>',
      '<dc:relation>dc.relation.ispartof</dc:relation>',
      '<dc:rights>dc.rights</dc:rights>',
      '<dc:rights>dc.rights.uri</dc:rights>',
      '<dc:format>dc.format</dc:format>',
      '<dc:format>dc.format.extent</dc:format>',
      '<dc:format>application/pdf</dc:format>',
      '<dc:format>application/pdf</dc:format>',
      '<dc:format>text/csv; header=present</dc:format>',
      '<dc:coverage>dc.coverage.spatial</dc:coverage>',
      '<dc:publisher>dc.publisher</dc:publisher>',
      '<dc:publisher>dc.publisher.place</dc:publisher>',
      '<dc:source>dc.source</dc:source>',
      '<dc:source>dc.source.uri</dc:source>',
    ]);
  });

  test('has values in the order of the OAI-PMH endpoint: fields as registered, languages together', () => {
    const metadata = [
      value('dc.subject', '1', { language: 'en' }),
      value('dc.subject', '2'),
      value('dc.subject', '3', { language: 'de' }),
      value('dc.subject', '4', { language: 'en' }),
      value('dc.subject', '5'),
      value('dc.relation.replaces', 'replaces'),
      value('dc.relation.haspart', 'haspart'),
      value('dc.relation.cites', 'cites'),
      value('dc.relation.uri', 'uri'),
      value('dc.relation.isformatof', 'isformatof'),
    ];
    const found = lines('oai_dc', metadata).map((line) => line.replace(/<[^>]*>/g, ''));
    expect(found).toEqual([
      ...['1', '4', '2', '5', '3'],
      ...['isformatof', 'haspart', 'replaces', 'uri', 'cites'],
    ]);
  });

  test('of DSpace 5 names no types of files, as its own endpoint does', () => {
    const metadata = [value('dc.title', 'A')];
    expect(lines('oai_dc', metadata, { id: '12', bitstreams: [bitstream('1')] })).toEqual([
      '<dc:title>A</dc:title>',
    ]);
  });

  test('names its schema, and leaves out what says nothing', () => {
    const of = item([value('dc.title', ' \u0000\n'), value('dc.type', 'Thesis')]);
    expect(text('oai_dc', of)).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n' +
        '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/"' +
        ` xmlns:xsi="${xsi}" xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd">\n` +
        '  <dc:type>Thesis</dc:type>\n</oai_dc:dc>\n',
    );
  });
});

describe('dim', () => {
  test('has everything of every schema, authority and language where there are any', () => {
    const metadata = [
      value('local.note', 'n', { language: 'en_US' }),
      value('dc.contributor.author', 'Ä & Ö', { authority: 'virtual::1586', confidence: 600 }),
      value('dc.title', 'A'),
    ];
    expect(text('dim', item(metadata))).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n' +
        `<dim:dim xmlns:dim="http://www.dspace.org/xmlns/dspace/dim" xmlns:xsi="${xsi}"` +
        ' xsi:schemaLocation="http://www.dspace.org/xmlns/dspace/dim http://www.dspace.org/schema/dim.xsd">\n' +
        '  <dim:field mdschema="dc" element="contributor" qualifier="author" authority="virtual::1586" confidence="600">Ä &amp; Ö</dim:field>\n' +
        '  <dim:field mdschema="dc" element="title">A</dim:field>\n' +
        '  <dim:field mdschema="local" element="note" lang="en_US">n</dim:field>\n' +
        '</dim:dim>\n',
    );
  });
});

describe('qdc', () => {
  test.each([
    ['dc.title', '<dc:title>x</dc:title>'],
    ['dc.title.alternative', '<dcterms:alternative>x</dcterms:alternative>'],
    ['dc.title.subtitle', '<dc:title>x</dc:title>'],
    ['dc.creator', '<dc:creator>x</dc:creator>'],
    ['dc.contributor', '<dc:contributor>x</dc:contributor>'],
    ['dc.contributor.author', '<dc:creator>x</dc:creator>'],
    ['dc.contributor.advisor', '<dc:contributor>x</dc:contributor>'],
    ['dc.description.abstract', '<dcterms:abstract>x</dcterms:abstract>'],
    ['dc.description.tableofcontents', '<dcterms:tableOfContents>x</dcterms:tableOfContents>'],
    ['dc.description.sponsorship', '<dc:description>x</dc:description>'],
    ['dc.description.uri', '<dc:description type="dcterms:URI">x</dc:description>'],
    ['dc.date', '<dc:date>x</dc:date>'],
    ['dc.date.issued', '<dcterms:issued>x</dcterms:issued>'],
    ['dc.date.created', '<dcterms:created>x</dcterms:created>'],
    ['dc.date.available', '<dcterms:available>x</dcterms:available>'],
    ['dc.date.accessioned', '<dcterms:dateAccepted>x</dcterms:dateAccepted>'],
    ['dc.date.copyright', '<dcterms:dateCopyrighted>x</dcterms:dateCopyrighted>'],
    ['dc.date.submitted', '<dcterms:dateSubmitted>x</dcterms:dateSubmitted>'],
    ['dc.identifier', '<dc:identifier>x</dc:identifier>'],
    ['dc.identifier.citation', '<dcterms:bibliographicCitation>x</dcterms:bibliographicCitation>'],
    ['dc.identifier.uri', '<dc:identifier type="dcterms:URI">x</dc:identifier>'],
    ['dc.identifier.issn', '<dc:identifier>x</dc:identifier>'],
    ['dc.format.extent', '<dcterms:extent>x</dcterms:extent>'],
    ['dc.format.medium', '<dcterms:medium>x</dcterms:medium>'],
    ['dc.coverage.spatial', '<dcterms:spatial>x</dcterms:spatial>'],
    ['dc.coverage.temporal', '<dcterms:temporal>x</dcterms:temporal>'],
    ['dc.relation.isformatof', '<dcterms:isFormatOf>x</dcterms:isFormatOf>'],
    ['dc.relation.ispartof', '<dcterms:isPartOf>x</dcterms:isPartOf>'],
    ['dc.relation.haspart', '<dcterms:hasPart>x</dcterms:hasPart>'],
    ['dc.relation.isversionof', '<dcterms:isVersionOf>x</dcterms:isVersionOf>'],
    ['dc.relation.hasversion', '<dcterms:hasVersion>x</dcterms:hasVersion>'],
    ['dc.relation.isreferencedby', '<dcterms:isReferencedBy>x</dcterms:isReferencedBy>'],
    ['dc.relation.requires', '<dcterms:requires>x</dcterms:requires>'],
    ['dc.relation.replaces', '<dcterms:replaces>x</dcterms:replaces>'],
    ['dc.relation.isreplacedby', '<dcterms:isReplacedBy>x</dcterms:isReplacedBy>'],
    ['dc.relation.ispartofseries', '<dc:relation>x</dc:relation>'],
    ['dc.relation.uri', '<dc:relation type="dcterms:URI">x</dc:relation>'],
    ['dc.rights.uri', '<dc:rights type="dcterms:URI">x</dc:rights>'],
    ['dc.source.uri', '<dc:source type="dcterms:URI">x</dc:source>'],
    ['dc.subject.ddc', '<dc:subject type="dcterms:DDC">x</dc:subject>'],
    ['dc.subject.lcc', '<dc:subject type="dcterms:LCC">x</dc:subject>'],
    ['dc.subject.lcsh', '<dc:subject type="dcterms:LCSH">x</dc:subject>'],
    ['dc.subject.mesh', '<dc:subject type="dcterms:MESH">x</dc:subject>'],
    ['dc.subject.classification', '<dc:subject>x</dc:subject>'],
    ['dc.language.iso', '<dc:language type="dcterms:ISO639-2">x</dc:language>'],
    ['dc.language', '<dc:language>x</dc:language>'],
  ])('%s is %s', (name, element) => {
    expect(lines('qdc', [value(name, 'x')])).toEqual([element]);
  });

  test('drops what has no place in it', () => {
    const metadata = ['dc.audience', 'dcterms.abstract', 'local.x'].map((name) => value(name, 'x'));
    expect(text('qdc', item(metadata))).not.toContain('>x<');
  });

  test('states languages as XML has them', () => {
    const metadata = ['en_US', 'de', '*', 'x y', undefined].map((language) =>
      value('dc.title', 'A', { language }),
    );
    expect(lines('qdc', metadata)).toEqual([
      '<dc:title xml:lang="en-US">A</dc:title>',
      '<dc:title xml:lang="de">A</dc:title>',
      '<dc:title>A</dc:title>',
      '<dc:title>A</dc:title>',
      '<dc:title>A</dc:title>',
    ]);
  });

  test('names its schemas', () => {
    expect(text('qdc', item([value('dc.title', 'A')])).split('\n')[1]).toBe(
      '<qdc:qualifieddc xmlns:qdc="http://dspace.org/qualifieddc/" xmlns:dc="http://purl.org/dc/elements/1.1/"' +
        ` xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="${xsi}"` +
        ' xsi:schemaLocation="http://purl.org/dc/elements/1.1/ http://dublincore.org/schemas/xmls/qdc/2006/01/06/dc.xsd' +
        ' http://purl.org/dc/terms/ http://dublincore.org/schemas/xmls/qdc/2006/01/06/dcterms.xsd' +
        ' http://dspace.org/qualifieddc/ http://www.ukoln.ac.uk/metadata/dcmi/xmlschema/qualifieddc.xsd">',
    );
  });
});

describe('json', () => {
  test('is one line of the item as its API has it, files and collections included', () => {
    const of = item(
      [
        value('dc.title', 'B', { language: 'en' }),
        value('dc.title', 'A\u0001'),
        value('dc.contributor.author', 'C', { authority: 'x', confidence: 500 }),
      ],
      {
        entityType: 'Publication',
        bitstreams: [bitstream('a', { sequenceId: 3 }), bitstream('12', { checkSum: undefined })],
        collections: [
          { id: 'z', handle: '1/3', name: 'Owning' },
          { id: 'c', handle: undefined, name: undefined },
          { id: 'b', handle: '1/2', name: 'B' },
        ],
      },
    );
    const written = text('json', of);
    expect(written).toMatch(/^\{"id":.*\}\n$/);
    const parsed = JSON.parse(written);
    expect(Object.keys(parsed)).toEqual([
      'id',
      'uuid',
      'name',
      'handle',
      'metadata',
      'inArchive',
      'discoverable',
      'withdrawn',
      'lastModified',
      'entityType',
      'type',
      'bitstreams',
      'collections',
    ]);
    expect(parsed.lastModified).toBe('2026-07-22T11:41:42Z');
    expect(parsed.metadata).toEqual({
      'dc.contributor.author': [{ value: 'C', language: null, authority: 'x', confidence: 500, place: 0 }],
      'dc.title': [
        { value: 'B', language: 'en', authority: null, confidence: -1, place: 0 },
        { value: 'A\u0001', language: null, authority: null, confidence: -1, place: 1 },
      ],
    });
    expect(parsed.bitstreams).toEqual([
      {
        id: 'a',
        uuid: 'a',
        name: 'a.pdf',
        bundleName: 'ORIGINAL',
        sizeBytes: 12,
        checkSum: { checkSumAlgorithm: 'MD5', value: '9e55704856c7798762321e4011451d98' },
        mimetype: 'application/pdf',
        sequenceId: 3,
      },
      expect.objectContaining({ id: '12', checkSum: null, sequenceId: null }),
    ]);
    expect(parsed.bitstreams[1]).not.toHaveProperty('uuid');
    expect(parsed.collections.map(({ id }: { id: string }) => id)).toEqual(['z', 'b', 'c']);
  });

  test('has no half characters in it', () => {
    const of = item([value('dc.title', 'a\ud800b\\ud800c😀'), value('dc.x.__proto__', 'p')]);
    const parsed = JSON.parse(text('json', of));
    expect(parsed.metadata['dc.title'][0].value).toBe('ab\\ud800c😀');
    expect(parsed.metadata['dc.x.__proto__'][0].value).toBe('p');
  });
});

const anything = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 12 })
    .map((units) => String.fromCharCode(...units)),
  fc.constantFrom('<a>&"\']]>', '\r\n\r\t', '\u0000\u0008\ufffe', '\ud83d', '😀', ' ', ''),
);
const maybe = fc.option(anything, { nil: undefined });
const values = fc.array(
  fc.record({
    schema: fc.oneof(fc.constant('dc'), anything),
    element: fc.oneof(fc.constantFrom('title', 'contributor', 'date', '__proto__', 'constructor'), anything),
    qualifier: fc.oneof(fc.constantFrom('author', 'issued', undefined), maybe),
    value: anything,
    language: maybe,
    authority: maybe,
    confidence: fc.option(fc.integer({ min: 0, max: 600 }), { nil: undefined }),
  }),
  { maxLength: 8 },
);

test('whatever is in them, documents are well-formed, and twice the same', () => {
  fc.assert(
    fc.property(values, fc.option(fc.webUrl(), { nil: undefined }), (metadata, name) => {
      const of = item(byFieldName(metadata), {
        name,
        bitstreams: [bitstream('a', { name: metadata[0]?.value ?? '' })],
      });
      for (const format of ['oai_dc', 'dim', 'qdc']) {
        const written = text(format, of);
        expect(XMLValidator.validate(written)).toBe(true);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for.
        expect(written).not.toMatch(/[\x00-\x08\x0b-\x1f\ufffe\uffff]/);
        expect(Buffer.from(written, 'utf8').toString('utf8')).toBe(written);
        expect(crosswalk([format], structuredClone(of))).toEqual(crosswalk([format], of));
      }
      expect(() => JSON.parse(text('json', of))).not.toThrow();
      expect(text('json', of)).toBe(text('json', structuredClone(of)));
    }),
    { numRuns: runs(100) },
  );
});

test('dim is the same bytes as xmlbuilder2 writes', () => {
  fc.assert(
    fc.property(values, (metadata) => {
      const of = item(metadata.filter(({ schema }) => !/^(dspace|person|dc)$/i.test(schema)));
      const ns = 'http://www.dspace.org/xmlns/dspace/dim';
      const root = create({ version: '1.0', encoding: 'UTF-8' }).ele(ns, 'dim:dim');
      root.att(xsi, 'xsi:schemaLocation', `${ns} http://www.dspace.org/schema/dim.xsd`);
      for (const {
        schema,
        element,
        qualifier,
        language,
        authority,
        confidence,
        value: content,
      } of of.metadata) {
        const field = root.ele(ns, 'dim:field');
        const attributes = { mdschema: schema, element, qualifier, lang: language, authority };
        for (const [name, one] of Object.entries(attributes)) {
          if (one !== undefined) field.att(name, legalAttribute(one));
        }
        if (confidence !== undefined) field.att('confidence', String(confidence));
        if (legalText(content) !== '') field.txt(legalText(content));
      }
      expect(text('dim', of)).toBe(`${root.end({ prettyPrint: true })}\n`);
    }),
    { numRuns: runs(100) },
  );
});

test('what XML can carry is carried', () => {
  fc.assert(
    fc.property(anything, (content) => {
      const parser = new XMLParser({ trimValues: false, parseTagValue: false });
      const parsed = parser.parse(text('dim', item([value('local.x', `|${content}|`)])));
      expect(parsed['dim:dim']['dim:field']).toBe(`|${legalText(content)}|`);
    }),
  );
});

test('a value of megabytes is only long', () => {
  const long = 'é<\u0002'.repeat(700_000);
  const written = text('dim', item([value('dc.description', long)]));
  expect(written.length).toBeGreaterThan(3_000_000);
  expect(written).not.toContain('\u0002');
});

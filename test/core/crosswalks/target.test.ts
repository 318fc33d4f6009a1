import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { crosswalk } from '../../../src/core/crosswalks/crosswalk.ts';
import { fieldRules } from '../../../src/core/crosswalks/field-rules.ts';
import { type Target, writeWork } from '../../../src/core/crosswalks/target.ts';
import { resourceTypes } from '../../../src/core/crosswalks/vocabularies/resource-types.ts';
import type { Circumstances } from '../../../src/core/crosswalks/work.ts';
import type { DspaceItem, MetadataValue } from '../../../src/core/dspace/dspace-item.ts';
import { fieldName } from '../../../src/core/dspace/field-name.ts';
import { crosswalkSchemas, openCrosswalkSchema } from '../../house/core/crosswalk-schemas.ts';
import { fixtureItems } from '../../house/core/fixture-items.ts';
import { item, value } from '../../house/core/items.ts';
import { brokenJpcoarRules } from '../../house/core/jpcoar-rules.ts';
import { runs } from '../../house/runs.ts';

const page = 'https://repo.example.ac.jp/items/1';
const targets: readonly Target[] = ['jpcoar_2.0', 'oai_openaire'];
const enough = [value('dc.title', 'A'), value('dc.type', 'Article')];

function written(target: Target, metadata: readonly MetadataValue[], around: Circumstances = {}): string {
  const { document } = writeWork(target, item(metadata), { page, ...around });
  if (document === undefined) throw new Error('nothing was written');
  return document;
}

/** The lines of a JPCOAR document with one of these elements in them. */
function lines(
  target: Target,
  pattern: RegExp,
  metadata: readonly MetadataValue[],
  around: Circumstances = {},
) {
  return written(
    target,
    [
      ...enough.filter(
        ({ element }) => !metadata.some((one) => one.element === element && one.qualifier === undefined),
      ),
      ...metadata,
    ],
    around,
  )
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => pattern.test(line));
}

const validate = crosswalkSchemas
  ? Object.fromEntries((['oai_dc', ...targets] as const).map((name) => [name, openCrosswalkSchema(name)]))
  : {};

/** A document that is broken is told by its first fault. */
function faultOf(format: string, document: string): string | undefined {
  try {
    validate[format]?.(document);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'unknown';
  }
}

describe.runIf(crosswalkSchemas)('by their schemas', () => {
  test('a schema finds what is wrong', () => {
    const good = written('jpcoar_2.0', enough);
    expect(faultOf('jpcoar_2.0', good)).toBeUndefined();
    expect(
      faultOf('jpcoar_2.0', good.replace('dc:title>', 'dc:titel>').replace('dc:title>', 'dc:titel>')),
    ).toBeDefined();
    const open = written('oai_openaire', enough, { access: 'open' });
    expect(faultOf('oai_openaire', open)).toBeUndefined();
    expect(faultOf('oai_openaire', open.replace('c_abf2', 'c_0000'))).toBeDefined();
  });

  test('every item that was recorded is valid in every format that has a schema, and breaks no rule', () => {
    const items = fixtureItems();
    expect(items.length).toBeGreaterThan(20);
    const around = { page, access: 'open', files: [{ url: `${page}/1.pdf`, name: '1.pdf' }] } as const;
    for (const { file, item: one } of items) {
      for (const target of targets) {
        const { document, findings } = writeWork(target, one, around);
        const isWanting = findings.some(({ kind, level }) => kind === 'missing' && level === 'M');
        expect({ file, isWanting }).toEqual({ file, isWanting: document === undefined });
      }
      const has = (name: string) => one.metadata.some((value) => fieldName(value) === name);
      const lacking = enough.filter((value) => !has(fieldName(value)));
      const whole = { ...one, metadata: [...one.metadata, ...lacking] };
      const documents = crosswalk(['oai_dc', ...targets], whole, around);
      expect(documents).toHaveLength(3);
      for (const { format, content } of documents) {
        const document = Buffer.from(content).toString('utf8');
        const broken = format === 'jpcoar_2.0' ? brokenJpcoarRules(document) : [];
        const fault = faultOf(format, document);
        expect({ file, format, fault, broken }).toEqual({ file, format, fault: undefined, broken: [] });
      }
    }
  });

  test('whatever is in an item, what is written is valid, breaks no rule, and is the same again', () => {
    let count = 0;
    fc.assert(
      fc.property(anyItem, anyCircumstances, (one, around) => {
        for (const target of targets) {
          const { document, findings } = writeWork(target, one, around);
          if (document === undefined) {
            expect(findings.some(({ kind, level }) => kind === 'missing' && level === 'M')).toBe(true);
            continue;
          }
          count += 1;
          expect([document, faultOf(target, document)]).toEqual([document, undefined]);
          if (target === 'jpcoar_2.0') expect(brokenJpcoarRules(document)).toEqual([]);
          expect(writeWork(target, structuredClone(one), around).document).toBe(document);
        }
      }),
      { numRuns: runs(300) },
    );
    expect(count).toBeGreaterThan(100);
  });
});

describe('what a record cannot be without', () => {
  test.each([
    ['dc.title', 'dc:title', 'datacite:title'],
    ['dc.type', 'dc:type', 'oaire:resourceType'],
  ])('%s: nothing is written, and it is told', (field, ofJpcoar, ofOpenaire) => {
    const without = enough.filter(({ element }) => `dc.${element}` !== field);
    for (const [target, element] of [
      ['jpcoar_2.0', ofJpcoar],
      ['oai_openaire', ofOpenaire],
    ] as const) {
      const { document, findings } = writeWork(target, item(without), { page });
      expect(document).toBeUndefined();
      expect(findings).toMatchObject([{ kind: 'missing', element, level: 'M' }]);
    }
  });

  test('an identifier: the default prefix of DSpace is nobody’s', () => {
    const unnamed = item(enough, { handle: '123456789/12' });
    for (const target of targets) {
      expect(writeWork(target, unnamed, {}).document).toBeUndefined();
      const { document } = writeWork(target, unnamed, { page });
      expect(document).toContain(`>${page}<`);
      expect(document).not.toContain('123456789');
    }
  });

  test('a person is no work: nothing is written, and nothing is missing', () => {
    for (const target of targets)
      expect(writeWork(target, item(enough, { entityType: 'Person' }), { page })).toEqual({
        document: undefined,
        findings: [],
      });
  });
});

describe('titles', () => {
  const title = (text: string, language?: string) => value('dc.title', text, { language });

  test('one of each language; the others are alternatives', () => {
    const metadata = [
      title('Snow', 'en_US'),
      title('雪', 'ja'),
      title('More snow', 'en'),
      title('ユキ', 'ja_Kana'),
    ];
    expect(lines('jpcoar_2.0', /title|alternative/, metadata)).toEqual([
      '<dc:title xml:lang="en">Snow</dc:title>',
      '<dc:title xml:lang="ja">雪</dc:title>',
      '<dc:title xml:lang="ja-Kana">ユキ</dc:title>',
      '<dcterms:alternative xml:lang="en">More snow</dcterms:alternative>',
    ]);
    const { findings } = writeWork('jpcoar_2.0', item([...enough, ...metadata]), { page });
    expect(findings).toContainEqual(
      expect.objectContaining({ kind: 'moved', element: 'dc:title', field: 'dc.title', value: 'More snow' }),
    );
  });

  test('their languages are those of their letters where none is stated', () => {
    const language = value('dc.language.iso', 'zh');
    expect(lines('jpcoar_2.0', /dc:title/, [title('雪国のこと')])[0]).toContain('"ja"');
    expect(lines('jpcoar_2.0', /dc:title/, [title('雪')])[0]).toContain('"ja"');
    expect(lines('jpcoar_2.0', /dc:title/, [title('雪'), language])[0]).toContain('"zh"');
    expect(lines('jpcoar_2.0', /dc:title/, [title('Snow'), value('dc.language.iso', 'jpn')])[0]).toContain(
      '"en"',
    );
    expect(lines('jpcoar_2.0', /dc:title/, [title('Снег')])).toEqual([
      '<dc:title xml:lang="und">Снег</dc:title>',
    ]);
    expect(lines('jpcoar_2.0', /dc:title/, [title('Снег'), value('dc.language', 'ru')])[0]).toContain('"ru"');
    expect(lines('jpcoar_2.0', /dc:title/, [title('雪', 'zh_TW')])[0]).toContain('"zh-tw"');
  });

  test('a reading without its title is the title', () => {
    expect(lines('jpcoar_2.0', /title|alternative/, [title('ユキ', 'ja-Kana')])).toEqual([
      '<dc:title xml:lang="ja">ユキ</dc:title>',
    ]);
    const readings = [title('ユキ', 'ja-Kana'), title('Yuki', 'ja-Latn')];
    expect(lines('jpcoar_2.0', /title|alternative/, [...readings, title('Snow', 'en')])).toEqual([
      '<dc:title xml:lang="en">Snow</dc:title>',
      '<dcterms:alternative xml:lang="ja-Kana">ユキ</dcterms:alternative>',
      '<dcterms:alternative xml:lang="ja-Latn">Yuki</dcterms:alternative>',
    ]);
    expect(lines('jpcoar_2.0', /title|alternative/, readings)).toEqual([
      '<dc:title xml:lang="ja">ユキ</dc:title>',
      '<dcterms:alternative xml:lang="ja-Latn">Yuki</dcterms:alternative>',
    ]);
  });
});

test('people have one comma, and their ORCID if it is one', () => {
  const author = (text: string, authority?: string) => value('dc.contributor.author', text, { authority });
  const metadata = [
    author('夏目,漱石', '0000-0002-1825-0097'),
    author('Terada,  Torahiko', '0000-0002-1825-0098'),
    author('University of Tokyo, Library'),
    value('dc.contributor.advisor', 'Adachi, Jun'),
  ];
  expect(lines('jpcoar_2.0', /Name|nameId|contributor/, metadata)).toEqual([
    '<jpcoar:nameIdentifier nameIdentifierScheme="ORCID" nameIdentifierURI="https://orcid.org/0000-0002-1825-0097">0000-0002-1825-0097</jpcoar:nameIdentifier>',
    '<jpcoar:creatorName xml:lang="ja">夏目, 漱石</jpcoar:creatorName>',
    '<jpcoar:creatorName xml:lang="en">Terada, Torahiko</jpcoar:creatorName>',
    '<jpcoar:creatorName xml:lang="en" nameType="Organizational">University of Tokyo, Library</jpcoar:creatorName>',
    '<jpcoar:contributor contributorType="Supervisor">',
    '<jpcoar:contributorName xml:lang="en">Adachi, Jun</jpcoar:contributorName>',
    '</jpcoar:contributor>',
  ]);
});

describe('what schemas refuse', () => {
  test.each([
    [
      'dc.date.issued',
      '2020-01-02T03:04:05.678Z',
      /datacite:date/,
      'datacite:date dateType="Issued">2020-01-02T03:04:05Z<',
    ],
    ['dc.language.iso', 'en_US', /dc:language/, 'dc:language>eng<'],
    ['dc.language', 'ger', /dc:language/, 'dc:language>deu<'],
    ['dc.source.spage', '34', /page/, 'jpcoar:pageStart>34<'],
    ['dc.identifier.issn', '18806964', /sourceId/, undefined],
    ['dc.identifier.issn', '1234-5679', /sourceId/, 'identifierType="ISSN">1234-5679<'],
  ])('%s %s', (field, stated, pattern, expected) => {
    const found = lines('jpcoar_2.0', pattern, [value(field, stated)]);
    expect(found.length).toBe(expected === undefined ? 0 : 1);
    expect(found[0] ?? '').toContain(expected ?? '');
  });

  test.each([
    ['dc.date.issued', '2020-1', 'datacite:date@Issued'],
    ['dc.date.issued', '2021-02-29', 'datacite:date@Issued'],
    ['dc.source.spage', 'e12', 'jpcoar:pageStart'],
    ['dc.language', 'Volapük', 'dc:language'],
    ['dc.identifier.issn', '1234-5678', 'jpcoar:sourceIdentifier@ISSN'],
    ['dc.identifier.isbn', '978', 'jpcoar:relation'],
    ['oaire.version', 'third', 'oaire:version'],
  ])('%s %s is left out, and told', (field, stated, element) => {
    const { document, findings } = writeWork('jpcoar_2.0', item([...enough, value(field, stated)]), { page });
    expect(document).not.toContain(`>${stated}<`);
    expect(findings).toEqual([expect.objectContaining({ kind: 'dropped', element, field, value: stated })]);
  });

  test('for OpenAIRE there is one day on which it was published', () => {
    const metadata = ['2020-01-02T03:04:05Z', '2020-01-02', '2021'].map((date) =>
      value('dc.date.issued', date),
    );
    const available = ['2020-01-02T03:04:05Z', '2020-01-02T04:00:00Z'].map((date) =>
      value('dc.date.available', date),
    );
    expect(lines('oai_openaire', /datacite:date /, [...metadata, ...available])).toEqual([
      '<datacite:date dateType="Issued">2020-01-02</datacite:date>',
      '<datacite:date dateType="Available">2020-01-02</datacite:date>',
    ]);
  });

  test('a page that is no number is one for OpenAIRE', () => {
    expect(lines('oai_openaire', /Page/, [value('dc.source.spage', 'e12')])).toEqual([
      '<oaire:citationStartPage>e12</oaire:citationStartPage>',
    ]);
  });
});

describe('the kind of work', () => {
  test.each([
    ['Article', 'journal article', 'c_6501', 'journal article'],
    ['Preprint', 'other', 'c_1843', 'preprint'],
    ['Working Paper', 'working paper', 'c_8042', 'working paper'],
    ['Learning Object', 'learning object', 'c_e059', 'other'],
    ['info:eu-repo/semantics/doctoralThesis', 'doctoral thesis', 'c_db06', 'doctoral thesis'],
    ['http://purl.org/coar/resource_type/c_ddb1', 'dataset', 'c_ddb1', 'dataset'],
    ['Recording, musical', 'sound', 'c_18cc', 'sound'],
    ['Other', 'other', 'c_1843', 'other'],
    ['Grumpy note', 'other', 'c_1843', 'other'],
  ])('%s', (stated, ofJpcoar, uri, ofOpenaire) => {
    const type = value('dc.type', stated);
    expect(lines('jpcoar_2.0', /dc:type/, [type])).toEqual([
      `<dc:type rdf:resource="http://purl.org/coar/resource_type/${uri}">${ofJpcoar}</dc:type>`,
    ]);
    expect(lines('oai_openaire', /resourceType/, [type])[0]).toContain(`>${ofOpenaire}<`);
    const { findings } = writeWork('jpcoar_2.0', item([value('dc.title', 'A'), type]), { page });
    expect(findings.map(({ kind }) => kind)).toEqual(stated === 'Grumpy note' ? ['replaced'] : []);
  });

  test('NIItype says more, and other words for the same', () => {
    const nii = (stated: string) =>
      lines('jpcoar_2.0', /dc:type/, [value('dc.type', 'Article'), value('dc.type.nii', stated)])[0];
    expect(nii('Departmental Bulletin Paper')).toContain('c_6501">departmental bulletin paper<');
    expect(nii('Presentation')).toContain('conference output');
    expect(nii('Article')).toContain('>article<');
    expect(nii('Thesis or Dissertation')).toContain('>thesis<');
  });

  test('a thesis is what its degree says', () => {
    const thesis = (degree: string) =>
      lines('jpcoar_2.0', /dc:type/, [value('dc.type', 'Thesis'), value('thesis.degree.level', degree)])[0];
    expect(thesis('Doctoral')).toContain('doctoral thesis');
    expect(thesis('Masters')).toContain('master thesis');
    expect(thesis('博士前期課程')).toContain('master thesis');
    expect(thesis('博士（文学）')).toContain('doctoral thesis');
    expect(thesis('学士')).toContain('bachelor thesis');
    expect(thesis('Other')).toContain('>thesis<');
  });

  test('no two rows claim one word', () => {
    const labels = resourceTypes.map(({ jpcoar }) => jpcoar.label).filter((label) => label !== 'other');
    expect(new Set(labels).size).toBe(labels.length);
  });
});

describe('who may read it', () => {
  const embargo = { access: 'embargoed', availableAt: '2050-01-01T00:00:00Z' } as const;

  test('is what its files say, and an embargo has its end', () => {
    const stated = value('dc.date.available', '2020-01-01');
    expect(lines('jpcoar_2.0', /accessRights|Available/, [stated], embargo)).toEqual([
      '<dcterms:accessRights rdf:resource="http://purl.org/coar/access_right/c_f1cf">embargoed access</dcterms:accessRights>',
      '<datacite:date dateType="Available">2050-01-01</datacite:date>',
    ]);
    expect(lines('jpcoar_2.0', /accessRights/, [stated], { access: 'embargoed' })[0]).toContain(
      'restricted access',
    );
    expect(lines('jpcoar_2.0', /accessRights/, [stated], { access: 'metadataOnly' })[0]).toContain('c_14cb');
    expect(lines('jpcoar_2.0', /accessRights/, [stated])).toEqual([]);
    expect(lines('oai_openaire', /datacite:rights/, [stated], { access: 'open' })).toEqual([
      '<datacite:rights rightsURI="http://purl.org/coar/access_right/c_abf2">open access</datacite:rights>',
    ]);
  });

  test('files that everybody may read are in it', () => {
    const files = [
      { url: `${page}/a.pdf`, name: 'a <b>.pdf', mediaType: 'application/pdf', length: 812_544 },
    ];
    expect(lines('jpcoar_2.0', /jpcoar:URI|mimeType|extent/, [], { access: 'open', files })).toEqual([
      `<jpcoar:URI objectType="fulltext" label="a &lt;b&gt;.pdf">${page}/a.pdf</jpcoar:URI>`,
      '<jpcoar:mimeType>application/pdf</jpcoar:mimeType>',
      '<jpcoar:extent>794 KB</jpcoar:extent>',
    ]);
    expect(lines('oai_openaire', /file/, [value('dc.type', 'Dataset')], { access: 'open', files })).toEqual([
      `<oaire:file accessRightsURI="http://purl.org/coar/access_right/c_abf2" mimeType="application/pdf" objectType="dataset">${page}/a.pdf</oaire:file>`,
    ]);
  });
});

describe('identifiers and relations', () => {
  const doi = value('dc.identifier.doi', '10.1371/journal.pone.0170224');

  test('a publisher’s DOI is related as the version says, and no identifier of the item', () => {
    const relation = (version: string) =>
      lines('jpcoar_2.0', /relation /, [doi, value('dc.type.version', version)])[0] ?? '';
    expect(relation('info:eu-repo/semantics/acceptedVersion')).toContain('"isVersionOf"');
    expect(relation('VoR')).toContain('"isIdenticalTo"');
    expect(lines('jpcoar_2.0', /relation>/, [doi])[0]).toBe('<jpcoar:relation>');
    expect(lines('jpcoar_2.0', /jpcoar:identifier/, [doi]).join()).not.toContain('doi.org');
    expect(lines('jpcoar_2.0', /jpcoar:identifier/, [doi], { doiPrefixes: ['10.1371'] })[0]).toContain(
      'identifierType="DOI">https://doi.org/10.1371/journal.pone.0170224<',
    );
  });

  test('texts are titles, addresses are identifiers, grants are funding', () => {
    const metadata = [
      value('dc.relation.ispartofseries', 'Working papers; 12'),
      value('dc.relation.references', 'https://doi.org/10.1234/x'),
      value('dc.relation', 'info:eu-repo/grantAgreement/EC/H2020/660668'),
      value('dc.relation', 'info:eu-repo/grantAgreement/JSPS//JP18049069'),
    ];
    expect(lines('jpcoar_2.0', /relat|fund|award/, metadata)).toEqual([
      '<jpcoar:relation relationType="references">',
      '<jpcoar:relatedIdentifier identifierType="DOI">https://doi.org/10.1234/x</jpcoar:relatedIdentifier>',
      '</jpcoar:relation>',
      '<jpcoar:relation relationType="inSeries">',
      '<jpcoar:relatedTitle xml:lang="en">Working papers; 12</jpcoar:relatedTitle>',
      '</jpcoar:relation>',
      '<jpcoar:fundingReference>',
      '<jpcoar:funderName xml:lang="en">European Commission</jpcoar:funderName>',
      '<jpcoar:fundingStream xml:lang="en">H2020</jpcoar:fundingStream>',
      '<jpcoar:awardNumber>660668</jpcoar:awardNumber>',
      '</jpcoar:fundingReference>',
      '<jpcoar:fundingReference>',
      '<jpcoar:funderName xml:lang="en">JSPS</jpcoar:funderName>',
      '<jpcoar:awardNumber awardNumberType="JGN">JP18049069</jpcoar:awardNumber>',
      '</jpcoar:fundingReference>',
    ]);
    expect(lines('oai_openaire', /relatedIdentifier /, metadata)).toEqual([
      '<datacite:relatedIdentifier relatedIdentifierType="DOI" relationType="References">https://doi.org/10.1234/x</datacite:relatedIdentifier>',
    ]);
  });

  test('a journal without a field of its own is what it is part of', () => {
    const partOf = value('dc.relation.ispartof', 'Journal of Snow');
    expect(lines('jpcoar_2.0', /sourceTitle|relat/, [partOf])).toEqual([
      '<jpcoar:sourceTitle xml:lang="en">Journal of Snow</jpcoar:sourceTitle>',
    ]);
    expect(lines('jpcoar_2.0', /sourceTitle/, [partOf, value('dc.source.jtitle', 'Ice')])[0]).toContain(
      '>Ice<',
    );
  });
});

test('licences have their full names', () => {
  const uri = value('dc.rights.uri', 'http://creativecommons.org/licenses/by-nc/4.0/');
  const name = 'Creative Commons Attribution-NonCommercial 4.0 International';
  expect(lines('jpcoar_2.0', /dc:rights/, [uri, value('dc.rights', 'CC BY-NC')])).toEqual([
    `<dc:rights xml:lang="en" rdf:resource="http://creativecommons.org/licenses/by-nc/4.0/">${name}</dc:rights>`,
  ]);
  expect(lines('oai_openaire', /licence|license/, [uri])).toEqual([
    `<oaire:licenseCondition uri="http://creativecommons.org/licenses/by-nc/4.0/">${name}</oaire:licenseCondition>`,
  ]);
});

test('fields of a repository’s own say what the configuration says', () => {
  const metadata = [value('dc.local.ndc', '913.6'), value('local.kana', 'ユキ')];
  const localFields = { 'dc.local.ndc': 'subject:NDC', 'local.kana': 'alternative' };
  expect(lines('jpcoar_2.0', /subject|alternative/, metadata, { localFields })).toEqual([
    '<dcterms:alternative xml:lang="ja">ユキ</dcterms:alternative>',
    '<jpcoar:subject subjectScheme="NDC">913.6</jpcoar:subject>',
  ]);
  expect(lines('jpcoar_2.0', /subject|alternative/, metadata)).toEqual([]);
  const localFieldsOf = { 'jpcoar_2.0': { 'local.kana': 'nothing' } };
  expect(lines('jpcoar_2.0', /alternative/, metadata, { localFields, localFieldsOf })).toEqual([]);
  expect(lines('oai_openaire', /AlternativeTitle/, metadata, { localFields, localFieldsOf })).toHaveLength(1);
});

test('what is said of a conference, and other descriptions, have their languages', () => {
  const metadata = [
    value('oaire.citation.conferencePlace', '京都'),
    value('oaire.citation.conferenceDate', '2020-01-02'),
    value('dc.description.notes', 'Read aloud'),
  ];
  expect(lines('jpcoar_2.0', /conference(?:Place|Date)|description /, metadata)).toEqual([
    '<datacite:description xml:lang="en" descriptionType="Other">Read aloud</datacite:description>',
    '<jpcoar:conferenceDate xml:lang="und">2020-01-02</jpcoar:conferenceDate>',
    '<jpcoar:conferencePlace xml:lang="ja">京都</jpcoar:conferencePlace>',
  ]);
});

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    '<a>&"]]>',
    '\r\n\t',
    '\u0000',
    '\ud83d',
    '雪',
    'ゆき',
    'e12',
    '12',
    'Снег',
    ',',
    'https://例え.jp/あ b"<',
    'https://a.example/%zz',
  ),
  fc.constantFrom(
    '2020',
    '2020-02-30',
    '2020-1',
    '2020-01-02T03:04:05.6Z',
    '0000',
    'en_US',
    'jpn',
    'other',
    'zz',
  ),
  fc.constantFrom(
    '10.1234/a<b>',
    'https://doi.org/10.1234/x',
    'hdl:1/2',
    'ISBN 978-3-16-148410-0',
    '1234-5679',
    'AA12032633',
  ),
  fc.constantFrom(
    'info:eu-repo/grantAgreement/EC/a%00/1',
    'info:eu-repo/grantAgreement/%00/a/1',
    'AM',
    'Thesis',
    'Doctor',
  ),
  fc.constantFrom('http://creativecommons.org/licenses/by/4.0/', 'Family,Given', 'University of Snow'),
);
const fields = fieldRules.flatMap((rule) => rule.fields).map((field) => field.replace('*', 'own'));
const anyValue = fc
  .record({
    field: fc.constantFrom(...fields),
    text: anyText,
    language: fc.option(
      fc.oneof(fc.constantFrom('en_US', 'ja', 'ja-Kana', 'zh_TW', '*', '', 'x y', 'qq'), anyText),
      { nil: undefined },
    ),
    authority: fc.option(fc.constantFrom('0000-0002-1825-0097', 'virtual::1', '0000-0002-1825-0098'), {
      nil: undefined,
    }),
  })
  .map(({ field, text, language, authority }) => value(field, text, { language, authority }));
const anyItem: fc.Arbitrary<DspaceItem> = fc
  .record({
    usual: fc.constantFrom<readonly MetadataValue[]>(enough, []),
    values: fc.array(anyValue, { maxLength: 25 }),
    handle: fc.option(fc.constantFrom('10673/1263', '123456789/1', '2115/<&">', '1/é 雪'), {
      nil: undefined,
    }),
  })
  .map(({ usual, values, handle }) => item([...usual, ...values], { handle }));
const anyCircumstances: fc.Arbitrary<Circumstances> = fc.record({
  page: fc.option(
    fc.constantFrom(page, 'https://hdl.handle.net/10673/1263', 'https://doi.org/10.1234/5', 'no page'),
    { nil: undefined },
  ),
  access: fc.option(fc.constantFrom('open', 'embargoed', 'restricted', 'metadataOnly'), { nil: undefined }),
  availableAt: fc.option(fc.constantFrom('2050-01-01T00:00:00Z', 'soon'), { nil: undefined }),
  files: fc.array(
    fc.record({
      url: fc.constant(`${page}/1.pdf`),
      name: anyText,
      mediaType: fc.option(fc.constant('application/pdf'), { nil: undefined }),
      length: fc.option(fc.nat(), { nil: undefined }),
    }),
    { maxLength: 2 },
  ),
  doiPrefixes: fc.constantFrom([], ['10.1234']),
});

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readXml } from '../../../src/oai-conformance/answers/xml-element.ts';
import { judgeJpcoar } from '../../../src/oai-conformance/records/jpcoar-records.ts';
import { judgeOpenaire } from '../../../src/oai-conformance/records/openaire-records.ts';
import { sharedMaterial } from '../../house/adapters/shared-material.ts';

const schemas = sharedMaterial('spec/xsd-oai');
const header = { identifier: 'oai:x:1', datestamp: '2026-11-21', sets: [], status: undefined };

function samplesOf(folder: string): string[] {
  const place = join(schemas ?? '.', folder, 'samples');
  if (schemas === undefined || !existsSync(place)) return [];
  return readdirSync(place)
    .filter((name) => name.endsWith('.xml'))
    .map((name) => join(place, name));
}

function faultsOf(text: string, judgePayload: typeof judgeJpcoar): string[] {
  const faults: string[] = [];
  judgePayload(readXml(text.replace(/^[\uFEFF\s]+/, '')).root, header, (check, fault) => {
    if (fault !== undefined) faults.push(`${check}: ${fault}`);
  });
  return faults;
}

describe.skipIf(schemas === undefined)('Samples of those who made the schemas', () => {
  test.each(samplesOf('jpcoar-2.0'))('%s', (file) => {
    expect(faultsOf(readFileSync(file, 'utf8'), judgeJpcoar)).toEqual([]);
  });

  test.each([
    ['sample_minimal.xml', []],
    // As its authors made it: the guidelines want a date of issue in every record.
    ['sample_journalarticle1.xml', ['openaire-issued: oai:x:1 has 0 dates of the type Issued']],
  ])('%s', (name, expected) => {
    const file = join(schemas ?? '', 'openaire-4.0', 'samples', name);
    expect(faultsOf(readFileSync(file, 'utf8'), judgeOpenaire)).toEqual(expected);
  });
});

const coar = 'http://purl.org/coar';
const good = `<jpcoar:jpcoar xmlns:jpcoar="https://github.com/JPCOAR/schema/blob/master/2.0/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:datacite="https://schema.datacite.org/meta/kernel-4/" xmlns:oaire="http://namespace.openaire.eu/schema/oaire/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<dc:title xml:lang="ja">論文</dc:title><dc:title xml:lang="ja-Kana">ロンブン</dc:title>
<jpcoar:creator><jpcoar:creatorName xml:lang="ja">佐藤, 花子</jpcoar:creatorName></jpcoar:creator>
<dcterms:accessRights rdf:resource="${coar}/access_right/c_f1cf">embargoed access</dcterms:accessRights>
<datacite:date dateType="Available">2027-04-01</datacite:date>
<dc:language>jpn</dc:language>
<dc:type rdf:resource="${coar}/resource_type/c_db06">doctoral thesis</dc:type>
<oaire:version rdf:resource="${coar}/version/c_970fb48d4fbd8a85">VoR</oaire:version>
<jpcoar:identifier identifierType="HDL">https://hdl.handle.net/2433/1</jpcoar:identifier>
<jpcoar:sourceIdentifier identifierType="PISSN">1234-567X</jpcoar:sourceIdentifier>
<jpcoar:pageStart>3</jpcoar:pageStart>
<dcndl:dissertationNumber xmlns:dcndl="http://ndl.go.jp/dcndl/terms/">甲第1号</dcndl:dissertationNumber>
<dcndl:degreeName xmlns:dcndl="http://ndl.go.jp/dcndl/terms/" xml:lang="ja">博士</dcndl:degreeName>
<dcndl:dateGranted xmlns:dcndl="http://ndl.go.jp/dcndl/terms/">2026-03-23</dcndl:dateGranted>
<jpcoar:degreeGrantor/>
<jpcoar:file><jpcoar:URI objectType="fulltext">https://x.example.org/a.pdf</jpcoar:URI><jpcoar:mimeType>application/pdf</jpcoar:mimeType></jpcoar:file>
</jpcoar:jpcoar>`;

describe('JPCOAR: what IRDB refuses, and what its schema does', () => {
  test('a record that is right has no finding', () => {
    expect(faultsOf(good, judgeJpcoar)).toEqual([]);
  });

  test.each([
    ['irdb-title', /<dc:title.*<\/dc:title>/, ''],
    ['irdb-title', 'xml:lang="ja-Kana"', 'xml:lang="ja"'],
    ['irdb-kana', '<dc:title xml:lang="ja">', '<dc:title xml:lang="en">'],
    ['irdb-type', 'resource_type/', 'genre/'],
    ['irdb-thesis-creator', /<jpcoar:creator>.*<\/jpcoar:creator>/, ''],
    ['jpcoar-doctoral', /<dcndl:dateGranted.*<\/dcndl:dateGranted>/, ''],
    ['jpcoar-identifier', 'https://hdl.handle.net/2433/1', '2433/1'],
    ['jpcoar-identifier', /<jpcoar:identifier .*<\/jpcoar:identifier>/, ''],
    ['jpcoar-order', /(<dc:language>.*)\n(<dc:type.*)/, '$2\n$1'],
    ['jpcoar-order', '<jpcoar:degreeGrantor/>', '<jpcoar:degree/>'],
    ['jpcoar-language', '>jpn<', '>ja<'],
    ['jpcoar-language', 'xml:lang="ja"', 'xml:lang="en_US"'],
    ['jpcoar-names', 'creatorName xml:lang="ja"', 'creatorName'],
    ['jpcoar-access', 'c_f1cf', 'c_abf2'],
    ['jpcoar-access', 'dateType="Available"', 'dateType="Issued"'],
    ['jpcoar-version', '>VoR<', '>AM<'],
    ['jpcoar-numbers', '>3<', '>e12<'],
    ['jpcoar-issn', 'PISSN', 'ISSN'],
    ['jpcoar-file', ' objectType="fulltext"', ''],
  ])('%s: %s', (check, from, to) => {
    const text = good.replace(from, to);
    expect(text).not.toBe(good);
    expect(faultsOf(text, judgeJpcoar).map((fault) => fault.split(':')[0])).toContain(check);
  });
});

const openaire = `<oaire:resource xmlns:oaire="http://namespace.openaire.eu/schema/oaire/" xmlns:datacite="http://datacite.org/schema/kernel-4">
<datacite:titles><datacite:title>One</datacite:title></datacite:titles>
<datacite:creators><datacite:creator/></datacite:creators>
<datacite:dates><datacite:date dateType="Issued">2026-03</datacite:date></datacite:dates>
<oaire:resourceType uri="${coar}/resource_type/c_6501" resourceTypeGeneral="literature">journal article</oaire:resourceType>
<datacite:identifier identifierType="HANDLE">https://hdl.handle.net/2433/1</datacite:identifier>
<datacite:rights rightsURI="${coar}/access_right/c_abf2">open access</datacite:rights>
</oaire:resource>`;

describe('OpenAIRE: what has to be there, which its schema does not ask for', () => {
  test('a record that is right has no finding', () => {
    expect(faultsOf(openaire, judgeOpenaire)).toEqual([]);
  });

  test.each([
    ['openaire-title', '>One<', '> <'],
    ['openaire-creator', '<datacite:creator/>', ''],
    ['openaire-issued', 'Issued', 'Accepted'],
    ['openaire-issued', '2026-03', 'March 2026'],
    ['openaire-type', 'c_6501"', 'c 6501"'],
    ['openaire-type', 'literature', 'text'],
    ['openaire-identifier', ' identifierType="HANDLE"', ''],
    ['openaire-rights', 'c_abf2', 'c_0000'],
    ['openaire-rights', /<datacite:rights.*<\/datacite:rights>/, ''],
  ])('%s: %s', (check, from, to) => {
    const text = openaire.replace(from, to);
    expect(text).not.toBe(openaire);
    expect(faultsOf(text, judgeOpenaire).map((fault) => fault.split(':')[0])).toContain(check);
  });
});

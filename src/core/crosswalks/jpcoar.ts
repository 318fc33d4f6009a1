import { doiUri, handleUri } from '../descriptions/persistent-identifiers.ts';
import { flatDocument } from '../dspace/xml-document.ts';
import { about, type CrosswalkFinding, missing } from './finding.ts';
import type { Statement } from './statements.ts';
import { type Element, element, renderTree } from './tree.ts';
import { accessRights } from './vocabularies/coar-terms.ts';
import { isRegistered } from './vocabularies/identifiers.ts';
import type { Name } from './vocabularies/people.ts';
import type { Grant, Relation, Text, Work, WorkFile } from './work.ts';
import type { Written } from './written.ts';

export const jpcoarNamespace = 'https://github.com/JPCOAR/schema/blob/master/2.0/';
export const jpcoarSchema = 'https://github.com/JPCOAR/schema/blob/master/2.0/jpcoar_scm.xsd';

const document = flatDocument({
  name: 'jpcoar:jpcoar',
  namespaces: [
    ['jpcoar', jpcoarNamespace],
    ['dc', 'http://purl.org/dc/elements/1.1/'],
    ['dcterms', 'http://purl.org/dc/terms/'],
    // Not DataCite's own.
    ['datacite', 'https://schema.datacite.org/meta/kernel-4/'],
    ['oaire', 'http://namespace.openaire.eu/schema/oaire/'],
    ['dcndl', 'http://ndl.go.jp/dcndl/terms/'],
    ['rdf', 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'],
  ],
  schemaLocation: `${jpcoarNamespace} ${jpcoarSchema}`,
});

/**
 * A work in JPCOAR 2.0, its elements in the order of the schema. Without a title, a type and an identifier there is no
 * valid document, and none is written. `jpcoar:identifierRegistration` never is: it registers DOIs.
 */
export function toJpcoar(work: Work): Written {
  const findings: CrosswalkFinding[] = [];
  const identifiers = identifiersOf(work);
  const { type } = work;
  if (work.titles.length === 0) findings.push(missing('dc:title', 'M', 'It has no title.'));
  if (type === undefined) findings.push(missing('dc:type', 'M', 'It does not say what kind of work it is.'));
  if (identifiers.length === 0)
    findings.push(missing('jpcoar:identifier', 'M', 'It has no handle of its own and no landing page.'));
  if (findings.length > 0 || type === undefined) return { document: undefined, findings };
  const pages = (part: string) => wholeNumber(work.citation[part], `jpcoar:${part}`, findings);
  const elements: readonly Element[] = [
    ...texts('dc:title', work.titles),
    ...texts('dcterms:alternative', work.alternatives),
    ...work.creators.map((name) => element('jpcoar:creator', person('creatorName', name))),
    ...work.contributors.map(({ type: contributorType, name }) =>
      element('jpcoar:contributor', person('contributorName', name), { contributorType }),
    ),
    ...accessOf(work),
    ...work.licences.map(({ text, uri, language }) =>
      element('dc:rights', text, { ...inLanguage(language), 'rdf:resource': uri }),
    ),
    ...work.subjects.map(({ scheme, text, language }) =>
      element('jpcoar:subject', text, { 'xml:lang': language, subjectScheme: scheme }),
    ),
    ...work.descriptions.map(({ type: descriptionType, text, language }) =>
      element('datacite:description', text, { ...inLanguage(language), descriptionType }),
    ),
    ...texts('dc:publisher', work.publishers),
    ...work.dates.map(({ type: dateType, date }) => element('datacite:date', date, { dateType })),
    ...work.languages.map((code) => element('dc:language', code)),
    element('dc:type', type.jpcoar.label, { 'rdf:resource': type.jpcoar.uri }),
    ...(work.version
      ? [element('oaire:version', work.version.label, { 'rdf:resource': work.version.uri })]
      : []),
    ...identifiers,
    ...relationsOf(work),
    ...texts('dcterms:temporal', work.temporal),
    ...work.places.map((place) =>
      element('datacite:geoLocation', [element('datacite:geoLocationPlace', place)]),
    ),
    ...work.grants.map(funding),
    ...work.issns.map((issn) => element('jpcoar:sourceIdentifier', issn, { identifierType: 'ISSN' })),
    ...work.ncids.map((ncid) => element('jpcoar:sourceIdentifier', ncid, { identifierType: 'NCID' })),
    ...texts('dcterms:extent', work.extents),
    ...texts('jpcoar:sourceTitle', work.sourceTitles),
    ...stated('jpcoar:volume', work.citation.volume?.value),
    ...stated('jpcoar:issue', work.citation.issue?.value),
    ...stated('jpcoar:pageStart', pages('pageStart')),
    ...stated('jpcoar:pageEnd', pages('pageEnd')),
    ...stated('dcndl:dissertationNumber', work.dissertationNumber),
    ...texts('dcndl:degreeName', work.degreeNames),
    ...stated('dcndl:dateGranted', work.dateGranted),
    ...(work.degreeGrantors.length === 0
      ? []
      : [element('jpcoar:degreeGrantor', texts('jpcoar:degreeGrantorName', work.degreeGrantors))]),
    ...conferenceOf(work),
    ...work.files.map((file) => fileOf(file, work)),
  ];
  return { document: document.render(elements.map((one) => renderTree(one))), findings };
}

function texts(name: string, values: readonly Text[]): readonly Element[] {
  return values.map(({ text, language }) => element(name, text, inLanguage(language)));
}

/** Validators ask for one with every text: `und` is BCP 47's word for one that nobody has determined. */
function inLanguage(language: string | undefined): { readonly 'xml:lang': string } {
  return { 'xml:lang': language ?? 'und' };
}

function stated(name: string, value: string | undefined): readonly Element[] {
  return value === undefined ? [] : [element(name, value)];
}

function person(name: string, { text, language, isBody, orcid }: Name): readonly Element[] {
  const ids =
    orcid === undefined
      ? []
      : [
          element('jpcoar:nameIdentifier', orcid, {
            nameIdentifierScheme: 'ORCID',
            nameIdentifierURI: `https://orcid.org/${orcid}`,
          }),
        ];
  const nameType = isBody ? 'Organizational' : undefined;
  return [...ids, element(`jpcoar:${name}`, text, { ...inLanguage(language), nameType })];
}

function accessOf({ access }: Work): readonly Element[] {
  if (access === undefined) return [];
  const { label, uri } = accessRights[access];
  return [element('dcterms:accessRights', label, { 'rdf:resource': uri })];
}

function identifiersOf({ identifiers: { handle, ownDois, page } }: Work): readonly Element[] {
  const own = handle !== undefined && isRegistered(handle) ? handleUri(handle) : undefined;
  const found = [
    ...ownDois.map((doi) => ({ value: doiUri(doi), type: 'DOI' })),
    ...(own === undefined ? [] : [{ value: own, type: 'HDL' }]),
    ...(page === undefined || page === own ? [] : [{ value: page, type: typeOfPage(page) }]),
  ];
  return found.map(({ value, type }) => element('jpcoar:identifier', value, { identifierType: type }));
}

function typeOfPage(page: string): string {
  return page.startsWith('https://hdl.handle.net/') ? 'HDL' : 'URI';
}

function relationsOf({ identifiers: { otherDois }, version, relations, isbns }: Work): readonly Element[] {
  const toPublished =
    version?.label === 'AM' ? 'isVersionOf' : version?.label === 'VoR' ? 'isIdenticalTo' : undefined;
  return [
    ...otherDois.map((doi) => related(toPublished, 'DOI', doiUri(doi))),
    ...relations.map(relation),
    ...isbns.map((isbn) => related(undefined, 'ISBN', isbn)),
  ];
}

function relation({ type, identifier, text, language }: Relation): Element {
  if (identifier !== undefined) return related(type, identifier.type, identifier.value);
  return element('jpcoar:relation', [element('jpcoar:relatedTitle', text, inLanguage(language))], {
    relationType: type,
  });
}

function related(relationType: string | undefined, identifierType: string, value: string): Element {
  return element('jpcoar:relation', [element('jpcoar:relatedIdentifier', value, { identifierType })], {
    relationType,
  });
}

function funding({ funder, stream, number }: Grant): Element {
  const awardNumberType = /^JP\w+$/.test(number ?? '') ? 'JGN' : undefined;
  return element('jpcoar:fundingReference', [
    element('jpcoar:funderName', funder.text, inLanguage(funder.language)),
    ...(stream === undefined ? [] : [element('jpcoar:fundingStream', stream, inLanguage(funder.language))]),
    ...(number === undefined ? [] : [element('jpcoar:awardNumber', number, { awardNumberType })]),
  ]);
}

/** `e12` is a page, but no number. */
function wholeNumber(
  statement: Statement | undefined,
  name: string,
  findings: CrosswalkFinding[],
): string | undefined {
  if (statement === undefined) return undefined;
  if (/^0*[1-9]\d{0,17}$/.test(statement.value)) return statement.value;
  findings.push(about('dropped', name, statement, 'It is no whole number, which the schema asks for.'));
  return undefined;
}

function conferenceOf({ conference: { place, date } }: Work): readonly Element[] {
  const parts = [
    ...texts('jpcoar:conferenceDate', date ? [date] : []),
    ...texts('jpcoar:conferencePlace', place ? [place] : []),
  ];
  return parts.length === 0 ? [] : [element('jpcoar:conference', parts)];
}

function fileOf({ url, name, mediaType, length }: WorkFile, { type }: Work): Element {
  const general = type?.general;
  const objectType = general === 'dataset' || general === 'software' ? general : 'fulltext';
  return element('jpcoar:file', [
    element('jpcoar:URI', url, { objectType, label: name }),
    ...stated('jpcoar:mimeType', mediaType),
    ...stated('jpcoar:extent', length === undefined ? undefined : extentOf(length)),
  ]);
}

/** For people: `794 KB`. */
export function extentOf(octets: number): string {
  if (octets < 1024) return `${octets} bytes`;
  const kilobytes = octets / 1024;
  if (kilobytes < 1024) return `${Math.round(kilobytes)} KB`;
  const megabytes = kilobytes / 1024;
  if (megabytes < 1024) return `${Math.round(megabytes * 10) / 10} MB`;
  return `${Math.round((megabytes / 1024) * 10) / 10} GB`;
}

import { doiUri, handleUri } from '../descriptions/persistent-identifiers.ts';
import { flatDocument } from '../dspace/xml-document.ts';
import { relationTypes } from './field-rules.ts';
import { type CrosswalkFinding, missing } from './finding.ts';
import { type Element, element, renderTree } from './tree.ts';
import { accessRights } from './vocabularies/coar-terms.ts';
import { dayOf } from './vocabularies/dates.ts';
import { isRegistered, type TypedIdentifier } from './vocabularies/identifiers.ts';
import type { Name } from './vocabularies/people.ts';
import type { Grant, Text, Work, WorkFile } from './work.ts';
import type { Written } from './written.ts';

export const openaireNamespace = 'http://namespace.openaire.eu/schema/oaire/';
export const openaireSchema = 'https://www.openaire.eu/schema/repo-lit/4.0/openaire.xsd';

const document = flatDocument({
  name: 'oaire:resource',
  namespaces: [
    ['oaire', openaireNamespace],
    ['dc', 'http://purl.org/dc/elements/1.1/'],
    ['datacite', 'http://datacite.org/schema/kernel-4'],
  ],
  schemaLocation: `${openaireNamespace} ${openaireSchema}`,
});

/**
 * A work by OpenAIRE's guidelines for literature repositories 4.0. Its schema checks values, not what is there: without
 * a title, a type and an identifier none is written, and what else is mandatory and missing is a finding.
 */
export function toOpenaire(work: Work): Written {
  const findings: CrosswalkFinding[] = [];
  const [identifier, ...alternates] = identifiersOf(work);
  const { type } = work;
  if (work.titles.length === 0) findings.push(missing('datacite:title', 'M', 'It has no title.'));
  if (type === undefined)
    findings.push(missing('oaire:resourceType', 'M', 'It does not say what kind of work it is.'));
  if (identifier === undefined)
    findings.push(missing('datacite:identifier', 'M', 'It has no handle of its own and no landing page.'));
  if (type === undefined || identifier === undefined || work.titles.length === 0)
    return { document: undefined, findings };
  const elements: readonly Element[] = [
    element('datacite:titles', [
      ...texts('datacite:title', work.titles),
      ...work.alternatives.map(({ text, language }) =>
        element('datacite:title', text, { 'xml:lang': language, titleType: 'AlternativeTitle' }),
      ),
    ]),
    ...within(
      'datacite:creators',
      work.creators.map((name) => element('datacite:creator', person('creatorName', name))),
    ),
    ...within(
      'datacite:contributors',
      work.contributors.map(({ type: contributorType, name }) =>
        element('datacite:contributor', person('contributorName', name), { contributorType }),
      ),
    ),
    ...within('oaire:fundingReferences', work.grants.map(funding)),
    ...within(
      'datacite:alternateIdentifiers',
      alternates.map(({ type: alternateIdentifierType, value }) =>
        element('datacite:alternateIdentifier', value, { alternateIdentifierType }),
      ),
    ),
    ...within('datacite:relatedIdentifiers', relatedOf(work)),
    ...work.languages.map((code) => element('dc:language', code)),
    ...texts('dc:publisher', work.publishers),
    ...within(
      'datacite:dates',
      // The guidelines have days alone, and one on which it was published.
      datesOf(work).map(({ type: dateType, date }) => element('datacite:date', date, { dateType })),
    ),
    element('oaire:resourceType', type.openaire.label, {
      resourceTypeGeneral: type.general,
      uri: type.openaire.uri,
    }),
    ...texts('dc:description', work.descriptions),
    element('datacite:identifier', identifier.value, { identifierType: identifier.type }),
    ...accessOf(work),
    ...within(
      'datacite:subjects',
      work.subjects.map(({ scheme, text, language }) =>
        element('datacite:subject', text, {
          'xml:lang': language,
          subjectScheme: scheme === 'Other' ? undefined : scheme,
        }),
      ),
    ),
    ...texts('dc:coverage', work.temporal),
    ...work.places.map((place) =>
      element('datacite:geoLocations', [
        element('datacite:geoLocation', [element('datacite:geoLocationPlace', place)]),
      ]),
    ),
    ...within(
      'datacite:sizes',
      work.extents.map(({ text }) => element('datacite:size', text)),
    ),
    ...work.licences.map(({ text, uri }) => element('oaire:licenseCondition', text, { uri })),
    ...(work.version ? [element('oaire:version', work.version.label, { uri: work.version.uri })] : []),
    ...stated('oaire:citationTitle', work.sourceTitles[0]?.text),
    ...stated('oaire:citationVolume', work.citation.volume?.value),
    ...stated('oaire:citationIssue', work.citation.issue?.value),
    ...stated('oaire:citationStartPage', work.citation.pageStart?.value),
    ...stated('oaire:citationEndPage', work.citation.pageEnd?.value),
    ...stated('oaire:citationConferencePlace', work.conference.place?.text),
    ...stated('oaire:citationConferenceDate', work.conference.date?.text),
    ...work.files.map((file) => fileOf(file, work)),
  ];
  return { document: document.render(elements.map((one) => renderTree(one))), findings };
}

function texts(name: string, values: readonly Text[]): readonly Element[] {
  return values.map(({ text, language }) => element(name, text, { 'xml:lang': language }));
}

function stated(name: string, value: string | undefined): readonly Element[] {
  return value === undefined ? [] : [element(name, value)];
}

function within(name: string, content: readonly Element[]): readonly Element[] {
  return content.length === 0 ? [] : [element(name, content)];
}

function person(name: string, { text, isBody, orcid }: Name): readonly Element[] {
  return [
    element(`datacite:${name}`, text, { nameType: isBody ? 'Organizational' : undefined }),
    ...(orcid === undefined
      ? []
      : [
          element('datacite:nameIdentifier', orcid, {
            nameIdentifierScheme: 'ORCID',
            schemeURI: 'https://orcid.org',
          }),
        ]),
  ];
}

function funding({ funder, stream, number }: Grant): Element {
  return element('oaire:fundingReference', [
    element('oaire:funderName', funder.text),
    ...stated('oaire:fundingStream', stream),
    ...stated('oaire:awardNumber', number),
  ]);
}

function datesOf({ dates }: Work): Work['dates'] {
  const days = dates.map(({ type, date }) => ({ type, date: dayOf(date) }));
  return days.filter(
    ({ type, date }, place) =>
      days.findIndex((one) => one.type === type && (type === 'Issued' || one.date === date)) === place,
  );
}

function accessOf({ access }: Work): readonly Element[] {
  if (access === undefined) return [];
  const { label, uri } = accessRights[access];
  return [element('datacite:rights', label, { rightsURI: uri })];
}

/** The first is the one that the guidelines ask for; the others are of the same thing. */
function identifiersOf({ identifiers, version, isbns }: Work) {
  const { handle, ownDois, otherDois, page } = identifiers;
  const own = handle !== undefined && isRegistered(handle) ? handleUri(handle) : undefined;
  const main = [
    ...(own === undefined ? [] : [{ type: 'HANDLE', value: own }]),
    ...ownDois.map((doi) => ({ type: 'DOI', value: doiUri(doi) })),
    ...(page === undefined || page === own
      ? []
      : [{ type: page.startsWith('https://hdl.handle.net/') ? 'HANDLE' : 'URL', value: page }]),
  ];
  // A manuscript is not what has the publisher's DOI.
  const others = version?.label === 'AM' ? [] : otherDois.map((doi) => ({ type: 'DOI', value: doiUri(doi) }));
  if (main.length === 0) return [];
  return [...main, ...others, ...isbns.map((isbn) => ({ type: 'ISBN', value: isbn }))];
}

const typesOfIdentifiers: Readonly<Record<TypedIdentifier['type'], string>> = {
  DOI: 'DOI',
  HDL: 'Handle',
  ISBN: 'ISBN',
  ISSN: 'ISSN',
  arXiv: 'arXiv',
  PMID: 'PMID',
  URI: 'URL',
};

function relatedOf({ identifiers: { otherDois }, version, relations, issns }: Work): readonly Element[] {
  const related = (relationType: string, relatedIdentifierType: string, value: string) =>
    element('datacite:relatedIdentifier', value, { relatedIdentifierType, relationType });
  return [
    ...(version?.label === 'AM' ? otherDois.map((doi) => related('IsVersionOf', 'DOI', doiUri(doi))) : []),
    ...relations.flatMap(({ type, identifier }) => {
      const word = type === undefined ? undefined : relationTypes[type];
      if (word === undefined || identifier === undefined) return [];
      return related(word, typesOfIdentifiers[identifier.type], identifier.value);
    }),
    ...issns.map((issn) => related('IsPartOf', 'ISSN', issn)),
  ];
}

function fileOf({ url, mediaType }: WorkFile, { type }: Work): Element {
  const general = type?.general;
  const objectType =
    general === 'literature'
      ? 'fulltext'
      : general === 'dataset' || general === 'software'
        ? general
        : 'other';
  return element('oaire:file', url, {
    accessRightsURI: accessRights.open.uri,
    mimeType: mediaType,
    objectType,
  });
}

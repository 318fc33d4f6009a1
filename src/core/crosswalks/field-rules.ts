/** What a value says of a work; the part behind the colon is the term that both targets have for it. */
export interface FieldRule {
  readonly says: string;
  /** In the order in which they count; `*` at the end: every other qualifier. */
  readonly fields: readonly string[];
  /** The elements that it becomes; undefined: the target has none. */
  readonly jpcoar: string | undefined;
  readonly openaire: string | undefined;
  readonly note?: string;
}

/** What a field says that is to be left out. */
export const nothing = 'nothing';

const schemes = ['DDC', 'LCSH', 'LCC', 'MeSH', 'NDC', 'NDLC', 'NDLSH', 'BSH', 'UDC'] as const;

/** Words of JPCOAR 2.0 (`relationTypeVocab`); of DataCite those that it has, too. */
export const relationTypes: Readonly<Record<string, string | undefined>> = {
  isPartOf: 'IsPartOf',
  hasPart: 'HasPart',
  isVersionOf: 'IsVersionOf',
  hasVersion: 'HasVersion',
  references: 'References',
  isReferencedBy: 'IsReferencedBy',
  replaces: 'IsNewVersionOf',
  isReplacedBy: 'IsPreviousVersionOf',
  requires: 'Requires',
  isRequiredBy: 'IsRequiredBy',
  isFormatOf: 'IsVariantFormOf',
  hasFormat: 'IsOriginalFormOf',
};

const dateTypes = [
  ['Issued', 'issued'],
  ['Available', 'available'],
  ['Created', 'created'],
  ['Submitted', 'submitted'],
  ['Copyrighted', 'copyright'],
  ['Updated', 'updated'],
] as const;

/**
 * Which fields of a DSpace say what, and what becomes of them: the tables of JPCOAR 2.0 and of OpenAIRE's guidelines for
 * literature repositories 4, with the fields of DSpace's own registry and of Japanese repositories (as its `junii2.xsl`
 * and `oai_openaire.xsl` read them).
 */
export const fieldRules: readonly FieldRule[] = [
  {
    says: 'title',
    fields: ['dc.title'],
    jpcoar: 'dc:title',
    openaire: 'datacite:title',
    note: 'one for each language; a second one of the same language is an alternative title',
  },
  {
    says: 'alternative',
    fields: ['dc.title.alternative', 'dc.title.translated'],
    jpcoar: 'dcterms:alternative',
    openaire: 'datacite:title@AlternativeTitle',
  },
  {
    says: 'creator',
    fields: ['dc.contributor.author', 'dc.creator'],
    jpcoar: 'jpcoar:creator',
    openaire: 'datacite:creator',
    note: 'an ORCID in the authority, if its check digit is right',
  },
  ...contributors(),
  { says: 'rights', fields: ['dc.rights'], jpcoar: 'dc:rights', openaire: 'oaire:licenseCondition' },
  {
    says: 'rightsUri',
    fields: ['dc.rights.uri', 'dc.rights.license'],
    jpcoar: 'dc:rights@rdf:resource',
    openaire: 'oaire:licenseCondition@uri',
    note: 'licences of Creative Commons by their full names',
  },
  ...schemes.map((scheme) => ({
    says: `subject:${scheme}`,
    fields: [`dc.subject.${scheme.toLowerCase()}`],
    jpcoar: `jpcoar:subject@${scheme}`,
    openaire: `datacite:subject@${scheme}`,
  })),
  {
    says: 'subject:Other',
    fields: ['dc.subject', 'dc.subject.*'],
    jpcoar: 'jpcoar:subject@Other',
    openaire: 'datacite:subject',
  },
  {
    says: 'description:Abstract',
    fields: ['dc.description.abstract'],
    jpcoar: 'datacite:description@Abstract',
    openaire: 'dc:description',
  },
  {
    says: 'description:TableOfContents',
    fields: ['dc.description.tableofcontents'],
    jpcoar: 'datacite:description@TableOfContents',
    openaire: 'dc:description',
  },
  {
    says: 'description:Other',
    fields: ['dc.description', 'dc.description.*'],
    jpcoar: 'datacite:description@Other',
    openaire: 'dc:description',
  },
  { says: 'publisher', fields: ['dc.publisher'], jpcoar: 'dc:publisher', openaire: 'dc:publisher' },
  ...dateTypes.map(([type, qualifier]) => ({
    says: `date:${type}`,
    fields: [`dc.date.${qualifier}`],
    jpcoar: `datacite:date@${type}`,
    openaire: `datacite:date@${type}`,
  })),
  {
    says: 'language',
    fields: ['dc.language.iso', 'dc.language'],
    jpcoar: 'dc:language',
    openaire: 'dc:language',
    note: 'as ISO 639-3',
  },
  {
    says: 'type:NII',
    fields: ['dc.type.nii'],
    jpcoar: 'dc:type',
    openaire: 'oaire:resourceType',
    note: 'before dc.type, because it says more',
  },
  { says: 'type', fields: ['dc.type'], jpcoar: 'dc:type', openaire: 'oaire:resourceType' },
  {
    says: 'version',
    fields: ['oaire.version', 'dc.type.version', 'dc.description.version', 'dc.textversion'],
    jpcoar: 'oaire:version',
    openaire: 'oaire:version',
    note: 'only words that name one of COAR',
  },
  {
    says: 'doi',
    fields: ['dc.identifier.doi', 'dc.relation.doi'],
    jpcoar: 'jpcoar:relation (jpcoar:identifier for the own prefix)',
    openaire: 'datacite:relatedIdentifier or datacite:alternateIdentifier',
    note: 'isVersionOf for a manuscript, isIdenticalTo for the version of record',
  },
  ...Object.entries(relationTypes).map(([type, openaire]) => ({
    says: `relation:${type}`,
    fields: [`dc.relation.${type.toLowerCase()}`],
    jpcoar: `jpcoar:relation@${type}`,
    openaire: openaire && `datacite:relatedIdentifier@${openaire}`,
  })),
  {
    says: 'relation:inSeries',
    fields: ['dc.relation.ispartofseries'],
    jpcoar: 'jpcoar:relation@inSeries',
    openaire: undefined,
  },
  {
    says: 'relation',
    fields: ['dc.relation', 'dc.relation.uri'],
    jpcoar: 'jpcoar:relation',
    openaire: undefined,
    note: 'info:eu-repo/grantAgreement/… is a grant',
  },
  {
    says: 'isbn',
    fields: ['dc.identifier.isbn'],
    jpcoar: 'jpcoar:relation',
    openaire: 'datacite:alternateIdentifier',
  },
  { says: 'temporal', fields: ['dc.coverage.temporal'], jpcoar: 'dcterms:temporal', openaire: 'dc:coverage' },
  {
    says: 'spatial',
    fields: ['dc.coverage.spatial'],
    jpcoar: 'datacite:geoLocationPlace',
    openaire: 'datacite:geoLocationPlace',
  },
  {
    says: 'funder',
    fields: ['dc.description.sponsorship'],
    jpcoar: 'jpcoar:funderName',
    openaire: 'oaire:funderName',
  },
  {
    says: 'sourceIdentifier:ISSN',
    fields: ['dc.identifier.issn', 'dc.source.issn', 'dc.relation.issn'],
    jpcoar: 'jpcoar:sourceIdentifier@ISSN',
    openaire: 'datacite:relatedIdentifier@IsPartOf',
  },
  {
    says: 'sourceIdentifier:NCID',
    fields: ['dc.identifier.ncid', 'dc.source.ncid'],
    jpcoar: 'jpcoar:sourceIdentifier@NCID',
    openaire: undefined,
  },
  {
    says: 'sourceTitle',
    fields: ['dc.source.jtitle', 'oaire.citation.title', 'dc.bibliographicCitation.title'],
    jpcoar: 'jpcoar:sourceTitle',
    openaire: 'oaire:citationTitle',
    note: 'one for each language',
  },
  ...citation('volume', 'Volume', 'volume'),
  ...citation('issue', 'Issue', 'issue'),
  ...citation('pageStart', 'StartPage', 'spage', 'startPage', 'whole numbers alone in JPCOAR'),
  ...citation('pageEnd', 'EndPage', 'epage', 'endPage', 'whole numbers alone in JPCOAR'),
  {
    says: 'conferencePlace',
    fields: ['oaire.citation.conferencePlace'],
    jpcoar: 'jpcoar:conferencePlace',
    openaire: 'oaire:citationConferencePlace',
  },
  {
    says: 'conferenceDate',
    fields: ['oaire.citation.conferenceDate'],
    jpcoar: 'jpcoar:conferenceDate',
    openaire: 'oaire:citationConferenceDate',
  },
  {
    says: 'dissertationNumber',
    fields: ['dc.identifier.grantid'],
    jpcoar: 'dcndl:dissertationNumber',
    openaire: undefined,
  },
  {
    says: 'degreeName',
    fields: ['thesis.degree.name', 'dc.description.degreename'],
    jpcoar: 'dcndl:degreeName',
    openaire: undefined,
  },
  {
    says: 'degreeLevel',
    fields: ['thesis.degree.level'],
    jpcoar: 'dc:type',
    openaire: 'oaire:resourceType',
    note: 'which kind of thesis',
  },
  { says: 'dateGranted', fields: ['dc.date.granted'], jpcoar: 'dcndl:dateGranted', openaire: undefined },
  {
    says: 'degreeGrantor',
    fields: ['thesis.degree.grantor', 'dc.description.grantor'],
    jpcoar: 'jpcoar:degreeGrantor',
    openaire: undefined,
  },
  { says: 'extent', fields: ['dc.format.extent'], jpcoar: 'dcterms:extent', openaire: 'datacite:size' },
];

function contributors(): readonly FieldRule[] {
  const rule = (type: string, ...fields: readonly string[]) => ({
    says: `contributor:${type}`,
    fields,
    jpcoar: `jpcoar:contributor@${type}`,
    openaire: `datacite:contributor@${type}`,
  });
  return [
    rule('Supervisor', 'dc.contributor.advisor'),
    rule('Editor', 'dc.contributor.editor'),
    rule('Other', 'dc.contributor', 'dc.contributor.*'),
  ];
}

function citation(
  says: string,
  openaire: string,
  ofJapan: string,
  name = ofJapan,
  note?: string,
): readonly FieldRule[] {
  const fields = [`dc.source.${ofJapan}`, `oaire.citation.${name}`, `dc.bibliographicCitation.${name}`];
  return [
    {
      says,
      fields,
      jpcoar: `jpcoar:${says}`,
      openaire: `oaire:citation${openaire}`,
      ...(note !== undefined && { note }),
    },
  ];
}

import { below, type Outline, outlineOf } from '../../../src/core/descriptions/xml-outline.ts';

/**
 * What is wrong with a document of JPCOAR 2.0 by the rules that a validator of the field has beyond the schema
 * (masao/jpcoar-validator; IRDB's own for titles): each in our own words.
 */
export function brokenJpcoarRules(document: string): readonly string[] {
  const root = outlineOf(Buffer.from(document));
  if (root === undefined) return ['no document'];
  return [...textRules(root), ...vocabularyRules(root), ...identifierRules(root), ...everyNode(root)];
}

const withoutRepetition = ['title', 'sourceTitle', 'degreeName'];
const groups = ['creator', 'contributor', 'relation', 'fundingReference', 'degreeGrantor', 'conference'];
const inSomeLanguage = [
  ...['title', 'alternative', 'rights', 'description', 'publisher', 'sourceTitle', 'degreeName', 'extent'],
  ...['creatorName', 'contributorName', 'relatedTitle', 'funderName', 'fundingStream', 'degreeGrantorName'],
  ...['conferenceDate', 'conferencePlace'],
];

function textRules(root: Outline): readonly string[] {
  const repeated = withoutRepetition.filter((name) => isRepeated(below(root, name)));
  const inGroups = [
    ['creator', 'creatorName'],
    ['contributor', 'contributorName'],
    ['relation', 'relatedTitle'],
    ['fundingReference', 'funderName'],
    ['degreeGrantor', 'degreeGrantorName'],
    ['conference', 'conferencePlace'],
  ].filter(([group = '', name = '']) => below(root, group).some((one) => isRepeated(below(one, name))));
  const named = [root, ...below(root, 'creator', 'contributor')].flatMap((one) =>
    ['title', 'creatorName', 'contributorName'].map((name) => ({ name, found: below(one, name) })),
  );
  const readOnly = named.filter(({ found }) => {
    const languages = found.map(languageOf);
    return !languages.includes('ja') && languages.some((language) => /^ja-(?:Kana|Latn)$/.test(language));
  });
  const bare = [root, ...below(root, ...groups)].flatMap((one) =>
    below(one, ...inSomeLanguage).filter((text) => languageOf(text) === ''),
  );
  return [
    ...repeated.map((name) => `${name}: twice in a language`),
    ...inGroups.map(([, name]) => `${name}: twice in a language`),
    ...readOnly.map(({ name }) => `${name}: a reading of nothing`),
    ...bare.map(({ local }) => `${local}: in no language`),
  ];
}

function isRepeated(elements: readonly Outline[]): boolean {
  const languages = elements.map(languageOf);
  return new Set(languages).size < languages.length;
}

function languageOf({ attributes }: Outline): string {
  return attributes.get('lang') ?? '';
}

const access: Readonly<Record<string, string>> = {
  'embargoed access': 'c_f1cf',
  'metadata only access': 'c_14cb',
  'open access': 'c_abf2',
  'restricted access': 'c_16ec',
};
const versions: Readonly<Record<string, string>> = {
  AO: 'c_b1a7d7d4d402bcce',
  SMUR: 'c_71e4c1898caa6e32',
  AM: 'c_ab4af688f83e57aa',
  P: 'c_fa2ee174bc00049f',
  VoR: 'c_970fb48d4fbd8a85',
  CVoR: 'c_e19f295774971610',
  EVoR: 'c_dc82b40f9837b551',
  NA: 'c_be7fb7dd8ff6fe43',
};

function vocabularyRules(root: Outline): readonly string[] {
  const resource = ({ attributes }: Outline) => attributes.get('resource');
  const wrongAccess = below(root, 'accessRights').filter(
    (one) => resource(one) !== `http://purl.org/coar/access_right/${access[one.text]}`,
  );
  const isEmbargoed = below(root, 'accessRights').some(({ text }) => text === 'embargoed access');
  const hasEnd = below(root, 'date').some(({ attributes }) => attributes.get('dateType') === 'Available');
  const wrongVersion = below(root, 'version').filter(
    (one) => resource(one) !== `http://purl.org/coar/version/${versions[one.text]}`,
  );
  return [
    ...wrongAccess.map(({ text }) => `accessRights: ${text}`),
    ...(isEmbargoed && !hasEnd ? ['accessRights: no end of the embargo'] : []),
    ...wrongVersion.map(({ text }) => `version: ${text}`),
  ];
}

const patterns: Readonly<Record<string, RegExp>> = {
  DOI: /^https?:\/\/doi\.org\/10\./,
  HDL: /^https?:\/\/hdl\.handle\.net\//,
  ISSN: /^\d{4}-\d{3}[\dX]$/,
  NCID: /^[A-Z]{2}\d{7}[\dX]$/,
  PMID: /^\d+$/,
};

function identifierRules(root: Outline): readonly string[] {
  const typed = [
    ...below(root, 'identifier', 'sourceIdentifier'),
    ...below(root, 'relation').flatMap((one) => below(one, 'relatedIdentifier')),
  ];
  return typed
    .filter(({ attributes, text }) => {
      const pattern = patterns[attributes.get('identifierType') ?? ''];
      return text === '' || (pattern !== undefined && !pattern.test(text));
    })
    .map(({ attributes, text }) => `${attributes.get('identifierType')}: ${text}`);
}

function everyNode(root: Outline): readonly string[] {
  const registers = below(root, 'identifierRegistration').map(() => 'it registers a DOI');
  const names = [...below(root, 'creator'), ...below(root, 'contributor')].flatMap((one) =>
    below(one, 'nameIdentifier').filter(({ text }) => !/^\d{4}-\d{4}-\d{4}-\d{3}[\dX]$/.test(text)),
  );
  const types = below(root, 'contributor').filter(({ attributes }) => !attributes.has('contributorType'));
  const files = below(root, 'file').flatMap((one) =>
    below(one, 'URI').filter(({ attributes }) => !attributes.has('objectType')),
  );
  const extents = below(root, 'file').flatMap((one) =>
    below(one, 'extent').filter(({ text }) => !/\d/.test(text)),
  );
  return [
    ...registers,
    ...names.map(({ text }) => `nameIdentifier: ${text}`),
    ...types.map(() => 'contributor: of no type'),
    ...files.map(({ text }) => `URI: ${text} is of no type`),
    ...extents.map(({ text }) => `extent: ${text}`),
  ];
}

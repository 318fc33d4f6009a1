/** A term of a COAR vocabulary: what is written, and its URI. */
export interface Term {
  readonly label: string;
  readonly uri: string;
}

export type AccessRight = 'open' | 'embargoed' | 'restricted' | 'metadataOnly';

/** COAR Access Rights 1.0, http://vocabularies.coar-repositories.org/access_rights/; labels as JPCOAR 2.0 has them. */
export const accessRights: Readonly<Record<AccessRight, Term>> = {
  open: { label: 'open access', uri: 'http://purl.org/coar/access_right/c_abf2' },
  embargoed: { label: 'embargoed access', uri: 'http://purl.org/coar/access_right/c_f1cf' },
  restricted: { label: 'restricted access', uri: 'http://purl.org/coar/access_right/c_16ec' },
  metadataOnly: { label: 'metadata only access', uri: 'http://purl.org/coar/access_right/c_14cb' },
};

export const versionNames = ['AO', 'SMUR', 'AM', 'P', 'VoR', 'CVoR', 'EVoR', 'NA'] as const;
export type VersionName = (typeof versionNames)[number];

const versionPrefix = 'http://purl.org/coar/version/';

/** COAR Version Types 1.0, http://vocabularies.coar-repositories.org/version_types/. */
export const versions: Readonly<Record<VersionName, Term>> = {
  AO: { label: 'AO', uri: `${versionPrefix}c_b1a7d7d4d402bcce` },
  SMUR: { label: 'SMUR', uri: `${versionPrefix}c_71e4c1898caa6e32` },
  AM: { label: 'AM', uri: `${versionPrefix}c_ab4af688f83e57aa` },
  P: { label: 'P', uri: `${versionPrefix}c_fa2ee174bc00049f` },
  VoR: { label: 'VoR', uri: `${versionPrefix}c_970fb48d4fbd8a85` },
  CVoR: { label: 'CVoR', uri: `${versionPrefix}c_e19f295774971610` },
  EVoR: { label: 'EVoR', uri: `${versionPrefix}c_dc82b40f9837b551` },
  NA: { label: 'NA', uri: `${versionPrefix}c_be7fb7dd8ff6fe43` },
};

/** Other words for them: the terms of info:eu-repo as OpenAIRE's guidelines 4 relate them, and those of junii2. */
const versionWords: ReadonlyMap<string, VersionName> = new Map<string, VersionName>([
  ['draft', 'AO'],
  ['submittedversion', 'SMUR'],
  ['acceptedversion', 'AM'],
  ['publishedversion', 'VoR'],
  ['author', 'AM'],
  ['publisher', 'VoR'],
]);

/** @param stated a label, a COAR URI, `info:eu-repo/semantics/acceptedVersion`, or its last word */
export function readVersion(stated: string): Term | undefined {
  const text = stated.trim();
  const known = versionNames.find((name) => {
    const { uri } = versions[name];
    return text.toLowerCase() === name.toLowerCase() || text.replace(/^https:/, 'http:') === uri;
  });
  const word = text.replace(/^info:eu-repo\/semantics\//i, '').toLowerCase();
  const name = known ?? versionWords.get(word.replace(/\s+/g, ''));
  return name && versions[name];
}

import { element, xmlText } from './xml-text.ts';

/** What `Identify` says of a repository. */
export interface Identity {
  readonly name: string;
  readonly baseUrl: string;
  readonly adminEmails: readonly string[];
  /** ISO UTC seconds. */
  readonly earliest: string;
  /** Where its identifiers are `oai:<namespace>:…`, one of them. */
  readonly identifiers: { readonly namespace: string; readonly sample: string } | undefined;
  /** Other repositories that one may look at. */
  readonly friends: readonly string[];
  /** The address of the licence of its metadata. */
  readonly rights: string | undefined;
  /** The address of an image that services may show beside its records. */
  readonly icon?: string | undefined;
}

/** Tombstones stay (`persistent`); dates are those of seconds; gzip is what is written for who asks for it. */
export function* identifyXml(identity: Identity): Generator<string> {
  const { name, baseUrl, adminEmails, earliest, identifiers, friends, rights, icon } = identity;
  yield `<Identify>
${element('repositoryName', name)}
${element('baseURL', baseUrl)}
<protocolVersion>2.0</protocolVersion>
${adminEmails.map((email) => element('adminEmail', email)).join('\n')}
<earliestDatestamp>${notOnLeapDay(earliest)}</earliestDatestamp>
<deletedRecord>persistent</deletedRecord>
<granularity>YYYY-MM-DDThh:mm:ssZ</granularity>
<compression>gzip</compression>
`;
  if (identifiers)
    yield description(
      'oai-identifier',
      'http://www.openarchives.org/OAI/2.0/oai-identifier',
      `<scheme>oai</scheme>${element('repositoryIdentifier', identifiers.namespace)}<delimiter>:</delimiter>${element('sampleIdentifier', identifiers.sample)}`,
    );
  if (icon !== undefined)
    yield description(
      'branding',
      'http://www.openarchives.org/OAI/2.0/branding/',
      `<collectionIcon>${element('url', icon)}${element('title', name)}</collectionIcon>`,
      'http://www.openarchives.org/OAI/2.0/branding.xsd',
    );
  if (friends.length > 0)
    yield description(
      'friends',
      'http://www.openarchives.org/OAI/2.0/friends/',
      friends.map((friend) => element('baseURL', friend)).join(''),
      'http://www.openarchives.org/OAI/2.0/friends.xsd',
    );
  if (rights !== undefined)
    yield description(
      'rightsManifest',
      'http://www.openarchives.org/OAI/2.0/rights/',
      `<rights><rightsReference ref="${xmlText(rights)}"/></rights>`,
      'http://www.openarchives.org/OAI/2.0/rightsManifest.xsd',
      ' appliesTo="http://www.openarchives.org/OAI/2.0/entity#metadata"',
    );
  yield '</Identify>\n';
}

/** Default namespace on the element itself: validators look for it there. */
function description(
  name: string,
  namespace: string,
  content: string,
  schema = `${namespace}.xsd`,
  attributes = '',
): string {
  return `<description><${name} xmlns="${namespace}" xsi:schemaLocation="${namespace} ${schema}"${attributes}>${content}</${name}></description>\n`;
}

/** A validator takes a year away as text, and wants no error for the date that comes out. */
function notOnLeapDay(iso: string): string {
  return iso.replace(/-02-29T/, '-02-28T');
}

/** `repositoryIdentifier` of the scheme: labels that begin with letters, the last one of a real domain. */
export function isNamespace(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9-]*(?:\.[A-Za-z][A-Za-z0-9-]+)+$/.test(text);
}

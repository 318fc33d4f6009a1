import { attributeOf, type XmlElement } from '../answers/xml-element.ts';

/** The names of JPCOAR, whichever version: its own namespace ends in the number. */
export const namespaces = {
  dc: 'http://purl.org/dc/elements/1.1/',
  dcterms: 'http://purl.org/dc/terms/',
  datacite: 'https://schema.datacite.org/meta/kernel-4/',
  oaire: 'http://namespace.openaire.eu/schema/oaire/',
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  xml: 'http://www.w3.org/XML/1998/namespace',
} as const;

const own = /^https:\/\/github\.com\/JPCOAR\/schema\/blob\/master\/(\d\.\d)\/$/;

/** `2.0`; undefined: it is no payload of JPCOAR. */
export function versionOf({ namespace, local }: XmlElement): string | undefined {
  return local === 'jpcoar' ? own.exec(namespace)?.[1] : undefined;
}

/** Children of one name; `jpcoar` is the namespace of the payload itself. */
export function fieldsOf(
  element: XmlElement,
  space: keyof typeof namespaces | 'jpcoar',
  local: string,
): readonly XmlElement[] {
  return element.children.filter((child) => {
    const isOf = space === 'jpcoar' ? own.test(child.namespace) : child.namespace === namespaces[space];
    return isOf && child.local === local;
  });
}

/** Of `xml:lang`; empty where there is none. */
export function languageOf(element: XmlElement): string {
  return attributeOf(element, 'lang', namespaces.xml) ?? '';
}

/** Of `rdf:resource`. */
export function resourceOf(element: XmlElement): string | undefined {
  return attributeOf(element, 'resource', namespaces.rdf);
}

/** Top-level elements of JPCOAR 2.0 in their order; of two namespaces where both have the name. */
export const order: readonly string[] =
  `title alternative creator contributor accessRights rights rightsHolder subject description dc:publisher jpcoar:publisher
  datacite:date dcterms:date language type datacite:version oaire:version identifier identifierRegistration relation temporal
  geoLocation fundingReference sourceIdentifier edition volumeTitle originalLanguage extent format holdingAgent datasetSeries
  sourceTitle volume issue numPages pageStart pageEnd dissertationNumber degreeName dateGranted degreeGrantor conference file
  catalog`.split(/\s+/);

/** A place in `order`; -1: the element is none of the schema. */
export function placeOf({ namespace, local }: XmlElement): number {
  const plain = order.indexOf(local);
  if (plain >= 0) return plain;
  const space = own.test(namespace)
    ? 'jpcoar'
    : Object.entries(namespaces).find(([, uri]) => uri === namespace)?.[0];
  return order.indexOf(`${space}:${local}`);
}

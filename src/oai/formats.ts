import type { MetadataFormat, RepositoryInfo } from '../core/adapter.ts';
import { itemJsonProfile } from '../core/dspace/item-json.ts';
import type { OfferedFormat } from './lists.ts';
import { atomNamespace } from './ore/resource-map.ts';
import { isPrefix, oaiNamespace } from './protocol.ts';

/** What every repository has to offer (OAI-PMH §3.4). */
export const dublinCore = 'oai_dc';

/** Under which a repository offers the Resource Maps of its items. */
export const mapPrefix = 'ore';

/** OAI-ORE in Atom. Its schema says nothing but how such an entry can stand in a record. */
const resourceMaps: OfferedFormat = {
  prefix: mapPrefix,
  namespace: atomNamespace,
  schema: 'http://www.openarchives.org/OAI/2.0/atom_entry.xsd',
};

/**
 * The format of the Resource Maps that are made here, beside those that a source has.
 * @returns undefined where one of them is of that name, or in that namespace: by it a DSpace looks for Resource Maps, and
 * would find two
 */
export function mapFormatBeside(formats: readonly OfferedFormat[]): OfferedFormat | undefined {
  const isTaken = formats.some(
    ({ prefix, namespace }) => prefix === mapPrefix || namespace === resourceMaps.namespace,
  );
  return isTaken ? undefined : resourceMaps;
}

/** By namespace, where what repositories say is often wrong or gone. */
const schemas: Readonly<Record<string, string>> = {
  'http://www.openarchives.org/OAI/2.0/oai_dc/': 'http://www.openarchives.org/OAI/2.0/oai_dc.xsd',
  'http://purl.org/dc/terms/': 'http://dublincore.org/schemas/xmls/qdc/2006/01/06/dcterms.xsd',
  'http://www.loc.gov/mods/v3': 'http://www.loc.gov/standards/mods/v3/mods.xsd',
  'http://www.loc.gov/METS/': 'http://www.loc.gov/standards/mets/mets.xsd',
  'http://www.loc.gov/MARC21/slim': 'http://www.loc.gov/standards/marcxml/schema/MARC21slim.xsd',
  'http://namespace.openaire.eu/schema/oaire/': 'https://www.openaire.eu/schema/repo-lit/4.0/openaire.xsd',
};

/**
 * The formats of a source that OAI-PMH can offer, in its order: in XML, with a name that can be a `metadataPrefix`, in a
 * namespace that is not that of OAI-PMH itself. Undefined: Dublin Core is not among them, and nothing can be offered.
 */
export function offeredFormats(info: RepositoryInfo): readonly OfferedFormat[] | undefined {
  const offered = offeredAmong(info);
  return offered.some(({ prefix }) => prefix === dublinCore) ? offered : undefined;
}

/** The same, whether Dublin Core is among them or not. */
export function offeredAmong({ formats }: RepositoryInfo): readonly OfferedFormat[] {
  return formats.flatMap((format) => toOffered(format) ?? []);
}

function toOffered({
  name,
  namespace,
  schema,
  selected,
  offered,
}: MetadataFormat): OfferedFormat | undefined {
  if (!selected || !offered || !isPrefix(name)) return undefined;
  if (namespace === undefined || namespace === oaiNamespace || !isAddress(namespace)) return undefined;
  // What is deleted does not say any more that it was no XML.
  if (namespace === itemJsonProfile) return undefined;
  const known = schemas[namespace] ?? (schema !== undefined && isAddress(schema) ? schema : namespace);
  return { prefix: name, namespace, schema: known };
}

/** The schema of OAI-PMH takes any URI; one with blanks is none, whatever a repository says. */
function isAddress(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*:[\x21\x23-\x3b\x3d\x3f-\x5a\x5f\x61-\x7a~]+$/.test(text);
}

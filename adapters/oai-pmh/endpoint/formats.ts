import type { MetadataFormat } from '../../../src/core/adapter.ts';
import { fileRank } from '../files/index.ts';
import { isJpcoar } from '../namespaces/jpcoar.ts';
import { oaiNamespace } from '../namespaces/namespaces.ts';

/** Namespaces of payload roots that we know. */
const knownNamespaces: ReadonlySet<string> = new Set([
  'http://www.openarchives.org/OAI/2.0/oai_dc/',
  'http://purl.org/dc/terms/',
  'http://dspace.org/qualifieddc/',
  'http://www.bl.uk/namespaces/oai_dcq/',
  'http://irdb.nii.ac.jp/oai',
  'http://ju.nii.ac.jp/junii2',
  'http://irdb.nii.ac.jp/dspace-oai',
  'http://www.lyncode.com/xoai',
  'http://www.w3.org/2005/Atom',
  'http://www.openarchives.org/ore/atom/',
  'http://www.loc.gov/METS/',
  'urn:mpeg:mpeg21:2002:02-DIDL-NS',
  'http://www.rioxx.net/schema/v2.0/rioxx/',
  'http://www.rioxx.net/schema/v3.0/rioxx/',
  'http://namespace.openaire.eu/schema/oaire/',
  'http://datacite.org/schema/kernel-3',
  'http://datacite.org/schema/kernel-4',
  'http://schema.datacite.org/oai/oai-1.0/',
  'http://schema.datacite.org/oai/oai-1.1/',
  'http://www.loc.gov/mods/v3',
  'http://www.ndltd.org/standards/metadata/etdms/1.0/',
  'http://www.ndltd.org/standards/metadata/etdms/1.1/',
  'http://naca.central.cranfield.ac.uk/ethos-oai/2.0/',
  'http://www.loc.gov/MARC21/slim',
  'http://doaj.org/features/oai_doaj/1.0/',
  'https://www.openaire.eu/cerif-profile/1.1/',
  'https://www.openaire.eu/cerif-profile/1.2/',
  'http://www.dspace.org/xmlns/dspace/dim',
  'http://www.openarchives.org/OAI/2.0/rdf/',
  'http://oai.base-search.net/base_dc/',
  'http://www.openarchives.org/OAI/1.1/eprints',
]);

/** For lists that state another namespace, or none, for formats everybody knows (quirk 70). */
const knownNames =
  /^(?:oai_dc|jpcoar(?:_.+)?|junii2|qdc|mods|mets|xoai|oai_openaire|oai_datacite|marcxml|marc21)$/;

/** Where the profile is not the payload root's namespace (design notes, §3.1). */
const profiles: ReadonlyMap<string, string> = new Map([
  ['http://www.w3.org/2005/Atom', 'http://www.openarchives.org/ore/atom/'],
  ['http://dspace.org/qualifieddc/', 'http://purl.org/dc/terms/'],
  ['http://www.bl.uk/namespaces/oai_dcq/', 'http://purl.org/dc/terms/'],
]);
const rioxx3 = 'http://www.rioxx.net/schema/v3.0/rioxx/';

/** One `<metadataFormat>` as the repository states it. */
export interface DeclaredFormat {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly schema: string | undefined;
}

function isKnown({ name, namespace }: DeclaredFormat): boolean {
  return (
    (namespace !== undefined && (knownNamespaces.has(namespace) || isJpcoar(namespace))) ||
    knownNames.test(name)
  );
}

/** The configured formats; else those we know; else the one that every repository has to offer. */
export function selectFormats(
  declared: readonly DeclaredFormat[],
  configured: readonly string[] | undefined,
): readonly string[] {
  if (configured !== undefined && configured.length > 0) return [...new Set(configured)];
  const known = [...new Set(declared.filter(isKnown).map(({ name }) => name))];
  return known.length > 0 ? known : ['oai_dc'];
}

/** What the repository lists, in its order, then what will be asked for all the same. */
export function toMetadataFormats(
  declared: readonly DeclaredFormat[],
  configured: readonly string[] | undefined,
): readonly MetadataFormat[] {
  const selected = new Set(selectFormats(declared, configured));
  const offered = new Set(declared.map(({ name }) => name));
  const others = [...selected].filter((name) => !offered.has(name));
  return [
    ...declared.map((format) => ({
      ...format,
      selected: selected.has(format.name),
      offered: true,
      ...rankOf(format),
    })),
    ...others.map((name) => ({ name, selected: true, offered: false })),
  ];
}

function rankOf({ namespace }: DeclaredFormat): Pick<MetadataFormat, 'fileRank'> {
  const rank = namespace === undefined ? undefined : fileRank(namespace);
  return rank === undefined ? {} : { fileRank: rank };
}

/**
 * The URI that tells what a payload is: its own namespace. What the list of formats says of it is often copied from
 * another line (quirk 70), and claims nothing for a payload without one.
 */
export function profileOf(rootNamespace: string, format: string): string | undefined {
  const special = profiles.get(rootNamespace);
  if (special !== undefined) return special;
  if (rootNamespace !== '' && rootNamespace !== oaiNamespace) return rootNamespace;
  // DSpace's RIOXX 3 has no namespace of its own (quirk 86); what has fallen into the protocol's is not the protocol.
  return /^rioxx/.test(format) ? rioxx3 : undefined;
}

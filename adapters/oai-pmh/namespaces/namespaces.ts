export const oaiNamespace = 'http://www.openarchives.org/OAI/2.0/';
export const xsiNamespace = 'http://www.w3.org/2001/XMLSchema-instance';

/** Prefix to namespace. */
export type Namespaces = Readonly<Record<string, string>>;

/**
 * What these prefixes usually mean. That alone declares none: they are believed where a record names the namespace
 * itself, in its `xsi:schemaLocation` (quirk 85). A wrong guess would be worse than a quarantined record.
 */
export const wellKnownPrefixes: ReadonlyMap<string, string> = new Map([
  ['xsi', xsiNamespace],
  ['xlink', 'http://www.w3.org/1999/xlink'],
  ['rdf', 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'],
  ['rdfs', 'http://www.w3.org/2000/01/rdf-schema#'],
  ['skos', 'http://www.w3.org/2004/02/skos/core#'],
  ['foaf', 'http://xmlns.com/foaf/0.1/'],
  ['dc', 'http://purl.org/dc/elements/1.1/'],
  ['dcterms', 'http://purl.org/dc/terms/'],
  ['dcmitype', 'http://purl.org/dc/dcmitype/'],
  ['oai_dc', 'http://www.openarchives.org/OAI/2.0/oai_dc/'],
  ['qdc', 'http://dspace.org/qualifieddc/'],
  ['oai_qdc', 'http://worldcat.org/xmlschemas/qdc-1.0/'],
  ['base_dc', 'http://oai.base-search.net/base_dc/'],
  ['oai_doaj', 'http://doaj.org/features/oai_doaj/1.0/'],
  ['uketd_dc', 'http://naca.central.cranfield.ac.uk/ethos-oai/2.0/'],
  ['dcndl', 'http://ndl.go.jp/dcndl/terms/'],
  ['lido', 'http://www.lido-schema.org'],
  ['gmd', 'http://www.isotc211.org/2005/gmd'],
  ['gco', 'http://www.isotc211.org/2005/gco'],
  ['dim', 'http://www.dspace.org/xmlns/dspace/dim'],
  ['mods', 'http://www.loc.gov/mods/v3'],
  ['mets', 'http://www.loc.gov/METS/'],
  ['marc', 'http://www.loc.gov/MARC21/slim'],
  ['premis', 'http://www.loc.gov/standards/premis'],
  ['datacite', 'http://datacite.org/schema/kernel-4'],
  ['oaire', 'http://namespace.openaire.eu/schema/oaire/'],
  ['didl', 'urn:mpeg:mpeg21:2002:02-DIDL-NS'],
  ['dii', 'urn:mpeg:mpeg21:2002:01-DII-NS'],
  ['dip', 'urn:mpeg:mpeg21:2005:01-DIP-NS'],
  ['jpcoar', 'https://github.com/JPCOAR/schema/blob/master/2.0/'],
  ['rioxxterms', 'http://docs.rioxx.net/schema/v2.0/rioxxterms/'],
  ['ali', 'http://ali.niso.org/2014/ali/1.0'],
  ['ore', 'http://www.openarchives.org/ore/terms/'],
  ['atom', 'http://www.w3.org/2005/Atom'],
  ['oreatom', 'http://www.openarchives.org/ore/atom/'],
  ['edm', 'http://www.europeana.eu/schemas/edm/'],
]);

import { hashProperty, oreTerms, type ResourceMap } from './resource-map.ts';

/** Says what each name means, also to those who do not load the common one, which is no finished standard. */
const context = [
  'https://w3id.org/ore/context',
  {
    ore: oreTerms,
    dcterms: 'http://purl.org/dc/terms/',
    foaf: 'http://xmlns.com/foaf/0.1/',
    ResourceMap: 'ore:ResourceMap',
    Aggregation: 'ore:Aggregation',
    describes: { '@id': 'ore:describes', '@type': '@id' },
    isDescribedBy: { '@id': 'ore:isDescribedBy', '@type': '@id' },
    aggregates: { '@id': 'ore:aggregates', '@type': '@id', '@container': '@set' },
    similarTo: { '@id': 'ore:similarTo', '@type': '@id' },
    conformsTo: { '@id': 'dcterms:conformsTo', '@type': '@id' },
    page: { '@id': 'foaf:page', '@type': '@id' },
    title: 'dcterms:title',
    creator: 'dcterms:creator',
    modified: { '@id': 'dcterms:modified', '@type': 'http://www.w3.org/2001/XMLSchema#dateTime' },
    format: 'dcterms:format',
    extent: 'dcterms:extent',
    name: 'foaf:name',
    hash: `${hashProperty.namespace}${hashProperty.name}`,
  },
] as const;

/** The same as the Atom entry says, as JSON-LD. */
export function resourceMapJson(map: ResourceMap): object {
  const { aggregation, maps, title, authors, similarTo, page, creator, modified, aggregated } = map;
  return {
    '@context': context,
    '@id': maps.json,
    '@type': 'ResourceMap',
    modified,
    creator: { '@id': creator.uri, name: creator.name },
    describes: {
      '@id': aggregation,
      '@type': 'Aggregation',
      isDescribedBy: [maps.json, maps.atom],
      title:
        title.language === undefined ? title.text : { '@value': title.text, '@language': title.language },
      creator: authors.map((name) => ({ name })),
      page,
      ...(similarTo !== undefined && { similarTo }),
      aggregates: aggregated.map((one) => ({
        '@id': one.uri,
        title: one.title,
        ...(one.mediaType !== undefined && { format: one.mediaType }),
        ...(one.length !== undefined && { extent: one.length }),
        modified: one.modified,
        ...(one.hash !== undefined && { hash: one.hash }),
        ...(one.profile !== undefined && { conformsTo: one.profile }),
      })),
    },
  };
}

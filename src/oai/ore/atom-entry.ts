import { createHash } from 'node:crypto';
import { isXmlText, xmlText } from '../xml-text.ts';
import {
  type AggregatedResource,
  atomNamespace,
  hashProperty,
  mapTypes,
  oreTerms,
  type ResourceMap,
} from './resource-map.ts';

/**
 * A Resource Map as an Atom entry (ORE User Guide, Resource Map Implementation in Atom), so that a DSpace takes it for the
 * files of an item: its `OREIngestionCrosswalk` downloads whatever is aggregated, calls it by `title`, and puts it into
 * the bundle that a `dcterms:description` names, which it looks for only beside an `rdf:type`.
 * @returns one element, without an XML declaration
 */
export function atomEntry(map: ResourceMap): string {
  const { aggregation, maps, title, authors, creator, page, modified, aggregated } = map;
  const language =
    title.language === undefined || !isLanguage(title.language) ? '' : ` xml:lang="${title.language}"`;
  return `<entry xmlns="${atomNamespace}" xmlns:ore="${oreTerms}" xmlns:oreatom="http://www.openarchives.org/ore/atom/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:rs="${hashProperty.namespace}">
<id>${uuidOf(aggregation)}</id>
${link({ rel: 'self', href: maps.atom, type: mapTypes.atom })}
${link({ rel: `${oreTerms}describes`, href: aggregation })}
${link({ rel: 'alternate', href: page, type: 'text/html' })}
<category term="${oreTerms}Aggregation" scheme="${oreTerms}" label="Aggregation"/>
<title${language}>${xmlText(title.text)}</title>
${authors.map((name) => `<author><name>${xmlText(name)}</name></author>\n`).join('')}<updated>${modified}</updated>
<source><author><name>${xmlText(creator.name)}</name><uri>${xmlText(creator.uri)}</uri></author></source>
${aggregated.map((one) => `${aggregates(one)}\n`).join('')}<oreatom:triples>
${aboutAggregation(map)}${aggregated.map(aboutResource).join('')}</oreatom:triples>
</entry>
`;
}

function aggregates({ uri, title, mediaType, length }: AggregatedResource): string {
  // A DSpace looks the type up as it is: of nothing it finds nothing, of this one "unknown".
  const type = mediaType ?? 'application/octet-stream';
  return link({ rel: `${oreTerms}aggregates`, href: uri, type, title, length });
}

function aboutAggregation({ aggregation, maps, similarTo }: ResourceMap): string {
  const similar = similarTo === undefined ? '' : `<ore:similarTo rdf:resource="${xmlText(similarTo)}"/>`;
  return `<rdf:Description rdf:about="${xmlText(aggregation)}"><ore:isDescribedBy rdf:resource="${xmlText(maps.json)}"/>${similar}</rdf:Description>\n`;
}

function aboutResource({ uri, kind, modified, hash, profile }: AggregatedResource): string {
  const bundle = kind === 'file' ? 'ORIGINAL' : 'METADATA';
  const stated = hash === undefined ? '' : `<rs:hash>${xmlText(hash)}</rs:hash>`;
  const conforms = profile === undefined ? '' : `<dcterms:conformsTo rdf:resource="${xmlText(profile)}"/>`;
  return `<rdf:Description rdf:about="${xmlText(uri)}"><rdf:type rdf:resource="http://www.dspace.org/objectModel/DSpaceBitstream"/><dcterms:description>${bundle}</dcterms:description><dcterms:modified>${modified}</dcterms:modified>${stated}${conforms}</rdf:Description>\n`;
}

interface AtomLink {
  readonly rel: string;
  readonly href: string;
  readonly type?: string;
  readonly title?: string;
  readonly length?: number | undefined;
}

function link({ rel, href, type, title, length }: AtomLink): string {
  const typed = type === undefined || !isXmlText(type) ? '' : ` type="${xmlText(type)}"`;
  const named = title === undefined ? '' : ` title="${xmlText(title)}"`;
  const sized = length === undefined ? '' : ` length="${length}"`;
  return `<link rel="${rel}" href="${xmlText(href)}"${typed}${named}${sized}/>`;
}

/** `xs:language` */
function isLanguage(text: string): boolean {
  return /^[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*$/.test(text);
}

/** RFC 9562 §5.5 in the namespace of URLs: the same for the same address, and neither the Aggregation nor its map. */
function uuidOf(uri: string): string {
  const url = Buffer.from('6ba7b8119dad11d180b400c04fd430c8', 'hex');
  const bytes = createHash('sha1').update(url).update(uri).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
  return `urn:uuid:${parts.join('-')}`;
}

import fc from 'fast-check';
import { XmlDocument, type XmlElement } from 'libxml2-wasm';
import { describe, expect, test } from 'vitest';
import { findFiles } from '../../../adapters/oai-pmh/files/index.ts';
import { atomEntry } from '../../../src/oai/ore/atom-entry.ts';
import { resourceMapJson } from '../../../src/oai/ore/json-ld.ts';
import type { AggregatedResource, ResourceMap } from '../../../src/oai/ore/resource-map.ts';
import { runs } from '../../house/runs.ts';

const item = 'https://bridge.example.org/rs/kyushu/items/oai:x:1';
const file: AggregatedResource = {
  uri: `${item}/files/1-a.pdf`,
  kind: 'file',
  title: 'a.pdf',
  mediaType: 'application/pdf',
  length: 17,
  modified: '2026-11-20T08:00:00Z',
  hash: 'sha-256:00',
  profile: undefined,
};
const record: AggregatedResource = {
  ...file,
  uri: `${item}/oai_dc.xml`,
  kind: 'metadata',
  title: 'oai_dc',
  mediaType: 'application/xml',
  profile: 'http://www.openarchives.org/OAI/2.0/oai_dc/',
};
const map: ResourceMap = {
  aggregation: `${item}/aggregation`,
  maps: { atom: `${item}/resourcemap.atom`, json: `${item}/resourcemap.jsonld` },
  title: { text: '情報 & <so on>', language: 'ja' },
  authors: ['山田, 太郎', 'O’Hara "Q"'],
  similarTo: 'https://doi.org/10.5555/12345678',
  page: item,
  creator: { name: 'University of Example', uri: 'https://bridge.example.org/rs/' },
  modified: '2026-11-21T12:00:00Z',
  aggregated: [file, record],
};

const prefixes = {
  atom: 'http://www.w3.org/2005/Atom',
  ore: 'http://www.openarchives.org/ore/terms/',
  oreatom: 'http://www.openarchives.org/ore/atom/',
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  dcterms: 'http://purl.org/dc/terms/',
};

/** @returns what an XPath finds, as texts */
function reading<Result>(entry: string, read: (find: (path: string) => string[]) => Result): Result {
  const document = XmlDocument.fromString(entry);
  try {
    return read((path) => document.find(path, prefixes).map((node) => (node as XmlElement).content));
  } finally {
    document.dispose();
  }
}

/** The ways of DSpace's `OREIngestionCrosswalk` through an entry. */
function ingested(entry: string) {
  return reading(entry, (find) => ({
    page: find("/atom:entry/atom:link[@rel='alternate']/@href")[0],
    bitstreams: find(`/atom:entry/atom:link[@rel='${prefixes.ore}aggregates']/@href`).map((href) => {
      const link = `/atom:entry/atom:link[@href='${href}']`;
      const about = `/atom:entry/oreatom:triples/rdf:Description[@rdf:about='${href}'][1]`;
      const [type] = find(`${about}/rdf:type/@rdf:resource`);
      const isBitstream = type === 'http://www.dspace.org/objectModel/DSpaceBitstream';
      return {
        href,
        name: find(`${link}/@title`)[0],
        mime: find(`${link}/@type`)[0],
        bundle: isBitstream ? find(`${about}/dcterms:description`)[0] : 'ORIGINAL',
      };
    }),
  }));
}

describe('A Resource Map', () => {
  test('tells another bridge the files, and nothing else', () => {
    const found = findFiles('http://www.openarchives.org/ore/atom/', atomEntry(map));
    expect(found?.files).toMatchObject([
      { url: file.uri, name: 'a.pdf', mediaType: 'application/pdf', length: 17 },
    ]);
  });

  test('in Atom is what a DSpace downloads the files of an item by', () => {
    expect(ingested(atomEntry(map))).toEqual({
      page: item,
      bitstreams: [
        { href: file.uri, name: 'a.pdf', mime: 'application/pdf', bundle: 'ORIGINAL' },
        { href: record.uri, name: 'oai_dc', mime: 'application/xml', bundle: 'METADATA' },
      ],
    });
  });

  test('in Atom says of the Aggregation and of itself what ORE asks for', () => {
    const [id, again] = [map, map].map((one) =>
      reading(atomEntry(one), (find) => find('/atom:entry/atom:id')),
    );
    expect(id).toEqual(again);
    expect(id).toEqual([expect.stringMatching(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab]/)]);
    reading(atomEntry(map), (find) => {
      const link = (rel: string) => find(`/atom:entry/atom:link[@rel='${rel}']/@href`);
      expect(link('self')).toEqual([map.maps.atom]);
      expect(link(`${prefixes.ore}describes`)).toEqual([map.aggregation]);
      expect(find('/atom:entry/atom:category/@term')).toEqual([`${prefixes.ore}Aggregation`]);
      expect(find('/atom:entry/atom:title')).toEqual([map.title.text]);
      expect(find('/atom:entry/atom:title/@xml:lang')).toEqual(['ja']);
      expect(find('/atom:entry/atom:author/atom:name')).toEqual(map.authors);
      expect(find('/atom:entry/atom:source/atom:author/atom:name')).toEqual([map.creator.name]);
      expect(find('/atom:entry/atom:updated')).toEqual([map.modified]);
      expect(find('//ore:similarTo/@rdf:resource')).toEqual([map.similarTo]);
      expect(find('//ore:isDescribedBy/@rdf:resource')).toEqual([map.maps.json]);
      expect(find('//dcterms:conformsTo/@rdf:resource')).toEqual([record.profile]);
    });
  });

  test('in Atom can be read whatever a repository wrote', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(text, text, text, fc.option(text, { nil: undefined }), (title, name, type, language) => {
        const entry = atomEntry({
          ...map,
          title: { text: title, language },
          authors: [name],
          aggregated: [{ ...file, title: name, mediaType: type }],
        });
        expect(ingested(entry).bitstreams).toHaveLength(1);
      }),
      { numRuns: runs(100) },
    );
  });

  test('in JSON-LD says the same', () => {
    const json = JSON.parse(JSON.stringify(resourceMapJson(map)));
    expect(json).toMatchObject({
      '@id': map.maps.json,
      '@type': 'ResourceMap',
      modified: map.modified,
      describes: {
        '@id': map.aggregation,
        '@type': 'Aggregation',
        title: { '@value': map.title.text, '@language': 'ja' },
        similarTo: map.similarTo,
        isDescribedBy: [map.maps.json, map.maps.atom],
        aggregates: [
          { '@id': file.uri, title: 'a.pdf', format: 'application/pdf', extent: 17, hash: 'sha-256:00' },
          { '@id': record.uri, conformsTo: record.profile },
        ],
      },
    });
    const [, names] = json['@context'];
    for (const name of [...Object.keys(json.describes), ...Object.keys(json.describes.aggregates[1])])
      if (!name.startsWith('@')) expect(names).toHaveProperty(name);
  });
});

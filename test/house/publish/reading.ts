import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, inflateRawSync } from 'node:zlib';
import { expect } from 'vitest';
import { parseCatalog, readCatalogText, readPointer } from '../../../src/publish/disk/pointer.ts';
import {
  type Publication,
  type PublishedDocument,
  publicationRoot,
} from '../../../src/publish/published/publication.ts';

/** A document's text; both variants are read and must say the same. */
export async function textOf(publication: Publication, path: string): Promise<string> {
  const document = await publication.find(path);
  if (!document) throw new Error(`${path} is not published`);
  return textIn(document);
}

export async function textIn(document: PublishedDocument): Promise<string> {
  const plain = await buffer(document.plain.open(0, document.plain.length));
  expect(plain.length).toBe(document.plain.length);
  if (document.gzip) {
    const gzip = await buffer(document.gzip.open(0, document.gzip.length));
    expect(gunzipSync(gzip).equals(plain)).toBe(true);
    expect(firstMember(gzip)).toBe(gzip.length);
  }
  return plain.toString('utf8');
}

/** Octets of the first gzip member, which is all that some clients read. */
export function firstMember(gzip: Buffer): number {
  const { engine } = inflateRawSync(gzip.subarray(10), { info: true }) as unknown as {
    engine: { bytesWritten: number };
  };
  return 10 + engine.bytesWritten + 8;
}

/** Every document of a set, the closed ones and parts too, as the set's directory has them. */
export async function pathsOf(directory: string, set: string): Promise<readonly string[]> {
  const place = join(publicationRoot(directory), ...set.split('/'));
  const pointer = await readPointer(place);
  if (!pointer) return [];
  const catalogs = await Promise.all(
    pointer.catalogs.map(async (file) => parseCatalog(await readCatalogText(place, file))),
  );
  return [pointer.documents, ...catalogs].flatMap((documents) => Object.keys(documents)).sort();
}

/** `<change> <name>` of each entry of a list. */
export function entriesOf(text: string): readonly string[] {
  return [...text.matchAll(/<loc>[^<]*\/items\/([^/]*)\/[^<]*<\/loc>.*?(?:change="(\w+)"|<\/url>)/g)].map(
    ([, name, change]) => (change ? `${change} ${name}` : `${name}`),
  );
}

/** Attributes of the root's `rs:md`. */
export function rootOf(text: string): Record<string, string> {
  const [, attributes = ''] = /<rs:md ([^>]*)\/>/.exec(text) ?? [];
  return Object.fromEntries(
    [...attributes.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );
}

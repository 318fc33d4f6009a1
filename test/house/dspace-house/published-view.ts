import type { ResourceEntry } from '../../../src/store/reading/listing.ts';
import { readBlobs } from '../store/read-blob.ts';
import type { House } from './house.ts';
import { fileKey, type Showing, type Shown } from './public-view.ts';

/** The living resources of a house in the form of `publicView`. */
export async function publishedView(house: House): Promise<Showing> {
  const shown = new Map<string, Shown>();
  const entries = await house.resources();
  const hashes = entries.flatMap(({ path, hash }) => (isFile(path) || hash === undefined ? [] : hash));
  const contentOf = await readBlobs(house.database.reader, hashes);
  for (const entry of entries) {
    const { path, links } = entry;
    const key = keyOf(entry);
    if (shown.has(key)) throw new Error(`${key} is published twice`);
    const collections = links.filter(({ rel }) => rel === 'collection').map(({ href }) => href);
    shown.set(key, {
      kind: isFile(path) ? 'file' : 'metadata',
      collections: collections.sort(),
      says: isFile(path) ? factsOf(entry) : documentOf(entry, contentOf),
    });
  }
  return shown;
}

/** Its path; of a file, by which bitstream it is made from. */
export function keyOf({ path, links }: Pick<ResourceEntry, 'path' | 'links'>): string {
  const [item, name] = path.split('/files/');
  if (item === undefined || name === undefined) return path;
  const via = links.find(({ rel }) => rel === 'via')?.href ?? '';
  return fileKey(item, /bitstreams\/([^/]+)\//.exec(via)?.[1] ?? name);
}

function isFile(path: string): boolean {
  return path.includes('/files/');
}

function factsOf({ length, hash, mediaType }: ResourceEntry): unknown {
  return { length, hash, mediaType };
}

function documentOf(
  { path, hash = '' }: ResourceEntry,
  contentOf: (hash: string) => Uint8Array | undefined,
): unknown {
  const text = Buffer.from(contentOf(hash) ?? []).toString();
  if (path.endsWith('/dim.xml')) return dimOf(text);
  if (path.endsWith('/json.json')) return jsonOf(text);
  return [...text.matchAll(/<(?:dc|dcterms):title(?: [^>]*)?>([^<]*)</g)].map(([, value = '']) =>
    plainText(value),
  );
}

function dimOf(text: string): string[] {
  return [...text.matchAll(/<dim:field ([^>]*?)(?:>([^<]*)<\/dim:field>|\/>)/g)].map(
    ([, list = '', value = '']) => {
      const attributes = new Map(
        [...list.matchAll(/([\w:]+)="([^"]*)"/g)].map(([, name = '', is = '']) => [name, is]),
      );
      const name = ['mdschema', 'element', 'qualifier']
        .flatMap((part) => attributes.get(part) ?? [])
        .join('.');
      return `${name} [${attributes.get('lang') ?? attributes.get('xml:lang') ?? ''}] ${plainText(value)}`;
    },
  );
}

interface ItemJson {
  readonly uuid: string;
  readonly handle: string | null;
  readonly lastModified: string;
  readonly entityType: string | null;
  readonly metadata: Record<string, { value: string; language: string | null }[]>;
  readonly bitstreams: {
    uuid: string;
    name: string;
    sizeBytes: number;
    checkSum: { value: string };
    mimetype: string;
    sequenceId: number;
  }[];
  readonly collections: { uuid: string; name: string }[];
}

function jsonOf(text: string): unknown {
  const { uuid, handle, lastModified, entityType, ...json } = JSON.parse(text) as ItemJson;
  return {
    uuid,
    handle,
    lastModified,
    entityType,
    metadata: Object.entries(json.metadata).flatMap(([name, values]) =>
      values.map(({ value, language }) => `${name} [${language ?? ''}] ${value}`),
    ),
    bitstreams: json.bitstreams.map((file) => [
      file.uuid,
      file.name,
      file.sizeBytes,
      file.checkSum.value,
      file.mimetype,
      file.sequenceId,
    ]),
    collections: json.collections.map((collection) => [collection.uuid, collection.name]),
  };
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function plainText(escaped: string): string {
  return escaped
    .replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (_, hex, decimal, name) =>
      name === undefined
        ? String.fromCodePoint(Number.parseInt(hex ?? decimal, hex === undefined ? 10 : 16))
        : (entities[name] ?? `&${name};`),
    )
    .replace(/\r\n?/g, '\n');
}

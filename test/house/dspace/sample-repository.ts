import { partId, random, randomUuid } from './ids.ts';
import { type Bitstream, type Bundle, type Item, type ItemParts, type Metadata, plain } from './model.ts';
import { Repository } from './repository.ts';

export interface SampleOptions {
  /** How many, older versions included. */
  readonly items: number;
  readonly seed?: number;
  /** `all` (the default): something odd about every third item, see `oddities`. `open`: everything is public. */
  readonly mix?: 'all' | 'open';
  /** The first item gets so many files. */
  readonly manyBitstreams?: number;
  /** Octets of a file; 600 to 1600 unless told. */
  readonly fileSize?: number;
  /** Files of an open item; 1 unless told. */
  readonly filesEach?: number;
  readonly collections?: number;
  /** In ms; the last item was changed then, the others up to six years before. */
  readonly now?: number;
  readonly canonicalHandles?: boolean;
}

/** What is odd about the item whose index modulo 50 is this number; so fifty items have it all. */
export const oddities = {
  severalFiles: 0,
  embargoedItem: 3,
  privateItem: 6,
  withdrawn: 9,
  handleless: 12,
  mapped: 15,
  person: 18,
  /** Version 1 of the item after it. */
  olderVersion: 21,
  newerVersion: 22,
  controlCharacters: 24,
  sameNames: 27,
  restrictedFile: 30,
  embargoedFile: 33,
  metadataOnly: 36,
  restrictedItem: 39,
  project: 42,
  languages: 45,
  /** A publication whose author is the person thirty before it. */
  related: 48,
} as const;

export type Oddity = keyof typeof oddities;

const cycle = 50;
const byPlace = new Map<number, Oddity>(
  Object.entries(oddities).map(([name, place]) => [place, name as Oddity]),
);

/** The items of which this is true. */
export function itemsWith(repository: Repository, oddity: Oddity): Item[] {
  return repository.items.filter(({ number }) => (number - 1) % cycle === oddities[oddity]);
}

/**
 * A repository like many: the same options give the same ids, texts and bytes. A hundred thousand items take some 80 MB,
 * since texts and files are made when they are asked for.
 */
export function sampleRepository(options: SampleOptions): Repository {
  const seed = options.seed ?? 1;
  const now = options.now ?? Date.parse('2026-11-01T00:00:00Z');
  const canonicalHandles = options.canonicalHandles ?? false;
  const repository = new Repository({ seed, canonicalHandles });
  const ids = random(seed ^ 0x5eed);
  const count = options.collections ?? 6;
  const tops = ['Faculty of Science', 'Faculty of Arts'].map((name) => repository.addCommunity(name));
  const nested = tops.map((top, index) => repository.addCommunity(`Department ${index + 1}`, top));
  const parents = [...tops, ...nested];
  for (let index = 0; index < count; index += 1) {
    const parent = parents[index % parents.length];
    if (parent !== undefined) repository.addCollection(`Collection ${index + 1}`, parent);
  }
  const parts = partsOf(repository, options);
  const span = 6 * 365 * 86_400_000;
  for (let index = 0; index < options.items; index += 1) {
    const odd = oddityOf(index, options);
    const collection = repository.collections[index % count];
    if (collection === undefined) throw new Error('no collection');
    const previous = repository.items.at(-1);
    const handle =
      odd === 'handleless'
        ? undefined
        : odd === 'newerVersion'
          ? `${previous?.handle}.2`
          : repository.newHandle();
    const accessioned = Math.floor(now - span + ((index + 1) / options.items) * span);
    const item = repository.addItem(collection, parts, { handle, uuid: randomUuid(ids), silent: true });
    item.accessioned = accessioned;
    item.lastModified = accessioned + (index % 7) * 61;
    item.micros = (index * 561) % 1000;
    applyOddity(repository, item, odd, previous);
  }
  repository.rebuildIndex();
  return repository;
}

function applyOddity(
  repository: Repository,
  item: Item,
  odd: Oddity | undefined,
  previous: Item | undefined,
): void {
  if (odd !== undefined) item.entityType = 'Publication';
  switch (odd) {
    case 'embargoedItem':
      item.read = { embargoUntil: '2050-01-01' };
      break;
    case 'restrictedItem':
      item.read = { groups: ['staff'] };
      break;
    case 'privateItem':
      item.discoverable = false;
      break;
    case 'withdrawn':
      item.withdrawn = true;
      item.inArchive = false;
      break;
    case 'mapped': {
      const other = repository.collections.find((collection) => collection !== item.collection);
      if (other !== undefined) item.mapped = [other];
      break;
    }
    case 'person':
      item.entityType = 'Person';
      break;
    case 'project':
      item.entityType = 'Project';
      break;
    case 'newerVersion':
      if (previous !== undefined) repository.linkVersions(previous, item, 'Corrected table 2');
      break;
    case 'related': {
      const person = repository.itemByNumber(item.number - 30);
      if (person !== undefined) repository.relate(item, person);
      break;
    }
    default:
  }
}

/** What texts and files of an item are made from. */
interface Seedling {
  readonly item: Item;
  readonly number: number;
  readonly seed: number;
  readonly odd: Oddity | undefined;
  readonly options: SampleOptions;
  readonly repository: Repository;
}

function partsOf(repository: Repository, options: SampleOptions): ItemParts {
  const seedling = (item: Item): Seedling => ({
    item,
    number: item.number,
    seed: options.seed ?? 1,
    odd: oddityOf(item.number - 1, options),
    options,
    repository,
  });
  return { metadata: (item) => metadataOf(seedling(item)), bundles: (item) => bundlesOf(seedling(item)) };
}

function oddityOf(index: number, options: SampleOptions): Oddity | undefined {
  return options.mix === 'open' ? undefined : byPlace.get(index % cycle);
}

const vocabulary =
  'repository archive harvest metadata record thesis faculty index page soil climate river protein language history method survey model theory early modern urban growth evidence review clinical network graph energy water plant ocean labour market school'.split(
    ' ',
  );

interface Texts {
  readonly title: string;
  readonly authors: readonly (readonly [family: string, given: string])[];
  readonly abstract: string;
  readonly subjects: readonly string[];
}

/** What was drawn last: an item is asked for many times. */
const drawn = new Map<string, Texts>();
const mostDrawn = 1000;

function textsOf(seed: number, authors: number): Texts {
  const key = `${seed} ${authors}`;
  const known = drawn.get(key);
  if (known) return known;
  const next = random(seed);
  const word = () => vocabulary[Math.floor(next() * vocabulary.length)] ?? 'word';
  const sentence = (length: number) => Array.from({ length }, word).join(' ');
  const texts = {
    title: sentence(6),
    authors: Array.from({ length: authors }, () => [word(), word()] as const),
    abstract: `${capital(sentence(70))}.`,
    subjects: [word(), word()],
  };
  if (drawn.size >= mostDrawn) drawn.clear();
  drawn.set(key, texts);
  return texts;
}

function metadataOf({ item, number, seed, odd, repository }: Seedling): Metadata {
  const { handle, accessioned } = item;
  const texts = textsOf(seed * 7919 + (odd === 'newerVersion' ? number - 1 : number), 1 + (number % 3));
  const instant = `${new Date(accessioned).toISOString().slice(0, 19)}Z`;
  const title = `${texts.title} ${number}`;
  const metadata: Metadata = {};
  if (odd === 'person') {
    metadata['dc.title'] = [plain(`Person, ${texts.authors[0]?.[0]} ${number}`)];
    metadata['person.familyName'] = [plain('Person')];
    metadata['person.email'] = [plain(`p${number}@example.org`)];
  } else if (odd === 'project') {
    metadata['dc.title'] = [plain(`Project ${title}`)];
  } else {
    metadata['dc.contributor.author'] = texts.authors.map(([family, given]) =>
      plain(`${capital(family)}, ${capital(given)}`),
    );
    metadata['dc.title'] = [plain(odd === 'newerVersion' ? `${title}, corrected` : title, 'en')];
    metadata['dc.date.issued'] = [plain(`${1990 + (number % 36)}-0${1 + (number % 9)}`)];
    metadata['dc.description.abstract'] = [plain(texts.abstract, 'en')];
    metadata['dc.subject'] = texts.subjects.map((word) => plain(word, 'en'));
    metadata['dc.language.iso'] = [plain('en', '')];
    metadata['dc.publisher'] = [plain('Example University')];
    metadata['dc.type'] = [plain('Article', 'en')];
  }
  metadata['dc.date.accessioned'] = [plain(instant)];
  metadata['dc.date.available'] = [plain(instant)];
  metadata['dc.description.provenance'] = [plain(`Made available in DSpace on ${instant} (GMT).`, 'en')];
  if (handle !== undefined) metadata['dc.identifier.uri'] = [plain(`${repository.handleServer}/${handle}`)];
  if (odd === 'controlCharacters')
    metadata['dc.description.abstract'] = [
      plain('form\u000cfeed, \u0001 start & <b>bold</b>\r\nlone \ud800 \uffff end'),
    ];
  if (odd === 'languages')
    metadata['dc.title'] = [
      plain(title, 'en'),
      plain(`${title} auf Deutsch`, 'de'),
      plain('ohne Sprache', ''),
    ];
  if (odd !== undefined)
    metadata['dspace.entity.type'] = [
      plain(odd === 'person' ? 'Person' : odd === 'project' ? 'Project' : 'Publication'),
    ];
  return metadata;
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

function bundlesOf(seedling: Seedling): Bundle[] {
  const { number, odd, options } = seedling;
  if (odd === 'metadataOnly' || odd === 'person' || odd === 'project') return [];
  const original = filesOf(seedling);
  const bundles: Bundle[] = [{ uuid: partId(number, 0), name: 'ORIGINAL', bitstreams: original }];
  bundles.push({
    uuid: partId(number, 1),
    name: 'LICENSE',
    bitstreams: [
      file(seedling, 2, 'license.txt', 'text/plain', 1, () =>
        Buffer.from('NOTE: PLACE YOUR OWN LICENSE HERE'),
      ),
    ],
  });
  if (number % 4 === 0) {
    const text = file(seedling, 4, `${original[0]?.name}.txt`, 'text/plain', 3 + original.length, () =>
      Buffer.from('text'),
    );
    text.description = 'Extracted text';
    bundles.push({ uuid: partId(number, 3), name: 'TEXT', bitstreams: [text] });
  }
  if (odd === 'restrictedFile' && original[0]) original[0].read = { groups: ['staff'] };
  if (odd === 'embargoedFile' && original[0]) original[0].read = { embargoUntil: '2050-01-01' };
  if (odd === 'restrictedFile' && options.filesEach === undefined)
    original.push(file(seedling, 11, 'open.csv', 'text/csv', 9));
  return bundles;
}

function filesOf(seedling: Seedling): Bitstream[] {
  const { number, odd, options } = seedling;
  const count =
    number === 1 && options.manyBitstreams !== undefined
      ? options.manyBitstreams
      : odd === 'severalFiles'
        ? 4
        : odd === 'sameNames'
          ? 2
          : (options.filesEach ?? 1);
  const kinds = [
    ['pdf', 'application/pdf'],
    ['csv', 'text/csv'],
    ['jpg', 'image/jpeg'],
  ] as const;
  return Array.from({ length: count }, (_, index) => {
    const [extension, mimeType] = odd === 'sameNames' ? kinds[0] : (kinds[index % 3] ?? kinds[0]);
    const name = odd === 'sameNames' ? 'article.pdf' : `file ${index + 1} of ${number}.${extension}`;
    return file(seedling, 0x10 + index, name, mimeType, 2 + index);
  });
}

function file(
  { item, number, seed, odd, options }: Seedling,
  ordinal: number,
  name: string,
  mimeType: string,
  sequence: number,
  content?: () => Buffer,
): Bitstream {
  const of = odd === 'newerVersion' ? number - 1 : number;
  return {
    uuid: partId(number, ordinal),
    name,
    mimeType,
    description: undefined,
    sequence,
    read: 'anonymous',
    content: content ?? (() => bytes(seed, of, ordinal, mimeType, options.fileSize)),
    storedAt: item.accessioned,
  };
}

/** Different for every file, and quickly made. */
function bytes(seed: number, number: number, ordinal: number, mimeType: string, size?: number): Buffer {
  const length = size ?? 600 + ((number * 37 + ordinal * 11) % 1000);
  const head = `${mimeType === 'application/pdf' ? '%PDF-1.4\n%' : ''}${seed}/${number}/${ordinal}\n`;
  return Buffer.alloc(length, head);
}

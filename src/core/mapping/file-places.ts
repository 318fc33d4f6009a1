import { bitstreamOf } from '../addresses/bitstream-address.ts';
import { filePath } from '../uris.ts';
import type { FileOwner } from './mapping.ts';

/** As much of a file as tells which one it is. */
export interface PlacedFile {
  readonly url: string;
  readonly name: string;
  readonly sequence: number;
}

/** Where files of one item were published: paths by upstream URL, deleted ones included. */
export type KnownPlaces = ReadonlyMap<string, string>;

type Owner = Pick<FileOwner, 'source' | 'identifier'>;

/**
 * Which of the files have a place already, though perhaps under another upstream URL: a repository that is read by
 * another interface names the same files by other addresses. First the URL counts; then DSpace's key in it; then
 * number and name together, if the URL that had the place is not stated any more; and where the whole item has moved,
 * the name alone, if no other has it.
 * @param files everything that is stated of the item
 * @returns the former URL of each, by its URL now
 */
export function recognize(
  { source, identifier }: Owner,
  files: readonly PlacedFile[],
  before: KnownPlaces,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  if (before.size === 0) return found;
  const stated = new Set(files.map(({ url }) => url));
  for (const url of stated) if (before.has(url)) found.set(url, url);
  const isMove = found.size === 0;
  const orphans = new Map([...before].filter(([url]) => !stated.has(url)));

  const adopt = (keyOfOrphan: (url: string, path: string) => Key, keyOfFile: (file: PlacedFile) => Key) => {
    if (orphans.size === 0 || found.size === stated.size) return;
    const byKey = new Map<string, readonly string[]>();
    for (const [url, path] of orphans) {
      const key = keyOfOrphan(url, path);
      if (key !== undefined) byKey.set(key, [...(byKey.get(key) ?? []), url]);
    }
    const claims = new Map<string, string | undefined>();
    for (const file of files) {
      const key = found.has(file.url) ? undefined : keyOfFile(file);
      // What two of them claim is neither's.
      if (key !== undefined) claims.set(key, claims.has(key) ? undefined : file.url);
    }
    for (const [key, url] of claims) {
      const [former, another] = byKey.get(key) ?? [];
      if (url === undefined || former === undefined || another !== undefined) continue;
      found.set(url, former);
      orphans.delete(former);
    }
  };

  adopt(bitstreamOf, ({ url }) => bitstreamOf(url));
  adopt(
    (_, path) => path,
    ({ sequence, name }) => filePath(source, identifier, sequence, name),
  );
  if (isMove)
    adopt(
      (_, path) => withoutNumber(path),
      ({ name }) => withoutNumber(filePath(source, identifier, 1, name)),
    );
  return found;
}

type Key = string | undefined;

/**
 * Where the files of an item are published, in the order of `files`. A file keeps the address it had, even if
 * its name or its place in the list is another by now; an address that another file had is not given again.
 * @param recognized as of `recognize`
 */
export function placeFiles(
  { source, identifier }: Owner,
  files: readonly PlacedFile[],
  before: KnownPlaces,
  recognized: ReadonlyMap<string, string> = recognize({ source, identifier }, files, before),
): readonly string[] {
  const taken = new Set([...before.values()].map(sequenceIn));
  let highest = Math.max(0, ...taken, ...files.map(({ sequence }) => sequence));
  return files.map(({ url, name, sequence }) => {
    const known = before.get(recognized.get(url) ?? url);
    if (known !== undefined) return known;
    if (taken.has(sequence)) highest += 1;
    const free = taken.has(sequence) ? highest : sequence;
    taken.add(free);
    return filePath(source, identifier, free, name);
  });
}

const place = /\/files\/(\d+)-([^/]*)$/;

function sequenceIn(path: string): number {
  return Number(place.exec(path)?.[1] ?? 0);
}

function withoutNumber(path: string): Key {
  return place.exec(path)?.[2];
}

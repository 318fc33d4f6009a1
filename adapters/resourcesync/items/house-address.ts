import { fromSegment } from '../../../src/core/segment.ts';

/**
 * Addresses of a bridge say which item they are of (`core/uris.ts`), with or without links: one that another bridge
 * publishes keeps its identifier, and the number and name of each file.
 */
export interface HouseAddress {
  readonly identifier: string;
  readonly part:
    | { readonly kind: 'metadata'; readonly format: string }
    | { readonly kind: 'file'; readonly sequence: number; readonly name: string };
}

const house =
  /^(https?:\/\/[^?#]*?)\/items\/([^/?#]+)\/(?:files\/(\d{1,9})-([^/?#]+)|([^/?#]+)\.(?:xml|json))$/;

/**
 * @param set the Capability List, or whatever stands for it: where a set is one across sources, several may have items of
 * the same name
 */
export function readHouseAddress(loc: string, set: string): HouseAddress | undefined {
  const [, base, item, sequence, name, format] = house.exec(loc) ?? [];
  if (base === undefined || item === undefined) return undefined;
  const own = set.startsWith(`${base}/`);
  const identifier = own ? (fromSegment(item) ?? item) : `${base}/items/${item}`;
  if (format !== undefined)
    return { identifier, part: { kind: 'metadata', format: fromSegment(format) ?? format } };
  return {
    identifier,
    part: { kind: 'file', sequence: Number(sequence), name: fromSegment(name ?? '') ?? name ?? '' },
  };
}

/** Whether it is an address as a bridge gives it to a file. */
export function isFileOfHouse(url: string): boolean {
  return readHouseAddress(url, '')?.part.kind === 'file';
}

const collection = /^https?:\/\/[^?#]*\/collections\/([^/?#]+)$/;

/** What a link `collection` leads to: the key that a bridge made it from, or the address itself. */
export function collectionKey(href: string): string {
  const segment = collection.exec(href)?.[1];
  return (segment === undefined ? undefined : fromSegment(segment)) ?? href;
}

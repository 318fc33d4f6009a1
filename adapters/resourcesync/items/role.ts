import type { Statement } from '../../../src/resourcesync/reading/statement.ts';
import { maximumPayloadBytes } from '../reading/http-port.ts';
import { type HouseAddress, readHouseAddress } from './house-address.ts';

/**
 * What a resource is to its item. `metadata` describes something, and its bytes are read; `file` is described by
 * something else in the list; `plain` stands alone.
 */
export type Role = 'metadata' | 'file' | 'plain';

export interface Placed {
  readonly role: Role;
  /** Of its item; undefined: that is for whoever describes it to say. */
  readonly identifier: string | undefined;
  readonly house: HouseAddress | undefined;
}

/** @param set see `readHouseAddress` */
export function placeOf(statement: Statement, set: string): Placed {
  const { loc } = statement;
  const house = readHouseAddress(loc, set);
  if (house) return { role: house.part.kind, identifier: house.identifier, house };
  const describedBy = hrefs(statement, 'describedby');
  const describes = hrefs(statement, 'describes');
  if (describes.length === 0 && describedBy.length > 0) {
    const describer = describedBy.flatMap((href) => readHouseAddress(href, set) ?? [])[0];
    return { role: 'file', identifier: describer?.identifier, house: undefined };
  }
  if (describes.length > 0 || isStructured(statement))
    return {
      role: 'metadata',
      identifier: groupOf(loc, describes, hrefs(statement, 'alternate')),
      house: undefined,
    };
  return { role: 'plain', identifier: loc, house: undefined };
}

/**
 * Formats that describe one thing are one item; those that describe several name each other (`alternate`), or are on
 * their own.
 */
function groupOf(loc: string, describes: readonly string[], alternates: readonly string[]): string {
  const [thing, another] = new Set(describes);
  if (thing !== undefined && another === undefined) return thing;
  if (thing === undefined) return loc;
  return [loc, ...alternates].sort()[0] ?? loc;
}

const structured = /^(?:application|text)\/(?:[\w.+-]+\+)?(?:xml|json)$/;

/** XML and JSON that nothing describes is metadata, as far as it is no file by its size. */
function isStructured({ type, length, links }: Statement): boolean {
  if ((length ?? 0) > maximumPayloadBytes) return false;
  return (
    (type !== undefined && structured.test(type)) ||
    (type === undefined && links.some(({ rel }) => rel === 'profile'))
  );
}

export function hrefs({ links }: Pick<Statement, 'links'>, relation: string): readonly string[] {
  return links.flatMap(({ rel, href }) => (rel === relation ? href : []));
}

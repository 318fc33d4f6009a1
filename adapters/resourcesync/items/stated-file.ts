import type { SourceFile } from '../../../src/core/adapter.ts';
import { fileName } from '../../../src/core/signposting/file-name.ts';
import type { Statement } from '../../../src/resourcesync/reading/statement.ts';
import { hrefs, type Placed } from './role.ts';

/** A file as its own entry states it. */
export function statedFile(
  statement: Statement,
  { house }: Pick<Placed, 'house'>,
  sequence: number,
): SourceFile {
  const { loc, type, length, hashes, lastmod } = statement;
  const [via] = hrefs(statement, 'via');
  const own = house?.part.kind === 'file' ? house.part : undefined;
  const hash = bestHash(hashes);
  return {
    url: loc,
    name: own?.name ?? fileName(loc, type),
    sequence: own?.sequence ?? sequence,
    ...(type !== undefined && { mediaType: type }),
    ...(length !== undefined && { length }),
    ...(hash !== undefined && { hash }),
    // Whoever says how long it is, or what it adds up to, need not be asked first.
    ...((length !== undefined || hash !== undefined) && { access: 'open' as const }),
    ...(via !== undefined && { via }),
    ...(lastmod !== undefined && { lastModified: lastmod }),
  };
}

const known = ['sha-256', 'sha-1', 'md5'] as const;

function bestHash(hashes: readonly string[]): string | undefined {
  return known.flatMap((name) => hashes.find((hash) => hash.startsWith(`${name}:`)) ?? [])[0];
}

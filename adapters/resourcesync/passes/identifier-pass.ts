import type { IdentifierEntry, IdentifierPage } from '../../../src/core/adapter.ts';
import { BridgeError } from '../../../src/core/errors.ts';
import type { Statement } from '../../../src/resourcesync/reading/statement.ts';
import { formatName } from '../items/format-name.ts';
import { collectionKey } from '../items/house-address.ts';
import { plainFormat, plainOf } from '../items/plain-record.ts';
import { hrefs, placeOf } from '../items/role.ts';
import type { FollowedSet } from './followed-set.ts';
import { ListedResources } from './listed-resources.ts';

const entriesOnPage = 1_000;

/**
 * What the lists have of one item; nothing where it is in none of them.
 * @throws BridgeError where that cannot be told
 */
export async function entriesOf(followed: FollowedSet, identifier: string): Promise<readonly Statement[]> {
  const listed = await ListedResources.open(followed);
  const found: Statement[] = [];
  for await (const statement of listed.statements()) {
    if (statement.change === 'deleted') continue;
    const placed = placeOf(statement, followed.set.uri);
    const isFile = placed.role === 'file' && placed.identifier === undefined;
    const isOwn = isFile
      ? hrefs(statement, 'describedby').some((href) => found.some(({ loc }) => loc === href))
      : (placed.identifier ?? statement.loc) === identifier;
    // A file that nothing describes is an item by its own address.
    if (isOwn || statement.loc === identifier) found.push(statement);
  }
  const [doubt] = listed.doubts(true);
  if (found.length === 0 && doubt)
    throw new BridgeError('upstream-status', doubt.message, { retryable: true });
  return found;
}

/**
 * Who is there, format by format, without a request for any of it.
 * @param met is told of each entry with its item
 */
export async function* identifierPages(
  followed: FollowedSet,
  hasItems: boolean,
  met: (identifier: string, statement: Statement) => void,
): AsyncGenerator<IdentifierPage> {
  const listed = await ListedResources.open(followed);
  const byFormat = new Map<string, IdentifierEntry[]>();
  let files: Statement[] = [];
  for await (const statement of listed.statements()) {
    const placed = placeOf(statement, followed.set.uri);
    if (statement.change === 'deleted') continue;
    if (placed.role === 'file') {
      files.push(statement);
      if (files.length < entriesOnPage) continue;
      yield* alonePages(followed, files);
      files = [];
      continue;
    }
    const format = placed.role === 'plain' ? plainFormat.name : formatName(statement, placed);
    const identifier = placed.identifier ?? statement.loc;
    met(identifier, statement);
    const entries = byFormat.get(format) ?? [];
    byFormat.set(format, entries);
    entries.push(toEntry(identifier, statement));
    if (entries.length < entriesOnPage) continue;
    yield { format, entries, checkpoint: undefined, problems: [] };
    byFormat.delete(format);
  }
  for (const [format, entries] of byFormat) yield { format, entries, checkpoint: undefined, problems: [] };
  yield* alonePages(followed, files);
  const problems = listed.doubts(hasItems);
  if (problems.length > 0) yield { format: plainFormat.name, entries: [], checkpoint: undefined, problems };
}

/** Files that are items of their own here, for what should describe them never came. */
async function* alonePages(
  { holdings }: FollowedSet,
  files: readonly Statement[],
): AsyncGenerator<IdentifierPage> {
  const held = await holdings.items(files.map(({ loc }) => loc));
  const entries = files.flatMap((statement) => {
    const item = held.get(statement.loc);
    return item && plainOf(item) ? toEntry(statement.loc, statement) : [];
  });
  if (entries.length > 0) yield { format: plainFormat.name, entries, checkpoint: undefined, problems: [] };
}

function toEntry(identifier: string, statement: Statement): IdentifierEntry {
  return {
    identifier,
    datestamp: statement.lastmod,
    collections: hrefs(statement, 'collection').map(collectionKey),
    deleted: false,
  };
}

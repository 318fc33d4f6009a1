import type { Page, PageRequest, SourceItem } from '../../../src/core/adapter.ts';
import type { Statement } from '../../../src/resourcesync/reading/statement.ts';
import type { Assembly } from '../items/assembly.ts';
import { hrefs, placeOf } from '../items/role.ts';
import { inBatches } from './batches.ts';
import type { FollowedSet } from './followed-set.ts';
import { ListedResources } from './listed-resources.ts';

/** More files that nothing describes than this are found by reading the lists once more. */
const lostInMemory = 1_000;

/** Items from which files go, or that files become, on a page. */
const itemsAtATime = 100;

/**
 * Everything. Files that were listed before what describes them come last, and then go those that are listed no more.
 * @param hasItems whether there is anything in store
 */
export async function* fullPages(
  followed: FollowedSet,
  { checkpoint: from, mends }: PageRequest,
  hasItems: boolean,
): AsyncGenerator<Page> {
  const listed = await ListedResources.open(followed);
  const assembly = followed.assembly('list', mends);
  const asOf = listed.cursor;
  let done = from?.at === listed.at && typeof from?.done === 'number' ? from.done : 0;
  const isResumed = done > 0;
  const lost: Statement[] = [];
  let lostCount = 0;
  for await (const batch of inBatches(after(listed.statements(), done))) {
    const made = await assembly.assemble(batch, false);
    lostCount += made.lost.length;
    if (lost.length < lostInMemory) lost.push(...made.lost);
    done += batch.length;
    const { items, problems } = made;
    // What is lost is lost to a run that goes on behind it.
    yield { items, problems, checkpoint: lostCount === 0 ? { at: listed.at, done } : undefined, asOf };
  }
  const again = isResumed || lostCount > lost.length ? await ListedResources.open(followed) : undefined;
  for await (const batch of inBatches(again?.statements() ?? lost)) {
    const files = again ? batch.filter((statement) => statement.change !== 'deleted') : batch;
    const { items, problems } = await assembly.assembleFiles(files);
    if (items.length > 0 || problems.length > 0) yield { items, problems, checkpoint: undefined, asOf };
  }
  const problems = listed.doubts(hasItems);
  if (problems.length === 0) {
    if (!isResumed) followed.origins.settle();
    for await (const items of unmetItems(followed, assembly))
      yield { items, problems: [], checkpoint: undefined, asOf };
  }
  const unread = (followed.set.robots?.unread ?? []).map((why) => {
    return { code: 'endpoint-quirk', message: `a Sitemap of its robots.txt is left out: ${why}` } as const;
  });
  yield { items: [], problems: [...problems, ...unread], checkpoint: { at: listed.at, done: 0 }, asOf };
}

/**
 * Items without those of their files that a list does not have, and files that it has though it has nothing any more that
 * states them. Of those that were met too long before to be remembered the list is asked again.
 */
async function* unmetItems(followed: FollowedSet, assembly: Assembly): AsyncGenerator<readonly SourceItem[]> {
  const { awaited, forsaken } = assembly;
  if (awaited.isEmpty && forsaken.isEmpty) return;
  const again = await ListedResources.open(followed);
  for await (const statement of again.statements()) {
    if (statement.change === 'deleted') continue;
    awaited.meet(statement.loc, ...hrefs(statement, 'describes'));
    const { role, identifier } = placeOf(statement, followed.set.uri);
    if (role === 'metadata' && identifier !== undefined) forsaken.meet(identifier);
  }
  if (again.doubts(true).length > 0) return;
  for (const left of inParts(forsaken.left())) yield await assembly.ofTheirOwn(left);
  for (const left of inParts(awaited.left())) yield await assembly.without(left);
}

function* inParts<Value>(all: ReadonlyMap<string, Value>): Generator<ReadonlyMap<string, Value>> {
  const entries = [...all];
  for (let next = 0; next < entries.length; next += itemsAtATime)
    yield new Map(entries.slice(next, next + itemsAtATime));
}

async function* after(statements: AsyncIterable<Statement>, count: number): AsyncGenerator<Statement> {
  let index = 0;
  for await (const statement of statements) {
    index += 1;
    if (index > count) yield statement;
  }
}

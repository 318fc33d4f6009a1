import type { Page, PageRequest } from '../../../src/core/adapter.ts';
import type { Statement } from '../../../src/resourcesync/reading/statement.ts';
import type { AwaitedFiles } from '../items/awaited-files.ts';
import { inBatches } from './batches.ts';
import type { FollowedSet } from './followed-set.ts';
import { ListedResources } from './listed-resources.ts';

/** More files that nothing describes than this are found by reading the lists once more. */
const lostInMemory = 1_000;

/** Items from which files go, on a page. */
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
    for await (const gone of absentFiles(followed, assembly.awaited)) {
      yield { items: await assembly.without(gone), problems: [], checkpoint: undefined, asOf };
    }
  }
  yield { items: [], problems, checkpoint: { at: listed.at, done: 0 }, asOf };
}

/**
 * Files in store that a list does not have, by item: of those that were met too long before their item to be
 * remembered the list is asked again.
 */
async function* absentFiles(
  followed: FollowedSet,
  awaited: AwaitedFiles,
): AsyncGenerator<ReadonlyMap<string, readonly string[]>> {
  if (awaited.isEmpty) return;
  const again = await ListedResources.open(followed);
  for await (const statement of again.statements()) awaited.meet(statement);
  if (again.doubts(true).length > 0) return;
  const left = [...awaited.left()];
  for (let next = 0; next < left.length; next += itemsAtATime)
    yield new Map(left.slice(next, next + itemsAtATime));
}

async function* after(statements: AsyncIterable<Statement>, count: number): AsyncGenerator<Statement> {
  let index = 0;
  for await (const statement of statements) {
    index += 1;
    if (index > count) yield statement;
  }
}

import type { Checkpoint, Page } from '../../../src/core/adapter.ts';
import type { Statement } from '../../../src/resourcesync/reading/statement.ts';
import { inBatches } from './batches.ts';
import type { FollowedSet } from './followed-set.ts';
import { ListedResources } from './listed-resources.ts';

/** More files that nothing describes than this are found by reading the lists once more. */
const lostInMemory = 1_000;

/**
 * Everything. Files that were listed before what describes them come last.
 * @param hasItems whether there is anything in store
 */
export async function* fullPages(
  followed: FollowedSet,
  from: Checkpoint | undefined,
  hasItems: boolean,
): AsyncGenerator<Page> {
  const listed = await ListedResources.open(followed);
  const assembly = followed.assembly();
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
  yield { items: [], problems: listed.doubts(hasItems), checkpoint: { at: listed.at, done: 0 }, asOf };
}

async function* after(statements: AsyncIterable<Statement>, count: number): AsyncGenerator<Statement> {
  let index = 0;
  for await (const statement of statements) {
    index += 1;
    if (index > count) yield statement;
  }
}

/** Does `work` for every one of `items`, for at most `limit` of them at a time. The first failure ends it. */
export async function sideBySide<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  limit: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const waiting = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  let failed = false;
  const worker = async () => {
    try {
      for (let next = await waiting.next(); !failed && !next.done; next = await waiting.next()) {
        await work(next.value);
      }
    } catch (error) {
      failed = true;
      throw error;
    }
  };
  // All have ended before the failure of one is told: nothing goes on writing behind the caller's back.
  const ended = await Promise.allSettled(Array.from({ length: limit }, worker));
  for (const result of ended) if (result.status === 'rejected') throw result.reason;
}

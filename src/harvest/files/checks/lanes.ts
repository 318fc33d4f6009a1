/** Works on all of them, so many at a time; one that throws ends it when those under way are done. */
export async function inLanes<T>(
  values: Iterable<T>,
  lanes: number,
  work: (value: T) => Promise<void>,
): Promise<void> {
  const rest = values[Symbol.iterator]();
  let broken = false;
  const lane = async () => {
    for (let next = rest.next(); !broken && !next.done; next = rest.next()) {
      try {
        await work(next.value);
      } catch (error) {
        broken = true;
        throw error;
      }
    }
  };
  const results = await Promise.allSettled(Array.from({ length: lanes }, lane));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

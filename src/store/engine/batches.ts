/** As many bytes of payloads are in memory at a time; a payload that is larger comes alone. */
export const batchBytes = 8_388_608;

/**
 * In the same order, as much at a time as the limit allows, but one at least.
 * @param sizeOf what each counts against the limit; default: one
 */
export function* batches<T>(
  all: Iterable<T>,
  limit: number,
  sizeOf: (one: T) => number = () => 1,
): Generator<readonly T[]> {
  let batch: T[] = [];
  let size = 0;
  for (const one of all) {
    const more = sizeOf(one);
    if (batch.length > 0 && size + more > limit) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(one);
    size += more;
  }
  if (batch.length > 0) yield batch;
}

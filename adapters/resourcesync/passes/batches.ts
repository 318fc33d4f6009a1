import type { Statement } from '../../../src/resourcesync/reading/statement.ts';

/** Entries that become a page together, as many as there are, and as their bytes may lie in memory. */
const entriesAtATime = 100;
/** Whoever only tries an address looks at these alone. */
const firstEntries = 20;
const octetsAtATime = 16 * 1024 * 1024;
/** Of what states no length. */
const usualOctets = 100_000;

export async function* inBatches(
  statements: AsyncIterable<Statement> | Iterable<Statement>,
): AsyncGenerator<readonly Statement[]> {
  let batch: Statement[] = [];
  let octets = 0;
  let most = firstEntries;
  for await (const statement of statements) {
    batch.push(statement);
    octets += Math.min(statement.length ?? usualOctets, octetsAtATime);
    if (batch.length < most && octets < octetsAtATime) continue;
    yield batch;
    most = entriesAtATime;
    batch = [];
    octets = 0;
  }
  if (batch.length > 0) yield batch;
}

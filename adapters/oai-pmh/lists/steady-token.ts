import type { ChainState } from '../windows/checkpoint.ts';
import type { Pass } from '../windows/passes.ts';
import { ListResponse } from '../wire/list-response.ts';
import type { Answer } from './chain-page.ts';
import type { ListRequests } from './list-requests.ts';
import { PageBatch } from './page-batch.ts';

/**
 * Whether asking again has cost no page: a token may name "the next page" rather than a page, and then each request
 * goes on by one, those included whose answer never came (quirk 2).
 * Where a size is stated, that tells in the end, and nothing more is asked.
 * @param state of the list before this page
 */
export async function isSteady(
  { envelope, batch }: Answer<unknown>,
  state: ChainState,
  pass: Pass,
  requests: Pick<ListRequests<unknown>, 'answer'>,
): Promise<boolean> {
  const { delivered, listSize } = state;
  if (listSize !== undefined || envelope.token?.completeListSize !== undefined) return false;
  if (envelope.token?.cursor === delivered) return true;
  // Behind the end of a list, all pages are the same.
  if (envelope.errors.length > 0 || batch.count === 0) return false;
  const again = new PageBatch<never>(() => ({ entry: undefined, problem: undefined }));
  try {
    for await (const records of new ListResponse(await requests.answer(state), pass)) {
      for (const record of records) again.skip(record);
    }
  } catch {
    return false;
  }
  return again.digest === batch.digest;
}

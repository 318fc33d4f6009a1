import type { Page, PageRequest, SourceItem } from '../../../src/core/adapter.ts';
import { rawRecord } from '../../../src/core/problem.ts';
import { itemEmbeds } from '../items/item-reader.ts';
import { asUuid } from '../rest/json-value.ts';
import type { Bring, Brought } from '../search/brought.ts';
import { PageSize } from '../search/page-size.ts';
import type { SearchContext } from '../search/search.ts';
import type { Hit } from '../search/search-page.ts';
import { walkChanges } from './changes-walk.ts';
import { walkAll } from './full-walk.ts';
import { passesOf, type SearchPass } from './passes.ts';

export { findInSearch, type SearchContext } from '../search/search.ts';

/**
 * The public items with everything that is read of them: all, in the order of their UUIDs; or what may have changed
 * since `request.since`, by the upstream's own dates. Behind each page the sweep can be taken up again, whatever the
 * size of pages then is. A list that is shorter than the server says it is, is told as `list-doubtful`.
 * @throws BridgeError of the transport, RestError, `unknown-collection`, `upstream-protocol`
 */
export async function* sweep(
  context: SearchContext,
  { mode, since, checkpoint }: PageRequest,
  signal: AbortSignal,
): AsyncGenerator<Page, void, undefined> {
  const passes = await passesOf(context, signal);
  const pageSize = new PageSize(context.context.lessons);
  const walk = { context, passes, pageSize, bring: (pass: SearchPass) => items(context, pass) };
  const batches =
    mode === 'incremental' && since !== undefined
      ? walkChanges(walk, since, checkpoint, signal)
      : walkAll(walk, checkpoint, signal);
  for await (const { values, ...page } of batches) yield { ...page, items: values };
}

function items({ reader, identifierOf }: SearchContext, { earlier }: SearchPass): Bring<SourceItem> {
  return {
    embeds: itemEmbeds,
    async bring({ uuid, json, handle }: Hit, signal): Promise<Brought<SourceItem>> {
      if ((asUuid(json.uuid) ?? asUuid(json.id)) === undefined) {
        const identifier = identifierOf(handle, uuid);
        const message = `The search lists an item (${uuid}) without its data.`;
        return { problem: { code: 'record-quarantined', message, identifier } };
      }
      const read = await reader.read(json, signal);
      if ('problem' in read) return { problem: { ...read.problem, raw: rawRecord(JSON.stringify(json)) } };
      if ('hidden' in read) return {};
      // What is in several of the configured collections came with the first of them.
      return read.item.collections.some((key) => earlier.includes(key)) ? {} : { value: read.item };
    },
  };
}

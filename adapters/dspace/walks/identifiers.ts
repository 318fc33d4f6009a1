import type { IdentifierEntry, IdentifierPage, IdentifierRequest } from '../../../src/core/adapter.ts';
import { parseDatestamp } from '../../../src/core/datetime.ts';
import { asText } from '../rest/json-value.ts';
import type { Bring } from '../search/brought.ts';
import type { SearchContext } from '../search/search.ts';
import { walkChanges } from './changes-walk.ts';
import { walkAll } from './full-walk.ts';
import { passesOf } from './passes.ts';

/**
 * The identifiers of all public items, or of those that may have changed, by the same windows as `sweep`, without
 * anything embedded. An item in several of the configured collections may come several times.
 */
export async function* listIdentifiers(
  context: SearchContext,
  { since, checkpoint }: IdentifierRequest,
  signal: AbortSignal,
): AsyncGenerator<IdentifierPage, void, undefined> {
  const passes = await passesOf(context, signal);
  const walk = { context, passes, pageSize: undefined, bring: () => entries(context) };
  const batches =
    since === undefined ? walkAll(walk, checkpoint, signal) : walkChanges(walk, since, checkpoint, signal);
  // Whatever is published of an item comes at once: being listed stands for all its formats.
  const format = context.settings.formats?.[0] ?? 'oai_dc';
  for await (const batch of batches) {
    yield { format, entries: batch.values, checkpoint: batch.checkpoint, problems: batch.problems };
  }
}

function entries({ identifierOf }: Pick<SearchContext, 'identifierOf'>): Bring<IdentifierEntry> {
  return {
    embeds: [],
    async bring({ uuid, handle, json }) {
      if (json.withdrawn === true || json.discoverable === false || json.inArchive === false) return {};
      const datestamp = parseDatestamp(asText(json.lastModified) ?? '');
      return {
        value: { identifier: identifierOf(handle, uuid), datestamp, collections: [], deleted: false },
      };
    },
  };
}

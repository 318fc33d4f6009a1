import { itemPath } from '../../core/uris.ts';
import { findItems } from '../../store/reading/items.ts';
import type { ServerDeps } from '../deps.ts';
import { renderPage } from '../html/html.ts';
import { createReader } from '../words/reader.ts';
import { toItemPage } from './item-page.ts';
import { toItemView } from './items.ts';
import { toLivingItem } from './living-item.ts';

/** The page of an item, as whoever asks for it gets it. */
export interface RenderedItem {
  /** Below `baseUrl`. */
  readonly path: string;
  /** Undefined where nothing is published of it. */
  readonly page: string | undefined;
}

/** The pages of many items of a source, read together: one by one each takes half a dozen statements and a request. */
export async function* renderItemPages(
  deps: ServerDeps,
  source: string,
  identifiers: Iterable<string>,
): AsyncGenerator<RenderedItem> {
  const absent = new Set(identifiers);
  const reader = createReader(deps.pages?.language ?? 'en', deps.pages?.timeZone);
  for await (const items of findItems(deps.database.reader, source, [...absent])) {
    for (const item of items) {
      absent.delete(item.identifier);
      const living = item.resources.filter(({ deletedAt }) => deletedAt === undefined);
      const path = itemPath(source, item.identifier);
      if (living.length === 0) yield { path, page: undefined };
      else {
        const view = await toItemView(deps, await toLivingItem(deps, item, living));
        yield { path, page: renderPage(deps, toItemPage(view, reader), reader) };
      }
    }
  }
  for (const identifier of absent) yield { path: itemPath(source, identifier), page: undefined };
}

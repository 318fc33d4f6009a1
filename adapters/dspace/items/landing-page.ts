import { webUrl } from '../../../src/core/addresses/web-url.ts';
import type { DspaceItem } from '../../../src/core/dspace/dspace-item.ts';
import { statedPage } from '../../../src/core/dspace/stated-page.ts';
import { asText, type JsonObject } from '../rest/json-value.ts';

/** The item's landing page: as its metadata states it, else that of the user interface. */
export function landingPage(item: DspaceItem, root: JsonObject): string | undefined {
  const stated = statedPage(item.metadata);
  if (stated !== undefined) return stated;
  const ui = asText(root.dspaceUI)?.replace(/\/+$/, '');
  if (ui === undefined) return undefined;
  const kind =
    item.entityType === undefined ? 'items' : `entities/${encodeURIComponent(item.entityType.toLowerCase())}`;
  return webUrl(`${ui}/${kind}/${item.id}`)?.href;
}

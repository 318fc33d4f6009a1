import type { Page } from '../core/adapter.ts';
import { mapItem } from '../core/mapping/mapping.ts';
import type { MappedPage } from '../store/pages/store-page.ts';
import { fileRules } from './file-rules.ts';
import type { HarvestSource } from './harvest-source.ts';

/** A page as the store takes it. */
export function mapPage({ name, config, isCopy }: HarvestSource, page: Page): MappedPage {
  return {
    ...page,
    items: page.items.map((item) => mapItem(name, item)),
    patches: config.patches,
    ...(isCopy && { isCopy }),
    files: fileRules(config),
  };
}

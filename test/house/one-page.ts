import { itemPath } from '../../src/core/uris.ts';
import type { PageSource } from '../../src/export/site/pages.ts';

/** Pages that are all the same. */
export function onePage(content: Uint8Array): PageSource {
  return {
    read: async () => content,
    async *readItems(source, identifiers) {
      for (const identifier of identifiers) yield { path: itemPath(source, identifier), content };
    },
  };
}

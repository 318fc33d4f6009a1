import type { Extractor } from '../reading/extractor.ts';
import { fileUrl } from '../reading/file-url.ts';
import { looksLikeFile } from '../reading/link-kinds.ts';

/** Finding aids: digital archival objects (`dao`, `daoloc`) that look like a file; most lead to a page. */
export const ead: Extractor = (found) => ({
  open: (element) => {
    if (element.local !== 'dao' && element.local !== 'daoloc') return;
    const address = element.attribute('href') ?? '';
    const role = `${element.attribute('role') ?? ''} ${element.attribute('title') ?? ''}`;
    const url = fileUrl(address);
    if (url !== undefined && looksLikeFile(url) && !/thumb|preview/i.test(role)) found.add({ url: address });
  },
});

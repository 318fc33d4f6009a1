import type { Extractor } from '../reading/extractor.ts';
import { fileUrl } from '../reading/file-url.ts';
import { looksLikeFile } from '../reading/link-kinds.ts';

/** Learning objects: `technical/location`, where it looks like a file; most are pages. */
export const lom: Extractor = (found) => {
  const urls: string[] = [];
  const formats: string[] = [];
  return {
    close: ({ local, parent }, text) => {
      if (parent?.local !== 'technical' || text === '') return;
      if (local === 'location') urls.push(text);
      else if (local === 'format') formats.push(text);
    },
    end: () => {
      const paired = urls.length === formats.length;
      urls.forEach((address, index) => {
        const url = fileUrl(address);
        if (url === undefined || !looksLikeFile(url)) return;
        found.add({ url: address, mediaType: paired ? formats[index] : undefined });
      });
    },
  };
};

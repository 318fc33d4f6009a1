import type { Extractor } from '../reading/extractor.ts';

/** `fullTextURL`, once for each file; formats belong to them in their order where there are as many. */
export const junii2: Extractor = (found) => {
  const urls: string[] = [];
  const formats: string[] = [];
  let version: string | undefined;
  return {
    close: ({ local }, text) => {
      if (text === '') return;
      if (local === 'fullTextURL') urls.push(text);
      else if (local === 'format') formats.push(text);
      else if (local === 'textversion') version = text;
    },
    end: () => {
      const paired = formats.length === urls.length;
      urls.forEach((url, index) => {
        found.add({ url, mediaType: paired ? formats[index] : undefined, version });
      });
    },
  };
};

import type { Extractor } from '../reading/extractor.ts';
import { fileUrl } from '../reading/file-url.ts';
import type { StatedFile } from '../reading/found-files.ts';
import { isPreview } from '../reading/link-kinds.ts';

const ore = 'http://www.openarchives.org/ore/terms/';
const shown: ReadonlySet<string> = new Set(['hasView', 'downloadURL']);

/**
 * RDF/XML of Europeana (and its older ESE), ORE and DCAT: `edm:isShownBy`, `edm:hasView`, `ore:aggregates` and `dcat:downloadURL`.
 * `edm:object` is the preview, `edm:isShownAt` and `dcat:accessURL` are pages.
 */
export const rdf: Extractor = (found) => {
  const files: StatedFile[] = [];
  const types = new Map<string, string>();
  let distribution: { url?: string; mediaType?: string; length?: string } | undefined;
  const add = (file: StatedFile) => {
    const url = fileUrl(file.url);
    if (url !== undefined && !isPreview(url)) files.push(file);
  };
  return {
    open: ({ local }) => {
      if (local === 'Distribution') distribution = {};
    },
    close: (element, text) => {
      const { local } = element;
      const value = element.attribute('resource') ?? text;
      if (local === 'Distribution') {
        if (distribution?.url !== undefined) add({ ...distribution, url: distribution.url });
        distribution = undefined;
      } else if (distribution !== undefined) {
        if (local === 'downloadURL') distribution.url = value;
        else if (local === 'mediaType') distribution.mediaType = value;
        else if (local === 'byteSize') distribution.length = value;
      } else if (local === 'isShownBy')
        // Whatever its URL looks like, it is the best there is.
        files.push({ url: value });
      else if (shown.has(local) || (local === 'aggregates' && element.uri === ore)) add({ url: value });
      else if (local === 'format') types.set(element.parent?.attribute('about') ?? '', text);
    },
    end: () => {
      for (const file of files) found.add({ ...file, mediaType: file.mediaType ?? types.get(file.url) });
    },
  };
};

import type { Extractor } from '../reading/extractor.ts';
import type { StatedFile } from '../reading/found-files.ts';

const aggregates = 'http://www.openarchives.org/ore/terms/aggregates';

/**
 * A resource map as an Atom entry: what it aggregates are the files. DSpace's triples behind them name the bundle of
 * every bitstream; where they do, only ORIGINAL holds files.
 */
export const oreAtom: Extractor = (found) => {
  const links: StatedFile[] = [];
  const bundles = new Map<string, string>();
  return {
    open: (element) => {
      const rel = element.attribute('rel');
      if (element.local !== 'link' || (rel !== aggregates && rel !== 'enclosure')) return;
      links.push({
        url: element.attribute('href') ?? '',
        name: element.attribute('title'),
        mediaType: element.attribute('type'),
        length: element.attribute('length'),
      });
    },
    close: ({ local, parent }, text) => {
      const about = local === 'description' ? parent?.attribute('about') : undefined;
      if (about !== undefined) bundles.set(about, text);
    },
    end: () => {
      for (const link of links) {
        const bundle = bundles.get(link.url);
        if (bundle === undefined || !/^[A-Z][A-Z_-]+$/.test(bundle) || bundle === 'ORIGINAL') found.add(link);
      }
    },
  };
};

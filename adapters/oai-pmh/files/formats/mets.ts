import type { Extractor } from '../reading/extractor.ts';
import type { PayloadElement } from '../reading/payload-reader.ts';
import { readHash } from '../reading/stated-hash.ts';

/** DSpace's bundles that are made from the files or about them, and what others call their small pictures. */
const notFiles =
  /^(?:text|thumbnails?|thumbs?|teaser|preview|branded_preview|frontimage|icons?|(?:cc-)?licen[cs]e|ore|sword|metadata)$/i;

/** `fileSec//file/FLocat`; what a file is for stands at the file or at a group around it. */
export const mets: Extractor = (found) => {
  const located = new WeakSet<PayloadElement>();
  return {
    open: (element) => {
      if (element.local !== 'FLocat') return;
      const file = element.parent;
      if (file?.local !== 'file' || located.has(file) || isAside(file)) return;
      const added = found.add({
        url: element.attribute('href') ?? '',
        name: element.attribute('title') ?? file.attribute('LABEL'),
        mediaType: file.attribute('MIMETYPE'),
        length: file.attribute('SIZE'),
        hash: readHash(file.attribute('CHECKSUMTYPE'), file.attribute('CHECKSUM')),
        position: file.attribute('SEQ'),
      });
      // A second place of the same bytes is no second file.
      if (added) located.add(file);
    },
  };
};

function isAside(file: PayloadElement): boolean {
  for (let element: PayloadElement | undefined = file; element !== undefined; element = element.parent) {
    if (element.local !== 'file' && element.local !== 'fileGrp') return false;
    if (notFiles.test(element.attribute('USE') ?? '')) return true;
  }
  return false;
}

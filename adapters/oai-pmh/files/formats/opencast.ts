import type { Extractor } from '../reading/extractor.ts';
import { readHash } from '../reading/stated-hash.ts';

/** Opencast's media packages: tracks are the files; attachments are previews, catalogues are metadata. */
export const opencast: Extractor = (found) => {
  let track: { url: string; type?: string; hash?: string | undefined; size?: string } | undefined;
  return {
    open: ({ local }) => {
      if (local === 'track') track = { url: '' };
    },
    close: (element, text) => {
      const { local, parent } = element;
      if (local === 'track' && track !== undefined) {
        found.add({ url: track.url, mediaType: track.type, hash: track.hash, length: track.size });
        track = undefined;
      } else if (track !== undefined && parent?.local === 'track') {
        if (local === 'url') track.url = text;
        else if (local === 'mimetype') track.type = text;
        else if (local === 'size') track.size = text;
        else if (local === 'checksum') track.hash = readHash(element.attribute('type'), text);
      }
    },
  };
};

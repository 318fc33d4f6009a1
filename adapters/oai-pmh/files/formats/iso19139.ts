import type { Extractor } from '../reading/extractor.ts';
import { fileUrl } from '../reading/file-url.ts';
import { isPreview, looksLikeFile } from '../reading/link-kinds.ts';

/**
 * Geographic metadata (ISO 19139, 19115-3): online resources of the distribution whose protocol is a download, or that
 * look like a file. Map services, overview pictures and the pages of contacts stand elsewhere or have other protocols.
 */
export const iso19139: Extractor = (found) => {
  let online: { linkage?: string; protocol?: string; name?: string } | undefined;
  return {
    open: (element) => {
      if (element.local !== 'CI_OnlineResource') return;
      online = element.within('MD_DigitalTransferOptions') === undefined ? undefined : {};
    },
    close: (element, text) => {
      if (online === undefined) return;
      const { local, parent } = element;
      if (local === 'CI_OnlineResource') {
        const { linkage = '', protocol = '', name } = online;
        const url = fileUrl(linkage);
        const isDownload = /^WWW:DOWNLOAD/i.test(protocol);
        if (url !== undefined && !isPreview(url) && (isDownload || looksLikeFile(url))) {
          found.add({
            url: linkage,
            name: name !== undefined && /\.[A-Za-z0-9]{1,5}$/.test(name) ? name : undefined,
          });
        }
        online = undefined;
      } else if (text === '') return;
      else if (parent?.local === 'linkage') online.linkage ??= text;
      else if (parent?.local === 'protocol') online.protocol ??= text;
      else if (parent?.local === 'name') online.name ??= text;
    },
  };
};

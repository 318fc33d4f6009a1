import type { Extractor } from '../reading/extractor.ts';
import { fileUrl } from '../reading/file-url.ts';
import type { StatedFile } from '../reading/found-files.ts';
import { looksLikeFile } from '../reading/link-kinds.ts';

/**
 * DDI codebooks. Dataverse states data files and other materials, each with the URI to get it from; elsewhere other
 * materials of a study are as often pages about it.
 */
export const ddi: Extractor = (found) => {
  let file: { -readonly [Key in keyof StatedFile]: StatedFile[Key] } | undefined;
  let stated = false;
  return {
    open: (element) => {
      if (element.local === 'fileDscr' || element.local === 'otherMat') {
        file = { url: element.attribute('URI') ?? '' };
        stated = element.local === 'fileDscr' || element.attribute('level') === 'datafile';
      }
    },
    close: (element, text) => {
      const { local, parent } = element;
      if (file === undefined) return;
      if (local === 'fileDscr' || local === 'otherMat') {
        const url = fileUrl(file.url);
        if (url !== undefined && (stated || looksLikeFile(url))) found.add(file);
        file = undefined;
      } else if (local === 'fileName' || (local === 'labl' && parent?.local === 'otherMat'))
        file.name ??= text;
      else if (local === 'fileType') file.mediaType ??= text;
      else if (local === 'notes' && element.attribute('type') === 'DATAVERSE:CONTENTTYPE')
        file.mediaType = text;
    },
  };
};

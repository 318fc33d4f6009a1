import type { Extractor } from './extractor.ts';
import type { StatedFile } from './found-files.ts';

/** Dataverse's DDI codebooks: data files and other materials, each with the URI to get it from. */
export const ddi: Extractor = (found) => {
  let file: { -readonly [Key in keyof StatedFile]: StatedFile[Key] } | undefined;
  return {
    open: (element) => {
      if (element.local === 'fileDscr' || element.local === 'otherMat') {
        file = { url: element.attribute('URI') ?? '' };
      }
    },
    close: (element, text) => {
      const { local, parent } = element;
      if (file === undefined) return;
      if (local === 'fileDscr' || local === 'otherMat') {
        found.add(file);
        file = undefined;
      } else if (local === 'fileName' || (local === 'labl' && parent?.local === 'otherMat'))
        file.name ??= text;
      else if (local === 'fileType') file.mediaType ??= text;
      else if (local === 'notes' && element.attribute('type') === 'DATAVERSE:CONTENTTYPE')
        file.mediaType = text;
    },
  };
};

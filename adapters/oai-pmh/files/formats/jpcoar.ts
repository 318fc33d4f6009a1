import type { FileAccess } from '../../../../src/core/adapter.ts';
import type { Extractor } from '../reading/extractor.ts';
import { embargo, readAccess, readAvailableAt, type StatedAccess } from '../reading/stated-access.ts';

interface JpcoarFile {
  url: string;
  objectType: string;
  label: string | undefined;
  mediaType: string | undefined;
  available: string | undefined;
  version: string | undefined;
}

/**
 * JPCOAR 1.0 to 2.1: `file` below the root (a catalogue described within has its own). Everything is a file but a
 * thumbnail: abstracts and summaries of theses are documents that the law has universities publish.
 */
export const jpcoar: Extractor = (found) => {
  const files: JpcoarFile[] = [];
  let file: JpcoarFile | undefined;
  let rights: FileAccess | undefined;
  let available: string | undefined;
  let version: string | undefined;
  return {
    open: ({ local, depth }) => {
      if (local !== 'file' || depth !== 1) return;
      file = {
        url: '',
        objectType: '',
        label: undefined,
        mediaType: undefined,
        available: undefined,
        version: undefined,
      };
      files.push(file);
    },
    close: (element, text) => {
      const { local, depth } = element;
      if (depth === 1) {
        if (local === 'file') file = undefined;
        else if (local === 'accessRights')
          rights ??= readAccess(element.attribute('resource') ?? text) ?? readAccess(text);
        else if (local === 'date' && element.attribute('dateType') === 'Available') available ??= text;
        else if (local === 'version') version ??= element.attribute('resource') ?? text;
      } else if (depth === 2 && file !== undefined) {
        if (local === 'URI') {
          file.url = text;
          file.objectType = element.attribute('objectType')?.toLowerCase() ?? '';
          file.label = element.attribute('label');
        } else if (local === 'mimeType') file.mediaType = text;
        else if (local === 'date' && element.attribute('dateType') === 'Available') file.available = text;
        else if (local === 'version') file.version = text;
      }
    },
    end: () => {
      for (const { url, objectType, label, mediaType, available: ofFile, version: own } of files) {
        if (objectType === 'thumbnail') continue;
        // A number in the file's own version counts revisions; the record's tells a manuscript from print.
        found.add({
          url,
          name: nameOf(label),
          mediaType,
          access: accessOf(rights, ofFile, available),
          version: version ?? own,
        });
      }
    },
  };
};

/** A label is a name where it looks like one; else it is a word for people in a list. */
function nameOf(label: string | undefined): string | undefined {
  return label !== undefined && /\.[A-Za-z0-9]{1,5}$/.test(label) ? label : undefined;
}

/**
 * The record says who may read, the file from when on: a date to come makes an embargo of an open file, one that
 * has passed ends it. Restricted ones stay so.
 */
function accessOf(
  rights: FileAccess | undefined,
  ofFile: string | undefined,
  ofRecord: string | undefined,
): StatedAccess | undefined {
  if (rights === 'restricted') return { access: rights };
  const availableAt =
    readAvailableAt(ofFile) ?? (rights === 'embargoed' ? readAvailableAt(ofRecord) : undefined);
  if (availableAt !== undefined || rights === 'embargoed') return embargo(availableAt);
  return rights && { access: rights };
}

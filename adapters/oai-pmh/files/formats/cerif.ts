import type { FileAccess } from '../../../../src/core/adapter.ts';
import type { Extractor } from '../reading/extractor.ts';
import type { PayloadElement } from '../reading/payload-reader.ts';
import { embargo, readAccess, readAvailableAt, type StatedAccess } from '../reading/stated-access.ts';

interface Medium {
  readonly values: Map<string, string>;
  access?: StatedAccess;
}

/** OpenAIRE's CERIF profile: `FileLocations/Medium` of publications, products and patents. */
export const cerif: Extractor = (found) => {
  const media = new Map<PayloadElement, Medium>();
  let record: StatedAccess | undefined;
  return {
    open: (element) => {
      if (element.local === 'Medium' && element.parent?.local === 'FileLocations' && element.depth === 2) {
        media.set(element, { values: new Map() });
      }
    },
    close: (element, text) => {
      const { local, parent } = element;
      const medium = parent && media.get(parent);
      if (local === 'Access') {
        const access = accessOf(readAccess(text), element.attribute('endDate'));
        if (medium !== undefined && access !== undefined) medium.access ??= access;
        else if (element.depth === 1) record ??= access;
      } else if (medium !== undefined && text !== '' && !medium.values.has(local))
        medium.values.set(local, text);
    },
    end: () => {
      for (const { values, access } of media.values()) {
        found.add({
          url: values.get('URI') ?? values.get('URL') ?? '',
          name: values.get('Title'),
          mediaType: values.get('MimeType'),
          length: values.get('Size'),
          access: access ?? record,
        });
      }
    },
  };
};

function accessOf(access: FileAccess | undefined, endDate: string | undefined): StatedAccess | undefined {
  return access === 'embargoed' ? embargo(readAvailableAt(endDate)) : access && { access };
}

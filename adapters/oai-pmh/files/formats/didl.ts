import type { Extractor } from '../reading/extractor.ts';
import type { StatedFile } from '../reading/found-files.ts';
import type { PayloadElement } from '../reading/payload-reader.ts';
import { embargo, readAccess, readAvailableAt, type StatedAccess } from '../reading/stated-access.ts';

/** What the descriptors of an Item say of its Resources. */
interface ItemFacts {
  type?: string;
  accessRights?: string;
  available?: string;
  version?: string;
  description?: string;
}

const types = /(?:^|\/)(objectFile|humanStartPage|descriptiveMetadata)$/;

/**
 * MPEG-21 DIDL. In the Dutch and Surf profiles an Item says what it is (`rdf:type`, formerly `dip:ObjectType`), and
 * only object files are files; DSpace's knows no types and lists its bundle ORIGINAL.
 */
export const didl: Extractor = (found) => {
  const items = new Map<PayloadElement, ItemFacts>();
  const resources: { readonly item: ItemFacts | undefined; readonly file: StatedFile }[] = [];
  let typed = false;
  const factsOf = (element: PayloadElement) => {
    const item = element.within('Item');
    return item === undefined ? undefined : items.get(item);
  };
  return {
    open: (element) => {
      if (element.local === 'Item') items.set(element, {});
      const ref = element.local === 'Resource' ? element.attribute('ref') : undefined;
      if (ref === undefined) return;
      const file = { url: ref, mediaType: element.attribute('mimeType') };
      resources.push({ item: factsOf(element), file });
    },
    close: (element, text) => {
      // Only what stands in a descriptor itself: metadata within is about the whole.
      if (element.parent?.local !== 'Statement') return;
      const facts = factsOf(element);
      if (facts === undefined) return;
      const value = text || element.attribute('resource') || '';
      if (/^(?:type|ObjectType)$/.test(element.local)) {
        const type = types.exec(value)?.[1];
        if (type !== undefined) {
          facts.type = type;
          typed = true;
        } else if (/version$/i.test(value)) facts.version = value;
      } else if (element.local === 'accessRights') facts.accessRights ??= value;
      else if (element.local === 'available') facts.available ??= value;
      else if (element.local === 'description') facts.description ??= value;
    },
    end: () => {
      for (const { item, file } of resources) {
        if (typed && item?.type !== 'objectFile') continue;
        found.add({ ...file, access: accessOf(item), version: item?.version ?? item?.description });
      }
    },
  };
};

function accessOf(item: ItemFacts | undefined): StatedAccess | undefined {
  const access = readAccess(item?.accessRights);
  const availableAt = readAvailableAt(item?.available);
  if (access === 'restricted') return { access };
  if (access === 'embargoed' || availableAt !== undefined) return embargo(availableAt);
  return access && { access };
}

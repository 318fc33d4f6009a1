import type { Extractor } from '../reading/extractor.ts';
import { fileUrl } from '../reading/file-url.ts';
import { isPreview, looksLikeFile } from '../reading/link-kinds.ts';
import type { PayloadElement } from '../reading/payload-reader.ts';
import { embargo, readAccess, readAvailableAt, type StatedAccess } from '../reading/stated-access.ts';

/** What belongs to one work: the record itself, or one of its parts. */
interface Work {
  readonly links: {
    readonly url: string;
    readonly label: string | undefined;
    readonly access: StatedAccess | undefined;
    /** Nothing but the attribute says that it is the object itself. */
    readonly claimed: boolean;
  }[];
  readonly types: string[];
  access?: StatedAccess;
}

const fullText = /full[\s_-]*text|volltext|texte int[ée]gral|texto completo|^raw object$/i;
const aside = /thumbnail|preview|cover|table of contents|inhaltsverzeichnis|metadata/i;

/**
 * `location/url` of the work and of its constituents (LibreCat lists each file as one), never of other related
 * works. Without a word that it is the object itself, a link has to look like a file.
 */
export const mods: Extractor = (found) => {
  const whole: Work = { links: [], types: [] };
  const parts = new Map<PayloadElement, Work>();
  const pages = new Set<string>();
  const workOf = (element: PayloadElement): Work | undefined => {
    const related = element.within('relatedItem');
    return related === undefined ? whole : parts.get(related);
  };
  return {
    open: (element) => {
      if (element.local !== 'relatedItem' || workOf(element) === undefined) return;
      if (element.attribute('type') === 'constituent') parts.set(element, { links: [], types: [] });
    },
    close: (element, text) => {
      const { local } = element;
      if (
        local === 'identifier' ||
        (local === 'url' && element.attribute('access') === 'object in context')
      ) {
        const page = element.within('relatedItem') === undefined ? fileUrl(text) : undefined;
        if (page !== undefined) pages.add(page.href);
      } else if (local === 'url') addLink(workOf(element), element, text);
      else if (local === 'internetMediaType') workOf(element)?.types.push(text);
      else if (local === 'accessCondition') {
        const work = workOf(element);
        const access = accessOf(element, text);
        if (work !== undefined && access !== undefined) work.access ??= access;
      }
    },
    end: () => {
      for (const work of [whole, ...parts.values()]) {
        const paired = work.types.length === work.links.length;
        work.links.forEach(({ url, label, access, claimed }, index) => {
          // The Biodiversity Heritage Library calls its page the raw object.
          if (claimed && pages.has(fileUrl(url)?.href ?? '')) return;
          found.add({
            url,
            name: label !== undefined && /\.[A-Za-z0-9]{1,5}$/.test(label) ? label : undefined,
            mediaType: paired ? work.types[index] : undefined,
            access: access ?? work.access ?? whole.access,
          });
        });
      }
    },
  };
};

function addLink(work: Work | undefined, element: PayloadElement, text: string): void {
  const url = fileUrl(text);
  if (work === undefined || url === undefined) return;
  const label = element.attribute('displayLabel');
  const access = element.attribute('access');
  if (access === 'preview' || aside.test(label ?? '') || isPreview(url)) return;
  const stated = access === 'raw object' || fullText.test(label ?? '');
  const looks = looksLikeFile(url);
  if (!stated && !looks) return;
  work.links.push({ url: text, label, access: freedom(element.attribute('note')), claimed: !looks });
}

/** DiVA's `free`, or `free/2015-01-01`: from then on. */
function freedom(note: string | undefined): StatedAccess | undefined {
  const [, date] = /^free(?:\/(.+))?$/i.exec(note ?? '') ?? [];
  if (date !== undefined) return embargo(readAvailableAt(date));
  return note?.toLowerCase() === 'free' ? { access: 'open' } : undefined;
}

function accessOf(element: PayloadElement, text: string): StatedAccess | undefined {
  const type = element.attribute('type')?.toLowerCase().replace(/\s/g, '');
  // LibreCat's yes and no.
  if (type === 'restrictiononaccess' && /^(?:yes|no)$/i.test(text)) {
    return { access: /^no$/i.test(text) ? 'open' : 'restricted' };
  }
  const access = readAccess(element.attribute('href')) ?? readAccess(text);
  return access && { access };
}

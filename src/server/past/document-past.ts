import type { ResourceSet } from '../../core/resource-set.ts';
import { setPaths } from '../../publish/documents/document-paths.ts';
import { documentsWithStates } from '../../publish/documents/former-documents.ts';
import { MomentCounter } from '../../store/sources/moments.ts';
import type { Past } from '../past.ts';
import type { DocumentPastSettings } from './document-past-settings.ts';
import { createListMemberPast, createListPast } from './list-past.ts';
import { createStatesPast } from './states-past.ts';

export type DocumentPasts = (path: string) => Promise<Past | undefined>;

/**
 * What documents were: a Resource List as of any moment since the first complete pass, and the documents whose
 * former states are kept. Open Change Lists have none: what they said stays in the closed ones, whose addresses stay.
 */
export function createDocumentPasts(given: DocumentPastSettings): DocumentPasts {
  const settings = { ...given, baseUrl: given.baseUrl.replace(/\/+$/, '') };
  const counter = new MomentCounter();
  return async (path) => {
    for (const set of given.sets()) {
      if (!path.startsWith(`${set.path}/`)) continue;
      const paths = setPaths(set);
      const member = numberOfMember(path, set);
      if (path !== paths.resourceList && member === undefined && !documentsWithStates(set).includes(path)) {
        continue;
      }
      // What is not published has no past either; a set may be configured and still be empty.
      const current = await given.publication.find(member === undefined ? path : paths.resourceList);
      if (!current) return undefined;
      if (path === paths.resourceList) return createListPast(settings, set, counter);
      if (member !== undefined) return createListMemberPast(settings, set, member);
      return createStatesPast(settings, current);
    }
    return undefined;
  };
}

/** Whether a document has a TimeGate, as far as its path says. */
export function mayHavePast(path: string): boolean {
  return /\/(?:resourcelist\.xml|capabilitylist\.xml|\.well-known\/resourcesync)$/.test(path);
}

function numberOfMember(path: string, { path: set }: ResourceSet): number | undefined {
  const [, digits] = /^\/resourcelist\/(\d{4,9})\.xml$/.exec(path.slice(set.length)) ?? [];
  const number = Number(digits);
  return digits !== undefined && setPaths({ path: set }).resourceListMember(number) === path
    ? number
    : undefined;
}

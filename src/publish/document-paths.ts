import { toStamp } from '../core/datetime.ts';
import type { ResourceSet } from '../core/resource-set.ts';

/** Where each document of a set is, below `baseUrl` (design: what the world sees). */

export const siteDescriptionPath = '.well-known/resourcesync';

export function setPaths(set: Pick<ResourceSet, 'path'>) {
  const below = (rest: string) => `${set.path}/${rest}`;
  return {
    description: below('.well-known/resourcesync'),
    capabilityList: below('capabilitylist.xml'),
    listsOnly: below('lists/capabilitylist.xml'),
    resourceList: below('resourcelist.xml'),
    resourceListPart: (at: string, part: number) =>
      below(`resourcelist/${toStamp(at)}/${String(part).padStart(4, '0')}.xml`),
    changeListIndex: below('changelist-index.xml'),
    /** `ordinal` tells lists apart that begin at the same moment; see `change-partition.ts`. */
    changeList: (from: string, ordinal: number) =>
      below(`changelist/${toStamp(from)}${ordinal > 1 ? `-${ordinal}` : ''}.xml`),
    flatChangeList: below('changelist.xml'),
    about: below('about'),
  } as const;
}

export type SetPaths = ReturnType<typeof setPaths>;

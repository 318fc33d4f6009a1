import { toStamp } from '../../core/datetime.ts';
import type { ResourceSet } from '../../core/resource-set.ts';

/** Where each document of a set is, below `baseUrl` (design: what the world sees). */

export const siteDescriptionPath = '.well-known/resourcesync';

/** Of one that is an index. @param part from 1 */
export function siteDescriptionPart(part: number): string {
  return `${siteDescriptionPath}-${String(part).padStart(4, '0')}.xml`;
}

/** @param path of a set, or of a source */
export function aboutPath(path: string): string {
  return `${path}/about`;
}

export function setPaths(set: Pick<ResourceSet, 'path'>) {
  const below = (rest: string) => `${set.path}/${rest}`;
  return {
    description: below('.well-known/resourcesync'),
    capabilityList: below('capabilitylist.xml'),
    /** The same set without its dumps, which some clients refuse, and the Source Description that leads to it alone. */
    listsOnly: below('lists/capabilitylist.xml'),
    listsOnlyDescription: below('lists/.well-known/resourcesync'),
    resourceList: below('resourcelist.xml'),
    resourceListPart: (at: string, part: number) =>
      below(`resourcelist/${toStamp(at)}/${String(part).padStart(4, '0')}.xml`),
    /** Of the list as of a moment: the moment is in front of it. */
    resourceListMember: (part: number) => below(`resourcelist/${String(part).padStart(4, '0')}.xml`),
    changeListIndex: below('changelist-index.xml'),
    /** `ordinal` tells lists apart that begin at the same moment; see `changes/change-partition.ts`. */
    changeList: (from: string, ordinal: number) =>
      below(`changelist/${toStamp(from)}${ordinal > 1 ? `-${ordinal}` : ''}.xml`),
    /** Of several lists that begin at one moment only the first can be found by it. */
    isFirstOfItsMoment: (path: string) => !/-\d+\.xml$/.test(path),
    flatChangeList: below('changelist.xml'),
    resourceDump: below('resourcedump.xml'),
    resourceDumpPart: (at: string, part: number) =>
      below(`resourcedump/${toStamp(at)}/${String(part).padStart(4, '0')}.zip`),
    changeDump: below('changedump.xml'),
    /** Of the closed Change List at `path`. */
    changePackage: (path: string) => path.replace('/changelist/', '/changedump/').replace(/\.xml$/, '.zip'),
    about: aboutPath(set.path),
    /** Where a snapshot can still be found when another one is current. */
    resourceListAt: (at: string) => below(`resourcelist/${toStamp(at)}/index.xml`),
    resourceDumpAt: (at: string) => below(`resourcedump/${toStamp(at)}/index.xml`),
    /** The closed Change Dump of the one package at `path`; undefined for a manifest. */
    changeDumpOf: (path: string) => (path.endsWith('.zip') ? path.replace(/\.zip$/, '.xml') : undefined),
    archive: (capability: string) => below(`${capability}-archive.xml`),
    archivePart: (capability: string, part: number) =>
      below(`${capability}-archive/${String(part).padStart(4, '0')}.xml`),
    /** Whether a document is listed in the archive of a capability, rather than being a part of one. */
    isArchived: (capability: string, path: string) => {
      const [kind, ...rest] = path.slice(set.path.length + 1).split('/');
      if (kind !== capability) return false;
      if (kind === 'changelist') return true;
      if (kind === 'changedump') return /^[^/]+(?<!-manifest)\.xml$/.test(rest.join('/'));
      return rest.at(-1) === 'index.xml';
    },
  } as const;
}

export type SetPaths = ReturnType<typeof setPaths>;

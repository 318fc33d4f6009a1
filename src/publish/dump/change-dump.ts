import type { Clock } from '../../core/adapter.ts';
import { later, toIso } from '../../core/datetime.ts';
import { type Link, patchRelation } from '../../core/resource.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { Limits } from '../../core/sitemap.ts';
import { toUri } from '../../core/uris.ts';
import type { Queryable } from '../../store/engine/database.ts';
import { allocateReadBuffers } from '../../store/payloads/content-files.ts';
import type { ContentOwner } from '../../store/payloads/content-owner.ts';
import { readContents } from '../../store/payloads/contents.ts';
import type { ChangeEntry } from '../../store/reading/listing.ts';
import type { PackedRange } from '../../store/reading/withheld.ts';
import type { Documents } from '../disk/pointer.ts';
import { publicationError } from '../disk/publication-error.ts';
import { setPaths } from '../documents/document-paths.ts';
import { type ListEntry, renderEntry, renderListHead } from '../documents/entry-writer.ts';
import { type RenderedDumpList, renderDumpList } from './dump-list.ts';
import { dumpListPath, manifestPath, memberName, pathInPackage } from './dump-paths.ts';
import { PackageWriter, storeManifest, storePackage } from './package-writer.ts';

export interface ChangePackageSettings {
  readonly db: Queryable;
  /** Of the set: where documents are written. */
  readonly directory: string;
  /** Where contents that are files are kept; see `content-files.ts`. */
  readonly dataDirectory: string;
  readonly baseUrl: string;
  readonly set: ResourceSet;
  /** Of the package; its manifest is beside it. */
  readonly path: string;
  /** The interval, which is closed. */
  readonly from: string;
  readonly until: string;
  /** The same interval in the journal's sequences; the latter is known once the changes have been read. */
  readonly holds?: (() => PackedRange) | undefined;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/** What a member of the package is the content of. */
interface Member extends ContentOwner {
  readonly name: string;
  readonly mediaType: string | undefined;
}

/**
 * Writes the package of one closed interval from its changes, oldest first. Every change has the bytes that
 * the resource had then, in a directory of its own (RS-CDM-12); so have its patches. When it fails, nothing of
 * it stays.
 * @returns the package and the copy of its manifest, by path
 * @throws BridgeError `content-damaged` naming the resource, `disk-full`, `interrupted`, `publication-failed`
 */
export async function writeChangePackage(
  changes: AsyncIterable<readonly ChangeEntry[]>,
  settings: ChangePackageSettings,
): Promise<Documents> {
  const { directory, baseUrl, set, path, from, until, clock, signal } = settings;
  const up = toUri(baseUrl, setPaths(set).capabilityList);
  const head = renderListHead({ baseUrl, capability: 'changedump-manifest', up, from, until });
  let writer: PackageWriter | undefined;
  try {
    writer = await PackageWriter.create(directory, 'changedump', head);
    await addChanges(writer, changes, settings);
    signal?.throwIfAborted();
    const written = await writer.finish();
    const lastModified = later(toIso(clock.now()), until);
    const { entries } = written;
    const holds = settings.holds?.();
    const dated = { capability: 'changedump', entries, lastModified, immutable: true, from, until };
    const facts = { ...dated, ...(holds && { holds }) };
    return { [path]: storePackage(facts, written), [manifestPath(path)]: storeManifest(facts, written) };
  } catch (error) {
    await writer?.discard();
    throw publicationError(error, `the Change Dump of ${set.path}`, signal);
  }
}

async function addChanges(
  writer: PackageWriter,
  changes: AsyncIterable<readonly ChangeEntry[]>,
  { db, dataDirectory, baseUrl, set, signal }: ChangePackageSettings,
): Promise<void> {
  const options = { signal, buffers: allocateReadBuffers() };
  let number = 0;
  for await (const page of changes) {
    const members: Member[] = [];
    for (const change of page) {
      number += 1;
      const entry = placeChange(change, `/${String(number).padStart(6, '0')}`);
      members.push(...membersOf(entry));
      await writer.addEntry(renderEntry(baseUrl, entry, set));
    }
    for await (const { owner, content } of readContents(db, dataDirectory, members, options)) {
      await writer.add(owner.name, content, owner.mediaType);
    }
  }
}

/** Says where in the package the bytes of a change and of its patches are; a deletion has none. */
function placeChange(change: ChangeEntry, folder: string): ListEntry {
  if (change.change === 'deleted') return change;
  let patches = 0;
  const place = (link: Link): Link => {
    if (link.rel !== patchRelation) return link;
    patches += 1;
    return { ...link, path: `${folder}/patch${patches > 1 ? `-${patches}` : ''}` };
  };
  return {
    ...change,
    packagePath: `${folder}${pathInPackage(change.path, change.source)}`,
    links: change.links.map(place),
  };
}

function membersOf({ path, packagePath, hash, length, mediaType, links }: ListEntry): readonly Member[] {
  if (packagePath === undefined) return [];
  const content = { path, hash, length, mediaType, name: memberName(packagePath) };
  const patches = links.flatMap((link) => {
    if (link.path === undefined) return [];
    const { hash: patchHash, length: patchLength, type } = link;
    const name = memberName(link.path);
    return [{ path: `${path} (patch)`, hash: patchHash, length: patchLength, mediaType: type, name }];
  });
  return [content, ...patches];
}

/**
 * `changedump.xml`: open, because packages are only ever added at its end (RS-CD-13), unless `until` closes it.
 * @param documents packages, oldest first; their manifests may be among them
 */
export function renderChangeDump(
  baseUrl: string,
  set: ResourceSet,
  documents: Documents,
  limits: Limits,
  until?: string,
): RenderedDumpList {
  const paths = setPaths(set);
  const [first] = Object.values(documents);
  return renderDumpList(documents, {
    ...{ baseUrl, limits },
    capability: 'changedump',
    up: paths.capabilityList,
    path: paths.changeDump,
    partPath: (number) => dumpListPath(paths.changeDump.replace(/\.xml$/, ''), number),
    times: { from: first?.from, until },
    partTimes: (packages, last) => ({
      from: packages[0]?.from,
      until: last ? until : packages.at(-1)?.until,
    }),
  });
}

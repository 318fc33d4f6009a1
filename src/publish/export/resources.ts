import type { Log } from '../../core/adapter.ts';
import { describeError, isBridgeError } from '../../core/errors.ts';
import { type Content, readContents } from '../../store/contents.ts';
import type { Database } from '../../store/database.ts';
import {
  findLivingStates,
  listChangedStates,
  listLivingStates,
  listPatchPaths,
  type ResourceState,
} from '../../store/resource-states.ts';
import { sideBySide } from './side-by-side.ts';
import type { ExportTree, FileContent } from './tree.ts';

export interface ResourceSettings {
  readonly database: Database;
  /** The data directory, where large contents are. */
  readonly directory: string;
  readonly tree: ExportTree;
  readonly source: string;
  readonly log: Log;
  /** Called behind every page; throws to end the export there. */
  readonly onPage: (states: readonly ResourceState[]) => Promise<void>;
}

/** Of a source's journal. */
export interface SequenceRange {
  readonly afterSeq: number;
  readonly seq: number;
}

export interface ExportedResources {
  /** Files that were written. */
  written: number;
  /** Resources whose content could not be read. */
  readonly missing: Set<string>;
  /** Paths of the collections that something came into or went out of. */
  readonly collections: Set<string>;
}

/** Compares every resource that lived at `seq` with its file, and writes what differs. */
export async function exportAllResources(
  settings: ResourceSettings,
  seq: number,
): Promise<ExportedResources> {
  const done = nothingYet();
  for await (const states of listLivingStates(settings.database.reader, settings.source, seq)) {
    // So many files are not synced one by one; docs/static.md says what a power failure asks for.
    await writeStates(settings, states, done, false);
    await settings.onPage(states);
  }
  const journal = listChangedStates(settings.database.reader, settings.source, { afterSeq: 0, seq });
  for await (const { patches } of journal) await writeStates(settings, patches, done, false);
  return done;
}

/** Writes the resources that changed within the range; what it deleted stays until the lists say so. */
export async function exportChangedResources(
  settings: ResourceSettings,
  range: SequenceRange,
): Promise<ExportedResources> {
  const done = nothingYet();
  for await (const { states, patches, collections } of listChangedStates(
    settings.database.reader,
    settings.source,
    range,
  )) {
    for (const path of collections) done.collections.add(path);
    await writeStates(settings, [...states.filter(({ alive }) => alive), ...patches], done, true);
    await settings.onPage(states);
  }
  return done;
}

/** Tries resources again that could not be read when they were due. */
export async function exportMissingResources(
  settings: ResourceSettings,
  seq: number,
  paths: readonly string[],
): Promise<ExportedResources> {
  const done = nothingYet();
  const states = await findLivingStates(settings.database.reader, settings.source, seq, paths);
  await writeStates(settings, states, done, true);
  return done;
}

/** Removes what the range deleted, and the patches that tell what was in it. */
export async function removeDeletedResources(
  settings: ResourceSettings,
  range: SequenceRange,
): Promise<void> {
  const { tree, database, source } = settings;
  for await (const { states } of listChangedStates(database.reader, source, range)) {
    const gone = states.flatMap(({ path, alive }) => (alive ? [] : [path]));
    const patches = await listPatchPaths(database.reader, source, gone);
    for (const path of [...gone, ...patches]) await tree.remove(path);
    await settings.onPage(states);
  }
}

function nothingYet(): ExportedResources {
  return { written: 0, missing: new Set(), collections: new Set() };
}

const filesAtATime = 16;

async function writeStates(
  settings: ResourceSettings,
  states: readonly ResourceState[],
  done: ExportedResources,
  durable: boolean,
): Promise<void> {
  const { tree } = settings;
  await sideBySide(readable(settings, states, done), filesAtATime, async ({ owner, content }) => {
    const file = toFile(owner, content);
    try {
      if ((await tree.put(owner.path, file, durable)) !== 'the same') done.written += 1;
    } catch (error) {
      if (!isBridgeError(error, 'content-damaged')) throw error;
      miss(settings, owner, done, error);
    }
  });
}

function toFile({ lastmod: lastModified }: ResourceState, content: Content): FileContent {
  const { length } = content;
  if (content.coding === 'file') return { length, lastModified, chunks: () => content.chunks, once: true };
  return { length, lastModified, chunks: () => [content.bytes] };
}

/** One content that is damaged does not keep the others from being exported. */
async function* readable(
  settings: ResourceSettings,
  states: readonly ResourceState[],
  done: ExportedResources,
): AsyncGenerator<{ readonly owner: ResourceState; readonly content: Content }> {
  let rest = states.filter((state) => {
    // The bytes of such a file are the upstream's alone; there is nothing that could be kept under its hash.
    const kept = state.hash?.startsWith('sha-256:') === true;
    if (!kept) miss(settings, state, done);
    return kept;
  });
  while (rest.length > 0) {
    let read = 0;
    try {
      for await (const found of readContents(settings.database.reader, settings.directory, rest)) {
        yield found;
        read += 1;
      }
      return;
    } catch (error) {
      const owner = rest[read];
      if (!owner || !isBridgeError(error, 'content-damaged')) throw error;
      miss(settings, owner, done, error);
      rest = rest.slice(read + 1);
    }
  }
}

const namedAtMost = 10;

function miss(
  { log }: ResourceSettings,
  { path }: ResourceState,
  done: ExportedResources,
  error?: unknown,
): void {
  done.missing.add(path);
  if (done.missing.size > namedAtMost) return;
  const reason = error === undefined ? 'its content is not kept' : describeError(error);
  log.warn({ path, reason }, 'listed, but not exported');
}

import type { Log } from '../../core/adapter.ts';
import { failure, isBridgeError } from '../../core/errors.ts';
import type { FileRules } from '../../core/files/published-files.ts';
import { isAbsolute } from '../../core/uris.ts';
import type { Database } from '../../store/engine/database.ts';
import {
  type ContentState,
  findLivingStates,
  listChangedStates,
  listLivingStates,
  listPatchPaths,
  type ResourceState,
} from '../../store/history/resource-states.ts';
import { type Content, readContents } from '../../store/payloads/contents.ts';
import { sideBySide } from '../tree/side-by-side.ts';
import type { ExportTree, FileContent } from '../tree/tree.ts';
import { placeStates } from './placed-states.ts';

export interface ResourceSettings {
  readonly database: Database;
  /** The data directory, where large contents are. */
  readonly directory: string;
  readonly tree: ExportTree;
  readonly source: string;
  readonly log: Log;
  /** Of the source's files. */
  readonly fileMode: FileRules['mode'] | undefined;
  readonly signal: AbortSignal | undefined;
  /**
   * Called behind every page; throws to end the export there.
   * @param count resources of the page, or changes where it is a page of those
   */
  readonly onPage: (states: readonly ResourceState[], count: number) => Promise<void>;
  /** The same, of changes that are read for their patches alone. */
  readonly onChanges?: ((count: number) => void) | undefined;
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

export interface ExportedState extends ExportedResources {
  /** Living resources whose bytes are ours to export. */
  ours: number;
  /** Living files that are fetched when they are asked for. */
  passedOn: number;
  /** What is not handed out; see `core/time/withheld.ts`. */
  withheld: number;
}

/** Compares every resource that lived at `seq` with its file, and writes what differs. */
export async function exportLivingResources(
  settings: ResourceSettings,
  seq: number,
  isWithheld: (state: ResourceState) => boolean = () => false,
): Promise<ExportedState> {
  const done: ExportedState = { ...nothingYet(), ours: 0, passedOn: 0, withheld: 0 };
  for await (const states of listLivingStates(settings.database.reader, settings.source, seq)) {
    const handedOut = states.filter((state) => !isWithheld(state));
    done.withheld += states.length - handedOut.length;
    // So many files are not synced one by one; docs/static.md says what a power failure asks for.
    const { ours, passedOn } = await placed(settings, handedOut);
    await writeStates(settings, ours, done, 'thoroughly');
    done.ours += ours.length;
    done.passedOn += passedOn.length;
    await settings.onPage(states, states.length);
  }
  return done;
}

/** As `exportLivingResources`, and every patch that was ever published. */
export async function exportAllResources(
  settings: ResourceSettings,
  seq: number,
): Promise<ExportedResources> {
  const done = await exportLivingResources(settings, seq);
  const journal = listChangedStates(settings.database.reader, settings.source, { afterSeq: 0, seq });
  for await (const { patches, changes } of journal) {
    await writeStates(settings, patches, done, 'thoroughly');
    settings.onChanges?.(changes);
  }
  return done;
}

/** Writes the resources that changed within the range; what it deleted stays until the lists say so. */
export async function exportChangedResources(
  settings: ResourceSettings,
  range: SequenceRange,
): Promise<ExportedResources> {
  const done = nothingYet();
  for await (const { states, patches, collections, changes } of listChangedStates(
    settings.database.reader,
    settings.source,
    range,
  )) {
    for (const path of collections) done.collections.add(path);
    const living = states.filter(({ alive }) => alive);
    const { ours } = await placed(settings, living);
    await writeStates(settings, [...ours, ...patches], done, 'durably');
    await settings.onPage(states, changes);
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
  const { ours } = await placed(settings, states);
  await writeStates(settings, ours, done, 'durably');
  return done;
}

/** Removes what the range deleted or ceased to keep here, and the patches that tell what was in it. */
export async function removeDeletedResources(
  settings: ResourceSettings,
  range: SequenceRange,
): Promise<void> {
  const { tree, database, source } = settings;
  for await (const { states, changes } of listChangedStates(database.reader, source, range)) {
    const dead = states.filter(({ path, alive }) => !alive && !isAbsolute(path));
    const { passedOn } = await placed(
      settings,
      states.filter(({ alive }) => alive),
    );
    const gone = [...dead, ...passedOn].map(({ path }) => path);
    const patches = await listPatchPaths(database.reader, source, gone);
    for (const path of [...gone, ...patches]) await tree.remove(path);
    await settings.onPage(states, changes);
  }
}

function placed({ database, fileMode }: ResourceSettings, states: readonly ResourceState[]) {
  return placeStates(database.reader, fileMode, states);
}

function nothingYet(): ExportedResources {
  return { written: 0, missing: new Set(), collections: new Set() };
}

const filesAtATime = 16;

/**
 * `thoroughly`: a file that is there already is compared byte for byte; what is written is not synced.
 * `durably`: a large file that has the right length and time is taken for the right one.
 */
type Care = 'thoroughly' | 'durably';

async function writeStates(
  settings: ResourceSettings,
  states: readonly ContentState[],
  done: ExportedResources,
  care: Care,
): Promise<void> {
  const { tree } = settings;
  await sideBySide(readable(settings, states, done), filesAtATime, async ({ owner, content }) => {
    const file = toFile(settings, owner, content, care);
    try {
      if ((await tree.put(owner.path, file, care === 'durably')) !== 'the same') done.written += 1;
    } catch (error) {
      if (!isBridgeError(error, 'content-damaged')) throw error;
      miss(settings, owner, done, error);
    }
  });
}

function toFile(settings: ResourceSettings, owner: ContentState, content: Content, care: Care): FileContent {
  const { length } = content;
  const { lastmod: lastModified } = owner;
  if (content.coding !== 'file') return { length, lastModified, chunks: () => [content.bytes] };
  if (care === 'durably') return { length, lastModified, chunks: () => content.chunks, once: true };
  return { length, lastModified, chunks: () => readAgain(settings, owner) };
}

/** The bytes of a large content, as often as they are wanted. */
async function* readAgain(
  { database, directory, signal }: ResourceSettings,
  owner: ContentState,
): AsyncGenerator<Uint8Array> {
  for await (const { content } of readContents(database.reader, directory, [owner], { signal })) {
    if (content.coding === 'file') yield* content.chunks;
    else yield content.bytes;
  }
}

/** One content that is damaged does not keep the others from being exported. */
async function* readable(
  settings: ResourceSettings,
  states: readonly ContentState[],
  done: ExportedResources,
): AsyncGenerator<{ readonly owner: ContentState; readonly content: Content }> {
  const { database, directory, signal } = settings;
  let rest = states.filter((state) => {
    // Published before its bytes were kept: nothing can be found under the hash that the upstream states.
    const kept = state.hash?.startsWith('sha-256:') === true;
    if (!kept) miss(settings, state, done);
    return kept;
  });
  while (rest.length > 0) {
    let read = 0;
    try {
      for await (const found of readContents(database.reader, directory, rest, { signal })) {
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
  { path }: ContentState,
  done: ExportedResources,
  error?: unknown,
): void {
  done.missing.add(path);
  if (done.missing.size > namedAtMost) return;
  const why =
    error === undefined ? { code: 'content-damaged', reason: 'its content is not kept' } : failure(error);
  log.warn({ path, ...why }, 'listed, but not exported');
}

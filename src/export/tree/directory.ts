import { lstat, mkdir, readdir, realpath, rm } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { BridgeError } from '../../core/errors.ts';
import { publicationError } from '../../publish/disk/publication-error.ts';
import { lockPublication, type PublicationLock } from '../../publish/disk/publication-lock.ts';
import { translate } from '../../store/engine/storage-error.ts';
import { type ExportState, emptyState, readState, stateFile, writeState } from './state.ts';

/** The directory that an export fills; nobody else writes into it while it is open. */
export interface ExportDirectory {
  /** Without symbolic links. */
  readonly root: string;
  readonly workshop: string;
  /** Nothing was in it before this run. */
  readonly isNew: boolean;
  /** What the last run left. Undefined when that is damaged, and with a dry run into an empty directory. */
  readonly state: ExportState | undefined;
  /** @throws BridgeError `publication-busy` when another process took it for abandoned */
  save(state: ExportState): Promise<void>;
  close(): Promise<void>;
}

/** Holds the lock, and files that are being made. */
const workshopName = '.rsbridge-export';

export interface DirectoryOptions {
  /** Directories and files of ours, with which the export must not mix. */
  readonly apart: readonly string[];
  readonly baseUrl: string;
  /** What was at this moment is exported; undefined: what is published. */
  readonly at?: string | undefined;
  readonly dryRun: boolean;
}

/** @throws BridgeError `export-refused` for a directory that holds something else, `publication-busy` */
async function openExportDirectory(directory: string, options: DirectoryOptions): Promise<ExportDirectory> {
  const { apart, baseUrl, at, dryRun } = options;
  const root = await withoutLinks(resolve(directory));
  for (const other of apart) await refuseMixture(root, await withoutLinks(other));
  const isNew = await refuseForeign(root);
  if (!isNew) refuseOtherTime(root, await readState(root), at);
  const workshop = join(root, workshopName);
  if (dryRun) {
    return {
      root,
      workshop,
      isNew,
      state: await readState(root),
      save: () => Promise.resolve(),
      close: () => Promise.resolve(),
    };
  }
  await mkdir(root, { recursive: true });
  await mkdir(workshop).catch(ignoreExisting);
  if (!(await lstat(workshop)).isDirectory()) throw refusal(`${workshop} is no directory; remove it`);
  const lock = await lockPublication(workshop);
  try {
    // From here on the directory says whose it is, however this run ends.
    if (isNew) await writeState(root, emptyState(baseUrl, at));
    await clear(workshop);
    return {
      root,
      workshop,
      isNew,
      state: await readState(root),
      save: async (state) => {
        await lock.confirm();
        await writeState(root, state);
      },
      close: () => leave(workshop, lock),
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/**
 * Opens a directory for `work`, and closes it behind that.
 * @throws BridgeError as `openExportDirectory`; `disk-full`, `publication-failed`, `interrupted`
 */
export async function inExportDirectory<Result>(
  target: string,
  options: DirectoryOptions,
  signal: AbortSignal | undefined,
  work: (open: ExportDirectory) => Promise<Result>,
): Promise<Result> {
  try {
    const open = await openExportDirectory(target, options);
    try {
      return await work(open);
    } finally {
      await open.close();
    }
  } catch (error) {
    const { code } = error as { code?: unknown };
    const full = code === 'ENOSPC' || code === 'EDQUOT';
    throw publicationError(full ? error : translate(error), `the export to ${target}`, signal);
  }
}

/** @returns whether it is empty or not there at all */
async function refuseForeign(root: string): Promise<boolean> {
  const found = await lstat(root).catch(() => undefined);
  if (!found) return true;
  if (!found.isDirectory()) throw refusal(`${root} is no directory`);
  const entries = await readdir(root, { withFileTypes: true });
  if (entries.some((entry) => entry.name === stateFile && entry.isFile())) return false;
  const foreign = entries.filter(({ name }) => !name.startsWith(workshopName) && name !== 'lost+found');
  const [first] = foreign;
  if (!first) return true;
  throw refusal(
    `${root} holds something else (${first.name}${foreign.length > 1 ? ', …' : ''}): name a new or empty directory. If it is an export that lost its ${stateFile}, make an empty file of that name there and export again`,
  );
}

/** Lists of two times in one directory would be those of no time. */
function refuseOtherTime(root: string, state: ExportState | undefined, at: string | undefined): void {
  if (state?.at === at && (state || at === undefined)) return;
  const found = state?.at === undefined ? 'an export of what is published' : `what was at ${state.at}`;
  const what = state ? found : 'an export that does not say of when it is';
  const wanted = at === undefined ? 'what is published' : `what was at ${at}`;
  throw refusal(`${root} holds ${what}: name a new or empty directory for ${wanted}`);
}

async function refuseMixture(root: string, other: string): Promise<void> {
  const isIn = (inner: string, outer: string) => !/^\.\.(?:$|[/\\])/.test(relative(outer, inner));
  if (isIn(root, other)) throw refusal(`${root} is in ${other}, where the bridge keeps its own data`);
  if (isIn(other, root)) {
    throw refusal(`${root} holds ${other}, where the bridge keeps its own data: it would be public`);
  }
}

/** A path as it really is, as far as it exists. */
async function withoutLinks(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(await withoutLinks(above), basename(path));
  }
}

/** What a killed run left. */
async function clear(workshop: string): Promise<void> {
  for (const name of await readdir(workshop)) {
    if (name !== 'lock') await rm(join(workshop, name), { force: true });
  }
}

async function leave(workshop: string, lock: PublicationLock): Promise<void> {
  await clear(workshop);
  await lock.release();
}

function ignoreExisting(error: unknown): void {
  if ((error as { code?: unknown }).code !== 'EEXIST') throw error;
}

function refusal(message: string): BridgeError {
  return new BridgeError('export-refused', message);
}

import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** What an export remembers of itself, in the directory that it fills. */
export interface ExportState {
  readonly version: number;
  readonly baseUrl: string;
  /** It shows what was at this moment; absent: what is published. */
  readonly at?: string | undefined;
  readonly sources: Readonly<Record<string, ExportedSource>>;
  /** Documents by path, with the ETag of their plain bytes. */
  readonly documents: Readonly<Record<string, string>>;
  /** Files of pages that belong to no item and no collection. */
  readonly pages: readonly string[];
  /** Documents that are published no longer; a reader may be in the middle of them, so they stay one more run. */
  readonly retired: readonly string[];
  /** Documents that a run may have written and never got to say so. */
  readonly pending: readonly string[];
}

export interface ExportedSource {
  /** `JournalState.id` */
  readonly journal: string;
  /** Resources are exported as they were when the journal had come to here. */
  readonly seq: number;
  /** What the names of its collections were. */
  readonly collections: string;
  /** Resources whose content could not be read; they are tried again. */
  readonly missing: readonly string[];
}

export const stateFile = '.rsbridge-export.json';
/** Raised when files of an earlier release have to be compared one by one. */
const version = 1;

export function emptyState(baseUrl: string, at?: string): ExportState {
  return { version, baseUrl, at, sources: {}, documents: {}, pages: [], retired: [], pending: [] };
}

/** @returns undefined when it cannot be read as one of ours */
export async function readState(root: string): Promise<ExportState | undefined> {
  try {
    const state = JSON.parse(await readFile(join(root, stateFile), 'utf8')) as ExportState;
    const whole =
      state.version === version &&
      typeof state.baseUrl === 'string' &&
      ['undefined', 'string'].includes(typeof state.at) &&
      [state.sources, state.documents].every((part) => typeof part === 'object' && part !== null) &&
      [state.pages, state.retired, state.pending].every((part) => Array.isArray(part));
    return whole ? state : undefined;
  } catch {
    return undefined;
  }
}

export async function writeState(root: string, state: ExportState): Promise<void> {
  const temporary = join(root, `${stateFile}.tmp`);
  try {
    await rm(temporary, { force: true });
    const handle = await open(temporary, 'wx');
    try {
      await handle.writeFile(JSON.stringify(state));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, join(root, stateFile));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

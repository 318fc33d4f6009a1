import { isBridgeError } from '../../core/errors.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { countOctets, type OctetsRead } from './blob-audit.ts';
import { readContents } from './contents.ts';
import { isKeptWhole, makeDue } from './damaged-contents.ts';

export interface KeptFilesLook {
  /** The data directory, where contents are that are files. */
  readonly directory: string;
  /** `contents`: every byte is read; `lengths`: each is there, and as long as it should be. */
  readonly depth: 'lengths' | 'contents';
  /** ISO UTC */
  readonly now: string;
  readonly signal: AbortSignal;
  /** Of `contents`: octets that were read, and that there are. */
  readonly onProgress?: OctetsRead | undefined;
}

interface KeptRow {
  readonly id: number;
  readonly url: string;
  readonly content_hash: string;
  readonly content_length: number | null;
}

const filesAtATime = 200;

/**
 * Looks at the contents that are kept of a source's files. Those that are not what they should be are due at once,
 * whatever their server said last.
 * @returns how many files that are
 */
export async function lookAtKeptFiles(
  database: Database,
  sourceId: number,
  look: KeptFilesLook,
): Promise<number> {
  let damaged = 0;
  const count = look.onProgress && (await counter(database.reader, sourceId, look.onProgress));
  for (let after = 0; ; ) {
    const rows: KeptRow[] = await database
      .reader('remote_file')
      .where({ source_id: sourceId })
      .where('id', '>', after)
      .whereNotNull('content_hash')
      .orderBy('id')
      .limit(filesAtATime)
      .select('id', 'url', 'content_hash', 'content_length');
    const found: number[] = [];
    for (const row of rows) {
      look.signal.throwIfAborted();
      if (!(await isSoundFile(database.reader, row, look, count))) found.push(row.id);
    }
    if (found.length > 0) await makeDue(database, look.now, 'id', found);
    damaged += found.length;
    const last = rows.at(-1);
    if (!last || rows.length < filesAtATime) return damaged;
    after = last.id;
  }
}

async function counter(
  db: Queryable,
  sourceId: number,
  onProgress: OctetsRead,
): Promise<(octets: number) => void> {
  const [row] = await db('remote_file')
    .where({ source_id: sourceId })
    .whereNotNull('content_hash')
    .sum({ octets: 'content_length' });
  return countOctets(Number(row?.octets ?? 0), onProgress);
}

async function isSoundFile(
  db: Queryable,
  { url, content_hash: hash, content_length }: KeptRow,
  { directory, depth, signal }: KeptFilesLook,
  count: (octets: number) => void = () => undefined,
): Promise<boolean> {
  const length = content_length ?? undefined;
  if (!(await isKeptWhole(db, directory, hash, length))) return false;
  if (depth === 'lengths') return true;
  try {
    for await (const { content } of readContents(db, directory, [{ path: url, hash, length }], { signal })) {
      if (content.coding !== 'file') count(content.length);
      else for await (const { length } of content.chunks) count(length);
    }
    return true;
  } catch (error) {
    if (isBridgeError(error, 'content-damaged')) return false;
    throw error;
  }
}

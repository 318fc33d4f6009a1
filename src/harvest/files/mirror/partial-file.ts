import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A download that is not complete yet: `<directory>/blobs/partial/<sha-256 of source and URL>`, never below what
 * is served. With a note beside it (`….json`) a later download continues where this one stopped.
 */
export interface PartialFile {
  readonly file: string;
  readonly note: string;
  readonly notes: Notes;
}

/** Notes that there may be: thousands of small files have none, and to look for each would cost more than to know. */
export type Notes = Set<string>;

/** What tells whether the rest on the server still belongs to what lies here. */
export interface PartialNote {
  readonly source: string;
  readonly url: string;
  readonly etag?: string | undefined;
  /** ISO UTC. */
  readonly lastModified?: string | undefined;
  /** Of the whole. */
  readonly length?: number | undefined;
  /** Hash of a complete download that was not what the record says. */
  readonly contradicting?: string | undefined;
}

export function partialFile(directory: string, source: string, url: string, notes: Notes): PartialFile {
  const name = createHash('sha256').update(`${source}\n${url}`).digest('hex');
  const file = join(partialsIn(directory), name);
  return { file, note: `${file}.json`, notes };
}

/** Makes their place, and says what lies there. */
export async function openPartials(directory: string): Promise<Notes> {
  const place = partialsIn(directory);
  await mkdir(place, { recursive: true });
  return new Set((await readdir(place)).map((name) => join(place, name)));
}

export async function readNote({ note, notes }: PartialFile): Promise<PartialNote | undefined> {
  return notes.has(note) ? parseNote(note) : undefined;
}

async function parseNote(note: string): Promise<PartialNote | undefined> {
  try {
    const read: unknown = JSON.parse(await readFile(note, 'utf8'));
    return typeof read === 'object' && read !== null ? (read as PartialNote) : undefined;
  } catch {
    // None, or half of one: then it cannot be continued.
    return undefined;
  }
}

export async function writeNote({ note, notes }: PartialFile, content: PartialNote): Promise<void> {
  notes.add(note);
  await writeFile(note, JSON.stringify(content));
}

/** Octets that lie here. */
export async function partialSize({ file }: Pick<PartialFile, 'file'>): Promise<number> {
  return (await stat(file).catch(() => undefined))?.size ?? 0;
}

export async function removePartial({ file, note, notes }: PartialFile): Promise<void> {
  await rm(file, { force: true });
  if (notes.delete(note)) await rm(note, { force: true });
}

const dayMs = 86_400_000;
/** Longer than the longest wait between two attempts. */
const forgottenMs = 14 * dayMs;

/**
 * Removes what nobody will continue: without a note after a day, forgotten after two weeks, and at once what is of
 * this source but no longer wanted.
 */
export async function removeStrayPartials(
  directory: string,
  source: string,
  isWanted: (url: string) => Promise<boolean>,
  nowMs: number,
): Promise<number> {
  const notes = await openPartials(directory);
  let removed = 0;
  for (const file of new Set([...notes].map((name) => name.replace(/\.json$/, '')))) {
    const partial = { file, note: `${file}.json`, notes };
    const touched = await Promise.all(
      [partial.file, partial.note].map((name) => stat(name).catch(() => undefined)),
    );
    const age = nowMs - Math.max(...touched.map((found) => found?.mtimeMs ?? 0));
    const note = await readNote(partial);
    const isOurs = note?.source === source;
    const stray =
      note === undefined ? age > dayMs : age > forgottenMs || (isOurs && !(await isWanted(note.url)));
    if (!stray) continue;
    await removePartial(partial);
    removed += 1;
  }
  return removed;
}

function partialsIn(directory: string): string {
  return join(directory, 'blobs', 'partial');
}

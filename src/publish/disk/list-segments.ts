import { randomUUID } from 'node:crypto';
import { open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openPublishedFile } from '../bucket/published-files.ts';
import type { OpenFile, Segment } from './change-state.ts';
import type { Documents, StoredDocument, StoredVariant } from './pointer.ts';
import type { FileSlice, Slice } from './slices.ts';

/**
 * An open list on a disk grows; an object cannot. So each part that was added becomes a file of its own, and the document
 * is the files in a row. Neighbours that are as long as what comes after them are joined, so that they stay few, and each
 * octet is written again a few times only.
 */
export async function withSegments(directory: string, file: OpenFile): Promise<OpenFile> {
  const { plain, length, deflated, deflatedLength, segments } = file;
  return {
    ...file,
    segments: {
      plain: await extend(directory, plain, length, segments?.plain),
      deflated: await extend(directory, deflated, deflatedLength, segments?.deflated),
    },
  };
}

async function extend(
  directory: string,
  growing: string,
  length: number,
  before: readonly Segment[] = [],
): Promise<readonly Segment[]> {
  const kept = [...before];
  let start = kept.at(-1)?.end ?? 0;
  if (start === length) return before;
  for (let last = kept.at(-1); last && last.end - last.start <= length - start; last = kept.at(-1)) {
    kept.pop();
    start = last.start;
  }
  const file = `${growing}.${start}.${randomUUID().slice(0, 8)}.xml`;
  await copyBytes(directory, growing, { start, end: length }, file);
  return [...kept, { file, start, end: length }];
}

/** Makes an open list again of its segments, as it was published. */
export async function restoreOpenFile(directory: string, file: OpenFile): Promise<void> {
  const { plain, deflated, segments } = file;
  if (!segments) return;
  await rejoin(directory, plain, segments.plain);
  await rejoin(directory, deflated, segments.deflated);
}

async function rejoin(directory: string, growing: string, segments: readonly Segment[]): Promise<void> {
  const handle = await open(join(directory, growing), 'w');
  try {
    for (const segment of segments) {
      const source = await openPublishedFile(directory, segment.file, segment.end - segment.start);
      try {
        await writeFile(handle, source.bytes(0, segment.end - segment.start));
      } finally {
        await source.close();
      }
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function copyBytes(
  directory: string,
  from: string,
  { start, end }: { readonly start: number; readonly end: number },
  to: string,
): Promise<void> {
  const source = await openPublishedFile(directory, from, end);
  const target = join(directory, to);
  try {
    const handle = await open(target, 'wx');
    try {
      await writeFile(handle, source.bytes(start, end));
      await handle.datasync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    await rm(target, { force: true });
    throw error;
  } finally {
    await source.close();
  }
}

/** The same documents, without what grows. */
export function inSegments(documents: Documents, file: OpenFile): Documents {
  const { segments } = file;
  if (!segments) return documents;
  const of = new Map([
    [file.plain, segments.plain],
    [file.deflated, segments.deflated],
  ]);
  const inFile = (slice: Slice): readonly Slice[] => {
    const parts = 'file' in slice ? of.get(slice.file) : undefined;
    return 'file' in slice && parts ? partsOf(slice, parts) : [slice];
  };
  const variant = ({ etag, slices }: StoredVariant): StoredVariant => ({
    etag,
    slices: slices.flatMap(inFile),
  });
  const refers = ({ plain, gzip }: StoredDocument) =>
    [...plain.slices, ...(gzip?.slices ?? [])].some((slice) => 'file' in slice && of.has(slice.file));
  return Object.fromEntries(
    Object.entries(documents).map(([path, document]) => {
      if (!refers(document)) return [path, document];
      const { plain, gzip } = document;
      return [path, { ...document, plain: variant(plain), ...(gzip ? { gzip: variant(gzip) } : {}) }];
    }),
  );
}

function partsOf({ start, end }: FileSlice, segments: readonly Segment[]): readonly FileSlice[] {
  return segments.flatMap((segment) => {
    const [from, to] = [Math.max(start, segment.start), Math.min(end, segment.end)];
    return from < to ? [{ file: segment.file, start: from - segment.start, end: to - segment.start }] : [];
  });
}

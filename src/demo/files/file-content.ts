import { createHash } from 'node:crypto';
import { createRandom } from '../../core/draws/random.ts';
import type { SampleFile } from '../records/sample-record.ts';
import { drawJpeg } from './jpeg.ts';
import { paint } from './painting.ts';
import { writePdf } from './pdf.ts';
import { drawPng } from './png.ts';
import { writeTable } from './table.ts';

export interface FileContent {
  readonly bytes: Uint8Array;
  /** Quoted, strong. */
  readonly etag: string;
}

const made = new WeakMap<SampleFile, FileContent>();

/** The same file always has the same bytes; they are made when they are first asked for. */
export function contentOf(file: SampleFile): FileContent {
  const known = made.get(file);
  if (known) return known;
  const bytes = make(file);
  const etag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"`;
  const content = { bytes, etag };
  made.set(file, content);
  return content;
}

function make(file: SampleFile): Uint8Array {
  const random = createRandom(seedOf(file));
  switch (file.kind) {
    case 'paper':
      return writePdf(file, random);
    case 'dataset':
      return writeTable(file, random);
    case 'drawing':
      return drawPng(paint(random, 160, 120));
    case 'photograph':
      return drawJpeg(paint(random, 320, 240));
  }
}

function seedOf({ name, revision, cover }: SampleFile): number {
  return createHash('sha256').update(`${cover.identifier} ${name} ${revision}`).digest().readUInt32BE(0);
}

import { writeZip } from '../../../src/simulate/documents/zip.ts';

/** A ZIP of uncompressed members, with whatever names. */
export function storedZip(members: Readonly<Record<string, string>>): Buffer {
  return writeZip(Object.entries(members).map(([name, text]) => ({ name, bytes: Buffer.from(text) })));
}

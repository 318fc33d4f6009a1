import { createHash, randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Database } from '../../../src/store/engine/database.ts';
import { adoptContents } from '../../../src/store/payloads/adopted-contents.ts';
import type { StoredContent } from '../../../src/store/payloads/content-files.ts';

/** Keeps bytes as a content that is a file, or an object where the directory has a bucket, as the mirror does with what it has downloaded. */
export async function keepContent(
  database: Database,
  directory: string,
  bytes: Uint8Array | string,
): Promise<StoredContent> {
  const content = Buffer.from(bytes);
  const hash = `sha-256:${createHash('sha256').update(content).digest('hex')}`;
  await mkdir(join(directory, 'blobs'), { recursive: true });
  const file = join(directory, 'blobs', `${randomUUID()}.tmp`);
  await writeFile(file, content);
  const { length } = content;
  await adoptContents(database, directory, [{ hash, length, crc: crc32(content), file }]);
  return { hash, length };
}

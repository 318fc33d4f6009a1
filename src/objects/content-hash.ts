import { createHash } from 'node:crypto';
import type { ObjectContent } from '../core/payloads/object-store.ts';

/** SHA-256 in hex. */
export async function hashOfBytes(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const sha = createHash('sha256');
  for await (const chunk of bytes) sha.update(chunk);
  return sha.digest('hex');
}

export async function hashOf(content: ObjectContent): Promise<string> {
  return hashOfBytes(content.open(0, content.length));
}

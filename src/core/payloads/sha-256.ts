import { hash } from 'node:crypto';

/** `sha-256:…`, as the documents have it. */
export function sha256(content: Uint8Array): string {
  return `sha-256:${hash('sha256', content, 'hex')}`;
}

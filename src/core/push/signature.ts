import { createHmac } from 'node:crypto';

/** WS-17: over the very bytes that are sent. */
export function hubSignature(secret: string, body: Uint8Array): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

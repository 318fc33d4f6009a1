import type { IncomingMessage } from 'node:http';
import { inboxPath, toUri } from '../core/uris.ts';

/** The inbox of COAR Notify. */
export interface Inbox {
  /** Whether anybody sends from where the request comes from. */
  admits(request: IncomingMessage): boolean;
  /** @param address of the client, for the audit log */
  take(bytes: Buffer, request: IncomingMessage, address: string): Promise<Taken>;
}

/**
 * `faulty`: it is no notification of COAR Notify; `stranger`: nobody of this name sends from there; `full`: it has sent as
 * many as it may within a minute; `other`: another notification has its id.
 */
export type Taken =
  | { readonly kind: 'kept'; readonly number: number }
  | { readonly kind: 'faulty'; readonly faults: readonly string[] }
  | { readonly kind: 'stranger'; readonly origin: string }
  | { readonly kind: 'full' | 'other' };

/** The relation by which senders find the inbox (Linked Data Notifications, COAR Notify). */
export function inboxLink({
  baseUrl,
  inbox,
}: {
  readonly baseUrl: string;
  readonly inbox?: Inbox | undefined;
}): string | undefined {
  return inbox && `<${toUri(baseUrl, inboxPath)}>; rel="http://www.w3.org/ns/ldp#inbox"`;
}

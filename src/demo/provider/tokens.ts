import { createHash } from 'node:crypto';

/** Where a list goes on. Nobody but the provider reads it. */
export interface ListState {
  readonly verb: string;
  readonly prefix: string;
  readonly set?: string | undefined;
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  /** Position of the last record delivered. */
  readonly after: number;
  readonly cursor: number;
  readonly completeListSize: number;
  readonly expiresAt: string;
}

export function writeToken(state: ListState): string {
  const body = Buffer.from(JSON.stringify(state), 'utf8').toString('base64url');
  return `${checksum(body)}.${body}`;
}

/** Undefined for everything that `writeToken` did not write, and for what has expired. */
export function readToken(token: string, now: string): ListState | undefined {
  const [sum, body] = token.split('.');
  if (body === undefined || sum !== checksum(body)) return undefined;
  const state = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as ListState;
  return state.expiresAt < now ? undefined : state;
}

function checksum(body: string): string {
  return createHash('sha256').update(`sample repository ${body}`).digest('hex').slice(0, 12);
}

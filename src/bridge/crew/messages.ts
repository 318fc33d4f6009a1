import type { AddressInfo } from 'node:net';
import type { ErrorCode } from '../../core/errors.ts';

/** Metrics of one process, as `prom-client` writes them as JSON. */
export type ProcessMetrics = readonly object[];

/** What a process that answers requests says to the one that started it. */
export type FromMember =
  | { readonly kind: 'listening'; readonly address: AddressInfo }
  | { readonly kind: 'failed'; readonly code: ErrorCode | undefined; readonly message: string }
  /** The metrics of all, please. */
  | { readonly kind: 'gather'; readonly id: number }
  | { readonly kind: 'metrics'; readonly id: number; readonly metrics: ProcessMetrics };

export type ToMember =
  | { readonly kind: 'stop' | 'reload' }
  /** Its metrics, please. */
  | { readonly kind: 'tell'; readonly id: number }
  | { readonly kind: 'gathered'; readonly id: number; readonly metrics: readonly ProcessMetrics[] };

/** By which a process knows that it is one of those that answer: its number, and how many there are. */
export const memberVariable = 'BRIDGE_ANSWERING_PROCESS';

/** Which one this process is; undefined: it is none of them. */
export function memberOf(
  env: Readonly<Record<string, string | undefined>>,
): { readonly number: number; readonly of: number } | undefined {
  const [, number, of] = /^(\d+)\/(\d+)$/.exec(env[memberVariable] ?? '') ?? [];
  return number === undefined ? undefined : { number: Number(number), of: Number(of) };
}

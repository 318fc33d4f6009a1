import type { ErrorCode } from '../../core/errors.ts';

/** Exit codes are an interface: scripts and service managers decide by them (docs/commands.md). */
export const exitCodes = {
  ok: 0,
  internal: 1,
  usage: 2,
  upstream: 3,
  needsAttention: 4,
  busy: 5,
  storage: 6,
  interrupted: 130,
} as const;

const byCode: Partial<Record<ErrorCode, number>> = {
  usage: exitCodes.usage,
  'node-too-old': exitCodes.usage,
  'not-built': exitCodes.usage,
  'config-invalid': exitCodes.usage,
  'config-missing': exitCodes.usage,
  'unknown-source': exitCodes.usage,
  'unknown-set': exitCodes.usage,
  'source-changed': exitCodes.needsAttention,
  'source-configured': exitCodes.usage,
  'unknown-item': exitCodes.usage,
  'unknown-collection': exitCodes.usage,
  'unknown-resource': exitCodes.usage,
  'no-memento': exitCodes.usage,
  'already-withdrawn': exitCodes.usage,
  'not-withdrawn': exitCodes.usage,
  'export-refused': exitCodes.usage,
  'port-in-use': exitCodes.busy,
  'lease-held': exitCodes.busy,
  'copy-busy': exitCodes.busy,
  'lease-lost': exitCodes.busy,
  'publication-busy': exitCodes.busy,
  'database-locked': exitCodes.busy,
  'database-newer': exitCodes.storage,
  'sqlite-missing': exitCodes.storage,
  'database-unavailable': exitCodes.storage,
  storage: exitCodes.storage,
  'backup-refused': exitCodes.usage,
  'disk-full': exitCodes.storage,
  'objects-unavailable': exitCodes.storage,
  'objects-refused': exitCodes.storage,
  'too-many-files': exitCodes.storage,
  'publication-failed': exitCodes.storage,
  'content-damaged': exitCodes.storage,
  'alert-undelivered': exitCodes.upstream,
  'deletions-refused': exitCodes.needsAttention,
  'vanished-changed': exitCodes.needsAttention,
  interrupted: exitCodes.interrupted,
};

export function exitCodeOf(code: ErrorCode): number {
  const known = byCode[code];
  if (known !== undefined) return known;
  return /^(upstream|oai|address|response|too-many)/.test(code) ? exitCodes.upstream : exitCodes.internal;
}

import { BridgeError } from '../../../src/core/errors.ts';
import { clause } from '../wire/clause.ts';
import type { OaiError } from '../wire/record-parser.ts';

const specified: ReadonlySet<string> = new Set([
  'badargument',
  'badresumptiontoken',
  'badverb',
  'cannotdisseminateformat',
  'iddoesnotexist',
  'norecordsmatch',
  'nometadataformats',
  'nosethierarchy',
]);

export function hasError(errors: readonly OaiError[], code: string): boolean {
  return errors.some((error) => error.code.toLowerCase() === code.toLowerCase());
}

/** All of them: the second is often the one that explains (quirk 93). */
export function describeErrors(errors: readonly OaiError[]): string {
  return errors
    .map(({ code, message }) => [clause(code) || 'no code', clause(message)].filter(Boolean).join(': '))
    .join('; ');
}

export function toBridgeError(errors: readonly OaiError[]): BridgeError {
  const message = `the repository answered with an error (${describeErrors(errors)})`;
  if (hasError(errors, 'badResumptionToken')) {
    return new BridgeError('oai-bad-resumption-token', message, { retryable: true });
  }
  if (hasError(errors, 'cannotDisseminateFormat')) return new BridgeError('oai-unknown-format', message);
  // An invented code (quirk 26) says nothing about whether it will pass.
  return new BridgeError('oai-error', message, {
    retryable: !errors.some(({ code }) => specified.has(code.toLowerCase())),
  });
}

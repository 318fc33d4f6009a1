import { type BridgeError, refusal } from '../../../src/core/errors.ts';
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
  const facts = { text: describeErrors(errors) };
  if (hasError(errors, 'badResumptionToken')) {
    return refusal('oai-bad-resumption-token', 'answered-error', facts, { retryable: true });
  }
  if (hasError(errors, 'cannotDisseminateFormat'))
    return refusal('oai-unknown-format', 'answered-error', facts);
  // An invented code (quirk 26) says nothing about whether it will pass.
  return refusal('oai-error', 'answered-error', facts, {
    retryable: !errors.some(({ code }) => specified.has(code.toLowerCase())),
  });
}

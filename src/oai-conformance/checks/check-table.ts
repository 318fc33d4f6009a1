import { answerChecks } from './answer-checks.ts';
import { baseChecks } from './base-checks.ts';
import type { Check } from './check.ts';
import { identifyChecks } from './identify-checks.ts';
import { irdbChecks } from './irdb-checks.ts';
import { listChecks } from './list-checks.ts';
import { openaireChecks } from './openaire-checks.ts';
import { recordChecks } from './record-checks.ts';
import { refusalChecks } from './refusal-checks.ts';

/** All checks by group, in the order of the report and of docs/validate-oai.md. */
export const checkGroups = {
  'Every answer': answerChecks,
  Identify: identifyChecks,
  'Requests that are refused': refusalChecks,
  'Formats, sets and lists': listChecks,
  Records: recordChecks,
  BASE: baseChecks,
  OpenAIRE: openaireChecks,
  'IRDB and JPCOAR': irdbChecks,
} as const;

const table = {
  ...answerChecks,
  ...identifyChecks,
  ...refusalChecks,
  ...listChecks,
  ...recordChecks,
  ...baseChecks,
  ...openaireChecks,
  ...irdbChecks,
} as const;

export type CheckId = keyof typeof table;

export const checkTable: Readonly<Record<CheckId, Check>> = table;

export const checkIds = Object.keys(table) as readonly CheckId[];

import { createHash } from 'node:crypto';
import { toIso } from '../../../src/core/datetime.ts';
import { metadataPath } from '../../../src/core/uris.ts';

/** What the seeded source has lived through: created by one pass, all of it changed by every later round. */
export interface Plan {
  readonly resources: number;
  readonly versions: number;
}

export const baseUrl = 'https://repo.example.org/rs';
/** As many resources change within a second. */
export const pageSize = 500;
/** @param from the first resource of a page */
export function pageEnd({ resources }: Plan, from: number): number {
  return Math.min(resources, from + pageSize);
}

/** Of all records, upstream. */
export const datestamp = '2024-12-01T00:00:00Z';

export function planOf([resources, versions]: readonly (string | undefined)[]): Plan {
  const plan = { resources: Number(resources ?? 1_000_000), versions: Number(versions ?? 5) };
  if (!(plan.resources > 0 && plan.versions > 1 && plan.versions < 8)) {
    throw new Error('[RESOURCES] [VERSIONS], of which there are 2 to 7');
  }
  return plan;
}

/** When the journal learned of it: three months lie between the rounds, and a second between the pages. */
export function momentOf(number: number, version: number): string {
  return toIso(new Date(Date.UTC(2025, 3 * version, 1, 3) + Math.floor(number / pageSize) * 1000));
}

/** `Memento-Datetime` */
export function lastmodOf(number: number, version: number): string {
  return version === 0 ? datestamp : momentOf(number, version);
}

export function identifierOf(number: number): string {
  return `oai:repo.example.org:2324/${number}`;
}

export function pathOf(number: number): string {
  return metadataPath('bench', identifierOf(number), 'oai_dc');
}

export function hashOf(content: Uint8Array): string {
  return `sha-256:${createHash('sha256').update(content).digest('hex')}`;
}

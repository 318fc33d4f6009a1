import type { SampleFile, SampleRecord } from './sample-record.ts';

/** Everything the sample repository serves beside OAI-PMH is found by the number of its record. */

function numberOf({ position }: SampleRecord): number {
  return 1000 + position;
}

/** @param baseUrl of the provider */
export function pageUrl(record: SampleRecord, baseUrl: string): string {
  return new URL(`/records/${numberOf(record)}`, baseUrl).href;
}

export function linksetUrl(record: SampleRecord, baseUrl: string): string {
  return `${pageUrl(record, baseUrl)}/linkset.json`;
}

export function fileUrl(record: SampleRecord, { name }: Pick<SampleFile, 'name'>, baseUrl: string): string {
  return new URL(`/files/${numberOf(record)}/${encodeURIComponent(name)}`, baseUrl).href;
}

export function recordUrl({ identifier }: SampleRecord, prefix: string, baseUrl: string): string {
  return `${baseUrl}?${new URLSearchParams({ verb: 'GetRecord', metadataPrefix: prefix, identifier })}`;
}

/** What a path below the provider's host leads to; undefined: nothing. */
export type SamplePlace =
  | { readonly kind: 'page' | 'linkset'; readonly record: SampleRecord }
  | { readonly kind: 'file'; readonly record: SampleRecord; readonly file: SampleFile | undefined };

export function findPlace(path: string, records: readonly SampleRecord[]): SamplePlace | undefined {
  const [, room = '', number = '', rest] = /^\/(records|files)\/(\d{4,9})(?:\/([^/]+))?$/.exec(path) ?? [];
  const record = records[Number(number) - 1000];
  if (record === undefined) return undefined;
  if (room === 'records') {
    if (rest === undefined) return { kind: 'page', record };
    return rest === 'linkset.json' ? { kind: 'linkset', record } : undefined;
  }
  if (rest === undefined) return undefined;
  return { kind: 'file', record, file: record.files.find(({ name }) => name === decoded(rest)) };
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

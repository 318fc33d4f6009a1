import { findFiles } from '../../../adapters/oai-pmh/files/index.ts';
import type { SourceFile } from '../../../src/core/adapter.ts';

/** What a payload states, without the numbers. */
export function statedFiles(namespace: string, payload: string): Omit<SourceFile, 'sequence'>[] {
  return (findFiles(namespace, payload)?.files ?? []).map(({ sequence: _, ...file }) => file);
}

export function statedUrls(namespace: string, payload: string): string[] {
  return statedFiles(namespace, payload).map(({ url }) => url);
}

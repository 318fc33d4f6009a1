import type { SourceFile } from '../../../src/core/adapter.ts';
import { extractorOf } from './formats/extractors.ts';
import { FoundFiles } from './reading/found-files.ts';
import { readPayload } from './reading/payload-reader.ts';

/**
 * How much payloads with this root know about files: 0 for the repository's own list of them, 100 for links one can
 * only guess at; undefined: nothing, ever. The root's local name matters where its namespace says nothing.
 */
export function fileRank(namespace: string, rootName = ''): number | undefined {
  return extractorOf(namespace, rootName)?.rank;
}

/**
 * The files that a well-formed payload states, in its own order, each URL once. Pure; in linear time, and in memory
 * that grows with the files alone. Undefined where its format never has any.
 */
export function findFiles(
  namespace: string,
  payload: Uint8Array | string,
): { readonly rank: number; readonly files: readonly SourceFile[] } | undefined {
  const format = extractorOf(namespace, rootName(payload));
  if (format === undefined) return undefined;
  const { rank, extract, maybe } = format;
  if (maybe !== undefined && !maybe(payload)) return { rank, files: [] };
  const found = new FoundFiles();
  const complete = readPayload(payload, extract(found));
  return { rank, files: complete ? found.list() : [] };
}

/** The local name of the first element. */
function rootName(payload: Uint8Array | string): string {
  const start =
    typeof payload === 'string'
      ? payload.slice(0, 1_000)
      : Buffer.from(payload.buffer, payload.byteOffset, Math.min(payload.byteLength, 1_000)).toString('utf8');
  return /<(?:[^\s<>:/!?]{1,64}:)?([^\s<>:/!?]{1,64})/.exec(start)?.[1] ?? '';
}

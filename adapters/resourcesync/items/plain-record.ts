import type { HeldItem, HeldMetadata } from '../../../src/core/adapter.ts';
import { fileName } from '../../../src/core/signposting/file-name.ts';

export const plainFormat = {
  name: 'oai_dc',
  profile: 'http://www.openarchives.org/OAI/2.0/oai_dc/',
} as const;

/** The record that is here of an item that is a file and nothing else; undefined: its metadata is the Source's. */
export function plainOf({ identifier, metadata, files }: HeldItem): HeldMetadata | undefined {
  if (!files.some(({ url }) => url === identifier)) return undefined;
  return metadata.find(({ format, upstreamUrl }) => format === plainFormat.name && upstreamUrl === undefined);
}

/**
 * What there is to say of a resource that nothing describes, as Dublin Core: its name, its type, its address. The same
 * entry always gives the same bytes.
 */
export function plainRecord({
  loc,
  type,
}: {
  readonly loc: string;
  readonly type: string | undefined;
}): Uint8Array {
  const title = fileName(loc, type);
  const format = type === undefined ? '' : `<dc:format>${escaped(type)}</dc:format>`;
  return Buffer.from(
    `<oai_dc:dc xmlns:oai_dc="${plainFormat.profile}" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${escaped(title)}</dc:title>${format}<dc:identifier>${escaped(loc)}</dc:identifier></oai_dc:dc>`,
  );
}

function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;');
}

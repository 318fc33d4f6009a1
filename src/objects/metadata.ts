import type { IncomingHttpHeaders } from 'node:http';

/** Headers that say something with an object begin so. */
const prefix = 'x-amz-meta-';

export function metadataHeaders(
  metadata: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(metadata ?? {}).map(([name, value]) => [prefix + name, value.trim()]),
  );
}

export function metadataOf(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith(prefix) && typeof value === 'string' ? [[name.slice(prefix.length), value]] : [],
    ),
  );
}

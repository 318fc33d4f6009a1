/**
 * A collection's or community's key, as DSpace's OAI-PMH endpoint makes a setSpec of it: `col_10986_42`. One without
 * a handle, which that endpoint does not know, goes by its id.
 */
export function collectionKey(
  kind: 'collection' | 'community',
  handle: string | undefined,
  id: string,
): string {
  if (handle === undefined) return id;
  return `${kind === 'collection' ? 'col' : 'com'}_${handle.replaceAll('/', '_')}`;
}

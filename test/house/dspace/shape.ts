/** Every path to a value, without the values: `_embedded.bundles[].uuid`. Keys that are data become `*`. */
export function keyPaths(value: unknown, path = ''): Set<string> {
  const paths = new Set<string>();
  if (Array.isArray(value)) {
    for (const member of value) for (const inner of keyPaths(member, `${path}[]`)) paths.add(inner);
    return paths;
  }
  if (typeof value !== 'object' || value === null) return paths.add(path);
  const isData = /(^|\.)(metadata|hitHighlights)$/.test(path);
  for (const [key, member] of Object.entries(value))
    for (const inner of keyPaths(member, path === '' ? key : `${path}.${isData ? '*' : key}`))
      paths.add(inner);
  return paths;
}

/** What one has and the other has not. */
export function missingPaths(from: unknown, wanted: unknown, except: RegExp = /^$/): string[] {
  const there = keyPaths(from);
  return [...keyPaths(wanted)].filter((path) => !there.has(path) && !except.test(path));
}

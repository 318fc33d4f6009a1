const digits: ReadonlyMap<string, { readonly name: string; readonly length: number }> = new Map([
  ['md5', { name: 'md5', length: 32 }],
  ['sha1', { name: 'sha-1', length: 40 }],
  ['sha256', { name: 'sha-256', length: 64 }],
]);

/** `md5:…`, `sha-1:…` or `sha-256:…` in lower-case hex; undefined for other algorithms and for wrong lengths. */
export function readHash(algorithm: string | undefined, digest: string | undefined): string | undefined {
  const known = digits.get(
    (algorithm ?? '')
      .trim()
      .toLowerCase()
      .replace(/[-_\s]/g, ''),
  );
  const hex = (digest ?? '').trim().toLowerCase();
  if (known === undefined || hex.length !== known.length || !/^[0-9a-f]+$/.test(hex)) return undefined;
  // What is written where nothing was counted.
  return /^0+$/.test(hex) ? undefined : `${known.name}:${hex}`;
}

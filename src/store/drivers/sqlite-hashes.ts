/**
 * SQLite keeps an SHA-256 in its 32 octets, where it has no column of another type for it: `sha-256:` and 64 letters are
 * what every binding and every row has, and this is the one place that knows better. What is no such hash (an MD5 that a
 * repository states) stays the text that it is. PostgreSQL keeps them all as text.
 */
const octets = 32;
const scheme = 'sha-256:';
const hash = /^sha-256:[0-9a-f]{64}$/;
const textLength = scheme.length + 2 * octets;

export function isHash(text: string): boolean {
  return text.length === textLength && hash.test(text);
}

/** Of a binding. */
export function storedHash(text: string): string | Uint8Array {
  return isHash(text) ? Buffer.from(text.slice(scheme.length), 'hex') : text;
}

/**
 * Of a value that was read. Nothing but hashes is bound as 32 octets where a column is not one of octets itself.
 * @param isOctets whether the column is
 */
export function readHash(value: unknown, isOctets: boolean | undefined): unknown {
  if (isOctets || !(value instanceof Uint8Array) || value.byteLength !== octets) return value;
  return scheme + Buffer.from(value.buffer, value.byteOffset, octets).toString('hex');
}

/** Within a statement: what is a hash as it is stored, what is not as it is. */
export function hashFromText(column: string): string {
  return `case
    when typeof(${column}) = 'text' and length(${column}) = ${textLength}
      and substr(${column}, 1, ${scheme.length}) = '${scheme}'
      and substr(${column}, ${scheme.length + 1}) not glob '*[^0-9a-f]*'
    then unhex(substr(${column}, ${scheme.length + 1})) else ${column} end`;
}

/** Within a statement: a list in JSON, of which some may be hashes, as a table of one column. */
export const listedHashes = `select ${hashFromText('value')} from json_each(?)`;

/** The same of nothing but SHA-256, as `shaList` writes them. */
export const listedSha = 'select unhex(value) from json_each(?)';

/** @param hashes each such that `isHash` */
export function shaList(hashes: readonly string[]): string {
  return JSON.stringify(hashes.map((one) => one.slice(scheme.length)));
}

/** Within a statement: a hash as text, where JSON is made of it. */
export function hashAsText(column: string): string {
  return `case typeof(${column}) when 'blob' then '${scheme}' || lower(hex(${column})) else ${column} end`;
}

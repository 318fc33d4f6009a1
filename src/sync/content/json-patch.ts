import { applyPatch, type Operation } from 'rfc6902';

export const jsonPatchType = 'application/json-patch+json';

/**
 * Applies a JSON Patch (RFC 6902) to a JSON text. Members called `constructor`, `prototype` or `__proto__` are
 * none for the library: whatever has them comes out as another text.
 * @returns the texts that the result may have, for no standard says how it is written: one of them has the stated hash, or
 * the whole has to be fetched
 * @throws Error where it does not fit, or is none
 */
export function applyJsonPatch(base: Uint8Array, patch: Uint8Array): readonly Uint8Array[] {
  const text = Buffer.from(base).toString('utf8');
  const operations: unknown = JSON.parse(Buffer.from(patch).toString('utf8'));
  if (!Array.isArray(operations)) throw new Error('it is no list of operations');
  // A patch may replace all of it, which the library does only within something else.
  const holder: { document: unknown } = { document: JSON.parse(text) };
  for (const error of applyPatch(holder, operations.map(withinHolder))) if (error !== null) throw error;
  const [, indent = ''] = /^[[{]\r?\n([ \t]+)/.exec(text) ?? [];
  const end = /\n$/.test(text) ? '\n' : '';
  const written = [JSON.stringify(holder.document, null, indent), JSON.stringify(holder.document)];
  return [...new Set([...written.map((one) => one + end), ...written])].map((one) => Buffer.from(one));
}

function withinHolder(given: unknown): Operation {
  const { path, from, ...others } = (given ?? {}) as Record<string, unknown>;
  const within = (pointer: unknown) => `/document${String(pointer)}`;
  const operation = { ...others, path: within(path), ...(from === undefined ? {} : { from: within(from) }) };
  // Whatever it says that it does is judged by the library.
  return operation as Operation;
}

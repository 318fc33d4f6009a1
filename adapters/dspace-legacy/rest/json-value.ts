import { asCount, type JsonObject } from '../../../src/core/json-value.ts';

export { asCount, asObject, asText, type JsonObject, objectsOf } from '../../../src/core/json-value.ts';

/** Item and its like say `"true"` where others say `true`. */
export function asFlag(value: unknown): boolean | undefined {
  if (value === true || value === 'true') return true;
  return value === false || value === 'false' ? false : undefined;
}

const idForm = /^(?:\d{1,18}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i;

/** Of an item, a bitstream, a collection or a community: DSpace 5 counts (`id`, seen in `uuid`, too), 6 has UUIDs. */
export function idOf(json: JsonObject): string | undefined {
  return asId(json.uuid) ?? asId(json.id);
}

/** Anything else must not become a part of a URL. */
export function asId(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(asCount(value) ?? '') : value;
  return typeof text === 'string' && idForm.test(text) ? text.toLowerCase() : undefined;
}

/** `prefix/suffix`; undefined for what is none: a repository without a prefix writes `/12`. */
export function asHandle(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  return text.length <= 250 && /^[^\s/:]+\/[^\s/?#]+(?:\/[^\s/?#]+)*$/.test(text) ? text : undefined;
}

import { asCount, asObject, type JsonObject, objectsOf } from '../../../src/core/json-value.ts';

export { asCount, asObject, asText, type JsonObject, objectsOf } from '../../../src/core/json-value.ts';

export function asFlag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** Empty for anything that is no list. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

const uuidForm = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** In lower case; anything else would be answered 401, as if it were secret (DSpace#13127). */
export function asUuid(value: unknown): string | undefined {
  return typeof value === 'string' && uuidForm.test(value) ? value.toLowerCase() : undefined;
}

/** A single embedded resource; undefined: not embedded, denied, or there is none (`isEmbedded` tells). */
export function embedded(json: JsonObject, relation: string): JsonObject | undefined {
  return asObject(asObject(json._embedded)?.[relation]);
}

/** False: it was not asked for, or is denied to the asker; true for `null`, too: there is none. */
export function isEmbedded(json: JsonObject, relation: string): boolean {
  const all = asObject(json._embedded);
  return all !== undefined && Object.hasOwn(all, relation);
}

export interface EmbeddedList {
  readonly rows: readonly JsonObject[];
  /** What the server says there are; more than `rows` where the list is cut off. */
  readonly total: number | undefined;
  /** How many rows its page has room for. */
  readonly size: number | undefined;
}

/**
 * An embedded list, or the list that an answer itself is: `{_embedded: {bundles: {_embedded: {bundles: […]}, page}}}`
 * or `{_embedded: {bundles: […]}, page}`; undefined: there is none, or it is denied to the asker.
 */
export function embeddedList(json: JsonObject, relation: string): EmbeddedList | undefined {
  const value = asObject(json._embedded)?.[relation];
  if (Array.isArray(value)) return { rows: objectsOf(value), ...pageOf(json) };
  const list = asObject(value);
  if (list === undefined) return undefined;
  const inner = asObject(list._embedded);
  // The inner key is the relation's own name, but for lists that are named after what they hold.
  const rows =
    inner === undefined ? undefined : (inner[relation] ?? Object.values(inner).find(Array.isArray));
  // Neither rows nor a count: it says nothing of the list.
  if (!Array.isArray(rows) && totalOf(list) === undefined) return undefined;
  return { rows: objectsOf(rows), ...pageOf(list) };
}

/** `page.totalElements`. */
export function totalOf(json: JsonObject): number | undefined {
  return asCount(asObject(json.page)?.totalElements);
}

function pageOf(json: JsonObject): Omit<EmbeddedList, 'rows'> {
  return { total: totalOf(json), size: asCount(asObject(json.page)?.size) };
}

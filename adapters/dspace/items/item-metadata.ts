import type { MetadataValue } from '../../../src/core/dspace/dspace-item.ts';
import { byFieldName, parseFieldName } from '../../../src/core/dspace/field-name.ts';
import { asCount, asObject, asText, type JsonObject, objectsOf } from '../rest/json-value.ts';
import { UnreadableItem } from '../rest/unreadable-item.ts';

/**
 * `{"dc.title": [{value, language, authority, confidence, place}]}` as values, in the order of `DspaceItem.metadata`.
 * What is no text, or has a name that is none, is left out; fields that are hidden are not there at all.
 * @throws UnreadableItem when it is no such object
 */
export function readMetadata(json: unknown): readonly MetadataValue[] {
  const fields = asObject(json);
  if (fields === undefined) throw new UnreadableItem('it states no metadata');
  const values: MetadataValue[] = [];
  for (const name of Object.keys(fields)) {
    const field = parseFieldName(name);
    if (field === undefined) continue;
    for (const value of inPlace(fields[name])) {
      if (typeof value.value !== 'string') continue;
      const authority = asText(value.authority);
      values.push({
        ...field,
        value: value.value,
        language: asText(value.language),
        authority,
        confidence: authority === undefined ? undefined : asCount(value.confidence),
      });
    }
  }
  return byFieldName(values);
}

/** Mostly they come in order; one without a place has that of its position. */
function inPlace(list: unknown): readonly JsonObject[] {
  return objectsOf(list)
    .map((value, index) => ({ value, place: asCount(value.place) ?? index }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value);
}

import { collectionKey } from '../../../src/core/dspace/collection-key.ts';
import { asList, asObject, asText, asUuid, embedded, type JsonObject } from '../rest/json-value.ts';

/** A community or collection, and what it is in. */
export interface Place {
  readonly kind: 'community' | 'collection';
  readonly uuid: string;
  readonly key: string;
  readonly name: string | undefined;
  readonly description: string | undefined;
  /** UUID of the community it is in; undefined: it is on top, or nobody says. */
  readonly parent: string | undefined;
}

/**
 * @param json with its `parentCommunity` embedded, unless `parent` is known
 * @returns undefined: it has no UUID
 */
export function placeOf(json: JsonObject, kind: Place['kind'], parent?: string): Place | undefined {
  const uuid = asUuid(json.uuid) ?? asUuid(json.id);
  if (uuid === undefined) return undefined;
  return {
    kind,
    uuid,
    key: collectionKey(kind, asText(json.handle), uuid),
    name: asText(json.name),
    description: firstValue(json, 'dc.description.abstract') ?? firstValue(json, 'dc.description'),
    parent: parent ?? asUuid(embedded(json, 'parentCommunity')?.uuid),
  };
}

function firstValue(json: JsonObject, field: string): string | undefined {
  return asText(asObject(asList(asObject(json.metadata)?.[field])[0])?.value);
}

import { asCount, asObject, asText, objectsOf } from '../json-value.ts';
import type { Bitstream, DspaceItem, MetadataValue, OwningCollection } from './dspace-item.ts';
import { byFieldName, parseFieldName } from './field-name.ts';

/** An item out of the document that `toItemJson` made of it, as far as that has it; undefined: it is another one. */
export function readItemJson(content: Uint8Array): DspaceItem | undefined {
  let json: unknown;
  try {
    json = JSON.parse(Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('utf8'));
  } catch {
    return undefined;
  }
  const item = asObject(json);
  const id = asText(item?.id);
  const metadata = asObject(item?.metadata);
  if (item === undefined || id === undefined || metadata === undefined) return undefined;
  return {
    id,
    handle: asText(item.handle),
    name: asText(item.name),
    entityType: asText(item.entityType),
    lastModified: asText(item.lastModified),
    metadata: byFieldName(Object.entries(metadata).flatMap(([name, values]) => valuesOf(name, values))),
    bitstreams: objectsOf(item.bitstreams).flatMap(bitstreamOf),
    collections: objectsOf(item.collections).flatMap(collectionOf),
  };
}

function valuesOf(name: string, values: unknown): readonly MetadataValue[] {
  const field = parseFieldName(name);
  if (field === undefined) return [];
  return objectsOf(values).flatMap(({ value, language, authority, confidence }) =>
    typeof value === 'string'
      ? {
          ...field,
          value,
          language: asText(language),
          authority: asText(authority),
          confidence: asCount(confidence),
        }
      : [],
  );
}

function bitstreamOf(json: Readonly<Record<string, unknown>>): readonly Bitstream[] {
  const id = asText(json.id);
  if (id === undefined) return [];
  const checkSum = asObject(json.checkSum);
  const [algorithm, value] = [asText(checkSum?.checkSumAlgorithm), asText(checkSum?.value)];
  return [
    {
      id,
      name: asText(json.name) ?? id,
      bundleName: asText(json.bundleName) ?? '',
      description: undefined,
      sizeBytes: asCount(json.sizeBytes),
      checkSum: algorithm === undefined || value === undefined ? undefined : { algorithm, value },
      mimeType: asText(json.mimetype),
      sequenceId: asCount(json.sequenceId),
    },
  ];
}

function collectionOf(json: Readonly<Record<string, unknown>>): readonly OwningCollection[] {
  const id = asText(json.id);
  return id === undefined ? [] : [{ id, handle: asText(json.handle), name: asText(json.name) }];
}

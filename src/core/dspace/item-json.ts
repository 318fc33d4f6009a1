import type { Bitstream, DspaceItem, MetadataValue, OwningCollection } from './dspace-item.ts';
import { fieldName } from './field-name.ts';

/**
 * The profile of this form of an item. DSpace has no URI for its JSON, and a name below somebody's domain would not be
 * ours to give; this UUID was drawn for it, means nothing else, and changes when the form does.
 */
export const itemJsonProfile = 'urn:uuid:ecbe13f4-9781-4df6-a241-93b1dc3492f9';

/**
 * An item as the REST API of DSpace 7 and later writes it, without what depends on the request or on the server's
 * version (`_links`, `_embedded`, `uniqueType`), and with its files and collections: one and the same text as long as
 * nothing changes. Metadata by field name, values by place; times in ISO UTC seconds; mapped collections by id.
 */
export function toItemJson(item: DspaceItem): string {
  const [owning, ...mapped] = item.collections;
  const collections = owning === undefined ? [] : [owning, ...mapped.toSorted(byId)];
  const whole = {
    ...identified(item.id),
    name: orNull(item.name),
    handle: orNull(item.handle),
    metadata: metadataOf(item.metadata),
    // Nothing else is published.
    inArchive: true,
    discoverable: true,
    withdrawn: false,
    lastModified: orNull(item.lastModified),
    entityType: orNull(item.entityType),
    type: 'item',
    bitstreams: item.bitstreams.map(bitstreamOf),
    collections: collections.map(collectionOf),
  };
  const text = JSON.stringify(whole);
  return `${text.includes('\\ud') ? JSON.stringify(whole, wellFormed) : text}\n`;
}

function metadataOf(values: readonly MetadataValue[]): object {
  const fields = new Map<string, object[]>();
  for (const value of values) {
    const name = fieldName(value);
    const known = fields.get(name) ?? [];
    if (known.length === 0) fields.set(name, known);
    known.push({
      value: value.value,
      language: orNull(value.language),
      authority: orNull(value.authority),
      confidence: value.confidence ?? -1,
      place: known.length,
    });
  }
  return Object.fromEntries([...fields].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function bitstreamOf(bitstream: Bitstream): object {
  const { checkSum } = bitstream;
  return {
    ...identified(bitstream.id),
    name: bitstream.name,
    bundleName: bitstream.bundleName,
    sizeBytes: orNull(bitstream.sizeBytes),
    checkSum:
      checkSum === undefined ? null : { checkSumAlgorithm: checkSum.algorithm, value: checkSum.value },
    mimetype: orNull(bitstream.mimeType),
    sequenceId: orNull(bitstream.sequenceId),
  };
}

function collectionOf({ id, handle, name }: OwningCollection): object {
  return { ...identified(id), name: orNull(name), handle: orNull(handle) };
}

/** DSpace 5 counts, and has no UUIDs. */
function identified(id: string): object {
  return /^\d+$/.test(id) ? { id } : { id, uuid: id };
}

function orNull<T>(value: T | undefined): T | null {
  return value ?? null;
}

function byId(a: OwningCollection, b: OwningCollection): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

const halfPairs = /\p{Surrogate}/gu;

/** Half a surrogate pair is no character; many readers refuse it, even escaped. */
function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replace(halfPairs, '') : value;
}

import type { Bitstream, DspaceItem, MetadataValue } from '../../../src/core/dspace/dspace-item.ts';
import { byFieldName, parseFieldName } from '../../../src/core/dspace/field-name.ts';

export function value(name: string, text: string, more: Partial<MetadataValue> = {}): MetadataValue {
  const field = parseFieldName(name);
  if (field === undefined) throw new Error(`${name} is no field`);
  return {
    ...field,
    value: text,
    language: undefined,
    authority: undefined,
    confidence: undefined,
    ...more,
  };
}

export function bitstream(id: string, more: Partial<Bitstream> = {}): Bitstream {
  return {
    id,
    name: `${id}.pdf`,
    bundleName: 'ORIGINAL',
    description: undefined,
    sizeBytes: 12,
    checkSum: { algorithm: 'MD5', value: '9e55704856c7798762321e4011451d98' },
    mimeType: 'application/pdf',
    sequenceId: undefined,
    ...more,
  };
}

export function item(metadata: readonly MetadataValue[], more: Partial<DspaceItem> = {}): DspaceItem {
  return {
    id: '4109f8db-ff30-4a46-9148-268b7fe18a17',
    handle: '10673/1263',
    name: 'A thesis',
    entityType: undefined,
    lastModified: '2026-07-22T11:41:42Z',
    metadata: byFieldName(metadata),
    bitstreams: [],
    collections: [],
    ...more,
  };
}

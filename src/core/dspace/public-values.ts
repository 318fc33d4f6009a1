import type { MetadataValue } from './dspace-item.ts';

/**
 * What may be published of an item's metadata, whoever has read it: not the provenance, which names submitters and
 * reviewers with their addresses; nobody's e-mail address; nothing of what DSpace notes for itself (owners, agreements,
 * tokens) but the type of an entity.
 */
export function publicValues(values: readonly MetadataValue[]): readonly MetadataValue[] {
  return values.some(isInternal) ? values.filter((value) => !isInternal(value)) : values;
}

function isInternal({ schema, element, qualifier }: MetadataValue): boolean {
  switch (schema.toLowerCase()) {
    case 'dc':
      return element.toLowerCase() === 'description' && qualifier?.toLowerCase() === 'provenance';
    case 'person':
      return element.toLowerCase() === 'email';
    case 'dspace':
      return !(element.toLowerCase() === 'entity' && qualifier?.toLowerCase() === 'type');
    default:
      return false;
  }
}

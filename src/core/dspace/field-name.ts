import type { MetadataValue } from './dspace-item.ts';

export type FieldName = Pick<MetadataValue, 'schema' | 'element' | 'qualifier'>;

/** Reads `dc.contributor.author`; undefined for what has no schema or no element. */
export function parseFieldName(name: string): FieldName | undefined {
  const first = name.indexOf('.');
  if (first < 1) return undefined;
  const second = name.indexOf('.', first + 1);
  const element = second < 0 ? name.slice(first + 1) : name.slice(first + 1, second);
  if (element === '') return undefined;
  const qualifier = second < 0 ? '' : name.slice(second + 1);
  return { schema: name.slice(0, first), element, qualifier: qualifier === '' ? undefined : qualifier };
}

/** `dc.contributor.author` again. */
export function fieldName({ schema, element, qualifier }: FieldName): string {
  return qualifier === undefined ? `${schema}.${element}` : `${schema}.${element}.${qualifier}`;
}

/**
 * Values in the order of `DspaceItem.metadata`: by field name, which no server's memory order changes. Those of one
 * field stay as they come.
 */
export function byFieldName(values: readonly MetadataValue[]): readonly MetadataValue[] {
  return values
    .map((value) => ({ name: fieldName(value), value }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map(({ value }) => value);
}

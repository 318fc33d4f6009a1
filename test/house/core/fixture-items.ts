import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readMetadata } from '../../../adapters/dspace/items/item-metadata.ts';
import type { DspaceItem } from '../../../src/core/dspace/dspace-item.ts';
import { byFieldName, parseFieldName } from '../../../src/core/dspace/field-name.ts';
import { sharedMaterial } from '../adapters/shared-material.ts';
import { item } from './items.ts';

/** Every item in the responses that were recorded from DSpaces of all versions, wherever it lies in them. */
export function fixtureItems(): readonly { readonly file: string; readonly item: DspaceItem }[] {
  const folder = sharedMaterial('fixtures/dspace');
  if (folder === undefined) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) =>
      itemsIn(JSON.parse(readFileSync(join(folder, file), 'utf8'))).map((one) => ({ file, item: one })),
    );
}

function itemsIn(json: unknown): readonly DspaceItem[] {
  if (Array.isArray(json)) return json.flatMap(itemsIn);
  if (typeof json !== 'object' || json === null) return [];
  const { metadata, handle, type } = json as Record<string, unknown>;
  const below = Object.values(json).flatMap(itemsIn);
  if (type !== undefined && type !== 'item') return below;
  const about = { handle: typeof handle === 'string' ? handle : undefined };
  // DSpace 5 and 6 have a list.
  if (Array.isArray(metadata)) return [item(byFieldName(metadata.flatMap(ofList)), about), ...below];
  if (typeof metadata !== 'object' || metadata === null) return below;
  return [item(readMetadata(metadata), about), ...below];
}

function ofList({ key, value, language }: Record<string, unknown>) {
  const field = parseFieldName(String(key));
  if (field === undefined || typeof value !== 'string') return [];
  const stated = typeof language === 'string' && language !== '' ? language : undefined;
  return { ...field, value, language: stated, authority: undefined, confidence: undefined };
}

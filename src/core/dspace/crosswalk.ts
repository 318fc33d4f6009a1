import type { SourceMetadata } from '../adapter.ts';
import { BridgeError } from '../errors.ts';
import { dimNamespace, dimSchema, toDim } from './dim.ts';
import type { DspaceItem } from './dspace-item.ts';
import { itemJsonProfile, toItemJson } from './item-json.ts';
import { oaiDcNamespace, oaiDcSchema, toOaiDc } from './oai-dc.ts';
import { publicValues } from './public-values.ts';
import { dctermsNamespace, qdcSchema, toQdc } from './qdc.ts';

/** A form in which an item is published. */
export interface CrosswalkFormat {
  /** As in `formats` of the configuration; what OAI-PMH has, too, goes by its prefix there. */
  readonly name: string;
  /** `SourceMetadata.profile`. */
  readonly profile: string;
  readonly schema?: string;
  readonly mediaType: 'application/xml' | 'application/json';
  readonly render: (item: DspaceItem) => string;
}

/** Every format that is made from an item itself. */
export const crosswalkFormats: readonly CrosswalkFormat[] = [
  {
    name: 'oai_dc',
    profile: oaiDcNamespace,
    schema: oaiDcSchema,
    mediaType: 'application/xml',
    render: toOaiDc,
  },
  { name: 'dim', profile: dimNamespace, schema: dimSchema, mediaType: 'application/xml', render: toDim },
  { name: 'qdc', profile: dctermsNamespace, schema: qdcSchema, mediaType: 'application/xml', render: toQdc },
  { name: 'json', profile: itemJsonProfile, mediaType: 'application/json', render: toItemJson },
];

const byName: ReadonlyMap<string, CrosswalkFormat> = new Map(
  crosswalkFormats.map((format) => [format.name, format]),
);

export function isCrosswalkFormat(name: string): boolean {
  return byName.has(name);
}

/**
 * An item's document in one format: the same bytes for the same item. What is internal to its repository is left out
 * of all of them, whoever has read it.
 * @throws BridgeError `oai-unknown-format`
 */
export function crosswalk(format: string, item: DspaceItem): SourceMetadata {
  const known = byName.get(format);
  if (known === undefined) {
    const names = [...byName.keys()].join(', ');
    throw new BridgeError('oai-unknown-format', `An item cannot be written as ${format}, only as ${names}.`);
  }
  const metadata = publicValues(item.metadata);
  const { profile, mediaType, render } = known;
  return {
    format,
    content: Buffer.from(render(metadata === item.metadata ? item : { ...item, metadata }), 'utf8'),
    mediaType,
    profile,
  };
}

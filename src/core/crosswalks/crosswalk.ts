import type { SourceMetadata } from '../adapter.ts';
import { dimNamespace, dimSchema, toDim } from '../dspace/dim.ts';
import type { DspaceItem } from '../dspace/dspace-item.ts';
import { itemJsonProfile, toItemJson } from '../dspace/item-json.ts';
import { oaiDcNamespace, oaiDcSchema, toOaiDc } from '../dspace/oai-dc.ts';
import { publicValues } from '../dspace/public-values.ts';
import { dctermsNamespace, qdcSchema, toQdc } from '../dspace/qdc.ts';
import { BridgeError } from '../errors.ts';
import { jpcoarNamespace, jpcoarSchema } from './jpcoar.ts';
import { openaireNamespace, openaireSchema } from './openaire.ts';
import { type Target, writeWork } from './target.ts';
import type { Circumstances } from './work.ts';

/** A form in which an item is published. */
export interface CrosswalkFormat {
  /** As in `formats` of the configuration; what OAI-PMH has, too, goes by its prefix there. */
  readonly name: string;
  /** `SourceMetadata.profile`. */
  readonly profile: string;
  readonly schema?: string;
  readonly mediaType: 'application/xml' | 'application/json';
  /** Only where it is configured by name. */
  readonly onRequest?: boolean;
  /** @returns undefined for an item that lacks what the format cannot do without */
  readonly render: (item: DspaceItem, circumstances: Circumstances) => string | undefined;
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
  {
    name: 'jpcoar_2.0',
    profile: jpcoarNamespace,
    schema: jpcoarSchema,
    mediaType: 'application/xml',
    onRequest: true,
    render: intoTarget('jpcoar_2.0'),
  },
  {
    name: 'oai_openaire',
    profile: openaireNamespace,
    schema: openaireSchema,
    mediaType: 'application/xml',
    onRequest: true,
    render: intoTarget('oai_openaire'),
  },
];

/** What items are published as where no formats are configured. */
export const usualFormats: readonly string[] = crosswalkFormats
  .filter(({ onRequest }) => onRequest !== true)
  .map(({ name }) => name);

const byName: ReadonlyMap<string, CrosswalkFormat> = new Map(
  crosswalkFormats.map((format) => [format.name, format]),
);

export function isCrosswalkFormat(name: string): boolean {
  return byName.has(name);
}

/**
 * An item's documents in some formats, in their order: the same bytes for the same item. What is internal to its
 * repository is left out of all of them, whoever has read it. A format that the item has too little for has none.
 * @throws BridgeError `oai-unknown-format`
 */
export function crosswalk(
  formats: readonly string[],
  item: DspaceItem,
  circumstances: Circumstances = {},
): readonly SourceMetadata[] {
  const metadata = publicValues(item.metadata);
  const open = metadata === item.metadata ? item : { ...item, metadata };
  return formats.flatMap((format) => {
    const known = byName.get(format);
    if (known === undefined) {
      const names = [...byName.keys()].join(', ');
      throw new BridgeError(
        'oai-unknown-format',
        `An item cannot be written as ${format}, only as ${names}.`,
      );
    }
    const { profile, mediaType, render } = known;
    const text = render(open, circumstances);
    return text === undefined ? [] : { format, content: Buffer.from(text, 'utf8'), mediaType, profile };
  });
}

function intoTarget(target: Target): CrosswalkFormat['render'] {
  return (item, circumstances) => writeWork(target, item, circumstances).document;
}

import type { SourceConfig } from '../../core/config/config.ts';
import { circumstancesOfSource } from '../../core/crosswalks/circumstances.ts';
import { type CrosswalkFinding, missing } from '../../core/crosswalks/finding.ts';
import { lacksOf } from '../../core/crosswalks/lacks.ts';
import { isTarget, type Target, writeWork } from '../../core/crosswalks/target.ts';
import type { Written } from '../../core/crosswalks/written.ts';
import { outlineOf } from '../../core/descriptions/xml-outline.ts';
import type { DspaceItem } from '../../core/dspace/dspace-item.ts';
import { readItemJson } from '../../core/dspace/item-json-reader.ts';
import { publicValues } from '../../core/dspace/public-values.ts';

/** An item as its repository has it, without what is internal there. */
export interface Original {
  readonly item: DspaceItem;
  readonly page: string | undefined;
}

type Settings = Pick<SourceConfig, 'crosswalk'>;

/** @param json the item's document in the format `json`. @returns undefined for another document */
export function originalOf(json: Uint8Array, page: string | undefined): Original | undefined {
  const item = readItemJson(json);
  return item && { item: { ...item, metadata: publicValues(item.metadata) }, page };
}

/**
 * What a document lacks, whoever has made it; and, where it is known what it was made of, which values of that its format
 * refuses.
 * @returns undefined where there are no rules for such a document
 */
export function judgeDocument(
  format: string,
  document: Uint8Array,
  original: Original | undefined,
  settings: Settings,
): readonly CrosswalkFinding[] | undefined {
  const root = outlineOf(document);
  const lacks = root && lacksOf(root);
  if (!lacks || !original || !isTarget(format)) return lacks;
  const { findings } = write(format, original, settings);
  return [...lacks, ...findings.filter(({ kind }) => kind !== 'missing')];
}

/** Why an item is not in a format; nothing for what is no work. */
export function judgeAbsence(
  format: Target,
  original: Original | undefined,
  settings: Settings,
): readonly CrosswalkFinding[] {
  if (original === undefined) return [noDocument];
  const { document, findings } = write(format, original, settings);
  return document === undefined ? findings.filter(({ kind }) => kind === 'missing') : [noDocument];
}

function write(format: Target, { item, page }: Original, { crosswalk }: Settings): Written {
  return writeWork(format, item, { page, ...circumstancesOfSource(crosswalk) });
}

const noDocument = missing(
  '(document)',
  'M',
  'It is not in this format: it has no title, no type or no identifier, or has not been read since the format was configured.',
);

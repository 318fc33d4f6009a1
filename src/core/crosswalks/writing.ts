import type { AdapterSettings } from '../adapter.ts';
import { isTarget } from './target.ts';

/**
 * To be raised with every change of what is written in JPCOAR or by OpenAIRE's guidelines: then the next harvest reads
 * everything, and what is another text now is a change.
 */
export const crosswalkVersion = 1;

type Fields = Readonly<Record<string, string>> | undefined;

/**
 * What documents in some formats depend on besides their items: values of JSON, the same for the same.
 * @returns undefined where none of the formats is written in the words of a target
 */
export function describeWriting(
  formats: readonly string[],
  { fields, jpcoar, openaire, doiPrefixes = [] }: NonNullable<AdapterSettings['crosswalk']> = {},
): readonly unknown[] | undefined {
  if (!formats.some(isTarget)) return undefined;
  return [crosswalkVersion, ...[fields, jpcoar, openaire].map(inOrder), [...doiPrefixes].sort()];
}

/** In whatever order they are configured. */
function inOrder(fields: Fields = {}): readonly (readonly [field: string, says: string])[] {
  return Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
}

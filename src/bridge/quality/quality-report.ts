import type { CrosswalkFinding } from '../../core/crosswalks/finding.ts';
import type { JudgedItem } from './item-findings.ts';

/** The same finding of several items. */
export interface CountedFinding extends Pick<CrosswalkFinding, 'kind' | 'element' | 'level' | 'message'> {
  /** Fields of the repository that it is about, those that were met first. */
  readonly fields: readonly string[];
  readonly items: number;
  /** Identifiers of the first ones. */
  readonly examples: readonly string[];
}

export interface FormatQuality {
  readonly format: string;
  /** Items in the format, and items that should be. */
  readonly items: number;
  readonly written: number;
  /** In the format, with nothing missing. */
  readonly complete: number;
  /** The gravest first, and of those the most frequent. */
  readonly findings: readonly CountedFinding[];
}

interface Counting {
  items: number;
  written: number;
  complete: number;
  readonly findings: Map<
    string,
    { readonly finding: CrosswalkFinding; items: number; examples: string[]; fields: string[] }
  >;
}

const mostFields = 5;

/** Counts what is found, by format: as large as there are kinds of findings, however many items there are. */
export async function countFindings(
  judged: AsyncIterable<JudgedItem>,
  examplesOfEach: number,
): Promise<readonly FormatQuality[]> {
  const formats = new Map<string, Counting>();
  for await (const { identifier, format, isWritten, findings } of judged) {
    const counting = formats.get(format) ?? { items: 0, written: 0, complete: 0, findings: new Map() };
    formats.set(format, counting);
    counting.items += 1;
    if (isWritten) counting.written += 1;
    if (isWritten && !findings.some(({ kind }) => kind === 'missing')) counting.complete += 1;
    // An item with three bad dates is one item.
    const met = new Set<string>();
    for (const finding of findings) {
      const { kind, element, message, field } = finding;
      const key = `${kind} ${element} ${message}`;
      const known = counting.findings.get(key) ?? { finding, items: 0, examples: [], fields: [] };
      counting.findings.set(key, known);
      if (field !== undefined && known.fields.length < mostFields && !known.fields.includes(field))
        known.fields.push(field);
      if (met.has(key)) continue;
      met.add(key);
      known.items += 1;
      if (known.examples.length < examplesOfEach) known.examples.push(identifier);
    }
  }
  return [...formats]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([format, counting]) => toQuality(format, counting));
}

function toQuality(format: string, { findings, ...counts }: Counting): FormatQuality {
  const counted = [...findings.values()].map(({ finding: { kind, element, level, message }, ...seen }) => ({
    ...{ kind, element, message, ...seen },
    ...(level !== undefined && { level }),
  }));
  return { format, ...counts, findings: counted.sort((a, b) => rankOf(a) - rankOf(b) || b.items - a.items) };
}

const kinds: readonly CrosswalkFinding['kind'][] = ['missing', 'dropped', 'replaced', 'moved'];

function rankOf({ kind, level }: CountedFinding): number {
  return kinds.indexOf(kind) * 2 + (level === 'MA' ? 1 : 0);
}

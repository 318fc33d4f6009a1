import { sitemapLimits } from '../limits.ts';
import { type DocumentKind, documentKinds } from './document-kind.ts';
import type { DocumentEntry, DocumentHead } from './document-model.ts';
import { readDocument } from './document-reader.ts';
import { checkEntry } from './entry-rules.ts';
import type { Finding, Report } from './finding.ts';
import { checkHead } from './head-rules.ts';
import { SequenceRules } from './sequence-rules.ts';

export interface CheckedDocument {
  readonly kind: DocumentKind | undefined;
  readonly head: DocumentHead | undefined;
  readonly entries: number;
  readonly bytes: number;
  readonly findings: readonly Finding[];
  /** Findings beyond this many are counted only: a broken list of 50,000 has 50,000 of them. */
  readonly suppressed: number;
}

export interface CheckOptions {
  /** Sees every entry, e.g. to follow it. */
  readonly onEntry?: ((entry: DocumentEntry, kind: DocumentKind | undefined) => void) | undefined;
  readonly maximumFindings?: number | undefined;
}

/** Checks one document against every rule that can be seen in it alone. Memory does not grow with its length. */
export async function checkDocument(
  chunks: AsyncIterable<Uint8Array>,
  { onEntry, maximumFindings = 1000 }: CheckOptions = {},
): Promise<CheckedDocument> {
  const findings: Finding[] = [];
  let suppressed = 0;
  let place = 'document';
  const report: Report = (rule, severity, message) => {
    if (findings.length < maximumFindings) findings.push({ rule, severity, place, message });
    else suppressed += 1;
  };
  let kind: DocumentKind | undefined;
  let head: DocumentHead | undefined;
  let sequence: SequenceRules | undefined;
  const size = await readDocument(
    chunks,
    {
      head: (found) => {
        head = found;
        kind = checkHead(found, report);
        if (kind) sequence = new SequenceRules(kind, found.md[0] ?? new Map());
      },
      entry: (entry) => {
        place = `entry ${entry.number}: ${entry.locs[0] ?? '?'}`;
        if (kind) {
          checkEntryElement(kind, entry, report);
          checkEntry(kind, entry, report);
        }
        sequence?.check(entry, report);
        onEntry?.(entry, kind);
        place = 'document';
      },
    },
    report,
  );
  checkSize(head?.root, size, report);
  return { kind, head, ...size, findings, suppressed };
}

function checkEntryElement(kind: DocumentKind, { element }: DocumentEntry, report: Report): void {
  const expected = documentKinds[kind].root === 'urlset' ? 'url' : 'sitemap';
  if (element !== expected)
    report('RS-GEN-06', 'error', `${element} stands in a ${documentKinds[kind].root}`);
}

function checkSize(root: string | undefined, size: { entries: number; bytes: number }, report: Report): void {
  const [rule, severity] =
    root === 'sitemapindex' ? (['RS-GEN-18', 'warning'] as const) : (['RS-GEN-17', 'error'] as const);
  if (size.entries > sitemapLimits.entries) report(rule, severity, `it has ${size.entries} entries`);
  if (size.bytes > sitemapLimits.bytes) report(rule, severity, `it has ${size.bytes} bytes`);
}

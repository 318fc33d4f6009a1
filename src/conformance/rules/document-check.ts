import { countOf } from '../../core/count-of.ts';
import { sitemapLimits } from '../../core/sitemap.ts';
import {
  type DocumentEntry,
  type DocumentHead,
  noAttributes,
} from '../../resourcesync/documents/document-model.ts';
import { type ReadDocument, readDocument } from '../../resourcesync/documents/document-reader.ts';
import { type DocumentKind, documentKinds } from '../documents/document-kind.ts';
import { type Finding, FindingList, type Report } from '../documents/finding.ts';
import { checkEntry, checkEntryForm, misplacedKind } from './entry-rules.ts';
import { checkHead } from './head-rules.ts';
import { SequenceRules } from './sequence-rules.ts';

export interface CheckedDocument extends ReadDocument {
  /** Undefined where its root and capability do not tell. */
  readonly kind: DocumentKind | undefined;
  /** Undefined where not even the root could be read. */
  readonly head: DocumentHead | undefined;
  readonly findings: readonly Finding[];
  /** By rule: how many findings there are beyond those. */
  readonly suppressed: ReadonlyMap<string, number>;
}

export interface CheckOptions {
  /** Sees the head, before any entry. */
  readonly onHead?: ((head: DocumentHead, kind: DocumentKind | undefined) => void) | undefined;
  /** Sees every entry, e.g. to follow it. */
  readonly onEntry?: ((entry: DocumentEntry, kind: DocumentKind | undefined) => void) | undefined;
  /** Findings of one rule; further ones are counted. */
  readonly maximumFindings?: number | undefined;
}

/** Checks one document against every rule that can be seen in it alone. Memory does not grow with its length. */
export async function checkDocument(
  chunks: AsyncIterable<Uint8Array>,
  { onHead, onEntry, maximumFindings = 100 }: CheckOptions = {},
): Promise<CheckedDocument> {
  const list = new FindingList(maximumFindings);
  const { report } = list;
  const atDocument = list.place;
  let current: DocumentEntry | undefined;
  const atEntry = () => `entry ${current?.number}: ${current?.locs[0] ?? '?'}`;
  let kind: DocumentKind | undefined;
  let head: DocumentHead | undefined;
  let ofHead = new FindingList(maximumFindings);
  let sequence: SequenceRules | undefined;
  const read = await readDocument(
    chunks,
    {
      head: (found) => {
        const isFirst = head === undefined;
        head = found;
        // What comes late counts: the first judgement of the head is withdrawn.
        ofHead = new FindingList(maximumFindings);
        kind = checkHead(found, ofHead.report);
        if (!isFirst) return;
        if (kind) sequence = new SequenceRules(kind, found.md[0] ?? noAttributes);
        onHead?.(found, kind);
      },
      entry: (entry) => {
        current = entry;
        list.place = atEntry;
        checkElement(head?.root, entry, report);
        if (kind) checkEntry(misplacedKind(kind, entry) ?? kind, entry, report);
        else checkEntryForm(entry, '', report);
        sequence?.check(entry, report);
        onEntry?.(entry, kind);
        list.place = atDocument;
      },
    },
    report,
  );
  sequence?.finish(report);
  checkSize(head?.root, read, report);
  const suppressed = new Map(ofHead.suppressed);
  for (const [rule, count] of list.suppressed) suppressed.set(rule, (suppressed.get(rule) ?? 0) + count);
  return { kind, head, ...read, findings: [...ofHead.findings, ...list.findings], suppressed };
}

function checkElement(root: string | undefined, { element }: DocumentEntry, report: Report): void {
  const expected = root === 'urlset' ? 'url' : root === 'sitemapindex' ? 'sitemap' : undefined;
  if (expected !== undefined && element !== expected) report('RS-GEN-06', `${element} stands in a ${root}`);
}

function checkSize(root: string | undefined, size: ReadDocument, report: Report): void {
  const rule = root === 'sitemapindex' ? 'RS-GEN-18' : 'RS-GEN-17';
  if (size.entries > sitemapLimits.entries) report(rule, `it has ${countOf(size.entries, 'entry')}`);
  if (size.bytes > sitemapLimits.bytes) {
    report(rule, `it has ${size.whole ? '' : 'more than '}${countOf(size.bytes, 'byte')}`);
  }
}

/** What a document is, for people. */
export function describeKind(kind: DocumentKind | undefined): string {
  if (kind === undefined) return 'something else';
  const { root, capability } = documentKinds[kind];
  return `${root} of ${capability}`;
}

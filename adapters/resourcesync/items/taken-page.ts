import type { Statement } from '../../../src/resourcesync/reading/statement.ts';
import type { SourcePort } from '../../../src/resourcesync/source-port.ts';
import { bareStatement, fetchPayload } from '../reading/payload.ts';
import { formatOfContent, usualProfile } from './format-name.ts';
import { plainFormat, plainRecord } from './plain-record.ts';
import type { Round } from './round.ts';
import { readPageSigns } from './signposted-page.ts';

/** How a page is read. */
interface PageReading {
  readonly port: SourcePort;
  /** Whether what is at this address may be fetched. */
  readonly isAllowed: (loc: string) => boolean;
  /** By name; undefined: all. */
  readonly formats: readonly string[] | undefined;
  /** Also where it is in store as it is stated. */
  readonly isAnew: boolean;
}

/** A page is an item with the metadata and the files that it leads to, or a mere record that it is there. */
export async function takePage(
  round: Round,
  { loc, lastmod, type }: Statement,
  { port, isAllowed, formats, isAnew }: PageReading,
): Promise<void> {
  const draft = round.draft(loc);
  draft.page = loc;
  draft.collections = [];
  draft.datestamp = lastmod;
  const known = draft.held?.metadata ?? [];
  const isWhole = known.length > 0 && known.every(({ hash = '' }) => !round.damaged.has(hash));
  const isKnown = lastmod !== undefined && draft.held?.datestamp === lastmod && isWhole;
  if (isKnown && !isAnew) {
    draft.keep(known);
    return;
  }
  const page = isAllowed(loc)
    ? await readPageSigns(loc, port)
    : ({ kind: 'failed', reason: `${loc} is at another host than its Sitemap` } as const);
  if (page.kind === 'withheld') for (const { format } of known) draft.refuse(format);
  if (page.kind === 'failed')
    for (const format of known.length > 0 ? known.map((one) => one.format) : [plainFormat.name])
      round.fail(loc, format, page.reason);
  if (page.kind !== 'page') return;
  const { describedBy, files } = page.signs;
  for (const { url, type: stated } of describedBy) {
    const payload = isAllowed(url)
      ? await fetchPayload({ ...bareStatement(url), type: stated }, port)
      : undefined;
    if (payload?.kind === 'failed')
      round.fail(loc, formatOfContent(new Uint8Array(), stated), payload.reason);
    if (payload?.kind !== 'content') continue;
    const format = draft.freeName(formatOfContent(payload.content, stated), url);
    if (formats !== undefined && !formats.includes(format)) continue;
    const profile = usualProfile(format);
    draft.metadata.push({
      format,
      content: payload.content,
      hash: payload.sha256,
      mediaType: stated,
      upstreamUrl: url,
      ...(profile !== undefined && { profile }),
    });
  }
  if (draft.metadata.length === 0)
    draft.metadata.push({
      format: plainFormat.name,
      profile: plainFormat.profile,
      content: plainRecord({ loc, type }),
      upstreamUrl: loc,
    });
  for (const gone of known) {
    if (!draft.metadata.some(({ format }) => format === gone.format)) draft.removed.add(gone.format);
  }
  draft.described = files.map(({ url }) => url);
  for (const file of files) draft.files.set(file.url, file);
}

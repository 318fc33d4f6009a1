import {
  type DocumentEntry,
  type DocumentHead,
  noAttributes,
} from '../../resourcesync/documents/document-model.ts';
import { readDocument } from '../../resourcesync/documents/document-reader.ts';
import { isIndex } from '../documents/document-kind.ts';
import type { Report } from '../documents/finding.ts';
import type { Survey } from '../survey/survey.ts';
import { changeKinds, channelRules, toldDocuments } from './channel-rules.ts';

export interface NotificationContext {
  /** `change-notification` or `framework-notification`. */
  readonly capability: string;
  /** The Capability List that names its channel. */
  readonly capabilityList: string;
  readonly survey: Survey;
  /** @param place `document`, or an entry */
  readonly at: (place: string) => Report;
}

/** Checks what was told last on a channel, as it is there. */
export async function checkNotification(text: string, context: NotificationContext): Promise<void> {
  const bytes = (async function* () {
    yield Buffer.from(text);
  })();
  let last: { readonly moment: number; readonly datetime: string } | undefined;
  let head: DocumentHead | undefined;
  await readDocument(
    bytes,
    {
      head: (found) => {
        head = found;
      },
      entry: (entry) => {
        const report = context.at(`entry ${entry.number}: ${entry.locs[0] ?? '?'}`);
        const { capability } = context;
        if (capability === 'framework-notification') return checkDocumentEntry(entry, context, report);
        const datetime = checkChangeEntry(entry, report);
        const moment = Date.parse(datetime ?? '');
        if (datetime === undefined || Number.isNaN(moment)) return;
        if (last && moment < last.moment)
          report('CN-05', `it is dated ${datetime}, before the entry in front of it (${last.datetime})`);
        last = { moment, datetime };
      },
    },
    context.at('document'),
  );
  if (head) checkHead(head, context);
}

function checkHead(head: DocumentHead, { capability, capabilityList, at }: NotificationContext): void {
  const report = at('document');
  const rules = channelRules[capability];
  if (!rules) return;
  const md = head.md[0] ?? noAttributes;
  if (head.root === 'sitemapindex')
    report(
      capability === 'change-notification' ? 'CN-08' : 'FN-09',
      'a notification is a urlset, never an index',
    );
  if (md.get('capability') !== capability)
    report(rules.root, `its capability is ${md.get('capability') ?? 'missing'}, not ${capability}`);
  const up = head.links.find((link) => link.get('rel') === 'up')?.get('href');
  if (capability === 'framework-notification') return;
  const [from, until] = [md.get('from'), md.get('until')];
  for (const [name, value] of Object.entries({ from, until }))
    if (value === undefined)
      report('CN-01', `${name} is missing: nobody can tell whether something was missed`);
  if (from !== undefined && until !== undefined && Date.parse(from) > Date.parse(until))
    report('CN-01', `it is from ${from} until ${until}, which is earlier`);
  if (up !== undefined && up !== capabilityList)
    report('CN-04', `its up link leads to ${up}, and the channel is named by ${capabilityList}`);
}

function checkChangeEntry(
  { locs, md: [md = noAttributes] }: DocumentEntry,
  report: Report,
): string | undefined {
  if (locs.length !== 1) report('CN-06', `it has ${locs.length} loc`);
  const change = md.get('change');
  if (!changeKinds.includes(change ?? ''))
    report('CN-06', `what has happened is ${change ?? 'missing'}, none of ${changeKinds.join(', ')}`);
  return md.get('datetime');
}

function checkDocumentEntry(
  { locs: [loc = ''], md: [md = noAttributes], links }: DocumentEntry,
  { survey }: NotificationContext,
  report: Report,
): void {
  const [capability, change] = [md.get('capability'), md.get('change')];
  for (const [name, value] of Object.entries({ loc: loc || undefined, capability, change }))
    if (value === undefined) report('FN-03', `${name} is missing`);
  const allowed = toldDocuments[capability ?? ''];
  if (capability !== undefined && !allowed) report('FN-04', `nothing is told of ${capability}`);
  if (allowed && change !== undefined && !allowed.includes(change))
    report('FN-07', `a ${capability} is never ${change}; it is ${allowed.join(' or ')}`);
  const known = survey.get(loc);
  if (isIndex(known?.kind)) report('FN-05', 'it is an index; what is below it is told of');
  const index = links.find((link) => link.get('rel') === 'index')?.get('href');
  if (known?.index !== undefined && index === undefined)
    report('FN-05', `it is below the index ${known.index}, and has no index link`);
}

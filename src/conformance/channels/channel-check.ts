import { describeError, isBridgeError } from '../../core/errors.ts';
import { linkTargets } from '../../resourcesync/discovery/link-field.ts';
import { beginningOf, essenceOf, type SourcePort } from '../../resourcesync/source-port.ts';
import type { FindingsByUri } from '../documents/findings-by-uri.ts';
import type { SourceWalk } from '../survey/source-check.ts';
import type { Member, SurveyedDocument } from '../survey/survey.ts';
import { channelRules } from './channel-rules.ts';
import { checkNotification } from './notification-check.ts';

export interface ChannelContext {
  readonly port: SourcePort;
  readonly walk: SourceWalk;
  readonly findings: FindingsByUri;
  readonly note: (message: string) => void;
}

/** Subscribers refuse what is larger than 1 MiB. */
const longestNotification = 4 * 1024 * 1024;
/** Of one Source. */
const mostChannels = 50;

/**
 * Where a Source tells of its changes (Change and Framework Notification): that the channels are named with their hubs, what they
 * answer, and what was told there last. The hubs are not asked: each request makes them call somebody.
 */
export async function checkChannels(context: ChannelContext): Promise<void> {
  const { walk, findings, note } = context;
  const known = new Map<string, string>();
  const lists = [...walk.survey.values()].filter(({ kind }) => kind === 'CAP');
  let checked = 0;
  for (const list of lists) {
    const inList = new Set<string>();
    for (const [position, member] of list.members.entries()) {
      const capability = member.md.get('capability') ?? '';
      const rules = channelRules[capability];
      if (!rules) continue;
      const report = findings.at(list.uri, `entry ${position + 1}: ${member.loc}`);
      if (inList.has(capability)) report(rules.own, `it is the second channel of ${capability} of this set`);
      inList.add(capability);
      const other = known.get(member.loc);
      if (other !== undefined)
        report(
          other === capability ? rules.own : 'CN-10',
          other === capability ? 'another set has the same channel' : `it is a channel of ${other}, too`,
          'warning',
        );
      known.set(member.loc, capability);
      if (member.hub === undefined || !URL.canParse(member.hub))
        report(rules.named, 'it has no link to a hub (rs:ln rel="hub"): nobody can subscribe');
      if (!URL.canParse(member.loc) || other !== undefined) continue;
      checked += 1;
      if (checked <= mostChannels) await checkChannel(member, list, capability, context);
    }
  }
  if (checked > mostChannels) note(`only ${mostChannels} of ${checked} channels were asked for`);
}

/** NT-01, NT-02, and what is there. */
async function checkChannel(
  { loc, hub }: Member,
  list: SurveyedDocument,
  capability: string,
  { port, findings, note, walk }: ChannelContext,
): Promise<void> {
  const report = findings.at(loc);
  try {
    const response = await port.get(loc, 'document');
    const text = await beginningOf(response, longestNotification);
    if (response.status !== 200) {
      report('NT-01', `the channel answers ${response.status}`);
      return;
    }
    const type = essenceOf(response.headers['content-type']);
    if (type !== 'application/xml')
      report('NT-01', `its Content-Type is ${type ?? 'missing'}, not application/xml`);
    const linked = (relation: string) => linkTargets(response.headers.link, relation, loc);
    const [self, hubs] = [linked('self'), linked('hub')];
    if (self.length !== 1) report('NT-01', `its Link header has ${self.length} links of rel="self", not one`);
    else if (self[0] !== loc)
      report('NT-01', `it calls itself ${self[0]} (rel="self"): subscribers ask the hub for that`);
    if (hubs.length === 0) report('NT-01', 'its Link header has no rel="hub"');
    else if (hub !== undefined && !hubs.includes(hub))
      report('NT-01', `its Link header names ${hubs.join(', ')}, and ${list.uri} names ${hub}`, 'warning');
    if (text.trim() === '') return;
    if (Buffer.byteLength(text) >= longestNotification) note(`${loc}: only its first 4 MiB were read`);
    else {
      const at = (place: string) => findings.at(loc, place);
      await checkNotification(text, { capability, capabilityList: list.uri, survey: walk.survey, at });
    }
  } catch (error) {
    if (!isBridgeError(error)) throw error;
    report('NT-01', `the channel cannot be fetched: ${describeError(error)}`, 'warning');
  }
}

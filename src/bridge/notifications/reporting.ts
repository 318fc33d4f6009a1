import { randomBytes } from 'node:crypto';
import type { SharedSource } from '../../server/deps.ts';
import { digestWords } from '../../server/words/digest.ts';
import { createReader } from '../../server/words/reader.ts';
import { putNotification } from '../../store/push/notifications.ts';
import { listSubscriptions, putSubscription, removeSubscription } from '../../store/push/subscriptions.ts';
import { advanceTopic, beginTopic, holdTopic, listTopics, type Topic } from '../../store/push/topics.ts';
import { lookAtClock } from '../../store/runs/clock-ahead.ts';
import { readSharedSources } from '../alerts/shared-sources.ts';
import type { Bridge } from '../bridge.ts';
import { startWatch, type Watch } from '../work/watch.ts';
import { type ReportTopic, reportTopics } from './partners.ts';

const lookMs = 60_000;
/** Between two reports of a source. */
const restMs = 86_400_000;
/** By which senders know such a subscription. */
export const reportKind = 'coar-notify';

/** Writes down for partners how harvests of their repositories go, in the process that publishes. */
export function startReporting(bridge: Bridge, stop: AbortSignal, isOurs: () => boolean): Watch {
  return startWatch(bridge, stop, 'partners of COAR Notify cannot be told of harvests', async () => {
    if (isOurs()) await reportHarvests(bridge, await lookAtClock(bridge.database));
    return lookMs;
  });
}

/** What was told last, and when. */
interface Known {
  readonly at: number;
  readonly told: string;
}

/**
 * A report is told after the first harvest, and when what is wrong is something else than in the one before; once a day at most.
 * @param now by the clock of the database
 */
export async function reportHarvests(bridge: Bridge, now: number): Promise<void> {
  const wanted = reportTopics(bridge.config);
  const topics = await keepTopics(bridge, wanted, now);
  const due = topics.filter(({ topic }) => (knownOf(topic)?.at ?? 0) <= now - restMs);
  if (due.length === 0) return;
  const shared = await readSharedSources(bridge, now);
  for (const { topic, report } of due) {
    const source = await shared(report.source, 0);
    if (!source || source.word === 'paused') continue;
    if (source.lastSuccessAt === undefined && source.reason === undefined) continue;
    await tell(bridge, topic, report.source, source, now);
  }
}

async function tell(
  { database, config }: Bridge,
  topic: Topic,
  name: string,
  source: SharedSource,
  now: number,
): Promise<void> {
  const { reason, unreadable, vanished, refusedSince } = source;
  const told = JSON.stringify([reason ?? null, unreadable, vanished, refusedSince !== undefined]);
  if (knownOf(topic)?.told === told) return;
  const language = config.sources[name]?.digestLanguage ?? config.alerts.language;
  const summary = summaryOf(source, createReader(language, config.timeZone));
  await database.transaction(async (trx) => {
    const held = await holdTopic(trx, topic.id);
    if (!held || held.known !== topic.known) return;
    const content = Buffer.from(JSON.stringify({ summary }));
    await putNotification(trx, topic.id, { mediaType: 'application/json', content, entries: 1 }, now);
    await advanceTopic(trx, topic.id, { known: JSON.stringify({ at: now, told } satisfies Known) });
  });
}

function knownOf({ known }: Topic): Known | undefined {
  return known === undefined ? undefined : (JSON.parse(known) as Known);
}

function summaryOf(source: SharedSource, { language, count, time }: ReturnType<typeof createReader>): string {
  const words = digestWords[language];
  const { title, word, reason, unreadable, vanished, refusedSince } = source;
  return [
    `${title}: ${words.state[word]}`,
    ...(reason === undefined ? [] : [words.reason(reason)]),
    ...(unreadable === 0 ? [] : [words.unreadable(count(unreadable)).replace(/:$/, '.')]),
    ...(vanished === 0 ? [] : [words.vanished(count(vanished))]),
    ...(refusedSince === undefined ? [] : [words.refused(time(refusedSince))]),
  ].join(' ');
}

/** Each has a queue of its own for each source; who is not configured any more has none. */
async function keepTopics(
  { database }: Pick<Bridge, 'database'>,
  wanted: ReadonlyMap<string, ReportTopic>,
  now: number,
): Promise<readonly { readonly topic: Topic; readonly report: ReportTopic }[]> {
  const known = await listSubscriptions(database.reader, { kind: reportKind, limit: 100_000 });
  const isMeant = (one: { readonly topic: string; readonly callback: string }) =>
    wanted.get(one.topic)?.inbox === one.callback;
  const there = new Set(known.filter(isMeant).map(({ topic }) => topic));
  const missing = [...wanted.values()].filter(({ name }) => !there.has(name));
  const foreign = known.filter((one) => !isMeant(one));
  if (missing.length + foreign.length > 0)
    await database.transaction(async (trx) => {
      for (const { name, inbox: callback, partner: label } of missing) {
        const { id: topicId } = await beginTopic(trx, name, {}, now);
        // By it the address of each report is made, the same however often it is sent.
        const secret = randomBytes(32).toString('base64url');
        await putSubscription(trx, { topicId, kind: reportKind, callback, secret, label }, now);
      }
      for (const { id } of foreign) await removeSubscription(trx, id);
    });
  if (wanted.size === 0) return [];
  const topics = await listTopics(database.reader);
  return [...wanted.values()].flatMap((report) => {
    const topic = topics.get(report.name);
    return topic ? [{ topic, report }] : [];
  });
}

import { createHash } from 'node:crypto';
import { failure } from '../../core/errors.ts';
import { leaseOf } from '../../core/following/lease.ts';
import { checkSignature } from '../../core/following/signature.ts';
import type { DocumentHead } from '../../resourcesync/documents/document-model.ts';
import { readDocument } from '../../resourcesync/documents/document-reader.ts';
import type { Follower } from '../../server/follower.ts';
import {
  type FollowedTopic,
  findStanding,
  findTopic,
  forgetTopic,
  noteReceived,
  noteTopic,
} from '../../store/following/followed-topics.ts';
import { activateTopic } from '../../store/following/renewals.ts';
import { lookAtClock } from '../../store/runs/clock-ahead.ts';
import { askFor } from '../../store/runs/due.ts';
import type { Bridge } from '../bridge.ts';

type Receiving = Pick<Bridge, 'database' | 'log'>;

/** What is echoed is an answer of ours: nobody needs a long one. */
const longestChallenge = 2_048;
/** A Source may tell of changes a moment before its Change List has them. */
const lookAgainMs: readonly number[] = [1_000, 3_000, 10_000];
/** Of the last notifications, of all Sources together. */
const mostSeen = 1000;
const keyForm = /^[\w-]{43}$/;

/**
 * What hubs are answered. A notification is a reason to look, and never more: what has changed is read from the Source
 * itself, by whichever process works.
 */
export function openFollower({ database, log }: Receiving, again = lookAgainMs): Follower {
  const timers = new Map<string, readonly NodeJS.Timeout[]>();
  const seen = new Set<string>();

  async function wake(source: string, now: number): Promise<void> {
    await askFor(database, { sources: [source], kind: 'harvest' }, now);
    for (const timer of timers.get(source) ?? []) clearTimeout(timer);
    const look = () => {
      lookAtClock(database)
        .then((then) => askFor(database, { sources: [source], kind: 'harvest' }, then))
        // The schedule goes on.
        .catch((error: unknown) => log.debug({ source, ...failure(error) }, 'not looked at again'));
    };
    timers.set(
      source,
      again.map((ms) => setTimeout(look, ms).unref()),
    );
  }

  /** One that has been renewed ends, and what was on its way to it counts where it is told of now. */
  async function whatCounts(topic: FollowedTopic): Promise<FollowedTopic | undefined> {
    if (topic.state !== 'ending') return topic;
    const found = await findStanding(database.reader, topic);
    return found?.state === 'active' ? found : undefined;
  }

  /** CN-02: what has come is known by its bytes, which say from when until when it is about. */
  function digestOf(source: string, body: Buffer): string {
    return createHash('sha256').update(source).update('\0').update(body).digest('base64');
  }

  function remember(digest: string): void {
    seen.add(digest);
    const [oldest] = seen;
    if (seen.size > mostSeen && oldest !== undefined) seen.delete(oldest);
  }

  return {
    confirm: async (key, asked) => {
      const topic = keyForm.test(key) ? await findTopic(database.reader, key) : undefined;
      const [mode, named, challenge] = ['hub.mode', 'hub.topic', 'hub.challenge'].map((name) => asked[name]);
      if (!topic || named !== topic.topic) return undefined;
      const about = { source: topic.source, hub: new URL(topic.hub).host };
      const now = await lookAtClock(database);
      if (mode === 'denied') {
        const reason = `the hub denies it: ${typeof asked['hub.reason'] === 'string' ? asked['hub.reason'] : 'it does not say why'}`;
        // It may be asked again tomorrow.
        const news = { state: 'wanted', reason, leaseUntil: undefined, dueAt: now + 86_400_000 } as const;
        if (topic.state !== 'ending') await noteTopic(database, topic, news);
        log.warn({ ...about, reason: reason.slice(0, 200) }, 'changes are not told of by the hub');
        return '';
      }
      if (typeof challenge !== 'string' || challenge === '' || challenge.length > longestChallenge)
        return undefined;
      if (mode === 'unsubscribe' && topic.state === 'ending') {
        await forgetTopic(database, key);
        return challenge;
      }
      if (mode !== 'subscribe' || topic.state !== 'asked') return undefined;
      const stated = asked['hub.lease_seconds'];
      const lease = leaseOf(typeof stated === 'string' ? stated : undefined, Math.random());
      const its = { leaseMs: lease.endsIn, dueAt: now + lease.renewIn };
      if (!(await activateTopic(database, topic, its, now))) return undefined;
      log.info({ ...about, days: Math.round(lease.endsIn / 86_400_000) }, 'changes are told of by the hub');
      // What has changed since the last look was told to nobody here.
      await askFor(database, { sources: [topic.source], kind: 'harvest' }, now);
      return challenge;
    },
    receive: async (key, body, signature) => {
      const topic = keyForm.test(key) ? await findTopic(database.reader, key) : undefined;
      const counted = topic && (await whatCounts(topic));
      if (!topic || !counted) return false;
      const { source, secret } = topic;
      const about = { source, hub: new URL(topic.hub).host };
      const found = secret === undefined ? 'right' : checkSignature(signature, secret, body);
      if (found === 'wrong' || found === 'missing') {
        // Whoever sent it is told nothing.
        log.warn(
          { ...about, signature: found },
          'a notification was ignored: its signature is not the hub’s',
        );
        return true;
      }
      if (found === 'weak') log.warn(about, 'a notification is signed by SHA-1, which is weak');
      const { from, until } = await intervalOf(body);
      // Sent again, by a hub or by somebody who has overheard it: there is nothing new to look for.
      const digest = digestOf(source, body);
      if (until !== undefined && seen.has(digest)) return true;
      const isNext = counted.untilAt === undefined || from === undefined || from <= counted.untilAt;
      if (!isNext)
        log.info(
          { ...about, from, expected: counted.untilAt },
          'notifications were missed: the Change List has them',
        );
      const now = await lookAtClock(database);
      await noteReceived(database, counted.key, until, now);
      await wake(source, now);
      // Not before: what could not be written down is taken when it is sent again.
      if (until !== undefined) remember(digest);
      return true;
    },
  };
}

/** Whether a source is one of ResourceSync, which may tell of its changes. */
export function isFollowed({ adapter }: { readonly adapter: string }): boolean {
  return adapter === 'resourcesync';
}

/** It says at its beginning what it is about; of its entries nothing is needed, however many a hub may send. */
const beginning = 65_536;

/** Whatever else it is, it is still a reason to look. */
async function intervalOf(
  body: Buffer,
): Promise<{ readonly from?: string | undefined; readonly until?: string | undefined }> {
  const bytes = (async function* () {
    yield body.subarray(0, beginning);
  })();
  let [from, until]: (string | undefined)[] = [];
  const head = ({ md }: DocumentHead) => {
    from = timeOf(md[0]?.get('from'));
    until = timeOf(md[0]?.get('until'));
  };
  await readDocument(bytes, { head, entry: () => undefined }, () => undefined, { forgiving: true });
  return { from, until };
}

function timeOf(text: string | undefined): string | undefined {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text ?? '') ? text : undefined;
}

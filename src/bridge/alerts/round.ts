import { randomUUID } from 'node:crypto';
import type { Log } from '../../core/adapter.ts';
import { decide } from '../../core/alerts/decide.ts';
import type { AlertsConfig } from '../../core/config/alerts-schema.ts';
import { readFact } from '../../store/alerts/installation-facts.ts';
import { putMessage } from '../../store/alerts/outbox.ts';
import { readAlertStates, writeAlertStates } from '../../store/alerts/states.ts';
import { readWatched, writeWatched } from '../../store/alerts/watched-sources.ts';
import { lookAtClock } from '../../store/runs/clock-ahead.ts';
import type { StoredBridge } from '../stored-bridge.ts';
import { alertChannels } from './channels.ts';
import { newsContent } from './content.ts';
import { observe } from './observe.ts';

/** What the rounds before have left. */
interface LastRound {
  readonly number: number;
  readonly toldAt?: number | undefined;
}

/** After a longer time without any round they begin anew. */
const longestGapMs = 600_000;

/**
 * One look at everything. What has changed and what is to be sent are stored together, so that whoever is killed has told
 * nothing twice and nothing never; of two processes that look at once, one has looked.
 * @returns whether something is to be sent
 */
export async function alertRound(
  bridge: StoredBridge & { readonly log: Log },
  now?: number,
): Promise<'told' | 'quiet' | 'overtaken'> {
  const { database, config } = bridge;
  const at = now ?? (await lookAtClock(database));
  // On PostgreSQL what another process has just written is to be seen: the writer's.
  const fact = await readFact(database.writer, 'alerts');
  const last: LastRound = fact ? JSON.parse(fact.value) : { number: 0 };
  const states = await readAlertStates(database.writer);
  const watched = await readWatched(database.writer);
  const gap = Math.max(longestGapMs, 3000 * config.alerts.everySeconds);
  const beginsAnew = !fact || at - fact.at > gap;
  const observation = await observe(bridge, { states, watched, beginsAnew, now: at });
  const policy = policyOf(config.alerts);
  const { changed, ended, news } = decide(states, observation, { now: at, lastToldAt: last.toldAt, policy });
  const next: LastRound = { number: last.number + 1, toldAt: news ? at : last.toldAt };
  const content = news && JSON.stringify(newsContent(news, at));
  const channels = alertChannels(config);
  const isOurs = await database.transaction(async (trx) => {
    const row = { name: 'alerts', value: JSON.stringify(next), at };
    const taken = fact
      ? await trx('installation_fact').where({ name: 'alerts', value: fact.value }).update(row)
      : (await trx('installation_fact').insert(row).onConflict('name').ignore().returning('name')).length;
    if (taken === 0) return false;
    await writeAlertStates(trx, changed, ended);
    await writeWatched(trx, observation.watched.changed, observation.watched.left);
    if (content !== undefined)
      for (const channel of channels) await putMessage(trx, { id: randomUUID(), channel, content }, at);
    return true;
  });
  if (!isOurs) return 'overtaken';
  if (!news) return 'quiet';
  const { firing, recovered, lasting } = news;
  const counts = { firing: firing.length, recovered: recovered.length, lasting: lasting.length };
  bridge.log.info({ ...counts, channels }, 'alerts are to be sent');
  return 'told';
}

export function policyOf(alerts: AlertsConfig) {
  const minute = 60_000;
  return {
    groupMs: alerts.groupMinutes * minute,
    pauseMs: alerts.pauseMinutes * minute,
    holdMs: alerts.holdMinutes * minute,
    remindMs: alerts.remindHours * 60 * minute,
  };
}

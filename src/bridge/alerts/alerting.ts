import type { Log } from '../../core/adapter.ts';
import { failure } from '../../core/errors.ts';
import { countMessages } from '../../store/alerts/outbox.ts';
import { lookAtClock } from '../../store/runs/clock-ahead.ts';
import type { StoredBridge } from '../stored-bridge.ts';
import { ping } from './channels/post.ts';
import { alertChannels, Channels, postedTo } from './channels.ts';
import { tellThatDatabaseIsBack } from './database-away.ts';
import { digestRound } from './digest-round.ts';
import { alertRound } from './round.ts';
import { sendDue } from './sending.ts';
import { sharedLinks } from './shared-links.ts';

export interface AlertingBridge extends StoredBridge {
  readonly log: Log;
}

/** As long as something cannot be told for so long, nobody is to think that all is well. */
const stuckMs = 900_000;

let isPingFailing = false;

/** Whether anybody is to be told of anything. */
export function isAlerting(config: StoredBridge['config']): boolean {
  return alertChannels(config).length > 0 || config.alerts.pingUrl !== undefined;
}

/**
 * One round: look at everything, send what is to be sent, and say to whoever waits for that that there was a round. It fails for
 * nobody: the next round comes in any case.
 */
export async function alertNow(bridge: AlertingBridge, stop: AbortSignal): Promise<void> {
  const { log, config, database } = bridge;
  let isWell = true;
  try {
    await tellThatDatabaseIsBack(bridge);
    await alertRound(bridge);
    await digestRound(bridge);
  } catch (error) {
    isWell = false;
    log.error({ ...failure(error) }, 'a round of alerts failed');
  }
  try {
    const channels = new Channels(config, () => Date.now() - database.aheadMs, sharedLinks(bridge));
    await sendDue({ database, log, channels, stop });
    const { waitingSince } = await countMessages(database.reader);
    if (waitingSince !== undefined && (await lookAtClock(database)) - waitingSince > stuckMs) isWell = false;
  } catch (error) {
    isWell = false;
    log.error({ ...failure(error) }, 'messages could not be sent');
  }
  if (isWell && !stop.aborted) await pingNow(bridge);
}

async function pingNow({ config, log }: AlertingBridge): Promise<void> {
  const { pingUrl } = config.alerts;
  if (pingUrl === undefined) return;
  try {
    await ping(postedTo(config, pingUrl));
    if (isPingFailing) log.info({}, 'alerts.pingUrl answers again');
    isPingFailing = false;
  } catch (error) {
    // Once, as long as it lasts.
    log[isPingFailing ? 'debug' : 'warn']({ ...failure(error) }, 'alerts.pingUrl does not answer');
    isPingFailing = true;
  }
}

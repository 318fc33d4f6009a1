import { randomUUID } from 'node:crypto';
import type { Log } from '../../core/adapter.ts';
import { nextDue } from '../../core/time/next-due.ts';
import { turnsOf } from '../../harvest/turns.ts';
import { readFact } from '../../store/alerts/installation-facts.ts';
import { putMessage } from '../../store/alerts/outbox.ts';
import { lookAtClock } from '../../store/runs/clock-ahead.ts';
import type { StoredBridge } from '../stored-bridge.ts';
import { contactsOf } from './contacts.ts';
import { readDigests } from './digest-content.ts';

/**
 * Puts the digests of the week into the outbox, where it is time: all of them and that it was done together, so that of processes
 * that do so at once one has done it. What was missed while nothing ran is made up for once. From the first round on a week is
 * waited for.
 * @param now in milliseconds, by the clock of the database
 */
export async function digestRound(
  bridge: StoredBridge & { readonly log: Log },
  now?: number,
): Promise<'sent' | 'quiet' | 'overtaken'> {
  const { database, config, log } = bridge;
  const { digestSchedule } = config.alerts;
  if (!config.mail || digestSchedule === false || contactsOf(config).size === 0) return 'quiet';
  const at = now ?? (await lookAtClock(database));
  const fact = await readFact(database.writer, 'digest');
  if (!fact) {
    await database
      .writer('installation_fact')
      .insert({ name: 'digest', value: '0', at })
      .onConflict('name')
      .ignore();
    return 'quiet';
  }
  const turns = turnsOf(digestSchedule, config.timeZone);
  const due = nextDue({ place: 0, atMostMs: 0, after: (moment) => turns.after(moment) }, fact.at);
  if (due === undefined || due > at) return 'quiet';
  const digests = await readDigests(bridge, at);
  const next = { value: String(Number(fact.value) + 1), at };
  const isOurs = await database.transaction(async (trx) => {
    const before = { name: 'digest', value: fact.value, at: fact.at };
    if ((await trx('installation_fact').where(before).update(next)) === 0) return false;
    for (const digest of digests)
      await putMessage(trx, { id: randomUUID(), channel: 'mail', content: JSON.stringify(digest) }, at);
    return true;
  });
  if (!isOurs) return 'overtaken';
  log.info({ contacts: digests.length }, 'digests are to be sent');
  return 'sent';
}

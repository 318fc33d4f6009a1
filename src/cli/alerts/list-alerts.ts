import { loadConfig } from '../../bridge/config/load-config.ts';
import { openStored } from '../../bridge/stored-bridge.ts';
import { toIso } from '../../core/datetime.ts';
import { listMessages } from '../../store/alerts/outbox.ts';
import { readAlertStates } from '../../store/alerts/states.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import type { AlertFlags } from './test-alerts.ts';

/** What is wrong and was told; and the latest messages, with what became of them. */
export async function listAlertsCommand(
  flags: AlertFlags & { readonly limit: number },
  io: CommandIo,
): Promise<number> {
  const { database, close } = await openStored(loadConfig(flags, io.env, io.cwd), 'migrate');
  const iso = (moment: number | undefined) => (moment === undefined ? undefined : toIso(new Date(moment)));
  try {
    const states = await readAlertStates(database.reader);
    const active = states.filter(({ phase }) => phase === 'told' || phase === 'clearing');
    for (const { kind, subject, title, since, toldAt, goodAt, facts } of active) {
      const alert = {
        kind,
        subject,
        title,
        since: iso(since),
        toldAt: iso(toldAt),
        goodAt: iso(goodAt),
        facts,
      };
      const end = goodAt === undefined ? '' : `, well since ${alert.goodAt}`;
      const reason = typeof facts.reason === 'string' ? `: ${facts.reason}` : '';
      printResult(io, flags.json, { alert }, `${kind} ${subject} since ${alert.since}${end}${reason}`);
    }
    if (active.length === 0 && !flags.json) io.stdout.write('nothing is wrong that was told\n');
    for (const { createdAt, dueAt, sentAt, ...rest } of await listMessages(database.reader, flags.limit)) {
      const message = { ...rest, createdAt: iso(createdAt), dueAt: iso(dueAt), sentAt: iso(sentAt) };
      const why = `${rest.reason ?? ''}`;
      const became =
        sentAt !== undefined
          ? `sent ${message.sentAt}`
          : dueAt === undefined
            ? `given up after ${rest.attempts} attempts: ${why}`
            : rest.attempts === 0
              ? 'to be sent'
              : `failed ${rest.attempts} times, next at ${message.dueAt}: ${why}`;
      printResult(
        io,
        flags.json,
        { message },
        `  ${message.createdAt} ${rest.channel} ${rest.id}: ${became}`,
      );
    }
    return exitCodes.ok;
  } finally {
    await close();
  }
}

import { randomUUID } from 'node:crypto';
import { ping } from '../../bridge/alerts/channels/post.ts';
import { alertChannels, Channels, postedTo } from '../../bridge/alerts/channels.ts';
import { loadConfig } from '../../bridge/config/load-config.ts';
import { BridgeError, failure } from '../../core/errors.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';

export interface AlertFlags {
  readonly config?: string;
  readonly json: boolean;
}

/** Needs no database, and nothing of it is written down. */
export async function testAlertsCommand(flags: AlertFlags, io: CommandIo): Promise<number> {
  const config = loadConfig(flags, io.env, io.cwd);
  const { pingUrl } = config.alerts;
  const ways = alertChannels(config);
  if (ways.length === 0 && pingUrl === undefined)
    throw new BridgeError(
      'usage',
      'the configuration names nobody who is told; write alerts.to (with mail), alerts.webhook, alerts.slack or alerts.pingUrl',
    );
  const channels = new Channels(config, Date.now);
  const content = { kind: 'test', at: Date.now() } as const;
  let failed = 0;
  const attempt = async (way: string, send: () => Promise<readonly string[]>): Promise<void> => {
    try {
      const rejected = await send();
      const but = rejected.length === 0 ? '' : `, but not to ${rejected.join(', ')}`;
      if (rejected.length > 0) failed += 1;
      printResult(io, flags.json, { way, sent: true, rejected }, `${way}: sent${but}`);
    } catch (error) {
      failed += 1;
      const { code, reason } = failure(error);
      printResult(
        io,
        flags.json,
        { way, sent: false, code, reason },
        `${way}: not sent: ${reason} [${code}]`,
      );
    }
  };
  try {
    for (const channel of ways)
      await attempt(channel, () => channels.send({ id: randomUUID(), channel, content }));
    if (pingUrl !== undefined)
      await attempt('pingUrl', async () => {
        await ping(postedTo(config, pingUrl));
        return [];
      });
  } finally {
    channels.close();
  }
  return failed === 0 ? exitCodes.ok : exitCodes.upstream;
}

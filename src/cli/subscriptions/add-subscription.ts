import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadConfig } from '../../bridge/config/load-config.ts';
import { addWebhook } from '../../bridge/push/subscription-acts.ts';
import { openStored } from '../../bridge/stored-bridge.ts';
import { BridgeError } from '../../core/errors.ts';
import { actor } from '../terminal/actor.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import type { SubscriptionFlags } from './list-subscriptions.ts';

/** A program is told of each change of a set. */
export async function addSubscriptionCommand(
  url: string,
  flags: SubscriptionFlags & {
    readonly set: string;
    readonly secretFile?: string | undefined;
    readonly label?: string | undefined;
  },
  io: CommandIo,
): Promise<number> {
  const secret = flags.secretFile === undefined ? undefined : readSecret(resolve(io.cwd, flags.secretFile));
  const bridge = await openStored(loadConfig(flags, io.env, io.cwd), 'migrate');
  try {
    const { set, label } = flags;
    const added = await addWebhook(bridge, { url, set, secret, label }, actor());
    const told = `${url} is told of the changes of ${set}, as subscription ${added.id}`;
    const key = secret === undefined ? `\nmessages are signed with ${added.secret} (not shown again)` : '';
    const result = { id: added.id, set, url, ...(secret === undefined ? { secret: added.secret } : {}) };
    printResult(io, flags.json, result, `${told}${key}`);
    return exitCodes.ok;
  } finally {
    await bridge.close();
  }
}

function readSecret(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new BridgeError('usage', `${file} cannot be read`, { cause });
  }
}

import { type Bridge, openBridge } from '../../bridge/bridge.ts';
import { loadConfig } from '../../bridge/config/load-config.ts';
import { createLog } from '../../bridge/log.ts';
import type { CommandIo } from './io.ts';

/** A configured bridge, for as long as a command works with it. */
export async function withBridge<Result>(
  flags: { readonly config?: string },
  io: CommandIo,
  /** What is logged beside what the command itself says. */
  logged: 'nothing' | 'warnings',
  work: (bridge: Bridge) => Promise<Result>,
): Promise<Result> {
  const config = loadConfig(flags, io.env, io.cwd);
  const warnings = config.logLevel === 'info' ? 'warn' : config.logLevel;
  const log = createLog(logged === 'nothing' ? 'silent' : warnings, io.stderr);
  const bridge = await openBridge(config, log, 'migrate', io.stop);
  try {
    return await work(bridge);
  } finally {
    await bridge.close();
  }
}

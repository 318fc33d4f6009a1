import { type Front, listenAlone } from '../../bridge/answering.ts';
import { openBridge } from '../../bridge/bridge.ts';
import { loadConfig } from '../../bridge/config/load-config.ts';
import { originsOf, setOrigins } from '../../bridge/config/origins.ts';
import { joinCrew } from '../../bridge/crew/member.ts';
import { createLog } from '../../bridge/log.ts';
import { watchConfig } from '../../bridge/work/reloading.ts';
import type { Config } from '../../core/config/config.ts';
import { eitherOf } from '../../core/either-signal.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import type { CommandIo } from '../terminal/io.ts';

export interface ServeFlags {
  readonly config?: string;
  readonly json: boolean;
  readonly port?: number;
  readonly host?: string;
  /** Processes that answer requests. */
  readonly processes?: number;
  readonly role?: string;
}

export function readConfig({ role, processes, port, host, ...flags }: ServeFlags, io: CommandIo): Config {
  const overrides = { role, 'listen.port': port, 'listen.host': host, 'listen.processes': processes };
  return loadConfig({ ...flags, overrides }, io.env, io.cwd);
}

/** Who harvests nothing reads no answers of repositories. */
export function withoutWorkers(config: Config): Config {
  return setOrigins({ ...config, workers: 0 }, originsOf(config));
}

/** One of several processes that answer requests, and do nothing else; `serve` in another process started it. */
export async function answer(
  flags: ServeFlags,
  { number, of }: { readonly number: number; readonly of: number },
  io: CommandIo,
): Promise<number> {
  const member = joinCrew(number);
  try {
    const given = withoutWorkers(readConfig(flags, io));
    const log = createLog(given.logLevel, io.stderr).child({ process: number });
    const stop = eitherOf(io.stop, member.stop);
    const bridge = await openBridge(given, log, 'check', stop, of);
    let front: Front | undefined;
    try {
      bridge.presence.setRole('web');
      front = await listenAlone(bridge, bridge.config.listen, { processes: member.processes });
      const reloading = watchConfig(
        bridge,
        async () => readConfig(flags, io),
        (next) => bridge.replaceSources(next),
        stop,
      );
      member.onReload(() => void reloading.reload());
      member.tell({ kind: 'listening', address: front.address });
      await new Promise<void>((resolve) => {
        if (stop.aborted) resolve();
        else stop.addEventListener('abort', () => resolve(), { once: true });
      });
      await reloading.stop();
    } finally {
      // Whoever waits for a list of the past would keep the server open for as long.
      await Promise.all([bridge.listsInTime.close(), front?.close()]);
      await bridge.close();
    }
    return exitCodes.ok;
  } catch (error) {
    member.fail(error);
    return exitCodes.usage;
  } finally {
    member.leave();
  }
}

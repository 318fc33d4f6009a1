import { get } from 'node:http';
import { isIPv6 } from 'node:net';
import { loadConfig } from '../../bridge/config/load-config.ts';
import { BridgeError, describeError } from '../../core/errors.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';

export interface HealthcheckFlags {
  readonly config?: string;
  readonly json: boolean;
  readonly host?: string;
  readonly port?: number;
  /** In seconds. */
  readonly timeout: number;
}

/** What `/livez` answers is a word; whoever answers more is somebody else. */
const mostBytes = 1024;

/**
 * Whether the `serve` of this configuration answers, for managers of containers: these know 0 and 1 and no other exit code,
 * so that whatever is wrong is 1.
 */
export async function healthcheckCommand(flags: HealthcheckFlags, io: CommandIo): Promise<number> {
  let address: string | undefined;
  try {
    address = addressOf(flags, io);
    await ask(address, flags.timeout * 1000);
    printResult(io, flags.json, { healthy: true, address }, `${address} answers`);
    return exitCodes.ok;
  } catch (error) {
    const reason = describeError(error);
    if (flags.json) printResult(io, true, { healthy: false, address, reason }, '');
    io.stderr.write(`rsbridge: ${reason}\n`);
    return exitCodes.internal;
  }
}

/** @throws BridgeError where nothing listens, or nobody knows at which port */
function addressOf(flags: HealthcheckFlags, io: CommandIo): string {
  const { listen, role } = loadConfig(flags, io.env, io.cwd);
  const { host = listen.host, port = listen.port } = flags;
  if (role === 'work' && !listen.health)
    throw new BridgeError('usage', 'this process listens at no port (role: work, listen.health: false)');
  if (port === 0)
    throw new BridgeError('usage', 'listen.port is 0, so that the system chose one; name it by --port');
  return `http://${reachable(host)}:${port}/livez`;
}

/** Who listens at every address is asked at that of this machine. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return isIPv6(host) ? `[${host}]` : host;
}

/** One request, by no proxy, and no redirect followed. */
function ask(address: string, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const failed = (reason: string) =>
      reject(new BridgeError('upstream-unreachable', `${address} ${reason}`));
    const request = get(address, { signal, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
        if (text.length > mostBytes) response.destroy();
      });
      response.on('close', () => {
        if (response.statusCode === 200 && text.trim() === 'ok') resolve();
        else failed(`answers ${response.statusCode}, and not as rsbridge does`);
      });
    });
    request.on('error', (error) =>
      failed(
        signal.aborted ? `does not answer within ${timeoutMs / 1000} s` : `cannot be asked: ${error.message}`,
      ),
    );
  });
}

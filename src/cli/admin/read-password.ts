import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { BridgeError } from '../../core/errors.ts';
import type { CommandIo } from '../terminal/io.ts';

/**
 * A password, typed twice without being shown, or the first line of what is piped in.
 * @throws BridgeError `usage`
 */
export async function readPassword({ stdin, stderr, stop }: CommandIo): Promise<string> {
  if (!stdin) throw new BridgeError('usage', 'pipe the password in: rsbridge admin password < FILE');
  const isTyped = stdin.isTTY === true;
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: silent, terminal: isTyped });
  const ended = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
  const ask = async (question: string): Promise<string> => {
    if (isTyped) stderr.write(question);
    const line = await Promise.race([lines.question('', { signal: stop }), ended]);
    if (isTyped) stderr.write('\n');
    if (line === undefined) throw new BridgeError('usage', 'there was no password in standard input');
    return line;
  };
  try {
    const password = await ask('new password: ');
    if (isTyped && (await ask('the same again: ')) !== password)
      throw new BridgeError('usage', 'the two passwords are not the same; type it again');
    return password;
  } finally {
    lines.close();
  }
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { BridgeError } from '../../core/errors.ts';
import { type CopiedChange, NotTaken, type Telling } from '../../sync/sinks/copied-change.ts';
import type { CommandIo } from '../terminal/io.ts';
import { AcknowledgedLines } from './acknowledged-lines.ts';

export interface TellFlags {
  readonly ndjson: boolean;
  readonly ack?: boolean;
  /** For a shell. */
  readonly exec?: string;
}

/** Whoever wants to know of each change: lines on stdout, a command; undefined: nobody. */
export function createTell(
  { ndjson, ack = false, exec }: TellFlags,
  directory: string,
  io: CommandIo,
): Telling | undefined {
  if (ack && !ndjson) throw new BridgeError('usage', '--ack belongs to --ndjson; add it');
  if (ack && exec !== undefined) throw new BridgeError('usage', '--ack and --exec cannot be used together');
  if (ack) return new AcknowledgedLines(io);
  if (!ndjson && exec === undefined) return undefined;
  const tell = async (change: CopiedChange) => {
    if (exec !== undefined) await run(exec, change, directory, io);
    if (ndjson) await write(change, io);
  };
  return { tell, atOnce: 1 };
}

/** A reader that has seen enough has the run end, after what it has taken. */
async function write(change: CopiedChange, { stdout }: CommandIo): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    stdout.write(`${JSON.stringify(change)}\n`, (error) => {
      if (error)
        reject(new BridgeError('interrupted', 'nobody reads the changes any more', { cause: error }));
      else resolve();
    });
  });
}

/** What it is about is in its environment, never in the text of the command: addresses are others' words. */
async function run(command: string, change: CopiedChange, directory: string, io: CommandIo): Promise<void> {
  const child = spawn(command, {
    shell: true,
    cwd: directory,
    env: { ...io.env, ...environmentOf(change) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // What it prints is talk: stdout is for results.
  child.stdout.on('data', (chunk: Uint8Array) => io.stderr.write(chunk));
  child.stderr.on('data', (chunk: Uint8Array) => io.stderr.write(chunk));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (code !== 0) throw new NotTaken(`--exec ended with ${code === null ? signal : `exit code ${code}`}`);
}

function environmentOf({
  op,
  loc,
  path,
  datetime,
  type,
  hash,
}: CopiedChange): Readonly<Record<string, string>> {
  return {
    RSBRIDGE_OP: op,
    RSBRIDGE_LOC: loc,
    RSBRIDGE_PATH: path ?? '',
    RSBRIDGE_DATETIME: datetime,
    RSBRIDGE_TYPE: type ?? '',
    RSBRIDGE_HASH: hash ?? '',
  };
}

import { Writable } from 'node:stream';
import { main } from '../../../src/cli/main.ts';
import type { CommandIo } from '../../../src/cli/terminal/io.ts';

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** `rsbridge ARGS` in this process, with `cwd` as its working directory; nobody stops it unless told. */
export async function runMain(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  more: Partial<Pick<CommandIo, 'stdin' | 'stop'>> = {},
): Promise<Outcome> {
  const output = { stdout: '', stderr: '' };
  const sink = (name: 'stdout' | 'stderr') =>
    new Writable({
      write(chunk, _encoding, done) {
        output[name] += String(chunk);
        done();
      },
    });
  const never = new AbortController().signal;
  const io = { stop: never, ...more, env, cwd, abort: never };
  const code = await main(args, { ...io, stdout: sink('stdout'), stderr: sink('stderr') });
  return { code, ...output };
}

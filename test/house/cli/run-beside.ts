import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { scriptOf } from '../process/script.ts';
import type { AskedCommand } from './command-process.ts';
import type { Outcome } from './run-main.ts';

interface Beside {
  readonly child: ChildProcess;
  readonly waiting: Map<number, Waiting>;
}

interface Waiting {
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: Error) => void;
}

let beside: Beside | undefined;
let asked = 0;

/**
 * `rsbridge ARGS` in another process than this one, as whoever types it beside a service does. It is one process for all of them, and
 * they run one after another: half of what a short command costs is its start. Where that is what is tested, or a signal, or the
 * environment of Node, there is `rsbridge` (`processes.ts`).
 * @param cwd its working directory
 */
export function runBeside(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  beside ??= start();
  const { child, waiting } = beside;
  asked += 1;
  const command: AskedCommand = { id: asked, cwd, args, env };
  return new Promise((resolve, reject) => {
    waiting.set(command.id, { resolve, reject });
    child.send(command);
  });
}

function start(): Beside {
  const script = scriptOf(join(import.meta.dirname, 'command-process.ts'));
  const child = fork(script, { env: { PATH: process.env.PATH }, execArgv: [], stdio: 'inherit' });
  const waiting: Beside['waiting'] = new Map();
  child.on('message', ({ id, outcome }: { readonly id: number; readonly outcome: Outcome }) => {
    waiting.get(id)?.resolve(outcome);
    waiting.delete(id);
  });
  child.once('exit', (code, signal) => {
    beside = undefined;
    for (const { reject } of waiting.values())
      reject(new Error(`the process of commands has ended: ${code ?? signal}`));
  });
  // It ends with this process, and keeps it from nothing.
  child.unref();
  child.channel?.unref();
  return { child, waiting };
}

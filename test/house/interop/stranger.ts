import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A program of others that says what happens to it, a line of JSON each. */
export interface Stranger<Event> {
  readonly events: readonly Event[];
  say(line: string): void;
  end(): void;
}

export function startStranger<Event>(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Stranger<Event> {
  const child: ChildProcess = spawn(command, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const events: Event[] = [];
  if (child.stdout)
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('{')) events.push(JSON.parse(line) as Event);
    });
  child.stdin?.on('error', () => undefined);
  return { events, say: (line) => child.stdin?.write(`${line}\n`), end: () => child.kill('SIGKILL') };
}

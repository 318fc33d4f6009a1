import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { binary } from '../process/script.ts';

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * `rsbridge ARGS` in a process of its own, as compiled.
 * @param program another one than ours
 */
export function rsbridge(
  args: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
  program = binary(),
): { child: ChildProcess; finished: Promise<Finished> } {
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text;
    });
  }
  const finished = new Promise<Finished>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, ...output }));
  });
  return { child, finished };
}

export type Served = ReturnType<typeof rsbridge>;

/** `rsbridge serve`, once it has said anything: where it listens, as a rule. */
export async function served(cwd: string, ...args: string[]): Promise<Served> {
  const started = rsbridge(['serve', '--json', ...args], cwd);
  if (!started.child.stdout) throw new Error('the process has no output');
  await Promise.race([once(started.child.stdout, 'data'), started.finished]);
  return started;
}

/** Have them end, and wait for that. */
export async function endServed(...all: readonly Served[]): Promise<void> {
  for (const { child } of all) child.kill('SIGTERM');
  await Promise.all(all.map(({ finished }) => finished));
}

export interface Gateway {
  /** The upstream's address, through the gateway. */
  readonly url: string;
  /** Called before each request is passed on; what it resolves to is waited for. */
  onRequest: ((count: number) => void) | undefined;
  /** Requests since it was last set. */
  count: number;
  close(): Promise<void>;
}

/** Stands before an upstream and counts, so that a test can strike at a chosen request. */
export async function openGateway(upstream: string): Promise<Gateway> {
  const target = new URL(upstream);
  const server = createServer((incoming, outgoing) => {
    gateway.count += 1;
    gateway.onRequest?.(gateway.count);
    const path = incoming.url ?? '/';
    const passed = request({ host: target.hostname, port: target.port, path }, (response) => {
      outgoing.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    outgoing.on('error', () => passed.destroy());
    passed.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const gateway: Gateway = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${target.pathname}`,
    onRequest: undefined,
    count: 0,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return gateway;
}

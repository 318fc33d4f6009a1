import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { vi } from 'vitest';
import { stringify } from 'yaml';
import { rsbridge } from '../cli/processes.ts';
import { freePort } from '../process/free-port.ts';

/**
 * `rsbridge serve` behind a proxy, as a client sees it that waits for its answer while the process behind is killed and
 * another one is started.
 */
export class BridgeBehind {
  readonly base: string;
  readonly #server: Server;
  readonly #directory: string;
  readonly #port: number;
  #served: ReturnType<typeof rsbridge>;
  #strike: { at: number; struck: (signal: NodeJS.Signals | null) => void } | undefined;

  /** @param configOf by the address that clients see, and the port that it is to listen at */
  static async start(
    directory: string,
    configOf: (baseUrl: string, port: number) => object,
  ): Promise<BridgeBehind> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const port = await freePort();
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    writeFileSync(join(directory, 'rsbridge.yaml'), stringify(configOf(base, port)));
    const bridge = new BridgeBehind(server, directory, port, base);
    await bridge.#isUp();
    return bridge;
  }

  private constructor(server: Server, directory: string, port: number, base: string) {
    this.base = base;
    this.#server = server;
    this.#directory = directory;
    this.#port = port;
    this.#served = rsbridge(['serve'], directory);
    server.on('request', (incoming, outgoing) => {
      const { url = '/', method = 'GET', headers } = incoming;
      const passOn = () => {
        const passed = request({ host: '127.0.0.1', port, path: url, method, headers }, (answer) => {
          outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(outgoing);
        });
        passed.on('error', () => outgoing.destroy());
        incoming.pipe(passed);
      };
      this.#meet().then(passOn, () => outgoing.destroy());
    });
  }

  /** Kills it before so many requests from now on are answered. @returns by which signal it ended */
  killAt(requests: number): Promise<NodeJS.Signals | null> {
    return new Promise((struck) => {
      this.#strike = { at: requests, struck };
    });
  }

  async close(): Promise<void> {
    this.#served.child.kill('SIGTERM');
    await this.#served.finished;
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #meet(): Promise<void> {
    const strike = this.#strike;
    if (!strike) return;
    strike.at -= 1;
    if (strike.at > 0) return;
    this.#strike = undefined;
    this.#served.child.kill('SIGKILL');
    const { signal } = await this.#served.finished;
    this.#served = rsbridge(['serve'], this.#directory);
    await this.#isUp();
    strike.struck(signal);
  }

  #isUp(): Promise<void> {
    const look = async () => {
      const { status } = await fetch(`http://127.0.0.1:${this.#port}/livez`);
      if (status !== 200) throw new Error(`livez: ${status}`);
    };
    return vi.waitFor(look, { timeout: 60_000, interval: 100 });
  }
}

import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** What lies between a process and its PostgreSQL, and may fail. */
export interface SilentProxy {
  /** The address of the database, through here. */
  readonly url: string;
  /** Swallows everything in both directions, and closes nothing: what a network does that has come apart. */
  silence(): void;
  /** Those that there are stay silent; what comes from now on is passed on. */
  letNewOnes(): void;
  /** What was swallowed is passed on: to TCP, it was only late. */
  heal(): void;
  /** Ends all connections, and takes none until it heals. */
  cut(): void;
  /** New connections lead there, and those that there are end. */
  lead(url: string): void;
  /** New connections lead there, and those that there are stay. */
  turn(url: string): void;
  close(): Promise<void>;
}

export async function startSilentProxy(database: string): Promise<SilentProxy> {
  let target = new URL(database);
  let state: 'open' | 'silent' | 'cut' = 'open';
  const pairs = new Set<readonly [Socket, Socket]>();

  function end(): void {
    for (const [near, far] of pairs) {
      near.destroy();
      far.destroy();
    }
    pairs.clear();
  }

  const server = createServer((near) => {
    if (state === 'cut') return void near.destroy();
    const far = connect({ host: target.hostname, port: Number(target.port) });
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [far, near] as const]) {
      from.on('data', (bytes) => to.write(bytes));
      from.on('error', () => undefined);
      from.on('end', () => to.end());
      from.on('close', () => {
        // While it is silent the other side does not hear of it.
        if (state !== 'silent') to.destroy();
        if (near.destroyed && far.destroyed) pairs.delete(pair);
      });
      if (state === 'silent') from.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(database);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    silence: () => {
      state = 'silent';
      for (const pair of pairs) for (const socket of pair) socket.pause();
    },
    letNewOnes: () => {
      state = 'open';
    },
    heal: () => {
      state = 'open';
      for (const pair of pairs)
        for (const socket of pair) {
          if (pair.some((one) => one.destroyed)) socket.destroy();
          else socket.resume();
        }
    },
    cut: () => {
      state = 'cut';
      end();
    },
    turn: (where) => {
      target = new URL(where);
    },
    lead: (where) => {
      target = new URL(where);
      end();
    },
    close: async () => {
      end();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

const lowest = 10_000;
/** Elsewhere than on Linux whoever asks for any port is given one from 49152 on. */
const usual = 32_768;
/** Of each worker. */
const share = 1000;

/**
 * A port of the loopback address that stays free while nobody listens there: before a process starts, and between its end and that of the next.
 * Those that `listen(0)` and connections are given are not: on Linux a server that asks for any gets one of 7,000.
 */
export async function freePort(): Promise<number> {
  const shares = Math.max(1, Math.floor((end() - lowest) / share));
  const first = lowest + (worker % shares) * share;
  for (let attempt = 0; attempt < share; attempt += 1) {
    const port = first + (next % share);
    next += 1;
    if (await isFree(port)) return port;
  }
  throw new Error(`no port is free from ${first} on`);
}

const worker = Number(process.env.VITEST_POOL_ID ?? 0);
/** Elsewhere for each of two runs on one machine. */
let next = Math.floor(Math.random() * share);

function end(): number {
  try {
    return Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10);
  } catch {
    return usual;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

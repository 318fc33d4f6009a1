import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { endianness } from 'node:os';
import ipaddr from 'ipaddr.js';

/** Octets that the kernel has taken from us and the other side has not acknowledged, of every connection. */
export interface TcpQueues {
  /** 0 of a connection that is not there (any more). */
  unsent(socket: Socket): number;
}

const tables = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];

/**
 * A kernel takes megabytes for a reader who takes none: only its own tables say what has arrived.
 * @returns undefined where there are none
 */
export async function readTcpQueues(): Promise<TcpQueues | undefined> {
  const texts = await Promise.all(tables.map((table) => readFile(table, 'latin1').catch(() => undefined)));
  if (texts.every((text) => text === undefined)) return undefined;
  const queues = new Map<string, number>();
  for (const text of texts) for (const [ends, length] of linesOf(text ?? '')) queues.set(ends, length);
  return { unsent: (socket) => queues.get(endsOf(socket)) ?? 0 };
}

/** Only connections with something in their queue. */
function* linesOf(text: string): Generator<[string, number]> {
  const line = /^ *\d+: ([0-9A-F]+:[0-9A-F]{4} [0-9A-F]+:[0-9A-F]{4}) [0-9A-F]{2} ([0-9A-F]+):/gm;
  for (const [, ends = '', length = ''] of text.matchAll(line)) {
    if (/[^0]/.test(length)) yield [ends, Number.parseInt(length, 16)];
  }
}

function endsOf({ localAddress, localPort, remoteAddress, remotePort }: Socket): string {
  return `${toTable(localAddress)}:${portOf(localPort)} ${toTable(remoteAddress)}:${portOf(remotePort)}`;
}

function portOf(port = 0): string {
  return port.toString(16).toUpperCase().padStart(4, '0');
}

/** The tables have an address as numbers of four octets, in the order of the machine. */
function toTable(text = ''): string {
  const plain = text.replace(/%.*$/, '');
  if (!ipaddr.isValid(plain)) return '';
  const octets = Buffer.from(ipaddr.parse(plain).toByteArray());
  if (endianness() === 'LE') octets.swap32();
  return octets.toString('hex').toUpperCase();
}

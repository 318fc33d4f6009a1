import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { readTcpQueues, type TcpQueues } from './tcp-queues.ts';

/** How slowly an answer may be read. */
export interface PaceFloor {
  /** 0: as slowly as one likes. */
  readonly bytesPerSecond: number;
  /** How long somebody may take nothing at all. */
  readonly graceSeconds: number;
}

export interface PaceDeps {
  /** Milliseconds, of a clock that never goes back. */
  now?(): number;
  queues?(): Promise<TcpQueues | undefined>;
}

/** Watches how fast answers are read: each holds a descriptor, a connection to a repository, or both. */
export interface ReaderPace {
  /** @param reading emits `close` when it has ended: the response */
  follow(socket: Socket, reading: EventEmitter): void;
  isFollowed(socket: Socket): boolean;
}

interface Reader {
  /** What has arrived so far, and when that was seen. */
  arrived: number;
  at: number;
  /** Octets behind the floor. */
  debt: number;
}

/** What arrives comes in steps: a reader announces room when a good part of its buffer is free. */
const step = 65_536;

/** @param end of the connection of a reader who is too slow */
export function createReaderPace(
  { bytesPerSecond, graceSeconds }: PaceFloor,
  end: (socket: Socket) => void,
  { now = () => performance.now(), queues = readTcpQueues }: PaceDeps = {},
): ReaderPace {
  const readers = new Map<Socket, Reader>();
  const limit = bytesPerSecond * graceSeconds;
  const periodMs = Math.min(5000, Math.max(50, (graceSeconds * 1000) / 6));
  let timer: NodeJS.Timeout | undefined;

  function forget(socket: Socket): void {
    readers.delete(socket);
    if (readers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  async function look(): Promise<void> {
    // Most answers go out at once: there is nobody to ask the kernel about.
    const waiting = [...readers].filter(([socket]) => socket.writableLength > 0);
    for (const [socket, reader] of readers) if (socket.writableLength === 0) settle(socket, reader);
    const seen = waiting.length === 0 ? undefined : await queues();
    const at = now();
    for (const [socket, reader] of seen ? waiting : []) {
      if (readers.get(socket) !== reader) continue;
      const arrived = takenByKernel(socket) - (seen?.unsent(socket) ?? 0);
      const owed = (bytesPerSecond * (at - reader.at)) / 1000;
      reader.debt = Math.max(-step, reader.debt + owed - Math.max(0, arrived - reader.arrived));
      Object.assign(reader, { arrived, at });
      if (reader.debt > limit) end(socket);
    }
  }

  /** It waits for us. */
  function settle(socket: Socket, reader: Reader): void {
    Object.assign(reader, { arrived: takenByKernel(socket), at: now(), debt: 0 });
  }

  return {
    isFollowed: (socket) => readers.has(socket),
    follow: (socket, reading) => {
      if (limit <= 0) return;
      readers.set(socket, { arrived: takenByKernel(socket), at: now(), debt: 0 });
      reading.once('close', () => forget(socket));
      timer ??= setInterval(() => void look(), periodMs).unref();
    },
  };
}

/** Node counts a chunk when all of it has gone; its handle knows better. */
function takenByKernel(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle');
  if (typeof handle !== 'object' || handle === null) return socket.bytesWritten - socket.writableLength;
  const [written, queued] = [Reflect.get(handle, 'bytesWritten'), Reflect.get(handle, 'writeQueueSize')];
  return Number(written) - Number(queued) || 0;
}

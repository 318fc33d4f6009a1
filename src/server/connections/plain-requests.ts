import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { type PlainAnswer, type PlainRequest, readPlain, writeHead } from './plain-head.ts';

/** Whoever asked. One of `send` and `leave` is called, once, unless it is gone. */
export interface PlainAsker {
  isGone(): boolean;
  send(answer: PlainAnswer): void;
  /** Has Node read the request, and all that come after it. */
  leave(): void;
}

/** @returns whether the asker will be called; false: Node is to read it */
export type PlainWay = (request: PlainRequest, asker: PlainAsker) => boolean;

export interface PlainDeps {
  readonly take: PlainWay;
  /** From now on all that comes of it is Node's. */
  handOn(socket: Socket): void;
  /** An answer is under way on it, or no longer. */
  change(socket: Socket, by: 1 | -1): void;
  /** An answer waits for its reader. @param reading emits `close` when it has ended */
  follow(socket: Socket, reading: EventEmitter): void;
  isFollowed(socket: Socket): boolean;
}

/** When nothing has come for so long, Node says how long a first request may take. */
const firstMs = 1000;

/**
 * Reads requests of new connections that are written as usual (`plain-head.ts`) itself, one after the other, and writes their answers
 * in one piece: of a short answer, Node's HTTP takes a third of the time. With the first that is not so, or has no short way, the
 * whole connection is handed on to Node, as if that had had it from the beginning.
 * @param times as Node has them: how long it keeps a connection, and how long one may be silent in an answer
 */
export function createPlainRequests(
  deps: PlainDeps,
  times: { readonly keepAliveMs: number; readonly silentMs: number },
): (socket: Socket) => void {
  return (socket) => {
    /** The request that is answered. */
    let asked: Buffer | undefined;
    let isKnown = false;

    const fail = () => undefined;
    const end = () => socket.end();
    const rest = () => {
      if (asked === undefined && !isKnown) handOn();
      else if (asked === undefined || (socket.writableLength > 0 && !deps.isFollowed(socket)))
        socket.destroy();
    };

    function handOn(octets?: Buffer): void {
      socket.off('data', read).off('end', end).off('timeout', rest).setTimeout(0);
      deps.handOn(socket);
      socket.off('error', fail);
      if (octets) socket.unshift(octets);
      socket.resume();
    }

    function next(): void {
      asked = undefined;
      deps.change(socket, -1);
      // In Node's words: a second more than it says.
      wait(times.keepAliveMs + 1000);
      isKnown = true;
      socket.resume();
    }

    /** @param ms in which something has to happen */
    function wait(ms: number): void {
      if (socket.timeout !== ms) socket.setTimeout(ms);
    }

    const asker: PlainAsker = {
      isGone: () => socket.destroyed,
      send: (answer) => {
        write(socket, writeHead(answer, times.keepAliveMs / 1000), answer.body);
        // The kernel has all of it: there is nothing to wait for.
        if (socket.writableLength === 0) {
          next();
          return;
        }
        const reading = new EventEmitter();
        deps.follow(socket, reading);
        wait(times.silentMs);
        socket.write('', () => {
          reading.emit('close');
          if (!socket.destroyed) next();
        });
      },
      leave: () => {
        handOn(asked);
        // Node has begun it by then.
        setImmediate(() => deps.change(socket, -1));
      },
    };

    function read(octets: Buffer): void {
      const request = readPlain(octets);
      if (!request) {
        handOn(octets);
        return;
      }
      // What comes meanwhile waits, also its end.
      socket.pause();
      asked = octets;
      deps.change(socket, 1);
      if (!deps.take(request, asker)) asker.leave();
    }

    socket.on('data', read).on('end', end).on('timeout', rest).on('error', fail).setTimeout(firstMs);
  };
}

/** In one piece: of two writes each would go out by itself. */
function write(socket: Socket, head: string, body: PlainAnswer['body'] = ''): void {
  if (typeof body === 'string') {
    socket.write(head + body, 'latin1');
    return;
  }
  socket.cork();
  socket.write(head, 'latin1');
  socket.write(body);
  socket.uncork();
}

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that wait on one connection behind the one that is answered. */
const longestQueue = 100;
/** Whoever sends so many more after the connection's last answer was announced does not want answers. */
const patience = 1000;

interface Queue {
  waiting: number;
  /** The newest that will be answered. */
  last: ServerResponse;
  /** Those behind it. */
  dropped: number;
}

/**
 * The requests of a connection come to the listener one after the other, each when its answer can go out. Node hands
 * on pipelined ones as they are read; the response of one that is not yet at the front has no socket, and never
 * emits `close` when the connection ends: whatever was opened for it would stay open for ever. One whose turn has
 * come always emits it.
 */
export function inTurn(listener: RequestListener): RequestListener {
  const queues = new WeakMap<Socket, Queue>();

  function wait(queue: Queue, request: IncomingMessage, response: ServerResponse): void {
    queue.waiting += 1;
    queue.last = response;
    response.once('socket', (socket: Socket) => {
      queue.waiting -= 1;
      // Not from within the end of the answer before.
      process.nextTick(() => {
        if (!socket.destroyed) listener(request, response);
      });
    });
  }

  return (request, response) => {
    const { socket } = request;
    const queue = queues.get(socket) ?? { waiting: 0, last: response, dropped: 0 };
    queues.set(socket, queue);
    if (queue.dropped === 0 && response.socket !== null) {
      queue.last = response;
      listener(request, response);
    } else if (queue.dropped === 0 && queue.waiting < longestQueue) {
      wait(queue, request, response);
    } else {
      // RFC 9112 §9.3.2: what was not answered when the connection ended may be asked for again.
      queue.last.shouldKeepAlive = false;
      queue.dropped += 1;
      if (queue.dropped > patience) socket.destroy();
    }
  };
}

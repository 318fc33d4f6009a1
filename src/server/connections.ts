import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { spellHeaderNames } from './header-names.ts';

/**
 * The sockets of a server and what they are busy with. Node's own `close()` waits for connections that never
 * asked anything, or only half a question: a browser's spare one, or a slow attacker's.
 */
export interface Connections {
  createServer(listener: RequestListener): Server;
  /** Ends every connection as soon as no answer is running on it. */
  drain(): void;
}

export function createConnections(): Connections {
  const running = new Map<Socket, number>();
  let draining = false;

  function change(socket: Socket, by: 1 | -1): void {
    const count = (running.get(socket) ?? 0) + by;
    if (!socket.destroyed) running.set(socket, count);
    if (draining && count === 0) socket.destroySoon();
  }

  return {
    createServer: (listener) => {
      // A client that trickles its request, or stops reading its answer, does not keep a connection for long.
      const server = createServer({
        headersTimeout: 15_000,
        requestTimeout: 30_000,
        connectionsCheckingInterval: 5000,
      });
      server.setTimeout(120_000);
      // Longer than proxies keep theirs, else they send a request into a connection that is being closed.
      server.keepAliveTimeout = 72_000;
      server.on('connection', (socket: Socket) => {
        running.set(socket, 0);
        socket.once('close', () => running.delete(socket));
        if (draining) socket.destroy();
      });
      server.on('request', (request, response) => {
        change(request.socket, 1);
        response.once('close', () => change(request.socket, -1));
        spellHeaderNames(response);
      });
      server.on('request', listener);
      return server;
    },
    drain: () => {
      draining = true;
      for (const [socket, count] of running) if (count === 0) socket.destroy();
    },
  };
}

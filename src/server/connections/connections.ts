import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { spellHeaderNames } from './header-names.ts';
import { hasSeveralHosts } from './hosts.ts';
import { createPlainRequests, type PlainWay } from './plain-requests.ts';
import { createReaderPace, type PaceDeps, type PaceFloor } from './reader-pace.ts';
import { inTurn } from './turns.ts';

/**
 * The sockets of a server and what they are busy with. Node's own `close()` waits for connections that never
 * asked anything, or only half a question: a browser's spare one, or a slow attacker's.
 */
export interface Connections {
  /** @param trouble is told of connections that could not be taken */
  createServer(listener: RequestListener, trouble: (what: object) => void): Server;
  /** Whether an answer is under way on it. */
  isBusy(socket: Socket): boolean;
  /** Ends every connection as soon as no answer is running on it, and, after a while, the others. */
  drain(): void;
}

export interface ConnectionSettings {
  readonly floor?: Partial<PaceFloor> | undefined;
  /** What answers under way have when the server closes. */
  readonly drainMs?: number | undefined;
  /** More are closed at once; undefined: as many as come. */
  readonly most?: number | undefined;
  readonly pace?: PaceDeps | undefined;
  /** Asked first (`ShortWay`). */
  readonly shortWay?:
    | ((request: IncomingMessage, response: ServerResponse, told: (isAnswered: boolean) => void) => boolean)
    | undefined;
  /** Requests that Node need not read are given to it before (`plain-requests.ts`). */
  readonly plainWay?: PlainWay | undefined;
}

const defaultFloor: PaceFloor = { bytesPerSecond: 2048, graceSeconds: 30 };
const drainMs = 10_000;
/** Longer than proxies keep theirs, else they send a request into a connection that is being closed. */
const keepAliveMs = 72_000;
/** Nothing was read or written. */
const silentMs = 120_000;

/** @param tooSlow is told of each reader who was given up */
export function createConnections(settings: ConnectionSettings, tooSlow: () => void): Connections {
  const running = new Map<Socket, number>();
  const floor = { ...defaultFloor, ...settings.floor };
  const pace = createReaderPace(
    floor,
    (socket) => {
      tooSlow();
      socket.destroy();
    },
    settings.pace,
  );
  let draining = false;

  function change(socket: Socket, by: 1 | -1): void {
    const count = (running.get(socket) ?? 0) + by;
    if (!socket.destroyed) running.set(socket, count);
    if (draining && count === 0) socket.destroySoon();
  }

  /** To its end. It runs already. */
  function attend(socket: Socket, response: ServerResponse): void {
    response.once('close', () => change(socket, -1));
    pace.follow(socket, response);
  }

  /** What Node does with a new connection of its server, or what is done before. */
  function takeConnections(server: Server): (socket: Socket) => void {
    const ofNode = server.listeners('connection');
    server.removeAllListeners('connection');
    const handOn = (socket: Socket) => {
      for (const listener of ofNode) Reflect.apply(listener, server, [socket]);
    };
    const { plainWay } = settings;
    if (!plainWay) return handOn;
    const { follow, isFollowed } = pace;
    const take: PlainWay = (request, asker) => !draining && plainWay(request, asker);
    return createPlainRequests({ take, handOn, change, follow, isFollowed }, { keepAliveMs, silentMs });
  }

  return {
    createServer: (listener, trouble) => {
      // A client that trickles its request, or stops reading its answer, does not keep a connection for long.
      const server = createServer({
        headersTimeout: 15_000,
        requestTimeout: 30_000,
        connectionsCheckingInterval: 5000,
      });
      if (settings.most !== undefined) server.maxConnections = settings.most;
      server.setTimeout(silentMs, (socket: Socket) => {
        // Who reads slowly is silent for as long as the kernel's buffer is full; the pace says whether it reads.
        if (!pace.isFollowed(socket)) socket.destroy();
      });
      server.keepAliveTimeout = keepAliveMs;
      const listen = takeConnections(server);
      server.on('connection', (socket: Socket) => {
        running.set(socket, 0);
        socket.once('close', () => running.delete(socket));
        if (draining) socket.destroy();
        else listen(socket);
      });
      // Without a listener it would end the process. What keeps it from listening is told to whoever began it.
      server.on('error', (error) => server.listening && trouble({ err: error }));
      server.on('drop', () => trouble({ most: settings.most }));
      const hand: RequestListener = (request, response) => {
        spellHeaderNames(response);
        listener(request, response);
      };
      const handOn: RequestListener = (request, response) => {
        attend(request.socket, response);
        hand(request, response);
      };
      const answer: RequestListener = (request, response) => {
        const { socket } = request;
        change(socket, 1);
        const told = (isAnswered: boolean) => {
          if (!isAnswered) handOn(request, response);
          // The kernel has all of it: there is nothing to wait for.
          else if (socket.writableLength === 0) change(socket, -1);
          else attend(socket, response);
        };
        const isPlain = !draining && !hasSeveralHosts(request);
        if (!isPlain || !settings.shortWay?.(request, response, told)) handOn(request, response);
      };
      server.on('request', inTurn(answer));
      return server;
    },
    isBusy: (socket) => (running.get(socket) ?? 0) > 0,
    drain: () => {
      draining = true;
      for (const [socket, count] of running) if (count === 0) socket.destroy();
      setTimeout(() => {
        for (const socket of running.keys()) socket.destroy();
      }, settings.drainMs ?? drainMs).unref();
    },
  };
}

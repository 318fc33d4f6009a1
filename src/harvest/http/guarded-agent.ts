import type { Socket } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { bare } from '../../core/addresses/public-address.ts';
import type { AddressGuard } from './address-guard.ts';
import { holdEnd } from './held-end.ts';
import { LargeReads } from './large-reads.ts';

export interface AgentSettings {
  /** To one host at a time. */
  readonly connections: number;
  /** Of silence, before the headers and in the body. */
  readonly timeoutSeconds: number;
  /** Until a connection stands; default 30 seconds. */
  readonly connectSeconds?: number | undefined;
  /** For `bulkRequest`; default false. */
  readonly largeReads?: boolean;
}

/** Landing pages may carry many links in their headers; Node's own limit is 16 kB. */
const maxHeaderSize = 131_072;

/** Longer than an agent keeps a connection that nobody uses. */
const restMs = 30_000;
const connectSeconds = 30;

/** Connections that lead only where the guard lets them, whoever asks for them. */
export function createGuardedAgent(guard: AddressGuard, settings: AgentSettings): Agent {
  const connectors = new Map<number, buildConnector.connector>();
  let reads: LargeReads | undefined;
  // Looked at whenever a connection is made: each has its own.
  const onread = {
    get buffer() {
      return reads?.buffer;
    },
    get callback() {
      return reads?.callback;
    },
  };

  function connectorFor(port: number): buildConnector.connector {
    const existing = connectors.get(port);
    if (existing) return existing;
    const made = buildConnector({
      lookup: guard.lookup(port),
      timeout: (settings.connectSeconds ?? connectSeconds) * 1000,
      ...(settings.largeReads ? { onread } : {}),
    } as buildConnector.BuildOptions);
    connectors.set(port, made);
    return made;
  }

  return new Agent({
    connect: (options, callback) => {
      const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80);
      try {
        // A literal address is never looked up.
        guard.checkHost(options.hostname, port);
      } catch (error) {
        callback(error as Error, null);
        return;
      }
      const its = settings.largeReads ? new LargeReads() : undefined;
      reads = its;
      connectorFor(port)(options, (...outcome) => {
        if (outcome[1]) {
          its?.attach(outcome[1]);
          holdEnd(outcome[1]);
        }
        callback(...outcome);
      });
      // What is not reading is not kept by its agent.
      reads = undefined;
    },
    connections: settings.connections,
    headersTimeout: settings.timeoutSeconds * 1000,
    bodyTimeout: settings.timeoutSeconds * 1000,
    keepAliveTimeout: 10_000,
    maxHeaderSize,
  });
}

/** The same for who needs no agent: connections to one origin, each of its own. */
export function createGuardedConnect(guard: AddressGuard, origin: URL): () => Promise<Socket> {
  const { host, hostname, protocol, port } = origin;
  const number = Number(port) || (protocol === 'https:' ? 443 : 80);
  const connector = buildConnector({ lookup: guard.lookup(number), timeout: connectSeconds * 1000 });
  return () =>
    new Promise((resolve, reject) => {
      // Undici takes the brackets away as well.
      const place = { host, hostname: bare(hostname), protocol, port };
      guard.check(origin);
      connector(place, (error, socket) => (error ? reject(error) : resolve(socket)));
    });
}

/**
 * An agent that is there while somebody asks by it, and a little longer: of hundreds of sources few are asked at a time, and
 * each agent takes some kilobytes.
 */
export class RestingAgent {
  readonly #create: () => Agent;
  readonly #restMs: number;
  #agent: Agent | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param rest in milliseconds */
  constructor(create: () => Agent, rest = restMs) {
    this.#create = create;
    this.#restMs = rest;
  }

  /** For the request that is sent now. */
  get agent(): Agent {
    this.#timer ??= setTimeout(() => this.#look(), this.#restMs).unref();
    this.#timer.refresh();
    this.#agent ??= this.#create();
    return this.#agent;
  }

  async destroy(): Promise<void> {
    clearTimeout(this.#timer);
    const agent = this.#agent;
    [this.#agent, this.#timer] = [undefined, undefined];
    await agent?.destroy();
  }

  #look(): void {
    const isBusy = Object.values(this.#agent?.stats ?? {}).some(({ size }) => size > 0);
    // What has connections alone has nothing to say any more.
    if (isBusy) this.#timer?.refresh();
    else void this.destroy();
  }
}

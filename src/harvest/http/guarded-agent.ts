import { Agent, buildConnector } from 'undici';
import type { AddressGuard } from './address-guard.ts';

export interface AgentSettings {
  /** To one host at a time. */
  readonly connections: number;
  /** Of silence, before the headers and in the body. */
  readonly timeoutSeconds: number;
  /** Until a connection stands; default 30 seconds. */
  readonly connectSeconds?: number | undefined;
}

/** Landing pages may carry many links in their headers; Node's own limit is 16 kB. */
const maxHeaderSize = 131_072;

/** Connections that lead only where the guard lets them, whoever asks for them. */
export function createGuardedAgent(guard: AddressGuard, settings: AgentSettings): Agent {
  const connectors = new Map<number, buildConnector.connector>();

  function connectorFor(port: number): buildConnector.connector {
    const existing = connectors.get(port);
    if (existing) return existing;
    const made = buildConnector({
      lookup: guard.lookup(port),
      timeout: (settings.connectSeconds ?? 30) * 1000,
    });
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
      connectorFor(port)(options, callback);
    },
    connections: settings.connections,
    headersTimeout: settings.timeoutSeconds * 1000,
    bodyTimeout: settings.timeoutSeconds * 1000,
    keepAliveTimeout: 10_000,
    maxHeaderSize,
  });
}

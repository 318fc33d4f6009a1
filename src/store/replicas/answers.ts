import type { Knex } from 'knex';
import { openAnswering } from './answering-client.ts';
import type { Pool } from './pool.ts';
import { Primary } from './primary.ts';
import { Replica, type ReplicaState } from './replica.ts';
import { Routes } from './routes.ts';

export interface AnswerSettings {
  readonly url: string;
  readonly replicaUrl?: string | readonly string[] | undefined;
  /** For each server that is read from. */
  readonly readerPoolSize: number;
}

/** What answers requests, on PostgreSQL. */
export interface Answers {
  readonly reader: Knex;
  readonly asOne: (<T>(work: () => T) => T) | undefined;
  stayAtPrimary(): void;
  /** How each replica is doing. */
  lookAtReplicas(): Promise<readonly ReplicaState[]>;
  close(): Promise<void>;
}

/**
 * Connections of their own for those who only read: neither keeps the other waiting, harvests and requests.
 * @param openPool of so many connections
 */
export function openAnswers(
  settings: AnswerSettings,
  openPool: (url: string, size: number) => Knex,
  log: Knex.Logger,
): Answers {
  const { url, replicaUrl = [], readerPoolSize } = settings;
  const atPrimary = openPool(url, readerPoolSize);
  const addresses = typeof replicaUrl === 'string' ? [replicaUrl] : replicaUrl;
  if (addresses.length === 0) {
    return {
      reader: atPrimary,
      asOne: undefined,
      stayAtPrimary: () => undefined,
      lookAtReplicas: () => Promise.resolve([]),
      close: () => atPrimary.destroy(),
    };
  }
  const forFloors = openPool(url, 1);
  const primary = new Primary(poolOf(forFloors));
  const opened = addresses.map(
    (address) => [openPool(address, readerPoolSize), openPool(address, 1)] as const,
  );
  const replicas = opened.map(([pool, looks], index) => {
    const pools = { pool: poolOf(pool), looks: poolOf(looks) };
    return new Replica(nameOf(addresses[index] ?? ''), pools, primary);
  });
  const routes = new Routes(poolOf(atPrimary), primary, replicas);
  return {
    reader: openAnswering(routes, { log }),
    asOne: (work) => routes.asOne(work),
    stayAtPrimary: () => routes.stay(),
    lookAtReplicas: () => Promise.all(replicas.map((replica) => replica.look())),
    close: async () => {
      await Promise.all([atPrimary, forFloors, ...opened.flat()].map((pool) => pool.destroy()));
    },
  };
}

function poolOf({ client }: Knex): Pool {
  return client as Pool;
}

/** Without who logs in there. */
function nameOf(address: string): string {
  if (!URL.canParse(address)) return 'the replica';
  const { host, pathname } = new URL(address);
  return `${host}${pathname}`;
}

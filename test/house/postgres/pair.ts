import { chmodSync, cpSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../process/free-port.ts';
import { type Cluster, createCluster, type RunningServer, startCluster } from './server.ts';

/** A primary, and a replica that follows it by a stream. */
export interface PostgresPair {
  readonly url: string;
  readonly replicaUrl: string;
  /** Says something to one of them, past everything that is tested. @returns the rows */
  ask<Row extends object>(which: 'primary' | 'replica', sql: string): Promise<readonly Row[]>;
  /** Until the replica has replayed all that the primary has written. */
  caughtUp(): Promise<void>;
  /** What a machine does that loses its power. */
  killReplica(): Promise<void>;
  startReplica(): Promise<void>;
  /** SIGQUIT: it ends at once, as `pg_ctl stop -m immediate` has it. */
  endPrimary(signal: 'SIGQUIT' | 'SIGKILL'): Promise<void>;
  startPrimary(): Promise<void>;
  /** The replica is the primary from now on. */
  promote(): Promise<void>;
  stop(): Promise<void>;
}

const settings = { wal_level: 'replica', wal_keep_size: '512MB', jit: 'off' };

/** @param more settings of the primary */
export async function startPostgresPair(
  more: Readonly<Record<string, string | number>> = {},
): Promise<PostgresPair> {
  const cluster = createCluster();
  const standby = standbyOf(cluster);
  const [port, replicaPort] = [await freePort(), await freePort()];
  writeFileSync(
    join(standby.data, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=127.0.0.1 port=${port} user=postgres'\n`,
  );
  const begin = () => startCluster(cluster, port, { ...settings, ...more });
  let primary: RunningServer | undefined = await begin();
  const { url } = primary;
  const start = () =>
    startCluster(standby, replicaPort, { ...settings, wal_retrieve_retry_interval: '100ms' });
  let replica: RunningServer | undefined = await start();
  const replicaUrl = replica.url;

  async function ask<Row extends object>(which: 'primary' | 'replica', sql: string): Promise<readonly Row[]> {
    const client = new pg.Client({ connectionString: which === 'primary' ? url : replicaUrl });
    await client.connect();
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  return {
    url,
    replicaUrl,
    ask,
    caughtUp: async () => {
      const [{ lsn } = { lsn: '' }] = await ask<{ lsn: string }>(
        'primary',
        'select pg_current_wal_lsn() as lsn',
      );
      for (;;) {
        const [row] = await ask<{ there: boolean }>(
          'replica',
          `select pg_last_wal_replay_lsn() >= '${lsn}' as there`,
        );
        if (row?.there) return;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    killReplica: async () => {
      await replica?.end('SIGKILL');
      replica = undefined;
    },
    startReplica: async () => {
      replica = await start();
    },
    endPrimary: async (signal) => {
      await primary?.end(signal);
      primary = undefined;
    },
    startPrimary: async () => {
      primary = await begin();
    },
    promote: async () => {
      await ask('replica', 'select pg_promote()');
    },
    stop: async () => {
      // A primary that waits for its replica does not end before.
      await primary?.end('SIGQUIT');
      await replica?.end('SIGINT');
      cluster.remove();
    },
  };
}

/** The same data, before anybody has changed it: as a base backup is. */
function standbyOf(cluster: Cluster): Cluster {
  const data = `${cluster.data}-standby`;
  cpSync(cluster.data, data, { recursive: true });
  writeFileSync(join(data, 'standby.signal'), '');
  chmodSync(data, 0o700);
  cluster.own(data);
  for (const entry of readdirSync(data, { recursive: true })) cluster.own(join(data, String(entry)));
  return { ...cluster, data };
}

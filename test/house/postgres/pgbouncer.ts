import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import pg from 'pg';
import { freePort } from '../process/free-port.ts';
import type { PostgresServer } from './server.ts';

/** pgbouncer, where it is installed: `PGBOUNCER`, or in PATH. */
export function findPgbouncer(): string | undefined {
  const places = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  const candidates = [process.env.PGBOUNCER, ...places.map((place) => join(place, 'pgbouncer'))];
  return candidates.find((file) => file && spawnSync(file, ['--version']).status === 0);
}

/** In front of a server, in transaction mode, with fewer connections to it than its clients have. */
export async function startPgbouncer(program: string, server: string): Promise<PostgresServer> {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-pgbouncer-'));
  // Its user has to read what lies there.
  chmodSync(directory, 0o755);
  const { hostname, port: serverPort, username } = new URL(server);
  const port = await freePort();
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    default_pool_size: 4,
    max_client_conn: 200,
    server_idle_timeout: 1,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const file = join(directory, 'pgbouncer.ini');
  const database = `* = host=${hostname} port=${serverPort} user=${username}`;
  writeFileSync(file, ['[databases]', database, '[pgbouncer]', ...lines, ''].join('\n'));
  // It refuses to run as root, as PostgreSQL does.
  const id = (flag: string) => Number(spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout);
  const user = userInfo().uid === 0 ? { uid: id('-u'), gid: id('-g') } : {};
  const child = spawn(program, [file], { ...user, stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-4000);
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const url = new URL(server);
  url.port = String(port);
  for (let attempt = 0; ; attempt += 1) {
    const client = new pg.Client({ connectionString: url.href });
    try {
      await client.connect();
      await client.end();
      break;
    } catch (error) {
      if (attempt === 300 || child.exitCode !== null)
        throw new Error(`pgbouncer did not start: ${output}`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  return {
    url: url.href,
    stop: async () => {
      process.off('exit', kill);
      child.kill('SIGINT');
      child.kill('SIGKILL');
      await exited;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

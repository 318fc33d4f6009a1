import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, extname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import autocannon from 'autocannon';
import { freePort } from '../../src/cli/demo/free-port.ts';
import { firstLine, heapFlags, print, start } from './once/processes.ts';

/**
 * How many requests a second are answered, by us from the database and by nginx from the files that
 * `rsbridge export` wrote of the same publication: `npm run bench serve [resources] [seconds]`. nginx is taken
 * from PATH or NGINX; without it ours are measured alone. All on the loopback; the long list is asked for by few
 * at a time, because the client, which reads every byte, would be the bottleneck.
 */
const count = Number(process.argv[2] ?? 60_000);
const duration = Number(process.argv[3] ?? 10);
const [many, few] = [50, 4];

const directory = mkdtempSync(join(tmpdir(), 'rsbridge-bench-'));
const children: ChildProcess[] = [];
try {
  await measure();
} finally {
  const ended = children.map((child) => once(child, 'exit'));
  for (const child of children) child.kill('SIGTERM');
  await Promise.race([Promise.all(ended), setTimeout(15_000)]);
  rmSync(directory, { recursive: true, force: true });
}

async function measure(): Promise<void> {
  await firstLine(start('upstreams/serve-seed', [count, join(directory, 'bench.db')]));
  const [port, nginxPort] = [await freePort(), await freePort()];
  const config = {
    baseUrl: 'https://repo.example.org/rs',
    database: { client: 'sqlite', file: join(directory, 'bench.db') },
    directory: join(directory, 'data'),
    listen: { port },
    logLevel: 'error',
    sources: { bench: { url: 'http://127.0.0.1:1/oai', schedule: false, fullPass: false, dumps: [] } },
  };
  writeFileSync(join(directory, 'rsbridge.yaml'), JSON.stringify(config));
  const site = join(directory, 'www', 'rs');
  for (const what of ['first', 'second']) {
    const report = JSON.parse(
      spawnSync(process.execPath, rsbridge('export', site, '--json')).stdout.toString(),
    );
    print({
      what: `${what} export`,
      filesPerSecond: Math.round((report.written / report.ms) * 1000),
      ...report,
    });
  }
  const server = spawn(process.execPath, rsbridge('serve'), { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(server);
  await firstLine(server);
  const hasNginx = await startNginx(nginxPort);
  const list = /<loc>https:\/\/[^/]+(\/[^<]+\/0001\.xml)/.exec(
    readFileSync(`${site}/bench/resourcelist.xml`, 'utf8'),
  );
  const part = list?.[1] ?? '/rs/bench/resourcelist.xml';
  const gzip = { 'accept-encoding': 'gzip' };
  const resources = Array.from({ length: 2000 }, () => ({
    path: `/rs/bench/items/oai:repo.example.org:2324~2F${Math.floor(Math.random() * count)}/oai_dc.xml`,
  }));
  const kinds = [
    { what: 'a list of 50,000 entries', connections: few, requests: [{ path: part }] },
    { what: 'a list of 50,000 entries, gzip', connections: few, requests: [{ path: part, headers: gzip }] },
    { what: 'capabilitylist.xml', connections: many, requests: [{ path: '/rs/bench/capabilitylist.xml' }] },
    { what: 'random resources', connections: many, requests: resources },
  ];
  for (const { what, connections, requests } of kinds) {
    const ours = await load(port, connections, requests);
    const nginx = hasNginx ? await load(nginxPort, connections, requests) : undefined;
    const ratio = nginx && Number((ours.perSecond / nginx.perSecond).toFixed(2));
    print({ what, connections, ours, nginx, ratio, serverMegabytes: megabytes(server) });
  }
}

function rsbridge(...args: string[]): string[] {
  const bin = join(import.meta.dirname, '..', '..', 'src', 'cli', `bin${extname(import.meta.filename)}`);
  return [...heapFlags, bin, ...args, '--config', join(directory, 'rsbridge.yaml')];
}

interface Request {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function load(port: number, connections: number, requests: readonly Request[]) {
  const {
    requests: answered,
    throughput,
    latency,
    errors,
    non2xx,
  } = await autocannon({
    url: `http://127.0.0.1:${port}`,
    connections,
    duration,
    requests,
  });
  if (errors + non2xx > 0) process.stderr.write(`${errors} errors, ${non2xx} answers other than 2xx\n`);
  const megabytesPerSecond = Math.round(throughput.average / 1e6);
  return { perSecond: Number(answered.average.toFixed(1)), megabytesPerSecond, p99Milliseconds: latency.p99 };
}

/** The documented configuration. @returns whether there is an nginx */
async function startNginx(port: number): Promise<boolean> {
  const places = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'].map((place) =>
    join(place, 'nginx'),
  );
  const nginx = [process.env.NGINX, ...places].find((file) => file && spawnSync(file, ['-v']).status === 0);
  if (!nginx) {
    process.stderr.write('nginx is neither in PATH nor in NGINX: no ratio\n');
    return false;
  }
  const place = join(directory, 'nginx');
  mkdirSync(place);
  const site = readFileSync(join(process.cwd(), 'docs', 'nginx.conf'), 'utf8')
    .replace('listen 80;', `listen 127.0.0.1:${port};`)
    .replace('root /srv/www;', `root ${join(directory, 'www')};`);
  writeFileSync(join(place, 'mime.types'), 'types { application/pdf pdf; }');
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${place}/${name};`,
  );
  writeFileSync(
    join(place, 'nginx.conf'),
    `daemon off; worker_processes auto; pid ${place}/pid; error_log stderr crit;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 1024; }
http { sendfile on; tcp_nopush on; access_log off; ${paths.join(' ')}
${site}
}`,
  );
  const child = spawn(nginx, ['-p', place, '-c', join(place, 'nginx.conf'), '-e', 'stderr'], {
    stdio: 'inherit',
  });
  children.push(child);
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if (await fetch(`http://127.0.0.1:${port}/rs/robots.txt`).catch(() => undefined)) return true;
    await setTimeout(50);
  }
  throw new Error('nginx does not answer');
}

/** Resident now, and at most. */
function megabytes({ pid }: ChildProcess): { readonly now: number; readonly peak: number } | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const of = (key: string) =>
      Math.round(Number(new RegExp(`${key}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024);
    return { now: of('VmRSS'), peak: of('VmHWM') };
  } catch {
    return undefined;
  }
}

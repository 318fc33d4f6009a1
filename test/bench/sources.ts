import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { allocator, asUsersDo, print, start } from './once/processes.ts';

/**
 * What a house of many small sources costs: `sources [COUNT [RECORDS]]`. Of each address that speaks of all of them
 * the CPU seconds of one request, of `serve` its beginning, its rest and its memory, and of `status` the whole.
 */
const count = Number(process.argv[2] ?? 1000);
const records = Number(process.argv[3] ?? 20);
const directory = await mkdtemp(join(tmpdir(), 'rsbridge-sources-'));
const repository = createServer((request, response) => response.end(answer(request.url ?? '')));
repository.listen(0, '127.0.0.1');
await once(repository, 'listening');
const { port: upstream } = repository.address() as AddressInfo;
const port = await freePort();
try {
  const seed = start('upstreams/sources-seed', [count, records, join(directory, 'data', 'rsbridge.db')]);
  await once(seed, 'exit');
  const names = Array.from({ length: count }, (_, index) => `source-${index + 1}`);
  const sources = Object.fromEntries(
    names.map((name) => [name, { url: `http://127.0.0.1:${upstream}/${name}` }]),
  );
  const config = { baseUrl: `http://127.0.0.1:${port}`, listen: { port }, sources };
  await writeFile(join(directory, 'rsbridge.yaml'), JSON.stringify(config));
  await command('publish');
  await command('status');
  await command('status', '--json');
  await serve();
  // With exit code 4 for those that were harvested meanwhile: the repository says that it is empty, and 20 records of each
  // are published.
  await command('status');
} finally {
  repository.close();
  await rm(directory, { recursive: true, force: true });
}

async function command(...args: string[]): Promise<void> {
  const began = performance.now();
  const child = rsbridge(args);
  let cpu = 0;
  const watch = setInterval(
    () =>
      cpuOf(child.pid ?? 0).then(
        (now) => (cpu = now),
        () => undefined,
      ),
    50,
  );
  const [code] = await once(child, 'exit');
  clearInterval(watch);
  print({ count, command: args.join(' '), code, seconds: round(performance.now() - began) / 1000, cpu });
}

async function serve(): Promise<void> {
  const began = performance.now();
  const child = rsbridge(['serve']);
  const pid = child.pid ?? 0;
  const exited = once(child, 'exit');
  for (let slowest = 0, quiet = 0; ; ) {
    const [took, before] = [await ask('/livez').catch(() => -1), await cpuOf(pid)];
    slowest = Math.max(slowest, took);
    await pause(500);
    const after = await cpuOf(pid);
    quiet = took >= 0 && after - before < 0.1 ? quiet + 1 : 0;
    if (quiet < 4 && performance.now() - began < 600_000) continue;
    const seconds = round(performance.now() - began) / 1000;
    print({ count, phase: 'begin', seconds, cpu: after, livezMs: round(slowest), ...(await memoryOf(pid)) });
    break;
  }
  const restBegan = await cpuOf(pid);
  await pause(10_000);
  print({ count, phase: 'at rest, 10 s', cpu: round((await cpuOf(pid)) - restBegan) });
  for (const path of [
    '/livez',
    '/',
    '/?format=json',
    '/about',
    '/readyz',
    '/metrics',
    '/.well-known/resourcesync',
    '/source-7/about',
  ]) {
    const before = await cpuOf(pid);
    let [slowest, livez] = [0, 0];
    for (let turn = 0; turn < 20; turn += 1) {
      const [took, alive] = await Promise.all([ask(path), ask('/livez')]);
      slowest = Math.max(slowest, took);
      livez = Math.max(livez, alive);
    }
    const cpuMs = round((((await cpuOf(pid)) - before) / 20) * 1000);
    print({ count, path, cpuMs, slowestMs: round(slowest), livezMs: round(livez), ...(await memoryOf(pid)) });
  }
  child.kill('SIGTERM');
  await exited;
}

/** With what the launcher gives to those that run long. */
function rsbridge(args: readonly string[]) {
  const child = spawn(process.execPath, asUsersDo(args), {
    cwd: directory,
    env: { ...process.env, ...allocator },
    stdio: 'ignore',
  });
  process.once('exit', () => child.kill('SIGKILL'));
  return child;
}

async function ask(path: string): Promise<number> {
  const began = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { accept: 'text/html' } });
  await response.arrayBuffer();
  return performance.now() - began;
}

/** Seconds of CPU that a process has used so far. */
async function cpuOf(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function memoryOf(pid: number): Promise<{ rssMB: number; peakMB: number }> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  const of = (name: string) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(text)?.[1]) / 1024);
  return { rssMB: of('VmRSS'), peakMB: of('VmHWM') };
}

async function freePort(): Promise<number> {
  const socket = createSocket().listen(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port: free } = socket.address() as AddressInfo;
  socket.close();
  return free;
}

/** A repository in which nothing happens. */
function answer(url: string): string {
  const verb = new URL(url, 'http://127.0.0.1').searchParams.get('verb');
  const body =
    verb === 'Identify'
      ? '<Identify><repositoryName>Quiet</repositoryName><baseURL>http://127.0.0.1/</baseURL><protocolVersion>2.0</protocolVersion><adminEmail>a@example.org</adminEmail><earliestDatestamp>2020-01-01T00:00:00Z</earliestDatestamp><deletedRecord>persistent</deletedRecord><granularity>YYYY-MM-DDThh:mm:ssZ</granularity></Identify>'
      : verb === 'ListMetadataFormats'
        ? '<ListMetadataFormats><metadataFormat><metadataPrefix>oai_dc</metadataPrefix><schema>http://www.openarchives.org/OAI/2.0/oai_dc.xsd</schema><metadataNamespace>http://www.openarchives.org/OAI/2.0/oai_dc/</metadataNamespace></metadataFormat></ListMetadataFormats>'
        : verb === 'ListSets'
          ? '<error code="noSetHierarchy"/>'
          : '<error code="noRecordsMatch"/>';
  return `<?xml version="1.0"?><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>${new Date().toISOString().slice(0, 19)}Z</responseDate><request>http://127.0.0.1/</request>${body}</OAI-PMH>`;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

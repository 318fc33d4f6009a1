import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliCompress, createDeflate, createGzip, gzipSync } from 'node:zlib';
import { bin, heapFlags, print } from './once/processes.ts';
import {
  dcNamespace,
  dublinCore,
  envelope,
  type HostileAnswer,
  megabyte,
  protocolScenes,
  record,
  type Scene,
} from './upstreams/hostile-answers.ts';
import { exchangeScenes } from './upstreams/hostile-exchanges.ts';
import { otherScenes } from './upstreams/hostile-files.ts';

/**
 * What hostile answers cost: `npm run bench hostile-memory [WORD …]`. Each is harvested by the command line in a
 * process of its own, whose peak is read from /proc; with words, only the scenes whose name has one of them. Ends
 * with 1 when one of them reaches the limit.
 */
const limit = 256;
/** By then a harvest is over; the many files that it found may still be asked for. */
const patience = 60_000;
/** How often each answer was given. */
const turns = new WeakMap<HostileAnswer, number>();
const words = process.argv.slice(2).map((word) => word.toLowerCase());

let worst = 0;
for (const scene of [...protocolScenes, ...otherScenes, ...exchangeScenes]) {
  const name = scene.name.toLowerCase();
  if (words.length > 0 && !words.some((word) => name.includes(word))) continue;
  worst = Math.max(worst, await measure(scene));
}
process.exitCode = worst >= limit ? 1 : 0;

async function measure(scene: Scene): Promise<number> {
  const server = createServer((request, response) => {
    respond(scene, request, response).catch(() => response.destroy());
  });
  const sockets: Socket[] = [];
  server.on('connection', (socket) => sockets.push(socket));
  const sent = () => sockets.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-hostile-'));
  try {
    const source = { url: `http://127.0.0.1:${port}/oai`, ...scene.source };
    const config = {
      baseUrl: 'http://127.0.0.1:1',
      sources: { hostile: source },
      network: { allow: ['127.0.0.1'] },
    };
    const written = JSON.stringify(config).replaceAll('PORT', String(port));
    writeFileSync(join(directory, 'rsbridge.yaml'), written);
    return await harvest(scene.name, directory, () => Math.round(sent() / megabyte));
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function harvest(name: string, directory: string, sent: () => number): Promise<number> {
  const args = [...heapFlags, bin, 'harvest'];
  const child = spawn(process.execPath, args, { cwd: directory, stdio: ['ignore', 'ignore', 'pipe'] });
  let [peak, cpu, words] = [0, 0, ''];
  child.stderr.on('data', (chunk: Buffer) => {
    words = (words + chunk.toString()).slice(-4000);
  });
  const watch = setInterval(() => {
    peak = Math.max(peak, peakOf(child.pid ?? 0));
    cpu = Math.max(cpu, cpuOf(child.pid ?? 0));
  }, 20);
  const timer = setTimeout(() => child.kill('SIGKILL'), patience);
  const [code] = await once(child, 'close');
  clearInterval(watch);
  clearTimeout(timer);
  const [error = ''] = /(?:problem|error|cannot|larger|more than)[^\n]*/i.exec(words) ?? [];
  print({
    name,
    megabytes: peak,
    cpuSeconds: cpu,
    sentMegabytes: sent(),
    code,
    says: process.env.VERBOSE ? words : error.slice(0, 160),
  });
  return peak;
}

/** The highest resident set so far, in MB; 0 where the process is gone. */
function peakOf(pid: number): number {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Math.round(Number(kilobytes ?? 0) / 1024);
  } catch {
    return 0;
  }
}

function cpuOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return 0;
  }
}

async function respond(scene: Scene, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const verb = url.searchParams.get('verb') ?? '';
  const isFirst = !['resumptionToken', 'from', 'until'].some((name) => url.searchParams.has(name));
  const path = Object.keys(scene.answers).find((at) => at.endsWith('/') && url.pathname.startsWith(at));
  const ofVerb = scene.answers[verb];
  const ofPath = scene.answers[path ?? url.pathname];
  const answer = ofPath ?? (isFirst || ofVerb?.always ? ofVerb : undefined);
  const port = String(request.socket.localPort);
  if (answer !== undefined) await send(answer, port, request, response);
  else honest(scene, verb, url, port, response);
}

async function send(
  answer: HostileAnswer,
  port: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { body, headers = {}, coding, status = 200 } = answer;
  const turn = turns.get(answer) ?? 0;
  turns.set(answer, turn + 1);
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) {
    response.setHeader(name, typeof value === 'string' ? value.replaceAll('PORT', port) : [...value]);
  }
  const said = coding === 'unsaid' ? undefined : coding === 'members' ? 'gzip' : coding;
  if (said !== undefined) response.setHeader('content-encoding', said);
  if (request.method === 'HEAD' && !answer.raw) {
    response.end();
    return;
  }
  const pieces = Readable.from(
    (function* () {
      for (const piece of body(turn)) {
        const sent = typeof piece === 'string' ? piece.replaceAll('PORT', port) : piece;
        yield coding === 'members' ? gzipSync(sent) : Buffer.from(sent);
      }
    })(),
    { highWaterMark: 1 },
  );
  if (answer.raw) await pipeline(pieces, request.socket);
  else await pipeline(pieces, coder(coding), response);
}

function coder(coding: HostileAnswer['coding']): NodeJS.ReadWriteStream {
  if (coding === 'gzip' || coding === 'unsaid') return createGzip();
  if (coding === 'deflate') return createDeflate();
  return coding === 'br' ? createBrotliCompress() : new PassThrough();
}

function honest(scene: Scene, verb: string, url: URL, port: string, response: ServerResponse): void {
  const { format: [prefix, namespace] = ['oai_dc', dcNamespace] } = scene;
  const links = (scene.answers['/page'] === undefined ? ['file.pdf'] : ['page']).map(
    (name) => `<dc:identifier>http://127.0.0.1:${port}/${name}</dc:identifier>`,
  );
  const answers: Readonly<Record<string, string>> = {
    Identify: `<repositoryName>x</repositoryName><baseURL>http://127.0.0.1:${port}/oai</baseURL><protocolVersion>2.0</protocolVersion><adminEmail>a@example.org</adminEmail><earliestDatestamp>2020-01-01T00:00:00Z</earliestDatestamp><deletedRecord>no</deletedRecord><granularity>YYYY-MM-DDThh:mm:ssZ</granularity>`,
    ListMetadataFormats: `<metadataFormat><metadataPrefix>${prefix}</metadataPrefix><schema>x</schema><metadataNamespace>${namespace}</metadataNamespace></metadataFormat>`,
    ListSets: '<set><setSpec>s</setSpec><setName>s</setName></set>',
    ListRecords: record('a', dublinCore(links.join(''))),
    GetRecord: record('a', dublinCore('')),
    ListIdentifiers: '<header><identifier>a</identifier><datestamp>2020-01-01T00:00:00Z</datestamp></header>',
  };
  const inner = answers[verb];
  if (inner !== undefined) response.end(envelope(verb, inner));
  else if (url.pathname === '/server/api') {
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        type: 'root',
        dspaceVersion: 'DSpace 9.3',
        dspaceServer: `http://127.0.0.1:${port}/server`,
      }),
    );
  } else {
    response.statusCode = url.pathname.startsWith('/f') || url.pathname === '/page' ? 200 : 404;
    response.setHeader('content-type', url.pathname === '/page' ? 'text/html' : 'application/pdf');
    response.end('%PDF-1.4');
  }
}

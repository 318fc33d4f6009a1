import { existsSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createAdapter } from '../../adapters/index.ts';
import type { RepositoryInfo } from '../core/adapter.ts';
import { parseConfig } from '../core/config.ts';
import { BridgeError, describeError, isBridgeError } from '../core/errors.ts';
import { createHostGate } from '../harvest/host-gate.ts';
import { createHttp } from '../harvest/http.ts';
import { createLessonBook } from '../harvest/lessons.ts';
import { adapterSettings, httpSettings, systemClock } from './bridge.ts';
import { exitCodes } from './exit-codes.ts';
import { type CommandIo, printResult, say } from './io.ts';
import { defaultConfigFile } from './load-config.ts';
import { createLog } from './log.ts';

export interface InitFlags {
  readonly config?: string;
  readonly json: boolean;
  readonly name?: string;
  readonly baseUrl?: string;
  readonly contact?: string;
  readonly force: boolean;
  readonly dryRun: boolean;
}

/** Where well-known software keeps its OAI-PMH endpoint, tried in this order below the given address. */
const usualPaths = [
  '',
  '/oai',
  '/server/oai/request',
  '/oai/request',
  '/cgi/oai2',
  '/oai2d',
  '/index.php/index/oai',
  '/index/oai',
  '/oai-pmh',
  '/OAI',
  '/do/oai/',
];

interface Found {
  readonly url: string;
  readonly info: RepositoryInfo;
}

/** Finds the endpoint behind an address somebody pasted, and writes the configuration that harvests it. */
export async function initCommand(address: string, flags: InitFlags, io: CommandIo): Promise<number> {
  const file = resolve(io.cwd, flags.config ?? defaultConfigFile);
  if (existsSync(file) && !flags.force && !flags.dryRun) {
    throw new BridgeError(
      'usage',
      `${file} is there already; use --force to replace it, or add the source by hand`,
    );
  }
  const found = await probeAny(address, flags, io);
  const name = flags.name ?? nameFrom(found.url);
  const text = configText(name, found, flags);
  // What we write must be what we read.
  parseConfig({ baseUrl: flags.baseUrl ?? 'http://localhost:8080', sources: { [name]: { url: found.url } } });
  if (flags.dryRun) io.stdout.write(text);
  else writeFileSync(file, text);
  const formats = found.info.formats.filter(({ selected }) => selected).map((format) => format.name);
  const { protocol, protocolVersion, deletedRecords } = found.info;
  if (!flags.dryRun) {
    printResult(
      io,
      flags.json,
      { file, name, url: found.url, info: found.info },
      `Found ${found.info.name}: ${protocol} ${protocolVersion} at ${found.url}\n` +
        `Formats to publish: ${formats.join(', ')}. Deleted records: ${deletedRecords}.\n` +
        `Wrote ${file}. Next: rsbridge serve`,
    );
  }
  return exitCodes.ok;
}

function parseAddress(address: string): URL {
  try {
    const url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `https://${address}`);
    if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new Error(`scheme ${url.protocol}`);
    // A pasted request names its endpoint before the question mark.
    if (url.searchParams.has('verb')) url.search = '';
    url.hash = '';
    return url;
  } catch (cause) {
    throw new BridgeError('usage', `${address} is not a web address`, { cause });
  }
}

/** Without a scheme both are meant, the safer one first. */
async function probeAny(address: string, flags: InitFlags, io: CommandIo): Promise<Found> {
  const url = parseAddress(address);
  try {
    return await probe(url, flags, io);
  } catch (error) {
    if (address.includes('://') || !isBridgeError(error, 'upstream-unreachable')) throw error;
    return probe(parseAddress(url.href.replace(/^https:/, 'http:')), flags, io);
  }
}

async function probe(address: URL, flags: InitFlags, io: CommandIo): Promise<Found> {
  const failures: string[] = [];
  for (const path of usualPaths) {
    if (path !== '' && address.search !== '') break;
    const url = address.href.replace(/\/+$/, '') + path;
    try {
      const info = await identify(path === '' ? address.href : url, flags, io);
      return { url: path === '' ? address.href : url, info };
    } catch (error) {
      if (!isBridgeError(error)) throw error;
      failures.push(`  ${url}: ${describeError(error)}`);
      // A host that cannot be reached will not be reached under another path.
      if (error.code === 'upstream-unreachable' || error.code === 'upstream-busy') throw error;
    }
    say(io, `no OAI-PMH at ${url}`);
  }
  throw new BridgeError(
    'upstream-protocol',
    `no OAI-PMH endpoint was found at ${address.href}; tried:\n${failures.join('\n')}\nfind its OAI-PMH base URL (in its documentation, or ask its managers)`,
  );
}

/** Most of the places where we look are wrong: no use in waiting there. */
const impatient = { ...systemClock, sleep: async () => undefined };

async function identify(url: string, flags: InitFlags, io: CommandIo): Promise<RepositoryInfo> {
  const config = parseConfig({
    ...(flags.contact ? { contact: flags.contact } : {}),
    sources: { probe: { url } },
  });
  const settings = config.sources.probe;
  if (!settings) throw new Error('the probe has no settings');
  const log = createLog('silent', io.stderr);
  const patience = { busyAttempts: 2, connectAttempts: 2, firstWaitMs: 2000, longestWaitMs: 10_000 };
  const http = createHttp(
    { ...httpSettings(settings, config), timeoutSeconds: 30, patience },
    { gate: createHostGate(), clock: systemClock, log },
  );
  try {
    return await createAdapter('oai-pmh', adapterSettings(settings), {
      http,
      log,
      clock: impatient,
      lessons: createLessonBook(impatient),
    }).identify(io.abort);
  } finally {
    await http.close();
  }
}

/** `https://repo.example.ac.jp/oai` → `repo-example-ac-jp`. */
function nameFrom(url: string): string {
  return (
    new URL(url).hostname
      .replace(/^www\./, '')
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '') || 'repository'
  );
}

/** Guesses from links are not worth a format of their own. */
const guessed = 90;

/** The offered format that knows most about files. */
function filesLine({ formats }: RepositoryInfo): string {
  const [best] = formats
    .filter(({ offered, fileRank }) => offered && fileRank !== undefined && fileRank < guessed)
    .sort((a, b) => (a.fileRank ?? guessed) - (b.fileRank ?? guessed));
  return best === undefined
    ? '    files: { mode: proxy }   # found by links, and on landing pages; or link, mirror, none'
    : `    files: { from: ${JSON.stringify(best.name)}, mode: proxy }   # the format that knows the files; mode: or link, mirror, none`;
}

function configText(name: string, { url, info }: Found, flags: InitFlags): string {
  const formats = info.formats
    .filter(({ selected }) => selected)
    .map((format) => JSON.stringify(format.name));
  const others = info.formats.filter(({ selected }) => !selected).map((format) => format.name);
  const contact = flags.contact ?? info.adminEmails?.[0];
  return [
    '# Written by rsbridge init; every setting is explained in docs/configuration.md',
    `baseUrl: ${JSON.stringify(flags.baseUrl ?? 'http://localhost:8080')}   # where the world will see the bridge`,
    `title: ${JSON.stringify(info.name)}`,
    contact === undefined
      ? '# contact: you@example.org   # goes into the User-Agent of every request'
      : `contact: ${JSON.stringify(contact)}   # goes into the User-Agent of every request: should be you`,
    'database: { client: sqlite, file: data/rsbridge.db }',
    'sources:',
    `  ${name}:   # the first segment of its URIs; changing it later changes them all`,
    '    adapter: oai-pmh',
    `    url: ${JSON.stringify(url)}`,
    `    formats: [${formats.join(', ')}]${others.length === 0 ? '' : `   # also offered: ${others.join(', ').replace(/[\p{Cc}\u2028\u2029]/gu, ' ')}`}`,
    filesLine(info),
    '    schedule: "*/15 * * * *"   # what is new, every quarter of an hour (UTC)',
    '    fullPass: "0 3 * * 0"      # everything, Sundays at three',
    '',
  ].join('\n');
}

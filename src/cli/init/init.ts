import { existsSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import { createAdapter } from '../../../adapters/index.ts';
import { adapterSettings, httpSettings, oaiSettings } from '../../bridge/bridge.ts';
import { defaultConfigFile } from '../../bridge/config/load-config.ts';
import { checkWritableFile } from '../../bridge/config/writable.ts';
import { createLog } from '../../bridge/log.ts';
import type { Protocol } from '../../bridge/protocols.ts';
import { systemClock } from '../../bridge/system-clock.ts';
import { parseConfig } from '../../core/config/config.ts';
import { BridgeError, isBridgeError } from '../../core/errors.ts';
import { createHostGate } from '../../harvest/http/host-gate.ts';
import { createHttp } from '../../harvest/http/http.ts';
import { createLessonBook } from '../../harvest/lessons.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult, say } from '../terminal/io.ts';
import { lookAt } from './endpoint-look.ts';
import { SearchBudget, type SearchLimits, searchLimits } from './init-budget.ts';
import { configText, identityHost } from './init-config.ts';
import { explain } from './init-explain.ts';
import { type Found, findRepository, type SearchPorts } from './init-find.ts';

export interface InitFlags {
  readonly config?: string;
  readonly json: boolean;
  readonly name?: string;
  readonly baseUrl?: string;
  readonly contact?: string;
  readonly adapter?: Protocol;
  readonly force: boolean;
  readonly dryRun: boolean;
  readonly verbose: boolean;
}

/** Finds what can be harvested behind an address somebody pasted, and writes the configuration for it. */
export async function initCommand(
  address: string,
  flags: InitFlags,
  io: CommandIo,
  limits = searchLimits,
): Promise<number> {
  const file = resolve(io.cwd, flags.config ?? defaultConfigFile);
  if (existsSync(file) && !flags.force && !flags.dryRun) {
    throw new BridgeError(
      'usage',
      `${file} exists already; use --force to replace it, or add the source by hand`,
    );
  }
  if (!flags.dryRun) checkWritableFile(file);
  const found = await findAny(address, flags, io, limits);
  const { name = nameFrom(found.url), baseUrl = 'http://localhost:8080', contact } = flags;
  const text = configText(found, { name, baseUrl, contact });
  // What we write must be what we read.
  parseConfig(parse(text));
  const sentences = explain(found, address);
  if (!flags.dryRun) writeFileSync(file, text);
  if (flags.dryRun && !flags.json) {
    for (const sentence of sentences) say(io, sentence);
    // As bytes: what a person typed into the address is needed in the file.
    io.stdout.write(Buffer.from(text));
    return exitCodes.ok;
  }
  const facts = { name, ...factsOf(found), sentences, info: found.info };
  printResult(
    io,
    flags.json,
    flags.dryRun ? { ...facts, config: text } : { file, ...facts },
    [...summary(found), ...sentences, `Wrote ${file}. Next: rsbridge serve`].join('\n'),
  );
  return exitCodes.ok;
}

function factsOf(found: Found): object {
  const { adapter, url, api, apiTrouble, oai } = found;
  if (adapter === 'oai-pmh') return { adapter, url, ...(api === undefined ? {} : { api, apiTrouble }) };
  const { host, isStated } = identityHost(found);
  return {
    adapter,
    url,
    version: api?.version,
    oai: oai?.url,
    identity: { kind: 'oai', host, isStated },
  };
}

function summary({ url, info }: Found): readonly string[] {
  const formats = info.formats.filter(({ selected }) => selected).map((format) => format.name);
  return [
    `Found ${info.name}: ${info.protocol} ${info.protocolVersion} at ${url}`,
    `Formats to publish: ${formats.join(', ')}. Deleted records: ${info.deletedRecords}.`,
  ];
}

/** @throws BridgeError `usage` that does not repeat them */
function withoutCredentials(url: URL): URL {
  if (url.username === '' && url.password === '') return url;
  throw new BridgeError(
    'usage',
    `the address at ${url.host} has a name and a password in it: leave them out: the address is shown publicly`,
  );
}

function parseAddress(address: string): URL {
  try {
    const url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `https://${address}`);
    if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new Error(`scheme ${url.protocol}`);
    url.hash = '';
    return withoutCredentials(url);
  } catch (cause) {
    if (isBridgeError(cause)) throw cause;
    throw new BridgeError('usage', `${address} is not a web address`, { cause });
  }
}

/** Without a scheme both are meant, the safer one first. */
async function findAny(
  address: string,
  flags: InitFlags,
  io: CommandIo,
  { total, guess }: SearchLimits,
): Promise<Found> {
  const url = parseAddress(address);
  if (address.includes('://')) return find(url, flags, io, { total, guess });
  const half = { total: total / 2, guess: Math.min(guess, total / 4) };
  try {
    return await find(url, flags, io, half);
  } catch (error) {
    if (!isBridgeError(error, 'upstream-unreachable')) throw error;
    return find(parseAddress(url.href.replace(/^https:/, 'http:')), flags, io, half);
  }
}

/** Most of the places where we look are wrong: no use in waiting there. */
const impatient = { ...systemClock, sleep: async () => undefined };

async function find(
  address: URL,
  flags: InitFlags,
  io: CommandIo,
  { total, guess }: SearchLimits,
): Promise<Found> {
  const budget = new SearchBudget(total);
  const log = createLog('silent', io.stderr);
  const signal = io.abort;
  const configured = (source: object) => {
    const config = parseConfig({
      ...(flags.contact ? { contact: flags.contact } : {}),
      sources: { probe: source },
    });
    const settings = config.sources.probe;
    if (!settings) throw new Error('the probe has no settings');
    return { config, settings };
  };
  const { config, settings } = configured({ url: address.href });
  const patience = { busyAttempts: 2, connectAttempts: 2, firstWaitMs: 2000, longestWaitMs: 10_000 };
  // One client for all: only the address that was given may be private, not what pages lead to.
  const http = createHttp(
    { ...httpSettings(settings, config), timeoutSeconds: 30, patience },
    { gate: createHostGate(), clock: systemClock, log },
  );
  const alone = { http, log, clock: impatient, lessons: createLessonBook(impatient) };
  const ports: SearchPorts = {
    verbose: flags.verbose,
    look: (url, options) =>
      budget.spend(url, options.isGuess ? guess : total, signal, (deadline, inTime) =>
        lookAt(http, url, { ...options, deadline, signal: inTime }),
      ),
    identify: (adapter, url, oai) => {
      // What is known already is not asked again.
      const known = adapter === 'oai-pmh' ? {} : { oai: oai?.url ?? false };
      const identity = oai?.host === undefined ? {} : { identity: `oai:${oai.host}` };
      const { settings: source } = configured({ adapter, url, ...known, ...identity });
      const oaiAt = (place: string) => createAdapter('oai-pmh', oaiSettings(source, place), alone);
      const context = { ...alone, oaiAt };
      const endpoint = createAdapter(adapter, adapterSettings(source), context);
      return budget.spend(url, total, signal, (_deadline, inTime) => endpoint.identify(inTime));
    },
  };
  try {
    return await findRepository(address, flags.adapter, ports);
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

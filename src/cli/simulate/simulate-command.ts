import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { countOf } from '../../core/count-of.ts';
import { eitherOf } from '../../core/either-signal.ts';
import { BridgeError } from '../../core/errors.ts';
import { allFaults } from '../../simulate/faults/catalogue.ts';
import { type SimulatorSettings, usualSettings } from '../../simulate/settings.ts';
import { Simulator } from '../../simulate/simulator.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult, say } from '../terminal/io.ts';
import { parseEvents, readReferenceSettings } from './reference-settings.ts';

export interface SimulateFlags {
  readonly port?: number;
  readonly host?: string;
  readonly baseUrl?: string;
  readonly settings?: string;
  readonly seed?: number;
  readonly resources?: number;
  readonly size?: number;
  readonly rate?: number;
  readonly changeDelay?: number;
  readonly events?: readonly string[];
  readonly maxEvents?: number;
  readonly listEvery?: number;
  readonly maxChanges?: number;
  readonly closeAfter?: number;
  readonly partSize?: number;
  readonly dumps: boolean;
  readonly linkManifests: boolean;
  readonly packageSize?: number;
  readonly mementos: boolean;
  readonly gzip: boolean;
  readonly latency?: number;
  readonly faults?: readonly string[];
  readonly listFaults: boolean;
  readonly for?: number;
  readonly stats: number;
  readonly json: boolean;
}

/** A Source that changes, until it is told to stop. */
export async function simulateCommand(flags: SimulateFlags, io: CommandIo): Promise<number> {
  if (flags.listFaults) {
    listFaults(flags.json, io);
    return exitCodes.ok;
  }
  const given = flags.settings === undefined ? {} : readReferenceSettings(resolve(io.cwd, flags.settings));
  const source = await Simulator.open({ ...given, ...settingsOf(flags) }, flags.faults ?? []);
  const ended = flags.for === undefined ? undefined : AbortSignal.timeout(Math.max(1, flags.for * 1000));
  const stop = eitherOf(io.stop, ...(ended ? [ended] : []));
  const stats = flags.stats > 0 ? setInterval(() => tell(source, io), flags.stats * 1000) : undefined;
  try {
    printAddresses(source, flags, io);
    await sleep(2 ** 31 - 1, undefined, { signal: stop }).catch(() => undefined);
    tell(source, io);
    return exitCodes.ok;
  } finally {
    clearInterval(stats);
    await source.close();
  }
}

/** @throws BridgeError `usage` */
function settingsOf(flags: SimulateFlags): Partial<SimulatorSettings> {
  const { port, host, baseUrl, seed, resources, size, maxEvents, maxChanges, closeAfter, partSize } = flags;
  const { changeDelay, rate = changeDelay === undefined ? undefined : changeDelay && 1 / changeDelay } =
    flags;
  if (baseUrl !== undefined && !/^https?:\/\/[^/?#]+\/?$/.test(baseUrl))
    throw new BridgeError(
      'usage',
      `--base-url ${baseUrl}: give http://HOST:PORT or https://HOST, without a path`,
    );
  // As people type it, and as the reference's simulator has it.
  const usualUrl =
    host === undefined && port !== 0 ? `http://localhost:${port ?? usualSettings.port}` : undefined;
  const all: { readonly [name in keyof SimulatorSettings]?: SimulatorSettings[name] | undefined } = {
    ...{ port, host, baseUrl: baseUrl ?? usualUrl, seed, resources, size, rate, partSize, closeAfter },
    ...{ maximumEvents: maxEvents, maximumChanges: maxChanges, listEverySeconds: flags.listEvery },
    events: flags.events && parseEvents(flags.events, '--events'),
    packageSize: flags.packageSize,
    linksManifests: flags.linkManifests,
    latencyMs: flags.latency,
    offers: flags.dumps ? ['resourcelist', 'changelist', 'resourcedump', 'changedump'] : undefined,
    mementos: flags.mementos || undefined,
    gzip: flags.gzip || undefined,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function printAddresses(source: Simulator, { json }: SimulateFlags, io: CommandIo): void {
  const { origin, settings } = source;
  const addresses = [
    [`${origin}/`, 'the Source, for people'],
    [`${origin}${settings.names.description}`, 'its Source Description'],
    [`${origin}/control`, 'what it is like, and how to change it'],
    [`${origin}/control/state`, 'what a copy has to have now'],
  ] as const;
  for (const [url, what] of addresses) printResult(io, json, { url, what }, `${url}\n    ${what}`);
  say(io, `${countOf(settings.resources, 'resource')}, seed ${settings.seed}. Ctrl-C stops.`);
}

function tell({ repository, events, counts }: Simulator, io: CommandIo): void {
  const { document, package: packages, resource, unchanged } = counts;
  say(
    io,
    `${countOf(repository.size, 'resource')}, ${countOf(events, 'change')}; answered: ${countOf(document, 'document')}, ` +
      `${countOf(packages, 'package')}, ${countOf(resource, 'resource')}, ${unchanged} not modified`,
  );
}

const meanings = {
  same: 'the copy is the same all the same',
  later: 'the copy is the same once the fault is over, and nothing of it is lost before',
  less: 'the copy lacks what is told wrongly',
} as const;

function listFaults(json: boolean, io: CommandIo): void {
  let before = '';
  for (const { name, kind, what, expects, outcome, share } of allFaults) {
    const heading = kind === before ? '' : `${before === '' ? '' : '\n'}${kind}\n`;
    before = kind;
    const often = share === 1 ? '' : ` (${share})`;
    const text = `${heading}  ${name}${often}\n      ${what}\n      a Destination ${expects}; ${meanings[outcome]}`;
    printResult(io, json, { name, kind, what, expects, outcome, share }, text);
  }
}

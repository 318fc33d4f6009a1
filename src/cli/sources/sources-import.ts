import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Bridge } from '../../bridge/bridge.ts';
import { parseKept } from '../../bridge/config/kept-config.ts';
import { findAny, nameFrom, reachOf } from '../../bridge/finding/find-any.ts';
import { foundSettings, withFound } from '../../bridge/finding/found-settings.ts';
import { probePlaces } from '../../bridge/finding/probe-places.ts';
import type { ListedSource } from '../../bridge/sources/lists/listed-source.ts';
import { readSourceList } from '../../bridge/sources/lists/source-list.ts';
import { freeName, sourceAt } from '../../bridge/sources/new-source.ts';
import { countOf } from '../../core/count-of.ts';
import { toIso } from '../../core/datetime.ts';
import { BridgeError, describeError, isBridgeError } from '../../core/errors.ts';
import { createHostGate } from '../../harvest/http/host-gate.ts';
import { keepSources } from '../../store/sources/kept-sources.ts';
import { noteCommand } from '../terminal/actor.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult, say } from '../terminal/io.ts';
import { createProgress } from '../terminal/progress.ts';
import { withBridge } from '../terminal/with-bridge.ts';
import { type SourcesFlags, table } from './sources-list.ts';

export interface ImportFlags extends SourcesFlags {
  readonly group?: string;
  readonly dryRun: boolean;
  /** False: the addresses are taken as they are. */
  readonly probe: boolean;
}

/** What became of an entry of the list. */
interface Outcome {
  readonly place: string;
  readonly name: string | undefined;
  readonly outcome: 'added' | 'already there' | 'not reachable' | 'not recognised' | 'not usable';
  /** What was found, or why it was not added. */
  readonly what: string;
  readonly url: string | undefined;
}

/** Somebody waits for a thousand of them: one that hangs is given up sooner than where it is the only one. */
const limits = { total: 10_000, guess: 4000 };
const atOnce = 48;

/**
 * Keeps the repositories that a file lists as sources of the database, each as soon as it was found: what is stopped goes
 * on with the next call.
 */
export async function importSources(file: string, flags: ImportFlags, given: CommandIo): Promise<number> {
  const progress = createProgress(given, flags);
  const { io } = progress;
  return withBridge(flags, io, 'nothing', async (bridge) => {
    const list = readSourceList(readList(resolve(io.cwd, file)));
    say(io, `${file}: ${list.kind}, ${countOf(list.sources.length, 'repository')}`);
    if (list.unused.length > 0) say(io, `not used: ${list.unused.join(', ')}`);
    const outcomes: Outcome[] = list.problems.map(({ place, message }) => ({
      ...{ place, name: undefined, url: undefined },
      outcome: message.endsWith(' already') ? 'already there' : 'not usable',
      what: message,
    }));
    const newcomers = new Newcomers(bridge, flags, io);
    const named = list.sources.map((listed) => ({ listed, name: newcomers.nameOf(listed) }));
    const gate = createHostGate();
    let done = 0;
    const look = async ({ listed, name }: (typeof named)[number]) => {
      // No more than may ask there: whoever waited behind repositories that hang would be taken for one of them.
      const { requestsPerHost } = newcomers.placesOf(listed);
      const leave = await gate.enter(new URL(listed.url).host, requestsPerHost, io.abort);
      try {
        if (io.stop.aborted) return;
        const outcome = await newcomers.add(listed, name);
        outcomes.push(outcome);
        if (flags.json) printResult(io, true, outcome, '');
      } finally {
        leave();
        done += 1;
        progress.show(
          'import',
          { label: 'import', done, total: named.length, noun: 'repository', deed: 'looked at' },
          () => `${done} of ${countOf(named.length, 'repository')} looked at`,
        );
      }
    };
    const waiting = [...named];
    const lane = async () => {
      for (let next = waiting.shift(); next && !io.stop.aborted; next = waiting.shift()) await look(next);
    };
    await Promise.all(Array.from({ length: atOnce }, lane)).finally(() => progress.end());
    return report(outcomes, list.sources.length, flags, io);
  });
}

class Newcomers {
  readonly #bridge: Bridge;
  readonly #flags: ImportFlags;
  readonly #io: CommandIo;
  readonly #taken: Set<string>;
  /** Addresses that were found in this list. */
  readonly #found = new Map<string, string>();

  constructor(bridge: Bridge, flags: ImportFlags, io: CommandIo) {
    [this.#bridge, this.#flags, this.#io] = [bridge, flags, io];
    this.#taken = new Set(Object.keys(bridge.config.sources));
  }

  /** In the order of the list, so that they are called the same each time. Undefined: it is there already. */
  nameOf({ name, url }: ListedSource): string | undefined {
    const { sources } = this.#bridge.config;
    if (sourceAt(sources, url) !== undefined || (name !== undefined && this.#taken.has(name)))
      return undefined;
    const free = freeName(name ?? nameFrom(url), this.#taken);
    this.#taken.add(free);
    return free;
  }

  async add(listed: ListedSource, name: string | undefined): Promise<Outcome> {
    const { place, url } = listed;
    const { config, database, clock } = this.#bridge;
    const ending = (outcome: Outcome['outcome'], what: string): Outcome => ({
      place,
      name,
      outcome,
      what,
      url,
    });
    if (name === undefined)
      return ending('already there', `as ${sourceAt(config.sources, url) ?? listed.name}`);
    try {
      const { settings, what } = await this.#settingsOf(listed);
      const known = sourceAt(config.sources, String(settings.url)) ?? this.#found.get(String(settings.url));
      if (known !== undefined) return ending('already there', `as ${known}`);
      this.#found.set(String(settings.url), name);
      parseKept([{ name, settings }], config);
      if (!this.#flags.dryRun) {
        await keepSources(database, [{ name, settings }], toIso(clock.now()));
        await noteCommand(this.#bridge, 'added a source', `${name} ${String(settings.url)}`);
      }
      return ending('added', what);
    } catch (error) {
      if (!isBridgeError(error)) throw error;
      const outcome =
        error.code === 'upstream-protocol'
          ? 'not recognised'
          : error.code === 'config-invalid'
            ? 'not usable'
            : 'not reachable';
      const why = describeError(error).split('\n', 1)[0] ?? '';
      return ending(outcome, error.code === 'address-refused' ? `${why}. ${error.advice}` : why);
    }
  }

  placesOf({ url, address = url, settings }: ListedSource): ReturnType<typeof probePlaces> {
    const group = this.#groupOf(settings);
    return probePlaces(this.#bridge, address, typeof group === 'string' ? group : undefined);
  }

  #groupOf(settings: ListedSource['settings']): unknown {
    return this.#flags.group ?? settings.group;
  }

  async #settingsOf(listed: ListedSource) {
    const { url, address = url, settings } = listed;
    const { config } = this.#bridge;
    const group = this.#groupOf(settings);
    const said = group === undefined ? settings : { ...settings, group };
    if (!this.#flags.probe)
      return { settings: withFound(said, { url }, config.groups), what: 'not looked at' };
    const places = this.placesOf(listed);
    const { contact } = config;
    const signal = this.#io.abort;
    const reach = reachOf(config, said);
    const found = await findAny(address, { contact, limits, places, reach, telling: 'brief', signal });
    return {
      settings: withFound(said, foundSettings(found), config.groups),
      what: `${found.info.protocol} ${found.info.protocolVersion}, ${found.info.name}`,
    };
  }
}

/** A list may be as long as the world has repositories, and no longer. */
const mostBytes = 64 * 1024 * 1024;

function readList(file: string): Buffer {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (cause) {
    throw new BridgeError('usage', `${describeError(cause)}; name a file that rsbridge can read`, { cause });
  }
  if (bytes.length > mostBytes) throw new BridgeError('usage', `${file} is larger than 64 MB, and no list`);
  return bytes;
}

const kinds = ['added', 'already there', 'not reachable', 'not recognised', 'not usable'] as const;

function report(outcomes: readonly Outcome[], listed: number, flags: ImportFlags, io: CommandIo): number {
  const counts = kinds
    .map((kind) => ({ kind, count: outcomes.filter(({ outcome }) => outcome === kind).length }))
    .filter(({ count }) => count > 0);
  const sum = counts.map(({ kind, count }) => `${count} ${kind}`).join(', ') || 'nothing to add';
  const isStopped = io.stop.aborted && outcomes.length < listed;
  if (!flags.json) {
    const rank = (one: Outcome) => kinds.indexOf(one.outcome);
    const sorted = [...outcomes].sort((a, b) => rank(a) - rank(b) || placeOf(a) - placeOf(b));
    io.stdout.write(
      table(
        sorted.map(({ place, name, outcome, what, url }) => [place, name ?? '', outcome, url ?? '', what]),
      ),
    );
  }
  say(io, `${sum}${flags.dryRun ? ' (dry run: nothing was kept)' : ''}`);
  if (isStopped) say(io, 'stopped as asked; the same command goes on with those that are left');
  if (isStopped) return exitCodes.interrupted;
  const isWhole = counts.every(({ kind }) => kind === 'added' || kind === 'already there');
  return isWhole ? exitCodes.ok : exitCodes.needsAttention;
}

function placeOf({ place }: Outcome): number {
  return Number(/\d+/.exec(place)?.[0] ?? 0);
}

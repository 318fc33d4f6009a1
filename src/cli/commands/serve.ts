import { linkOnThisMachine, prepareFirstPassword } from '../../bridge/admin/first-password.ts';
import { type Front, listenAlone } from '../../bridge/answering.ts';
import { type Bridge, openBridge } from '../../bridge/bridge.ts';
import type { ConfigChanges } from '../../bridge/config/live-config.ts';
import { noSourceError } from '../../bridge/config/no-source.ts';
import { type Crew, mayHaveCrew, startCrew } from '../../bridge/crew/crew.ts';
import { memberOf } from '../../bridge/crew/messages.ts';
import { createLog } from '../../bridge/log.ts';
import { renameOlderJournals } from '../../bridge/older-database.ts';
import { type Service, startService } from '../../bridge/service.ts';
import { describeUnconfigured, unconfiguredSources } from '../../bridge/state/stored-sources.ts';
import { unusedSource, watchConfig } from '../../bridge/work/reloading.ts';
import type { Config } from '../../core/config/config.ts';
import { failure } from '../../core/errors.ts';
import { listKeptSources } from '../../store/sources/kept-sources.ts';
import { listHarvestedSources } from '../../store/sources/sources.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import { logError } from '../terminal/report-error.ts';
import { answer, readConfig, type ServeFlags, withoutWorkers } from './answer.ts';

/** Migrates, serves, and harvests and publishes on schedule, until it is told to stop. */
export async function serveCommand(flags: ServeFlags, io: CommandIo): Promise<number> {
  try {
    return await serve(flags, io);
  } catch (error) {
    return logError(error, flags.json, io);
  }
}

async function serve(flags: ServeFlags, io: CommandIo): Promise<number> {
  const member = memberOf(io.env);
  if (member) return answer(flags, member, io);
  const read = readConfig(flags, io);
  const given = read.role === 'web' ? withoutWorkers(read) : read;
  const bridge = await openBridge(given, createLog(given.logLevel, io.stderr), 'migrate', io.stop);
  try {
    const { config } = bridge;
    bridge.presence.setRole(config.role);
    const names = Object.keys(config.sources);
    if (names.length === 0) throw noSourceError();
    for (const problem of bridge.problems) bridge.log.warn({ problem }, unusedSource);
    await warnOfUnconfigured(bridge);
    const secret = config.role === 'work' ? undefined : await prepareFirstPassword(bridge);
    if (config.role === 'web') return await serveWeb(bridge, await createCrew(bridge, io), secret, flags, io);
    await renameOlderJournals(bridge, bridge.sets());
    // Heard from here on: what is due is begun before all of this is there.
    const hangup = new Hangup(io);
    const crew = config.role === 'work' ? undefined : await createCrew(bridge, io);
    const service = await startService(bridge, config.listen, io, {
      newcomers: true,
      ...(crew && { listen: async () => crew }),
      ...(config.role === 'work' && { listen: () => listenForMonitors(bridge) }),
    });
    sayListening(bridge, service.address, secret, flags, io);
    const begun: Promise<void>[] = [];
    const begin = (work: Promise<void>) =>
      begun.push(
        work.catch((error: unknown) => bridge.log.error({ ...failure(error) }, 'sources not begun')),
      );
    const reloading = watchConfig(
      bridge,
      () => readAgain(bridge, flags, io),
      async (next) => {
        const changes = await service.replaceSources(next);
        begin(followChanges(bridge, service, changes));
        return changes;
      },
      io.stop,
    );
    hangup.follow(() => {
      crew?.reload();
      void reloading.reload();
    });
    begin(followAllFiles(bridge, service, names));
    await untilStopped(io);
    bridge.log.info('finishing current work');
    await Promise.all([reloading.stop(), service.close()]);
    await Promise.all(begun);
    return exitCodes.ok;
  } finally {
    await bridge.close();
  }
}

/** SIGHUP, also before there is anybody to follow it: then it is followed later. */
class Hangup {
  #isMissed = false;
  #follow = () => {
    this.#isMissed = true;
  };

  constructor({ onHangup }: Pick<CommandIo, 'onHangup'>) {
    onHangup?.(() => this.#follow());
  }

  follow(reload: () => void): void {
    this.#follow = reload;
    if (this.#isMissed) reload();
  }
}

/** Answers, and leaves all else to others: those of the crew, and processes elsewhere that work at the same database. */
async function serveWeb(
  bridge: Bridge,
  crew: Crew | undefined,
  secret: string | undefined,
  flags: ServeFlags,
  io: CommandIo,
): Promise<number> {
  const front: Front = crew ?? (await listenAlone(bridge, bridge.config.listen, {}));
  sayListening(bridge, front.address, secret, flags, io);
  const reloading = watchConfig(
    bridge,
    () => readAgain(bridge, flags, io),
    (next) => bridge.replaceSources(next),
    io.stop,
  );
  io.onHangup?.(() => {
    crew?.reload();
    void reloading.reload();
  });
  await untilStopped(io);
  await Promise.all([reloading.stop(), bridge.listsInTime.close(), front.close()]);
  return exitCodes.ok;
}

/** Who only works says how it is doing, or listens to nobody at all. */
async function listenForMonitors(bridge: Bridge): Promise<Front> {
  const { listen } = bridge.config;
  if (listen.health) return listenAlone(bridge, listen, { scope: 'operations' });
  return { address: { address: '', family: '', port: 0 }, close: async () => undefined };
}

/** @param secret of the link by which the first password is set */
function sayListening(
  { config }: Bridge,
  address: Front['address'],
  secret: string | undefined,
  flags: ServeFlags,
  io: CommandIo,
): void {
  const { role, baseUrl, sources } = config;
  const { port } = address;
  const listening = port === 0 ? undefined : `http://${address.address}:${port}`;
  const answers = role === 'work' ? 'working, and answering monitors' : 'listening';
  const passwordLink = secret === undefined ? undefined : linkOnThisMachine(config, secret, address);
  printResult(
    io,
    flags.json,
    { listening, role, baseUrl, sources: Object.keys(sources), passwordLink },
    [
      listening === undefined ? 'working' : `${answers} on ${listening}, public address ${baseUrl}`,
      ...(passwordLink === undefined
        ? []
        : [
            `the dashboard has no password yet; set one on this machine (once, within a day): ${passwordLink}`,
          ]),
    ].join('\n'),
  );
}

async function readAgain(bridge: Bridge, flags: ServeFlags, io: CommandIo): Promise<Config> {
  const next = readConfig(flags, io);
  const kept = await listKeptSources(bridge.database.reader);
  if (Object.keys(next.sources).length + kept.length === 0) throw noSourceError();
  return next;
}

/** @returns undefined where this process answers by itself */
async function createCrew(
  { config, log, upstreamAnswers }: Bridge,
  io: CommandIo,
): Promise<Crew | undefined> {
  const { processes } = config.listen;
  if (processes === 1) return undefined;
  if (!mayHaveCrew) {
    log.warn('another program made this process a part of a cluster: it answers alone (listen.processes)');
    return undefined;
  }
  return startCrew({
    ...{ processes, log, abort: io.abort },
    write: (line) => io.stderr.write(line),
    upstreamAnswers: upstreamAnswers.counts,
  });
}

async function followChanges(
  bridge: Bridge,
  service: Service,
  { added, removed, resumed }: ConfigChanges,
): Promise<void> {
  if (removed.length > 0) await warnOfUnconfigured(bridge);
  await renameOlderJournals(
    bridge,
    added.flatMap((name) => bridge.setsOf(name)),
  );
  await followAllFiles(bridge, service, [...added, ...resumed]);
}

async function warnOfUnconfigured(bridge: Bridge): Promise<void> {
  for (const source of await unconfiguredSources(bridge)) {
    bridge.log.warn({ source: source.name }, describeUnconfigured(source));
  }
}

/** Files on their way do not wait for the next harvest. */
async function followAllFiles(bridge: Bridge, service: Service, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const begun = await listHarvestedSources(bridge.database.reader);
  for (const name of names) if (begun.has(name)) void service.followFiles(name);
}

export function untilStopped(io: CommandIo): Promise<void> {
  return new Promise((resolve) => {
    if (io.stop.aborted) resolve();
    else io.stop.addEventListener('abort', () => resolve(), { once: true });
  });
}

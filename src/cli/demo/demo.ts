import { resolve } from 'node:path';
import { prepareFirstPassword, publicLink } from '../../bridge/admin/first-password.ts';
import { type Bridge, openBridge } from '../../bridge/bridge.ts';
import { anchorPaths } from '../../bridge/config/load-config.ts';
import { makeWritableDirectory } from '../../bridge/config/writable.ts';
import { createLog } from '../../bridge/log.ts';
import { startService } from '../../bridge/service.ts';
import { systemClock } from '../../bridge/system-clock.ts';
import { type Config, parseConfig } from '../../core/config/config.ts';
import {
  createSampleRepository,
  type SampleRepository,
  type SampleRepositoryOptions,
} from '../../demo/sample-repository.ts';
import { goodManners } from '../../demo/visits.ts';
import { untilStopped } from '../commands/serve.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, say } from '../terminal/io.ts';
import { createDemoLife, type DemoPace } from './demo-life.ts';
import { freePort } from './free-port.ts';

export interface DemoFlags {
  readonly port: number;
  readonly data: string;
  readonly editEvery: number;
  readonly json: boolean;
}

const sourceName = 'sample';
/** How it moves, and of how many records it is, if not of as many as usual. */
type DemoMeasure = Omit<DemoPace, 'editEveryMs'> & Pick<SampleRepositoryOptions, 'records'>;
const usualMeasure: DemoMeasure = { roundMs: 10_000, calmMs: 60_000, manners: goodManners };

/** The whole house on a sample repository of its own: nothing to configure, nothing outside is touched. */
export async function demoCommand(
  given: DemoFlags,
  io: CommandIo,
  { records, ...pace } = usualMeasure,
): Promise<number> {
  // Port 0 means any free one, as everywhere; the documents have to know which.
  const flags = { ...given, port: given.port === 0 ? await freePort() : given.port };
  makeWritableDirectory(resolve(io.cwd, flags.data));
  const repository = createSampleRepository({ clock: systemClock, ...(records && { records }) });
  const { url } = await listenBeside(repository, given.port);
  const config = anchorPaths(demoConfig(flags, url), resolve(io.cwd, flags.data));
  const bridge = await openBridge(config, createLog('warn', io.stderr), 'migrate', io.stop);
  try {
    bridge.presence.setRole('all');
    const life = createDemoLife(bridge, { ...pace, editEveryMs: flags.editEvery * 1000 });
    const listen = { host: '127.0.0.1', port: flags.port };
    const service = await startService(bridge, listen, io, life);
    say(io, `the sample repository is at ${url}; harvesting it`);
    // It starts from the same records each time: what an earlier demo added to it is gone.
    await service.harvestNow(sourceName, { mode: 'full', withoutFuse: true });
    // Files that landing pages alone name are part of what is copied.
    await service.followFiles(sourceName);
    await untilPublished(bridge, io);
    printAddresses(flags, config.baseUrl, await dashboardOf(bridge), io);
    const living = life.live(service, repository, sourceName, io.stop);
    await untilStopped(io);
    await living;
    await service.close();
    return exitCodes.ok;
  } finally {
    await repository.close();
    await bridge.close();
  }
}

/**
 * At the port after ours, if that is free: what the repository says of its files names its own address, and with
 * the same address a restart changes nothing.
 */
function listenBeside(repository: SampleRepository, port: number): Promise<{ readonly url: string }> {
  return port === 0 ? repository.listen(0) : repository.listen(port + 1).catch(() => repository.listen(0));
}

function demoConfig({ port }: DemoFlags, url: string): Config {
  return parseConfig({
    baseUrl: `http://localhost:${port}`,
    title: 'The sample repository',
    database: { client: 'sqlite', file: 'rsbridge.db' },
    directory: '.',
    // Lists that close every minute have their packages while one looks on.
    publish: { changeListMinutes: 1, resourceDumpSchedule: '*/15 * * * *' },
    sources: {
      [sourceName]: {
        url,
        schedule: '*/10 * * * * *',
        fullPass: false,
        identifierPass: false,
        overlapSeconds: 5,
        sets: { theses: { title: 'Theses', collections: ['theses'] } },
        dumps: ['metadata'],
        oai: { adminEmail: 'admin@sample.example.org', namespace: 'sample.example.org' },
      },
    },
  });
}

/** What is printed can be opened. */
async function untilPublished({ publication, clock, sets }: Bridge, io: CommandIo): Promise<void> {
  const last = [`${sourceName}/metadata/resourcedump.xml`, `${sourceName}/metadata/changedump.xml`];
  const isReady = async () => {
    if ((await publication.sets()).length < sets().length) return false;
    const found = await Promise.all(last.map((path) => publication.find(path)));
    return found.every((document) => document !== undefined);
  };
  for (let wait = 0; wait < 600 && !io.stop.aborted && !(await isReady()); wait += 1) await clock.sleep(50);
}

/** The dashboard, and until somebody has a password, the way in. */
async function dashboardOf(bridge: Bridge): Promise<readonly [url: string, what: string]> {
  const secret = await prepareFirstPassword(bridge);
  return secret === undefined
    ? [`${bridge.config.baseUrl}/admin`, 'the dashboard']
    : [publicLink(bridge.config, secret), 'the dashboard: choose a password (once, within a day)'];
}

function printAddresses(
  flags: DemoFlags,
  baseUrl: string,
  dashboard: readonly [url: string, what: string],
  io: CommandIo,
): void {
  const addresses = [
    [`${baseUrl}/`, 'what is published, and how fresh it is'],
    [`${baseUrl}/.well-known/resourcesync`, 'the Source Description: where every client starts'],
    [
      `${baseUrl}/${sourceName}/resourcelist.xml`,
      'every record and every file, each with links to the other',
    ],
    [`${baseUrl}/${sourceName}/changelist.xml`, 'what changed; reload it and watch'],
    [
      `${baseUrl}/${sourceName}/metadata/resourcedump.xml`,
      'everything, in packages; changedump.xml beside it follows',
    ],
    [`${baseUrl}/${sourceName}/sets/theses/resourcelist.xml`, 'a set of its own: the theses'],
    [`${baseUrl}/${sourceName}/oai?verb=Identify`, 'the same records for harvesters that speak OAI-PMH'],
    [`${baseUrl}/${sourceName}/about`, 'what the set is, and how to synchronise it'],
    dashboard,
  ] as const;
  for (const [url, what] of addresses) {
    io.stdout.write(flags.json ? `${JSON.stringify({ url, what })}\n` : `${url}\n    ${what}\n`);
  }
  const moves =
    flags.editEvery > 0
      ? 'in a minute the repository begins to edit itself, and holds still while a program copies it'
      : 'the repository stays as it is';
  say(io, `harvested every 10 seconds; ${moves}. Ctrl-C stops.`);
}

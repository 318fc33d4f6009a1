import { type Bridge, openBridge } from '../../bridge/bridge.ts';
import { loadConfig } from '../../bridge/config/load-config.ts';
import { createLog } from '../../bridge/log.ts';
import { readBackups } from '../../bridge/state/backups.ts';
import { version } from '../../bridge/version.ts';
import { toIso } from '../../core/datetime.ts';
import { isBridgeError } from '../../core/errors.ts';
import { placeOfSource } from '../../harvest/http/host-gate.ts';
import { hasAccounts } from '../../store/admin/accounts.ts';
import { listRestingHosts } from '../../store/hosts/host-news.ts';
import { migrations } from '../../store/schema/migrate.ts';
import { checkFindings, configurationFinding } from '../check/check.ts';
import { toFinding } from '../check/check-database.ts';
import type { Finding } from '../check/finding.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import { createProgress, type Progress } from '../terminal/progress.ts';
import { printable } from '../terminal/terminal-text.ts';
import { judgeBackup } from './backup-age.ts';
import { type ClockReading, judgeClocks, judgeDatabaseClock } from './clocks.ts';
import type { Diagnosis, Severity } from './diagnosis.ts';
import { checkDiskSpeed } from './disk-speed.ts';
import { judgeMachine, readMachine } from './machine.ts';
import { checkCertificate, checkName, isOwnAddress } from './names-and-certificates.ts';
import { openOutside } from './outside-answer.ts';
import { checkProxy } from './proxy.ts';
import { checkPublishedSets } from './published.ts';
import { judgeNode, judgePostgres } from './supported-versions.ts';

const words: Readonly<Record<Severity, string>> = {
  ok: 'ok  ',
  note: 'note',
  warning: 'WARN',
  error: 'FAIL',
};

/**
 * Everything that `check` looks at, and what lies around it: the machine, its clock and disks, and how we look from outside. Each
 * finding says what mends it. It changes nothing but the database's schema.
 */
export async function doctorCommand(
  flags: { readonly config?: string; readonly json: boolean },
  given: CommandIo,
): Promise<number> {
  const progress = createProgress(given, flags);
  const { io } = progress;
  const config = loadConfig(flags, io.env, io.cwd);
  let exitCode: number = exitCodes.ok;
  const print = (one: Diagnosis) => {
    const { check, severity, message, mend } = one;
    const lines = [
      `${words[severity]}  ${check}: ${printable(message)}`,
      ...(mend === undefined ? [] : [`      mend: ${printable(mend)}`]),
    ];
    printResult(io, flags.json, one, lines.join('\n'));
    if ((severity === 'warning' || severity === 'error') && exitCode !== exitCodes.storage) {
      const { exitCode: its = exitCodes.needsAttention } = one;
      // What a script would wait for in vain comes before what somebody may see to later.
      if (exitCode === exitCodes.ok || exitCode === exitCodes.needsAttention || its === exitCodes.storage)
        exitCode = its;
    }
  };
  let bridge: Bridge | undefined;
  try {
    for (const one of judgeNode(process.version, toIso(new Date()))) print(one);
    for (const one of judgeMachine(config, readMachine())) print(one);
    bridge = await openBridge(config, createLog('silent', io.stderr), 'migrate', io.stop);
    print(toDiagnosis(configurationFinding(bridge.config)));
    for await (const one of diagnoses(bridge, progress)) print(one);
    return io.stop.aborted ? exitCodes.interrupted : exitCode;
  } catch (error) {
    const finding = toFinding(error);
    if (!finding) throw error;
    print(toDiagnosis(finding));
    return exitCodes.storage;
  } finally {
    progress.end();
    await bridge?.close();
  }
}

async function* diagnoses(bridge: Bridge, progress: Progress): AsyncGenerator<Diagnosis> {
  const { io } = progress;
  const { config, database, problems } = bridge;
  yield* await checkVersions(bridge);
  for (const message of problems)
    yield toDiagnosis({ check: 'sources', ok: false, message, mend: 'rsbridge sources list' });
  for await (const finding of checkFindings(bridge, progress, false)) yield toDiagnosis(finding);
  if (io.stop.aborted) return;
  yield* checkDiskSpeed(config, io.abort);
  yield* await checkPublishedSets(bridge);
  yield* judgeBackup(config, await readBackups(bridge), Date.now());
  yield* judgeDatabaseClock(database.aheadMs);
  const url = new URL(config.baseUrl);
  const names = await checkName(url);
  yield* names;
  const readings = await readClocks(bridge, io.abort);
  if (names.every(({ severity }) => severity !== 'error')) {
    yield* await checkCertificate(url, Date.now());
    const isElsewhere = !(await isOwnAddress(url));
    const outside = openOutside(config, io.abort);
    try {
      const known = { hasAccounts: await hasAccounts(database.reader), isElsewhere };
      const live = yield* checkProxy(config, outside, known);
      const theirs = Date.parse(live?.headers.date ?? '');
      // Our own machine shows our own time.
      if (live && readings.length === 0 && isElsewhere && !Number.isNaN(theirs))
        readings.push({ name: url.host, theirs, ours: live.at });
    } finally {
      await outside.close();
    }
  }
  yield* judgeClocks(readings);
}

async function checkVersions({ database }: Bridge): Promise<readonly Diagnosis[]> {
  const schema = migrations.at(-1)?.name ?? '';
  const ours: Diagnosis = { check: 'rsbridge', severity: 'ok', message: `${version}, schema ${schema}` };
  if (database.client === 'sqlite') {
    const [row] = (await database.reader.raw('select sqlite_version() as version')) as { version: string }[];
    return [ours, { check: 'SQLite', severity: 'ok', message: row?.version ?? 'unknown' }];
  }
  const { rows } = await database.reader.raw<{ rows: { server_version: string }[] }>('show server_version');
  return [ours, ...judgePostgres(rows[0]?.server_version ?? '', toIso(new Date()))];
}

const clocksAsked = 5;
const clockMs = 25_000;

/** What servers of repositories say the time is: of a few, by their `Date`. Who does not answer is told of elsewhere. */
async function readClocks(bridge: Bridge, signal: AbortSignal): Promise<ClockReading[]> {
  const resting = new Set((await listRestingHosts(bridge.database.reader)).map(({ host }) => host));
  const asked = bridge.sources().filter(({ config }) => !resting.has(placeOfSource(config)));
  const byHost = new Map(asked.map((source) => [new URL(source.config.url).host, source]));
  // Another process may keep all places at a server that does not answer.
  const late = AbortSignal.timeout(clockMs);
  const readings = [...byHost].slice(0, clocksAsked).map(async ([name, source]) => {
    const { http } = bridge.fileWork(source.name);
    const before = Date.now();
    const options = { signal: AbortSignal.any([signal, late]), patient: false, deadline: 20_000 };
    const answer = await http.head(source.config.url, options);
    const ours = (before + Date.now()) / 2;
    await answer.discard();
    return { name, ours, theirs: Date.parse(answer.headers.date ?? '') };
  });
  const answers = await Promise.allSettled(readings);
  return answers.flatMap((answer) => {
    if (answer.status === 'rejected' && !isBridgeError(answer.reason) && !late.aborted) throw answer.reason;
    return answer.status === 'fulfilled' && !Number.isNaN(answer.value.theirs) ? [answer.value] : [];
  });
}

function toDiagnosis({ check, ok, message, exitCode, mend }: Finding): Diagnosis {
  if (ok)
    return mend === undefined
      ? { check, severity: 'ok', message }
      : { check, severity: 'note', message, mend };
  const severity = exitCode === exitCodes.needsAttention ? 'warning' : 'error';
  return { check, severity, message, mend: mend ?? 'rsbridge check', exitCode: exitCode ?? exitCodes.usage };
}

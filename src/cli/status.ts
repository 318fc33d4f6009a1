import { itemPath, toUri } from '../core/uris.ts';
import { openPublication, type PublishedSet } from '../publish/publication.ts';
import type { SourceOverview } from '../server/deps.ts';
import { countRemoteFiles, type FileCounts } from '../store/remote-files.ts';
import { countGivenUp } from '../store/retention.ts';
import { listProblems, listRuns } from '../store/runs.ts';
import { findSource, loadLessons } from '../store/sources.ts';
import { countUnreadable } from '../store/unreadable.ts';
import { countVanished } from '../store/vanished.ts';
import { listWithdrawals } from '../store/withdrawals.ts';
import { countWithheldFiles, type WithheldCounts } from '../store/withheld-files.ts';
import { type Bridge, openBridge } from './bridge.ts';
import { exitCodes } from './exit-codes.ts';
import { type CommandIo, printResult } from './io.ts';
import { loadConfig } from './load-config.ts';
import { createLog } from './log.ts';
import { readOverviews } from './overview.ts';
import { statusAt } from './status-at.ts';
import { printable } from './terminal-text.ts';
import { withheldDumps } from './withheld-dumps.ts';
import { countOf } from './wording.ts';

const shownProblems = 5;
const shownRuns = 10;

/**
 * What each source is doing, in sentences, and what is published of it.
 * @param flags `at` (ISO): what each held then, instead
 */
export async function statusCommand(
  flags: { config?: string; json: boolean; at?: string },
  io: CommandIo,
): Promise<number> {
  const config = loadConfig(flags, io.env, io.cwd);
  const bridge = await openBridge(config, createLog('silent', io.stderr), 'migrate');
  try {
    if (flags.at !== undefined) return await statusAt(bridge, flags.at, flags.json, io);
    const published = await openPublication(config.directory).sets();
    const setsOf = bySource(published);
    let healthy = true;
    for (const overview of await readOverviews(bridge, undefined, published)) {
      const { name } = overview;
      const sets = setsOf.get(name) ?? [];
      const { runs, ...problems } = await historyOf(bridge, name);
      const lessons = await loadLessons(bridge.database.reader, name);
      const files = await filesOf(bridge, name);
      const vanished = await vanishedOf(bridge, name);
      const withheldFiles = await withheldOf(bridge, name);
      const versionsGivenUp = await givenUpOf(bridge, name);
      const withheld = await withheldDumps(bridge, name);
      const withdrawals = await withdrawalsOf(bridge, name);
      healthy &&= overview.healthy;
      const lines = [
        describeOverview(overview),
        ...describeVanished(name, vanished),
        ...problems.lines,
        ...describeFiles(files),
        ...describeWithheld(name, withheldFiles),
        ...(versionsGivenUp > 0
          ? [
              `  ${versionsGivenUp} ${versionsGivenUp === 1 ? 'version is' : 'versions are'} given up (mementos.keep)`,
            ]
          : []),
        ...withheld.map((sentence) => `  ! ${sentence}`),
        ...withdrawals.map(describeWithdrawal),
        ...lessons.map(({ sentence, learnedAt }) => `  ~ ${sentence} (learnt ${learnedAt})`),
        ...sets.map((set) => describeSet(set, config.baseUrl)),
      ];
      printResult(
        io,
        flags.json,
        {
          ...overview,
          problems: problems.list,
          unreadable: problems.unreadable,
          vanished,
          lessons,
          files,
          withheldFiles,
          versionsGivenUp,
          withheld,
          withdrawals,
          runs,
          sets,
        },
        lines.join('\n'),
      );
    }
    return healthy ? exitCodes.ok : exitCodes.needsAttention;
  } finally {
    await bridge.close();
  }
}

function bySource(sets: readonly PublishedSet[]): ReadonlyMap<string, readonly PublishedSet[]> {
  const found = new Map<string, PublishedSet[]>();
  for (const set of sets) {
    const source = set.path.split('/', 1)[0] ?? set.path;
    const others = found.get(source);
    if (others) others.push(set);
    else found.set(source, [set]);
  }
  return found;
}

/** What the operator has withdrawn, with the addresses that it had. */
async function withdrawalsOf({ database, config }: Bridge, name: string) {
  const known = await listWithdrawals(database.reader, name);
  return known.map(({ identifier, path, reason, at }) => ({
    uri: toUri(config.baseUrl, path ?? itemPath(name, identifier)),
    identifier,
    whole: path === undefined,
    reason,
    at,
  }));
}

function describeWithdrawal({
  uri,
  whole,
  reason,
  at,
}: Awaited<ReturnType<typeof withdrawalsOf>>[number]): string {
  const why = reason === undefined ? '' : `: ${reason}`;
  return `  - withdrawn at ${at}: ${printable(uri)}${whole ? ', the whole item' : ''}${printable(why)}`;
}

async function givenUpOf({ database: { reader } }: Bridge, name: string): Promise<number> {
  const stored = await findSource(reader, name);
  return stored ? countGivenUp(reader, stored.id) : 0;
}

async function vanishedOf({ database: { reader } }: Bridge, name: string) {
  const stored = await findSource(reader, name);
  return stored ? countVanished(reader, stored.id) : { items: 0, resources: 0, runId: undefined };
}

function describeVanished(
  name: string,
  { items, runId }: Awaited<ReturnType<typeof vanishedOf>>,
): readonly string[] {
  if (items === 0) return [];
  return [
    `  ? ${countOf(items, 'item')} missing since run ${runId} or before, and still published: rsbridge vanished ${name}`,
  ];
}

async function filesOf(bridge: Bridge, name: string): Promise<FileCounts | undefined> {
  const { reader } = bridge.database;
  const stored = await findSource(reader, name);
  return stored && (await countRemoteFiles(reader, stored.id));
}

async function withheldOf(bridge: Bridge, name: string): Promise<WithheldCounts | undefined> {
  const { reader } = bridge.database;
  const stored = await findSource(reader, name);
  return stored && (await countWithheldFiles(reader, stored.id));
}

/** What a person is to decide, in sentences. */
export function describeWithheld(name: string, counts: WithheldCounts | undefined): readonly string[] {
  if (counts?.fuseAt === undefined) return [];
  const { refused, gone, fuseAt } = counts;
  return [
    `  ! ${refused + gone} published files are not handed out since ${fuseAt} (503): their server refuses ${refused} of them, and ${gone} are gone there. That is more than \`deletionFuse\` allows at once, so nothing was deleted. They are asked for again, and handed out when their server answers well. If they are to go: rsbridge refused ${name} lists them, and says what to type`,
  ];
}

/** Nothing where no record has named a file. */
function describeFiles(files: FileCounts | undefined): readonly string[] {
  const parts = files
    ? [
        [files.confirmed, 'confirmed'],
        [files.refused, 'refused by their servers, and not published'],
        [files.gone, 'gone from their servers, and not published'],
        [files.unreachable, 'without an answer'],
        [files.unchecked, 'not asked for yet'],
        [files.mirrored, 'mirrored'],
      ].flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]))
    : [];
  const lines = parts.length === 0 ? [] : [`  files: ${parts.join(', ')}`];
  if (files && files.waitingForRoom > 0)
    lines.push(`  ! quotaBytes is used up: ${files.waitingForRoom} files wait for room`);
  if (files && files.otherBytes > 0)
    lines.push(
      `  ! ${files.otherBytes} mirrored files are not what the repository says of them (its checksum or length is another one); the log names them`,
    );
  return lines;
}

/** The latest runs, newest first, and what was wrong in the last one. */
async function historyOf(bridge: Bridge, name: string) {
  const { reader } = bridge.database;
  const stored = await findSource(reader, name);
  const runs = stored ? await listRuns(reader, stored.id, shownRuns) : [];
  const [run] = runs;
  const list = run ? await listProblems(reader, run.id, shownProblems) : [];
  const lines = list.map((problem) => `  ! ${problem.identifier ?? '(no identifier)'}: ${problem.message}`);
  if (run && run.problems > list.length) {
    lines.push(`  … ${run.problems - list.length} more problems in this run`);
  }
  const unreadable = stored ? await countUnreadable(reader, stored.id) : 0;
  return { runs, list, lines, unreadable };
}

function describeOverview(overview: SourceOverview): string {
  const { name, title, state, resources, items, recentChanges, lastSuccessAt } = overview;
  const success = lastSuccessAt === undefined ? 'never complete so far' : `last success ${lastSuccessAt}`;
  return [
    `${name} (${title}) ${state}.`,
    `  ${items} items, ${resources} resources, ${recentChanges} changes in 24 hours; ${success}`,
  ].join('\n');
}

function describeSet(
  set: { path: string; documents: readonly { entries: number }[] },
  baseUrl: string,
): string {
  return `  ${baseUrl}/${set.path}/capabilitylist.xml: ${set.documents.length} documents`;
}

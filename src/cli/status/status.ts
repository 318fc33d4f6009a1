import { loadConfig } from '../../bridge/config/load-config.ts';
import { noSource } from '../../bridge/config/no-source.ts';
import { refuseUnknown } from '../../bridge/sources/source-acts.ts';
import { readLags } from '../../bridge/state/measures.ts';
import { overviewsOf, readKnown } from '../../bridge/state/overview.ts';
import { isOfFormerSources, unpublishedSets } from '../../bridge/state/unpublished-sets.ts';
import { withheldDumps, withheldJointDumps } from '../../bridge/state/withheld-dumps.ts';
import { forReading, openStored, type StoredBridge } from '../../bridge/stored-bridge.ts';
import { areCountOf, countOf } from '../../core/count-of.ts';
import { followedView } from '../../core/following/followed-source.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { itemPath, toUri } from '../../core/uris.ts';
import { placeOfGroup } from '../../harvest/http/host-gate.ts';
import type { PublishedSet } from '../../publish/published/publication.ts';
import type { SourceOverview } from '../../server/deps.ts';
import { createReader } from '../../server/words/reader.ts';
import type { FileCounts } from '../../store/files/file-counts.ts';
import { countUnpublished } from '../../store/files/unpublished-files.ts';
import { totalOf, type WithheldCounts } from '../../store/files/withheld-files.ts';
import { listFollowed } from '../../store/following/followed-sources.ts';
import { listRestingHosts } from '../../store/hosts/host-news.ts';
import { countNotifications, type NotificationCounts } from '../../store/notifications/inbox.ts';
import { type Harvester, listHarvesters } from '../../store/oai/harvesters.ts';
import { listTroubles, type PublicationTrouble } from '../../store/objects/publication-troubles.ts';
import { readSourceDetails, type SourceDetails } from '../../store/reading/source-details.ts';
import { listWithdrawals, type Withdrawal } from '../../store/removal/withdrawals.ts';
import type { VanishedCounts } from '../../store/runs/vanished.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult, say } from '../terminal/io.ts';
import { printable } from '../terminal/terminal-text.ts';
import { followedSentence } from './followed-sentence.ts';
import { statusAt } from './status-at.ts';
import { describeTurns, fullNext, type Times, timesOf } from './times.ts';
import { printToldOfChanges } from './told-of-changes.ts';
import { watch } from './watch.ts';

const shownProblems = 5;
const shownRuns = 10;
const shownHarvesters = 5;
/** Told of before the next ones are asked for. */
const sourcesAtOnce = 200;

export interface StatusFlags {
  readonly config?: string;
  readonly json: boolean;
  /** ISO: what each source held then, instead. */
  readonly at?: string;
  /** Of these alone; default: everything. */
  readonly sources?: readonly string[];
  /** Of these that need attention, and how many they are. */
  readonly unhealthy?: boolean;
  /** Again and again, so many seconds after one another. */
  readonly watch?: number;
}

/** What each source is doing, in sentences, how old that is, when it is read next, and what is published of it. */
export async function statusCommand(flags: StatusFlags, io: CommandIo): Promise<number> {
  const { watch: seconds, ...once } = flags;
  if (seconds === undefined) return lookOnce(flags, io);
  return watch((one) => lookOnce(once, one), { seconds, json: flags.json }, io);
}

async function lookOnce(flags: StatusFlags, io: CommandIo): Promise<number> {
  const config = loadConfig(flags, io.env, io.cwd);
  const stored = await openStored(config, 'migrate');
  try {
    const bridge = await forReading(stored);
    const { sources: named = [] } = flags;
    refuseUnknown(bridge, named);
    if (flags.at !== undefined) return await statusAt(bridge, { ...flags, at: flags.at }, io);
    const published = withTroubles(
      await bridge.publication.sets(),
      await listTroubles(bridge.database.reader),
    );
    const setsOf = bySource(published);
    const known = await readKnown(bridge, published);
    const isMeant = ({ name }: SourceOverview) => named.length === 0 || named.includes(name);
    const all = overviewsOf(bridge, known).filter(isMeant);
    const overviews = flags.unhealthy ? all.filter(({ healthy }) => !healthy) : all;
    const lags = await readLags(bridge, known.sets);
    const full = fullNext(known.due);
    const now = bridge.clock.now().getTime();
    for (let from = 0; from < overviews.length; from += sourcesAtOnce) {
      const some = overviews.slice(from, from + sourcesAtOnce);
      const details = await readDetails(bridge, some, flags.json);
      for (const overview of some) {
        const sets = setsOf.get(overview.name) ?? [];
        const times = timesOf(
          overview,
          lags.get(overview.name),
          await unpublishedSets(bridge, sets, overview.name),
          now,
          { pause: bridge.pauseOf(overview.name), nextIsFull: full.has(overview.name) },
        );
        printSource({ bridge, flags, io }, { ...overview, ...times }, details(overview.name), sets);
      }
    }
    if (flags.unhealthy) {
      if (all.length === 0 && !flags.json) say(io, noSource);
      else if (!flags.json) io.stdout.write(`${needAttention(overviews.length, all.length)}\n`);
    } else if (named.length === 0) {
      for (const set of bridge.jointSets()) await printJointSet({ bridge, flags, io }, set, published);
      await printToldOfChanges(bridge, flags.json, io);
      if (overviews.length === 0 && !flags.json) say(io, noSource);
      if (!flags.json) await sayOthersRest(bridge, io);
      await printNotified(bridge, flags.json, io);
      await printFollowed(bridge, flags.json, io);
    }
    return overviews.every(({ healthy }) => healthy) ? exitCodes.ok : exitCodes.needsAttention;
  } finally {
    await stored.close();
  }
}

function needAttention(few: number, all: number): string {
  if (few === 0) return `${countOf(all, 'source')}: none needs attention`;
  return `${few} of ${countOf(all, 'source')} ${few === 1 ? 'needs' : 'need'} attention`;
}

/** Hosts that records link to, and none of a source. */
async function sayOthersRest({ config, database }: StoredBridge, io: CommandIo): Promise<void> {
  const own = new Set(
    Object.values(config.sources).map(({ url, politenessGroup: group }) =>
      group === undefined ? new URL(url).host : placeOfGroup(group),
    ),
  );
  const others = (await listRestingHosts(database.reader)).filter(({ host }) => !own.has(host));
  for (const { host, until, reason } of others)
    io.stdout.write(`${printable(host)}: nothing is asked there until ${until} (${reason})\n`);
}

/** Which Sources tell of their changes, and how far that is. */
async function printFollowed({ database }: StoredBridge, json: boolean, io: CommandIo): Promise<void> {
  for (const one of await listFollowed(database.reader))
    if (one.hub !== undefined)
      printResult(io, json, { followed: followedView(one), healthy: true }, followedSentence(one));
}

/** What other services told of items; nothing where none did. */
async function printNotified({ database }: StoredBridge, json: boolean, io: CommandIo): Promise<void> {
  const partners = new Map<string, NotificationCounts[]>();
  for (const count of await countNotifications(database.reader))
    partners.set(count.partner, [...(partners.get(count.partner) ?? []), count]);
  for (const [partner, counts] of partners) {
    const total = counts.reduce((sum, { count }) => sum + count, 0);
    const items = counts.find(({ outcome }) => outcome === 'item')?.count ?? 0;
    const last = counts.reduce((latest, one) => (one.last > latest ? one.last : latest), '');
    const notified = { partner, notifications: total, items, lastAt: last };
    const sentence = `${partner}: ${countOf(total, 'notification')} in 90 days, the last at ${last}; ${countOf(items, 'time')} an item was read again`;
    printResult(io, json, { notified, healthy: true }, sentence);
  }
}

/** Everything that is told of a source beyond its overview. */
type Details = Omit<SourceDetails, 'files' | 'withheldFiles'> &
  Partial<Pick<SourceDetails, 'files' | 'withheldFiles'>> & {
    readonly withheld: readonly string[];
    readonly withdrawals: readonly WithdrawalView[];
    readonly harvesters: readonly Harvester[];
  };

interface WithdrawalView {
  readonly uri: string;
  readonly identifier: string;
  readonly whole: boolean;
  readonly reason: string | undefined;
  readonly at: string;
}

const ofNewcomer: Omit<SourceDetails, 'files' | 'withheldFiles'> = {
  ...{ runs: [], problems: [], lessons: [], unreadable: 0, versionsGivenUp: 0 },
  vanished: { items: 0, resources: 0, runId: undefined },
};

/** Of some sources at once, by name: each statement is for all of them. */
async function readDetails(
  bridge: StoredBridge,
  overviews: readonly SourceOverview[],
  json: boolean,
): Promise<(name: string) => Details> {
  const { reader } = bridge.database;
  const names = overviews.map(({ name }) => name);
  // People are told of the last run, by its problems.
  const limits = { runs: json ? shownRuns : 1, problems: shownProblems };
  const stored = await readSourceDetails(reader, names, limits);
  const withdrawals = await listWithdrawals(reader, names);
  const harvesters = await listHarvesters(reader, names);
  const withheld = new Map<string, readonly string[]>();
  for (const name of names) withheld.set(name, await withheldDumps(bridge, name));
  return (name) => ({
    ...(stored.get(name) ?? ofNewcomer),
    withheld: withheld.get(name) ?? [],
    harvesters: harvesters.get(name) ?? [],
    withdrawals: withdrawals.filter(({ source }) => source === name).map((one) => toView(bridge, one)),
  });
}

/** What the operator has withdrawn, with the address that it had. */
function toView(
  { config }: StoredBridge,
  { source, identifier, path, reason, at }: Withdrawal,
): WithdrawalView {
  const uri = toUri(config.baseUrl, path ?? itemPath(source, identifier));
  return { uri, identifier, whole: path === undefined, reason, at };
}

function printSource(
  { bridge, flags, io }: { bridge: StoredBridge; flags: { json: boolean }; io: CommandIo },
  { now, ...overview }: SourceOverview & Times,
  { problems, unreadable, vanished, lessons, files, withheldFiles, versionsGivenUp, ...rest }: Details,
  sets: readonly PublishedSet[],
): void {
  const { withheld, withdrawals, runs, harvesters } = rest;
  const known = { problems, unreadable, vanished, lessons, files, withheldFiles, versionsGivenUp };
  const { name } = overview;
  const lines = () => [
    describeOverview({ ...overview, now }),
    ...describeVanished(name, vanished),
    ...describeProblems({ runs, problems }),
    ...describeFiles(name, files, withheldFiles),
    ...describeWithheld(name, withheldFiles),
    ...(versionsGivenUp > 0 ? [`  ${areCountOf(versionsGivenUp, 'version')} given up (mementos.keep)`] : []),
    ...withheld.map((sentence) => `  ! ${sentence}`),
    ...withdrawals.map(describeWithdrawal),
    ...lessons.map(({ sentence, learnedAt }) => `  ~ ${sentence} (learnt ${learnedAt})`),
    ...harvesters.slice(0, shownHarvesters).map(describeHarvester),
    ...sets.map((set) => describeSet(set, bridge.config.baseUrl)),
  ];
  const whole = { ...overview, ...known, withheld, withdrawals, runs, harvesters, sets };
  printResult(io, flags.json, whole, flags.json ? '' : lines().join('\n'));
}

async function printJointSet(
  { bridge, flags, io }: { bridge: StoredBridge; flags: { json: boolean }; io: CommandIo },
  joint: ResourceSet,
  published: readonly PublishedSet[],
): Promise<void> {
  const { path, title, members = [] } = joint;
  const withheld = await withheldJointDumps(bridge, joint);
  const set = published.find((one) => one.path === path);
  const isOutdated = set !== undefined && (await isOfFormerSources(bridge.database.reader, joint, set));
  const resources = set?.documents.find((document) => document.path === `${path}/resourcelist.xml`)?.entries;
  const what = resources === undefined ? 'nothing published yet' : countOf(resources, 'resource');
  const lines = [
    `${path} (${title}): a set across ${countOf(members.length, 'source')}, ${what}.`,
    ...(set ? [describeSet(set, bridge.config.baseUrl)] : []),
    ...(withheld === undefined ? [] : [`  ! ${printable(withheld)}`]),
    ...(isOutdated ? [`  ! ${leftSince}`] : []),
  ];
  const sources = members.map(({ source }) => source);
  const whole = {
    set: path,
    title,
    sources,
    resources,
    published: set,
    withheld,
    ofFormerSources: isOutdated,
  };
  printResult(io, flags.json, whole, flags.json ? '' : lines.join('\n'));
}

const leftSince =
  'what is published is of before a source left it (`rsbridge publish`, or `rsbridge serve`, writes it anew)';

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

/** By OAI-PMH. */
function describeHarvester({ agent, sender, lastAt, lastFrom, records, requests }: Harvester): string {
  const who = `${agent || 'somebody without a name'}${sender === '' ? '' : ` (${sender})`}`;
  const since = lastFrom === undefined ? 'everything' : `from ${lastFrom}`;
  return `  OAI-PMH: ${printable(who)} asked last at ${lastAt} (${since}): ${countOf(records, 'record')} in ${countOf(requests, 'request')}`;
}

function describeWithdrawal({ uri, whole, reason, at }: WithdrawalView): string {
  const why = reason === undefined ? '' : `: ${reason}`;
  return `  - withdrawn at ${at}: ${printable(uri)}${whole ? ', the whole item' : ''}${printable(why)}`;
}

function describeVanished(name: string, { items, runId }: VanishedCounts): readonly string[] {
  if (items === 0) return [];
  return [
    `  ? ${countOf(items, 'item')} missing since run ${runId} or before, and still published: rsbridge vanished ${name}`,
  ];
}

/** What a person is to decide, in sentences. */
function describeWithheld(name: string, counts: WithheldCounts | undefined): readonly string[] {
  if (counts?.fuseAt === undefined) return [];
  const { refused, gone, atPrivateAddresses, fuseAt } = counts;
  const notAsked =
    atPrivateAddresses > 0 ? `, and ${atPrivateAddresses} lie at addresses that are not public` : '';
  return [
    `  ! ${areCountOf(totalOf(counts), 'published file')} not served since ${fuseAt} (503): their server refuses ${refused} of them, and ${gone} are gone there${notAsked}. That is more than \`deletionFuse\` allows at once, so nothing was deleted. They are asked for again, and served when their server allows it. To delete them: rsbridge refused ${name} lists them, and says what to type`,
  ];
}

/** Nothing where no record has named a file. */
function describeFiles(
  name: string,
  files: FileCounts | undefined,
  withheld: WithheldCounts | undefined,
): readonly string[] {
  const unpublished = files && withheld && countUnpublished(files, withheld);
  const notServed = withheld ? totalOf(withheld) : 0;
  const parts =
    files && unpublished
      ? [
          [files.confirmed, 'confirmed'],
          [notServed, 'published, and not served at present'],
          [unpublished.refused, 'refused by their servers, and not published'],
          [
            unpublished.atPrivateAddresses,
            'at addresses that are not public: not asked for, and not published',
          ],
          [unpublished.gone, 'gone from their servers, and not published'],
          [files.unreachable, 'without an answer'],
          [files.unchecked, 'not asked for yet'],
          [files.mirrored, 'mirrored'],
        ].flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]))
      : [];
  const lines = parts.length === 0 ? [] : [`  files: ${parts.join(', ')}`];
  if (files && files.atPrivateAddresses > 0)
    lines.push(
      `  ? \`network.allow\` or \`allowPrivateAddresses\` allows addresses that are not public; rsbridge refused ${name} --all names them`,
    );
  if (files && files.waitingForRoom > 0)
    lines.push(`  ! quotaBytes is used up: ${countOf(files.waitingForRoom, 'file')} wait for room`);
  if (files && files.otherBytes > 0)
    lines.push(
      `  ! ${areCountOf(files.otherBytes, 'mirrored file')} not what the repository says of them (its checksum or length is another one); the log names them`,
    );
  return lines;
}

function describeProblems({ runs: [run], problems }: Pick<Details, 'runs' | 'problems'>): readonly string[] {
  const lines = problems.map(
    ({ identifier, message }) => `  ! ${identifier ?? '(no identifier)'}: ${message}`,
  );
  if (run && run.problems > problems.length) {
    lines.push(`  … ${countOf(run.problems - problems.length, 'more problem')} in this run`);
  }
  return lines;
}

const reader = createReader('en');

function describeOverview(overview: SourceOverview & Times): string {
  const { name, title, state, resources, items, recentChanges, lastSuccessAt, ageSeconds, now } = overview;
  const success =
    lastSuccessAt === undefined
      ? 'never complete so far'
      : `last success ${lastSuccessAt} (${ageSeconds === undefined ? 'in the future' : reader.age(lastSuccessAt, now)})`;
  return [
    `${name} (${title}) ${state}.`,
    `  ${countOf(items, 'item')}, ${countOf(resources, 'resource')}, ${countOf(recentChanges, 'change')} in 24 hours; ${success}`,
    `  ${describeTurns(overview)}`,
  ].join('\n');
}

/** With what keeps some from being published, and those of which nothing is. */
function withTroubles(
  sets: readonly PublishedSet[],
  troubles: readonly PublicationTrouble[],
): readonly PublishedSet[] {
  const of = new Map(troubles.map(({ path, ...trouble }) => [path, trouble]));
  const all = new Map(sets.map((set) => [set.path, set]));
  for (const [path, trouble] of of)
    all.set(path, { ...(all.get(path) ?? { path, documents: [] }), notPublished: trouble });
  return [...all.values()];
}

function describeSet(set: PublishedSet, baseUrl: string): string {
  const { notPublished } = set;
  const trouble = notPublished
    ? `\n  ! ${set.path} could not be published as it is now, since ${notPublished.at}: ${printable(notPublished.message)} [${notPublished.code}]. What was published before is served, and it is tried again`
    : '';
  return `  ${baseUrl}/${set.path}/capabilitylist.xml: ${countOf(set.documents.length, 'document')}${trouble}`;
}

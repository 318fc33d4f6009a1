import { addSeconds, toIso } from '../../core/datetime.ts';
import { isDatedAhead } from '../../core/time/dated-ahead.ts';
import { placeOfGroup } from '../../harvest/http/host-gate.ts';
import type { PublishedSet } from '../../publish/published/publication.ts';
import type { SourceOverview, SourceWord } from '../../server/deps.ts';
import { type StateWords, stateWords } from '../../server/words/states.ts';
import { listRestingHosts, type RestingHost } from '../../store/hosts/host-news.ts';
import { listUnderWay, type UnderWay } from '../../store/presence/under-way.ts';
import { readSourceFacts, type SourceFacts } from '../../store/reading/source-facts.ts';
import { type DueState, listDue } from '../../store/runs/due.ts';
import type { Run, RunKind } from '../../store/runs/runs.ts';
import type { Pause } from '../../store/sources/pauses.ts';
import type { StoredSource } from '../../store/sources/sources.ts';
import type { StoredBridge } from '../stored-bridge.ts';

/** What is asked of the database for all sources at once. */
export interface KnownOfAll {
  readonly facts: ReadonlyMap<string, SourceFacts>;
  readonly due: readonly DueState[];
  readonly sets: readonly PublishedSet[];
  /** Hosts that are left alone. */
  readonly resting: readonly RestingHost[];
  readonly works: readonly UnderWay[];
}

/** The same few statements for one source and for a thousand. */
export async function readKnown(
  { database, clock, publication }: StoredBridge,
  sets?: readonly PublishedSet[],
): Promise<KnownOfAll> {
  const since = addSeconds(toIso(clock.now()), -86_400);
  return {
    facts: await readSourceFacts(database.reader, since),
    due: await listDue(database.reader, clock.now().getTime() - database.aheadMs),
    resting: await listRestingHosts(database.reader),
    works: await listUnderWay(database.reader),
    sets: sets ?? (await publication.sets()),
  };
}

/** How every source is doing, for the pages, `/readyz`, `/metrics` and `rsbridge status`: one object, many views. */
export async function readOverviews(
  bridge: StoredBridge,
  sets?: readonly PublishedSet[],
): Promise<readonly SourceOverview[]> {
  return overviewsOf(bridge, await readKnown(bridge, sets));
}

export function overviewsOf(
  { config, pauseOf, clock, database }: StoredBridge,
  { facts, due, sets, resting, works }: KnownOfAll,
): readonly SourceOverview[] {
  const next = nextHarvests(due);
  const stuck = dumpTroubles(sets);
  const begun = begunHarvests(works);
  const rests = new Map(resting.map((rest) => [rest.host, rest]));
  const now = clock.now().getTime() - database.aheadMs;
  return Object.entries(config.sources).map(([name, { title, url, politenessGroup: group }]) =>
    overviewOf({
      ...{
        name,
        title,
        host: new URL(url).host,
        begun: begun.get(name),
        next: next.get(name),
        stuck: stuck.get(name),
        pause: pauseOf(name),
      },
      rest: rests.size === 0 ? undefined : rests.get(group ? placeOfGroup(group) : new URL(url).host),
      ...facts.get(name),
      now,
    }),
  );
}

interface Known extends Partial<SourceFacts> {
  readonly name: string;
  /** As it is configured. */
  readonly title: string | undefined;
  readonly host: string;
  readonly begun: BegunHarvest | undefined;
  readonly next: NextHarvest | undefined;
  readonly stuck: DumpTrouble | undefined;
  readonly pause: Pause | undefined;
  /** Of its host, or of those that are one with it. */
  readonly rest: RestingHost | undefined;
  /** By the clock of the database. */
  readonly now: number;
}

function overviewOf(given: Known): SourceOverview {
  const known = withoutEnded(given);
  const { name, title, next, stuck, stored, counts, run, problem, unreadable = 0 } = known;
  const refused = refusedPass(known);
  return {
    name,
    title: title ?? stored?.info?.name ?? name,
    state: describe(known, stateWords.en),
    stateIn: (language) => describe(known, stateWords[language]),
    healthy:
      !stored?.trouble &&
      !refused &&
      !stuck &&
      unreadable === 0 &&
      known.fuseAt === undefined &&
      !isMissed(known) &&
      !isAhead(known) &&
      run?.state !== 'failed',
    word: wordOf(known, refused),
    harvesting: stored?.firstPassSeq === undefined,
    isUnderWay: isRunning(known) || next?.isHeld === true,
    lastSuccessAt: known.lastSuccessAt,
    lastRunAt: stored?.trouble?.at ?? run?.endedAt ?? run?.updatedAt,
    nextRunAt: nextRunAt(next, known.pause),
    resources: counts?.resources ?? 0,
    items: counts?.items ?? 0,
    recentChanges: counts?.changes ?? 0,
    problem: problem && `${problem.identifier ?? 'a record'}: ${problem.message}`,
  };
}

/** In parts, what matters most first. */
function describe(known: Known, words: StateWords): string {
  const { name, stuck, run, look, unreadable = 0 } = known;
  return [
    describePause(known.pause, words),
    describeBegun(known, words),
    ...describeState(known, refusedPass(known), words),
    isMissed(known) && !refusedPass(known) ? words.missed(name) : undefined,
    isAhead(known) ? words.datedAhead(`${known.lastSuccessAt}`) : undefined,
    describeRetry(known, words),
    describeLook(look, run, words),
    unreadable === 0 ? undefined : words.unreadable(name, unreadable),
    // Files wait for their server, or for a person.
    known.fuseAt === undefined ? undefined : words.refused(name, known.fuseAt),
    describeRest(known.rest, words),
    stuck && words.noDumps(stuck.set, stuck.at, stuck.message),
  ]
    .filter((part) => part !== undefined)
    .join(words.separator);
}

function wordOf(known: Known, refused: Run<RunKind> | undefined): SourceWord {
  const { stored, run, stuck, unreadable = 0, fuseAt } = known;
  if (stored?.trouble || run?.state === 'failed') return 'failed';
  if (
    refused ||
    stuck ||
    unreadable > 0 ||
    isMissed(known) ||
    isAhead(known) ||
    fuseAt !== undefined ||
    run?.state === 'needs-attention'
  )
    return 'attention';
  if (isRunning(known)) return 'running';
  if (known.pause) return 'paused';
  return stored?.firstPassSeq === undefined ? 'new' : 'ok';
}

/** While nothing asks for it, what the list does not name any more waits for a person, or the next look. */
function isMissed({ vanished, run, look }: Known): boolean {
  return vanished === true && run?.state !== 'running' && look?.state !== 'running';
}

/** When it was harvested well last, nobody can tell. */
function isAhead({ lastSuccessAt, now }: Known): boolean {
  return lastSuccessAt !== undefined && isDatedAhead(lastSuccessAt, now);
}

function isRunning({ begun, run, look }: Known): boolean {
  return begun !== undefined || run?.state === 'running' || look?.state === 'running';
}

/** One that has no run yet: the repository has not said who it is. */
export interface BegunHarvest {
  readonly at: string;
  /** Nothing has come back so far, not even a failure. */
  readonly isUnanswered: boolean;
}

/** By source. */
export function begunHarvests(works: readonly UnderWay[]): ReadonlyMap<string, BegunHarvest> {
  const begun = works.filter(
    ({ kind, phase }) => phase === 'beginning' && (kind === 'harvest' || kind === 'full'),
  );
  return new Map(
    begun.map(({ source, beganAt: at, requests = 0 }) => [source, { at, isUnanswered: requests === 0 }]),
  );
}

/** That it has ended is told a moment after its trouble was noted. */
function withoutEnded(known: Known): Known {
  const { begun, stored } = known;
  const isOver = begun !== undefined && (stored?.trouble?.at ?? '') > begun.at;
  return isOver ? { ...known, begun: undefined } : known;
}

function describeBegun({ begun, host, rest }: Known, words: StateWords): string | undefined {
  return (
    begun && (begun.isUnanswered && !rest ? words.awaitsAnswer(host, begun.at) : words.begunAt(begun.at))
  );
}

interface NextHarvest {
  /** In milliseconds. */
  readonly at: number | undefined;
  /** Some process has taken it. */
  readonly isHeld: boolean;
  /** Harvests of what is new that failed in a row, */
  readonly attempts: number;
  /** before this. */
  readonly retryAt: number | undefined;
}

/** By source: when one of either kind is due, and whether it failed before. */
function nextHarvests(due: readonly DueState[]): ReadonlyMap<string, NextHarvest> {
  const found = new Map<string, NextHarvest>();
  for (const { source, kind, dueAt, attempts, isHeld: held } of due) {
    if (kind !== 'harvest' && kind !== 'full') continue;
    const before = found.get(source);
    const times = [before?.at, dueAt].filter((time) => time !== undefined);
    const at = times.length > 0 ? Math.min(...times) : undefined;
    const isHeld = held || before?.isHeld === true;
    if (kind === 'harvest') found.set(source, { at, isHeld, attempts, retryAt: dueAt });
    else found.set(source, { attempts: 0, retryAt: undefined, ...before, at, isHeld });
  }
  return found;
}

/** What is due while it is paused comes when that ends. */
function nextRunAt(next: NextHarvest | undefined, pause: Pause | undefined): string | undefined {
  if (next?.at === undefined || (pause && pause.until === undefined)) return undefined;
  const at = toIso(new Date(next.at));
  return pause?.until !== undefined && pause.until > at ? pause.until : at;
}

/** One that failed once is tried again in its turn; then turns are left out. */
function describeRetry({ next, pause }: Known, words: StateWords): string | undefined {
  if (!next?.retryAt || next.attempts < 2 || pause) return undefined;
  return words.failedInRow(next.attempts, toIso(new Date(next.retryAt)));
}

interface DumpTrouble {
  readonly set: string;
  readonly at: string;
  readonly message: string;
}

/** Dumps that cannot be built, by source: what was published before stays, and gets older. */
function dumpTroubles(sets: readonly PublishedSet[]): ReadonlyMap<string, DumpTrouble> {
  const troubles = new Map<string, DumpTrouble>();
  for (const { path, trouble } of sets) {
    const source = path.split('/', 1)[0] ?? path;
    if (trouble && !troubles.has(source))
      troubles.set(source, { set: path, at: trouble.at, message: trouble.message });
  }
  return troubles;
}

function describePause(pause: Pause | undefined, words: StateWords): string | undefined {
  if (!pause) return undefined;
  const paused = pause.until === undefined ? words.pausedSince(pause.since) : words.pausedUntil(pause.until);
  return `${paused}${pause.reason === undefined ? '' : words.inBrackets(pause.reason)}`;
}

function describeRest(rest: RestingHost | undefined, words: StateWords): string | undefined {
  if (!rest) return undefined;
  const { host, until, reason } = rest;
  return `${words.resting(host, until)}${reason === undefined ? '' : words.inBrackets(reason)}`;
}

/**
 * A full pass, or a later look through the identifiers, whose deletions wait for a person, however many good
 * incremental ones came after it, and whatever was begun since and has not come to its end.
 */
export function refusedPass({
  fullPass,
  lookedThrough,
}: Pick<Partial<SourceFacts>, 'fullPass' | 'lookedThrough'>): Run<RunKind> | undefined {
  if (fullPass?.state === 'needs-attention') return fullPass;
  if (lookedThrough?.state !== 'needs-attention') return undefined;
  return lookedThrough.id > (fullPass?.id ?? 0) ? lookedThrough : undefined;
}

/** Nothing is known to be up to date while it is not known what the repository has. */
function describeState(
  known: Known,
  refused: Run<RunKind> | undefined,
  words: StateWords,
): readonly string[] {
  const { stored, run, begun, vanished = false } = known;
  const said = describeLast(stored, run, refused, vanished, words);
  const isWell = stored?.trouble === undefined && run?.state === 'succeeded' && !refused && !isAhead(known);
  return isWell && begun === undefined ? [words.upToDate, said] : [said];
}

function describeLast(
  stored: StoredSource | undefined,
  run: Run | undefined,
  refused: Run<RunKind> | undefined,
  vanished: boolean,
  words: StateWords,
): string {
  if (stored?.trouble) return words.trouble(stored.trouble.at, stored.trouble.message);
  if (!stored || !run) return words.notYet;
  if (refused && run.state === 'succeeded') {
    const pass = refused.mode === 'identifiers' ? words.identifierPass : words.fullHarvest;
    const said = words.attentionSince(pass, `${refused.endedAt}`, `${refused.error?.message}`);
    return `${said}${whereToLook(stored, refused, vanished, words)}`;
  }
  const kind = run.mode === 'full' ? words.fullHarvest : words.newHarvest;
  const records =
    run.expectedTotal === undefined
      ? words.records(run.items)
      : words.recordsOf(run.items, run.expectedTotal);
  const changes = run.created + run.updated + run.deleted;
  switch (run.state) {
    case 'running':
      return stored.firstPassSeq === undefined
        ? words.first(records)
        : words.running(kind, words.records(run.items));
    case 'succeeded':
      return changes === 0
        ? words.nothingNew(kind)
        : words.found(kind, run.created, run.updated, run.deleted);
    case 'interrupted':
      return words.interrupted(records);
    case 'needs-attention':
      return `${words.attention(run.error?.message ?? words.lookAtRun)}${whereToLook(stored, run, vanished, words)}`;
    case 'failed':
      return words.failed(kind, run.error?.message ?? words.unknownReason);
  }
}

function whereToLook(
  { name }: StoredSource,
  { error }: Pick<Run<RunKind>, 'error'>,
  vanished: boolean,
  words: StateWords,
): string {
  return error?.code === 'deletions-refused' && vanished ? words.seeVanished(name) : '';
}

/** Only while it is news. */
function describeLook(
  look: Run<'identifiers'> | undefined,
  run: Run | undefined,
  words: StateWords,
): string | undefined {
  if (!look || look.id < (run?.id ?? 0)) return undefined;
  if (look.state === 'running') return words.listing(look.items);
  if (look.state !== 'failed') return undefined;
  return words.notListed(`${look.endedAt}`, `${look.error?.message}`);
}

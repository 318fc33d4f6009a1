import { countOf } from '../../core/count-of.ts';
import { addSeconds, toIso } from '../../core/datetime.ts';
import { placeOfGroup } from '../../harvest/http/host-gate.ts';
import type { PublishedSet } from '../../publish/published/publication.ts';
import type { SourceOverview, SourceWord } from '../../server/deps.ts';
import { listRestingHosts, type RestingHost } from '../../store/hosts/host-news.ts';
import { readSourceFacts, type SourceFacts } from '../../store/reading/source-facts.ts';
import { type DueState, listDue } from '../../store/runs/due.ts';
import type { Run, RunKind } from '../../store/runs/runs.ts';
import type { Pause } from '../../store/sources/pauses.ts';
import type { StoredSource } from '../../store/sources/sources.ts';
import type { StoredBridge } from '../stored-bridge.ts';

/**
 * How every source is doing, for the pages, `/readyz`, `/metrics` and `rsbridge status`: one object, many views. It
 * takes the same few statements for one source and for a thousand.
 */
export async function readOverviews(
  bridge: StoredBridge,
  sets?: readonly PublishedSet[],
): Promise<readonly SourceOverview[]> {
  const { database, clock, publication } = bridge;
  const since = addSeconds(toIso(clock.now()), -86_400);
  const facts = await readSourceFacts(database.reader, since);
  const due = nextHarvests(await listDue(database.reader, clock.now().getTime() - database.aheadMs));
  const resting = await listRestingHosts(database.reader);
  return overviewsOf(bridge, { facts, due }, { sets: sets ?? (await publication.sets()), resting });
}

/** @param known what is published, and what hosts are left alone */
function overviewsOf(
  { config, pauseOf }: StoredBridge,
  { facts, due }: { facts: ReadonlyMap<string, SourceFacts>; due: ReadonlyMap<string, NextHarvest> },
  { sets, resting }: { readonly sets: readonly PublishedSet[]; readonly resting: readonly RestingHost[] },
): readonly SourceOverview[] {
  const stuck = dumpTroubles(sets);
  const rests = new Map(resting.map((rest) => [rest.host, rest]));
  return Object.entries(config.sources).map(([name, { title, url, politenessGroup: group }]) =>
    overviewOf({
      ...{ name, title, next: due.get(name), stuck: stuck.get(name), pause: pauseOf(name) },
      rest: rests.size === 0 ? undefined : rests.get(group ? placeOfGroup(group) : new URL(url).host),
      ...facts.get(name),
    }),
  );
}

interface Known extends Partial<SourceFacts> {
  readonly name: string;
  /** As it is configured. */
  readonly title: string | undefined;
  readonly next: NextHarvest | undefined;
  readonly stuck: string | undefined;
  readonly pause: Pause | undefined;
  /** Of its host, or of those that are one with it. */
  readonly rest: RestingHost | undefined;
}

function overviewOf(known: Known): SourceOverview {
  const { name, title, next, stuck, stored, counts, run, look, problem, unreadable = 0 } = known;
  const refused = refusedPass(known);
  return {
    name,
    title: title ?? stored?.info?.name ?? name,
    state: [
      describePause(known.pause),
      describeState(stored, run, refused, known.vanished === true),
      describeRetry(next),
      describeLook(look, run),
      describeUnreadable(name, unreadable),
      describeRefused(name, known.fuseAt),
      describeRest(known.rest),
      stuck,
    ]
      .filter((part) => part !== undefined)
      .join('; '),
    healthy:
      !stored?.trouble &&
      !refused &&
      !stuck &&
      unreadable === 0 &&
      known.fuseAt === undefined &&
      run?.state !== 'failed',
    word: wordOf(known, refused),
    harvesting: stored?.firstPassSeq === undefined,
    lastSuccessAt: lastSuccess(stored, run),
    lastRunAt: stored?.trouble?.at ?? run?.endedAt ?? run?.updatedAt,
    nextRunAt: nextRunAt(next),
    resources: counts?.resources ?? 0,
    items: counts?.items ?? 0,
    recentChanges: counts?.changes ?? 0,
    problem: problem && `${problem.identifier ?? 'a record'}: ${problem.message}`,
  };
}

function wordOf(known: Known, refused: Run<RunKind> | undefined): SourceWord {
  const { stored, run, look, stuck, unreadable = 0, fuseAt } = known;
  if (stored?.trouble || run?.state === 'failed') return 'failed';
  if (refused || stuck || unreadable > 0 || fuseAt !== undefined || run?.state === 'needs-attention')
    return 'attention';
  if (run?.state === 'running' || look?.state === 'running') return 'running';
  if (known.pause) return 'paused';
  return stored?.firstPassSeq === undefined ? 'new' : 'ok';
}

interface NextHarvest {
  /** In milliseconds. */
  readonly at: number | undefined;
  /** Harvests of what is new that failed in a row, */
  readonly attempts: number;
  /** before this. */
  readonly retryAt: number | undefined;
}

/** By source: when one of either kind is due, and whether it failed before. */
function nextHarvests(due: readonly DueState[]): ReadonlyMap<string, NextHarvest> {
  const found = new Map<string, NextHarvest>();
  for (const { source, kind, dueAt, attempts } of due) {
    if (kind !== 'harvest' && kind !== 'full') continue;
    const before = found.get(source);
    const times = [before?.at, dueAt].filter((time) => time !== undefined);
    const at = times.length > 0 ? Math.min(...times) : undefined;
    if (kind === 'harvest') found.set(source, { at, attempts, retryAt: dueAt });
    else found.set(source, { attempts: 0, retryAt: undefined, ...before, at });
  }
  return found;
}

function nextRunAt(next: NextHarvest | undefined): string | undefined {
  return next?.at === undefined ? undefined : toIso(new Date(next.at));
}

/** One that failed once is tried again in its turn; then turns are left out. */
function describeRetry(next: NextHarvest | undefined): string | undefined {
  if (!next?.retryAt || next.attempts < 2) return undefined;
  return `failed ${next.attempts} times in a row, tried again at ${toIso(new Date(next.retryAt))}`;
}

/** Dumps that cannot be built, by source: what was published before stays, and gets older. */
function dumpTroubles(sets: readonly PublishedSet[]): ReadonlyMap<string, string> {
  const troubles = new Map<string, string>();
  for (const { path, trouble } of sets) {
    const source = path.split('/', 1)[0] ?? path;
    if (trouble && !troubles.has(source))
      troubles.set(source, `no new dumps of ${path} since ${trouble.at}: ${trouble.message}`);
  }
  return troubles;
}

function describePause(pause: Pause | undefined): string | undefined {
  if (!pause) return undefined;
  const until = pause.until === undefined ? `since ${pause.since}` : `until ${pause.until}`;
  return `paused ${until}${pause.reason === undefined ? '' : ` (${pause.reason})`}`;
}

function describeRest(rest: RestingHost | undefined): string | undefined {
  if (!rest) return undefined;
  const { host, until, reason } = rest;
  return `nothing is asked of ${host} until ${until}${reason === undefined ? '' : ` (${reason})`}`;
}

function lastSuccess(stored: StoredSource | undefined, run: Run | undefined): string | undefined {
  return run?.state === 'succeeded' ? run.endedAt : (stored?.lastFullAt ?? undefined);
}

/**
 * A full pass, or a later look through the identifiers, whose deletions wait for a person, however many good
 * incremental ones came after it.
 */
function refusedPass({ fullPass, look }: Known): Run<RunKind> | undefined {
  if (fullPass?.state === 'needs-attention') return fullPass;
  return look?.state === 'needs-attention' && look.id > (fullPass?.id ?? 0) ? look : undefined;
}

function describeState(
  stored: StoredSource | undefined,
  run: Run | undefined,
  refused: Run<RunKind> | undefined,
  vanished: boolean,
): string {
  if (stored?.trouble) return `could not be harvested at ${stored.trouble.at}: ${stored.trouble.message}`;
  if (!stored || !run) return 'not harvested yet';
  if (refused && run.state === 'succeeded') {
    const pass = refused.mode === 'identifiers' ? 'identifier pass' : 'full harvest';
    return `needs attention since the ${pass} of ${refused.endedAt}: ${refused.error?.message}${whereToLook(stored, refused, vanished)}`;
  }
  const kind = run.mode === 'full' ? 'full harvest' : 'harvest of what is new';
  const records =
    run.expectedTotal === undefined
      ? countOf(run.items, 'record')
      : `${run.items} of about ${countOf(run.expectedTotal, 'record')}`;
  const changes = run.created + run.updated + run.deleted;
  switch (run.state) {
    case 'running':
      return stored.firstPassSeq === undefined
        ? `first harvest under way: ${records} so far`
        : `${kind} under way: ${countOf(run.items, 'record')} so far`;
    case 'succeeded':
      return changes === 0
        ? `up to date; the last ${kind} found nothing new`
        : `up to date; the last ${kind} found ${run.created} new, ${run.updated} changed and ${run.deleted} deleted`;
    case 'interrupted':
      return `stopped after ${records}; the next harvest continues there`;
    case 'needs-attention':
      return `needs attention: ${run.error?.message ?? 'look at the last run'}${whereToLook(stored, run, vanished)}`;
    case 'failed':
      return `the last ${kind} failed: ${run.error?.message ?? 'for an unknown reason'}`;
  }
}

/** They stay until they are read well, or are gone. */
function describeUnreadable(name: string, count: number): string | undefined {
  if (count === 0) return undefined;
  const records = `${countOf(count, 'record')} ${count === 1 ? 'needs attention: it' : 'need attention: they'}`;
  return `${records} could not be read (rsbridge problems ${name})`;
}

/** They wait for their server, or for a person. */
function describeRefused(name: string, since: string | undefined): string | undefined {
  if (since === undefined) return undefined;
  return `needs attention: since ${since} its server refuses so many files that they are neither served nor deleted (rsbridge refused ${name})`;
}

function whereToLook(
  { name }: StoredSource,
  { error }: Pick<Run<RunKind>, 'error'>,
  vanished: boolean,
): string {
  return error?.code === 'deletions-refused' && vanished ? `; rsbridge vanished ${name} lists them` : '';
}

/** Only while it is news. */
function describeLook(look: Run<'identifiers'> | undefined, run: Run | undefined): string | undefined {
  if (!look || look.id < (run?.id ?? 0)) return undefined;
  if (look.state === 'running') return `listing its identifiers: ${look.items} so far`;
  if (look.state !== 'failed') return undefined;
  return `its identifiers could not be listed to the end at ${look.endedAt}: ${look.error?.message}`;
}

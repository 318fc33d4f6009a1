import { addSeconds, toIso } from '../core/datetime.ts';
import type { SourceOverview } from '../server/deps.ts';
import {
  latestFullPass,
  latestIdentifierRun,
  latestRun,
  listProblems,
  type Run,
  type RunKind,
} from '../store/runs.ts';
import { countSource, findSource, type StoredSource } from '../store/sources.ts';
import { countUnreadable } from '../store/unreadable.ts';
import { countVanished } from '../store/vanished.ts';
import type { Bridge } from './bridge.ts';

/** How a source is doing, for the pages, `/readyz`, `/metrics` and `rsbridge status`: one object, many views. */
export async function overviewOf(
  bridge: Bridge,
  name: string,
  nextRun: (source: string) => Date | undefined = () => undefined,
): Promise<SourceOverview> {
  const { database, config, clock } = bridge;
  const stored = await findSource(database.reader, name);
  const next = nextRun(name);
  const now = toIso(clock.now());
  const run = stored && (await latestRun(database.reader, stored.id));
  const look = stored && (await latestIdentifierRun(database.reader, stored.id));
  const refused = stored && (await refusedPass(bridge, stored.id, look));
  const counts = stored && (await countSource(database.reader, stored.id, addSeconds(now, -86_400)));
  const vanished = stored && refused ? (await countVanished(database.reader, stored.id)).items : 0;
  const unreadable = stored ? await countUnreadable(database.reader, stored.id) : 0;
  const stuck = await dumpTrouble(bridge, name);
  const [problem] = run && run.problems > 0 ? await listProblems(database.reader, run.id, 1) : [];
  return {
    name,
    title: config.sources[name]?.title ?? stored?.info?.name ?? name,
    state: [
      describeState(stored, run, refused, vanished),
      describeLook(look, run),
      describeUnreadable(name, unreadable),
      stuck,
    ]
      .filter((part) => part !== undefined)
      .join('; '),
    healthy: !stored?.trouble && !refused && !stuck && unreadable === 0 && run?.state !== 'failed',
    lastSuccessAt: lastSuccess(stored, run),
    lastRunAt: stored?.trouble?.at ?? run?.endedAt ?? run?.updatedAt,
    nextRunAt: next && toIso(next),
    resources: counts?.resources ?? 0,
    items: counts?.items ?? 0,
    recentChanges: counts?.changes ?? 0,
    problem: problem && `${problem.identifier ?? 'a record'}: ${problem.message}`,
  };
}

/** Dumps that cannot be built: what was published before stays, and gets older. */
async function dumpTrouble({ publication }: Bridge, source: string): Promise<string | undefined> {
  for (const { path, trouble } of await publication.sets()) {
    if (trouble && path.split('/', 1)[0] === source)
      return `no new dumps of ${path} since ${trouble.at}: ${trouble.message}`;
  }
  return undefined;
}

function lastSuccess(stored: StoredSource | undefined, run: Run | undefined): string | undefined {
  return run?.state === 'succeeded' ? run.endedAt : (stored?.lastFullAt ?? undefined);
}

/**
 * A full pass, or a later look through the identifiers, whose deletions wait for a person, however many good
 * incremental ones came after it.
 */
async function refusedPass(
  { database }: Bridge,
  sourceId: number,
  look: Run<'identifiers'> | undefined,
): Promise<Run<RunKind> | undefined> {
  const pass = await latestFullPass(database.reader, sourceId);
  if (pass?.state === 'needs-attention') return pass;
  return look?.state === 'needs-attention' && look.id > (pass?.id ?? 0) ? look : undefined;
}

function describeState(
  stored: StoredSource | undefined,
  run: Run | undefined,
  refused: Run<RunKind> | undefined,
  vanished: number,
): string {
  if (stored?.trouble) return `could not be harvested at ${stored.trouble.at}: ${stored.trouble.message}`;
  if (!stored || !run) return 'waits for its first harvest';
  if (refused && run.state === 'succeeded') {
    const pass = refused.mode === 'identifiers' ? 'look through its identifiers' : 'full harvest';
    return `needs attention since the ${pass} of ${refused.endedAt}: ${refused.error?.message}${whereToLook(stored, refused, vanished)}`;
  }
  const kind = run.mode === 'full' ? 'full harvest' : 'harvest of what is new';
  const total = run.expectedTotal === undefined ? '' : ` of about ${run.expectedTotal}`;
  const changes = run.created + run.updated + run.deleted;
  switch (run.state) {
    case 'running':
      return stored.firstPassSeq === undefined
        ? `first harvest under way: ${run.items}${total} records so far`
        : `${kind} under way: ${run.items} records so far`;
    case 'succeeded':
      return changes === 0
        ? `up to date; the last ${kind} found nothing new`
        : `up to date; the last ${kind} found ${run.created} new, ${run.updated} changed and ${run.deleted} deleted`;
    case 'interrupted':
      return `stopped after ${run.items}${total} records; the next harvest continues there`;
    case 'needs-attention':
      return `needs attention: ${run.error?.message ?? 'look at the last run'}${whereToLook(stored, run, vanished)}`;
    case 'failed':
      return `the last ${kind} failed: ${run.error?.message ?? 'for an unknown reason'}`;
  }
}

/** They stay until they are read well, or are gone. */
export function describeUnreadable(name: string, count: number): string | undefined {
  if (count === 0) return undefined;
  const records = count === 1 ? '1 record needs attention: it' : `${count} records need attention: they`;
  return `${records} could not be read (rsbridge problems ${name})`;
}

function whereToLook(
  { name }: StoredSource,
  { error }: Pick<Run<RunKind>, 'error'>,
  vanished: number,
): string {
  return error?.code === 'deletions-refused' && vanished > 0 ? `; rsbridge vanished ${name} lists them` : '';
}

/** Only while it is news. */
function describeLook(look: Run<'identifiers'> | undefined, run: Run | undefined): string | undefined {
  if (!look || look.id < (run?.id ?? 0)) return undefined;
  if (look.state === 'running') return `its identifiers are being looked through: ${look.items} so far`;
  if (look.state !== 'failed') return undefined;
  return `its identifiers could not be listed to the end at ${look.endedAt}: ${look.error?.message}`;
}

const freshMs = 5000;

/** The overview of every source, counted at most every few seconds however often it is asked for. */
export function createOverviews(
  bridge: Bridge,
  nextRun: (source: string) => Date | undefined,
): () => Promise<readonly SourceOverview[]> {
  let cached: { at: number; overviews: Promise<readonly SourceOverview[]> } | undefined;
  return () => {
    const now = bridge.clock.now().getTime();
    if (!cached || now - cached.at > freshMs) {
      const names = Object.keys(bridge.config.sources);
      const overviews = Promise.all(names.map((name) => overviewOf(bridge, name, nextRun)));
      // A failure is told to whoever asked, and not remembered.
      overviews.catch(() => {
        cached = undefined;
      });
      cached = { at: now, overviews };
    }
    return cached.overviews;
  };
}

import type { Bridge } from '../../bridge/bridge.ts';
import { withheldDumps } from '../../bridge/state/withheld-dumps.ts';
import type { RepositoryInfo } from '../../core/adapter.ts';
import { offeredOai } from '../../core/config/oai-schema.ts';
import { isDspace } from '../../core/config/published-formats.ts';
import { areCountOf } from '../../core/count-of.ts';
import { toIso } from '../../core/datetime.ts';
import { describeError, isBridgeError } from '../../core/errors.ts';
import { say } from '../../core/reasons/reason.ts';
import type { HarvestSource } from '../../harvest/harvest-source.ts';
import { offeredFormats } from '../../oai/formats.ts';
import { countWithheldFiles, totalOf } from '../../store/files/withheld-files.ts';
import { countUnreadable } from '../../store/runs/unreadable.ts';
import { countVanished } from '../../store/runs/vanished.ts';
import { readJournal } from '../../store/sources/journal.ts';
import { findSource } from '../../store/sources/sources.ts';
import { exitCodeOf, exitCodes } from '../terminal/exit-codes.ts';
import { answerMs, identifyWithin, isSilence, isUnasked, withinLimit } from './answer-limit.ts';
import { checkDspace } from './check-dspace.ts';
import { checkFiles } from './check-files.ts';
import { findSetFaults } from './check-sets.ts';
import type { Finding } from './finding.ts';
import { describeTurn, findRest, silentServer, withoutTurn } from './unasked.ts';

interface Looking {
  /** What is to be said instead of asking its server, as another source there has shown. */
  readonly hopeless: ((source: HarvestSource) => Finding) | undefined;
  /** Told what is to be said of the others. */
  readonly onHopeless: (others: (source: HarvestSource) => Finding) => void;
  /** Ends it; what was not looked at by then is not told of. */
  readonly signal: AbortSignal;
}

/** What its server answers, and what is stored of it. */
export async function* checkSource(
  bridge: Bridge,
  source: HarvestSource,
  looking: Looking,
): AsyncGenerator<Finding> {
  const { name } = source;
  const { signal } = looking;
  const { finding, info } = await askSource(bridge, source, looking);
  yield finding;
  if (typeof info?.moved === 'string') yield addressFinding(name, info.moved);
  if (info !== undefined)
    yield* withinLimit(source, signal, (limited) => checkDspace(bridge, source, limited));
  for await (const { set, message } of info
    ? withinLimit(source, signal, (limited) => findSetFaults(source, info, limited))
    : []) {
    const mend = `rsbridge sources show ${name}`;
    yield { check: `set ${set}`, ok: false, message, exitCode: exitCodes.usage, mend };
  }
  for (const message of await withheldDumps(bridge, name)) {
    const mend = `rsbridge publish ${name}`;
    const exitCode = exitCodes.needsAttention;
    yield { check: `dumps of ${name}`, ok: false, message, exitCode, mend };
  }
  yield* checkOaiOffer(source, info);
  yield* checkItems(bridge, name);
  yield* checkFiles(bridge, name);
  yield await checkClock(bridge, name);
}

/** Nothing is wrong as long as the old address redirects. */
function addressFinding(name: string, url: string): Finding {
  const mend = `sources: { ${name}: { url: "${url}" } }`;
  return { check: `address of ${name}`, ok: true, message: say('address-moved', { url }), mend };
}

/** A source that is to answer OAI-PMH has to have what every repository offers. */
function* checkOaiOffer(
  { name, config }: HarvestSource,
  info: RepositoryInfo | undefined,
): Generator<Finding> {
  if (!info || !offeredOai(config.oai)) return;
  const check = `OAI-PMH at /${name}/oai`;
  if (offeredFormats(info)) return yield { check, ok: true, message: 'it is answered' };
  const message =
    'it is not answered, because no records come in oai_dc; add oai_dc to `formats` of the source';
  yield { check, ok: false, message, exitCode: exitCodes.usage };
}

/** What a person is asked to look at. */
async function* checkItems({ database }: Bridge, name: string): AsyncGenerator<Finding> {
  const stored = await findSource(database.reader, name);
  if (stored === undefined) return;
  const { items, runId } = await countVanished(database.reader, stored.id);
  const unreadable = await countUnreadable(database.reader, stored.id);
  if (unreadable > 0) {
    const message = `${unreadable} could not be read; rsbridge problems ${name} lists them`;
    const mend = `rsbridge problems ${name}`;
    yield { check: `records of ${name}`, ok: false, message, exitCode: exitCodes.needsAttention, mend };
  }
  const withheld = await countWithheldFiles(database.reader, stored.id);
  if (withheld.fuseAt !== undefined) {
    const files = areCountOf(totalOf(withheld), 'published file');
    const message = `${files} not served since ${withheld.fuseAt}, too many at once to be deleted; rsbridge refused ${name} lists them`;
    const mend = `rsbridge refused ${name}`;
    yield { check: `withheld from ${name}`, ok: false, message, exitCode: exitCodes.needsAttention, mend };
  }
  if (items === 0) return;
  const message = `${areCountOf(items, 'item')} missing from the list of run ${runId}, and still published; rsbridge vanished ${name} lists them`;
  const mend = `rsbridge vanished ${name}`;
  yield { check: `vanished from ${name}`, ok: false, message, exitCode: exitCodes.needsAttention, mend };
}

/** Configured, for publication or for files, and not to be had. */
function absentFormats({ config }: HarvestSource, { formats }: RepositoryInfo): readonly string[] {
  const offered = new Set(formats.filter((format) => format.offered).map(({ name }) => name));
  const absent = formats.filter((format) => !format.offered).map(({ name }) => name);
  const { mode, from } = config.files;
  // A repository that cannot list its formats is harvested all the same.
  const lacking = mode !== 'none' && from !== undefined && offered.size > 0 && !offered.has(from);
  return [...new Set([...absent, ...(lacking ? [from] : [])])];
}

function describeFiles({ config }: HarvestSource, { formats }: RepositoryInfo): string {
  const { mode, from, bundles } = config.files;
  if (mode === 'none') return '; no files';
  if (isDspace(config)) return `; files by ${mode}, of ${(bundles ?? ['ORIGINAL']).join(', ')}`;
  const known = formats.filter(({ selected, fileRank }) => selected && fileRank !== undefined);
  const best = known.sort((a, b) => (a.fileRank ?? 0) - (b.fileRank ?? 0)).map(({ name }) => name);
  return `; files by ${mode}, found in ${from ?? (best.join(', ') || 'landing pages')}`;
}

async function askSource(
  bridge: Bridge,
  source: HarvestSource,
  { signal, hopeless, onHopeless }: Looking,
): Promise<{ readonly finding: Finding; readonly info?: RepositoryInfo }> {
  const check = `source ${source.name}`;
  const rest = await findRest(bridge, source, answerMs);
  if (rest !== undefined) return { finding: rest };
  if (hopeless !== undefined) return { finding: hopeless(source) };
  try {
    const info = await identifyWithin(source, signal);
    const chosen = info.formats.filter((format) => format.selected).map((format) => format.name);
    const absent = absentFormats(source, info);
    if (absent.length > 0) {
      const message = `${info.name} does not list the configured format ${absent.join(', ')}${offeredBy(info)} [oai-unknown-format]`;
      const mend = `sources: { ${source.name}: { formats: [${chosen.filter((name) => !absent.includes(name)).join(', ')}] } }`;
      return { finding: { check, ok: false, message, exitCode: exitCodes.upstream, mend }, info };
    }
    const others = info.formats.filter((format) => !format.selected).map((format) => format.name);
    const offered = others.length === 0 ? '' : ` (also offered: ${others.join(', ')})`;
    const finding = {
      check,
      ok: true,
      message: `${info.name}, ${info.protocol} ${info.protocolVersion}, deletions ${info.deletedRecords}, granularity ${info.granularity}, formats ${chosen.join(', ')}${offered}${describeFiles(source, info)}`,
    };
    return { finding, info };
  } catch (error) {
    if (!isBridgeError(error) || signal.aborted) throw error;
    if (isSilence(error)) onHopeless((other) => silentServer(other, source.name));
    if (isUnasked(error)) {
      const resting = await findRest(bridge, source, 0);
      if (resting !== undefined) return { finding: resting };
      onHopeless((other) => withoutTurn(other, source.name));
      return { finding: await describeTurn(bridge, source, answerMs / 1000) };
    }
    const message = `${describeError(error)}. ${error.advice} [${error.code}]`;
    const mend = `rsbridge init '${source.config.url}' --dry-run --verbose`;
    return { finding: { check, ok: false, message, exitCode: exitCodeOf(error.code), mend } };
  }
}

function offeredBy(info: RepositoryInfo): string {
  const names = info.formats.filter((format) => format.offered).map((format) => format.name);
  return names.length === 0 ? '; its list of formats could not be read' : `; it offers ${names.join(', ')}`;
}

/** A clock that was set back makes every change carry the journal's last time until it has caught up. */
async function checkClock(bridge: Bridge, source: string): Promise<Finding> {
  const journal = await readJournal(bridge.database.reader, source);
  const now = toIso(bridge.clock.now());
  const ahead = journal !== undefined && journal.at > now;
  return {
    check: `clock for ${source}`,
    ok: !ahead,
    message: ahead
      ? `it is ${now} here, but the journal already stands at ${journal.at}; until then every change is dated ${journal.at}. Set the clock right (NTP).`
      : `nothing in the journal is later than this clock, which says ${now}`,
    ...(ahead ? { exitCode: exitCodes.needsAttention, mend: 'timedatectl set-ntp true' } : {}),
  };
}

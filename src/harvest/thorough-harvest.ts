import { BridgeError, failure, isBridgeError } from '../core/errors.ts';
import { say } from '../core/reasons/reason.ts';
import { countListed } from '../store/pages/listed-items.ts';
import { findSource, saveLessons } from '../store/sources/sources.ts';
import { harvest } from './harvest.ts';
import type { HarvestDeps, HarvestOptions, HarvestSource } from './harvest-source.ts';
import { identifierPass } from './identifiers/identifier-pass.ts';
import type { HarvestReport } from './report.ts';

/** A lesson of ours: so many of our items its lists leave out, and we know. */
const omitted = 'items-omitted';

/**
 * A harvest, and, where the upstream can be asked how many items it has and then has fewer than we know of, a look
 * through its identifiers at once: what is withdrawn or deleted leaves no trace in a list of what is new.
 * @returns a report for each of the two
 * @throws BridgeError whatever ended the harvest early; what comes after it is logged and left for the next time
 */
export async function thoroughHarvest(
  deps: HarvestDeps,
  source: HarvestSource,
  options: HarvestOptions,
): Promise<readonly HarvestReport[]> {
  const report = await harvest(deps, source, options);
  const isWhole = options.limit === undefined && options.since === undefined;
  if (report.mode !== 'incremental' || report.state !== 'succeeded' || !isWhole) return [report];
  try {
    const look = await lookIfFewer(deps, source, options);
    return look === undefined ? [report] : [report, look];
  } catch (error) {
    options.signal.throwIfAborted();
    if (!isBridgeError(error)) throw error;
    deps.log.warn({ source: source.name, ...failure(error) }, 'items were not counted');
    return [report];
  }
}

async function lookIfFewer(
  deps: HarvestDeps,
  source: HarvestSource,
  { stop, signal }: HarvestOptions,
): Promise<HarvestReport | undefined> {
  const { adapter, lessons, name } = source;
  const theirs = stop.aborted ? undefined : await adapter.count?.(signal);
  if (theirs === undefined) return undefined;
  const { database } = deps;
  const stored = await findSource(database.reader, name);
  if (stored === undefined) throw new BridgeError('internal', `source ${name} is not in the database`);
  const known = Number(lessons.get(omitted) ?? 0);
  const countOurs = () => countListed(database.reader, name, stored.id);
  let missing = (await countOurs()) - theirs;
  let report: HarvestReport | undefined;
  if (missing > known) {
    deps.log.info({ source: name, missing }, 'fewer items than are published');
    const look = await identifierPass(deps, source, { stop, signal });
    if ('skipped' in look || look.state === 'interrupted') return undefined;
    report = look;
    missing = (await countOurs()) - theirs;
  }
  if (missing <= 0) lessons.forget(omitted);
  else if (missing !== known) {
    const sentence = say('endpoint-has-fewer', { count: missing });
    lessons.learn(omitted, String(missing), sentence);
  }
  const changed = lessons.takeChanged();
  if (changed) await saveLessons(database.writer, stored.id, changed);
  return report;
}
